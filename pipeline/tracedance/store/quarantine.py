"""Sessions in which the second look still finds something: nothing is cut from them and nothing of them is sent until a person approves."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

import polars as pl

from tracedance.door import scan
from tracedance.door.decoded import leaves
from tracedance.door.scan import Finding
from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import Session
from tracedance.store.durable import locked, write_durably
from tracedance.store.store import Store

FOLDER = "quarantine"
APPROVALS = "approved.json"
QUARANTINED = "quarantined"
"""Why a candidate of such a session is dropped."""


@dataclass(frozen=True, slots=True)
class Held:
    """One session with findings."""

    session: str
    approved: bool
    findings: tuple[Finding, ...]


def findings(store: Store, session: Session, content: str) -> tuple[Finding, ...]:
    """What the second look finds in a session whose content has this digest; looked for once, and kept in the store where it can be."""
    place = store.path / FOLDER / f"{content}.{scan.door_digest()[:16]}.json"
    try:
        return tuple(Finding(*row) for row in json.loads(read_regular(place)))
    except (OSError, ValueError, TypeError, RecursionError):
        pass  # not looked for yet, or not readable: looked for again
    found = tuple(sorted({finding for where, name, text in _texts(session) for finding in scan.in_text(text, where, name)}))
    with suppress(OSError):  # A store that only may be read keeps nothing: the next look costs as much as this one.
        place.parent.mkdir(mode=0o700, exist_ok=True)
        write_durably(place, json.dumps([astuple(finding) for finding in found]).encode(), mode=0o600)
    return found


def _texts(session: Session) -> Iterator[tuple[str, str, str]]:
    """(place, field, text) of all that a context could be made of."""
    about = {"id": session.id, "source id": session.source_id, "cwd": session.cwd, "system prompt": session.system or ""}
    yield from ((place, "", text) for place, text in about.items())
    for tool in session.tools or ():
        yield from leaves([tool.name, tool.description, dict(tool.parameters)], "a tool's definition ")
    for turn in session.turns:
        yield f"turn {turn.index}, text", "", turn.text
        for call in turn.calls:
            yield f"turn {turn.index}, arguments", "", call.arguments_json
            yield from leaves([call.id, call.name, dict(call.arguments)], f"turn {turn.index}, call ")
        for result in turn.results:
            yield f"turn {turn.index}, result", "", result.text


def is_held(store: Store, session: Session) -> bool:
    """Whether a session must not be used."""
    content = _contents(store).get(session.id, "")
    found = findings(store, session, content)
    return bool(found) and not _covers(approvals(store.path).get(session.id), content, found)


def held(store: Store, progress: Callable[[int, int, str], None] | None = None) -> list[Held]:
    """Every session with findings, approved ones too, by id."""
    contents, known = _contents(store), approvals(store.path)
    rows = []
    for number, (name, content) in enumerate(sorted(contents.items()), 1):
        found = findings(store, store.session(name), content)
        if found:
            rows.append(Held(name, _covers(known.get(name), content, found), found))
        if progress is not None:
            progress(number, len(contents), "look for what redaction left")
    return rows


def approve(path: Path, session_id: str) -> Held:
    """Record that a person has looked at a session's findings and lets them pass. InputError: no such session, or nothing found in it."""
    store = Store.open(path)
    session = store.session(session_id)
    content = _contents(store)[session_id]
    found = findings(store, session, content)
    if not found:
        raise InputError(f"Nothing is found in session {session_id!r}: it is not in quarantine and needs no approval.")
    with locked(path):
        known = approvals(path)
        known[session_id] = {"content": content, "door": scan.door_digest(), "findings": [astuple(finding) for finding in found]}
        (path / FOLDER).mkdir(mode=0o700, exist_ok=True)
        write_durably(path / FOLDER / APPROVALS, json.dumps(known, sort_keys=True, indent=1).encode(), mode=0o600)
    return Held(session_id, True, found)


def approvals(path: Path) -> dict[str, dict[str, object]]:
    """What was approved, by session. InputError (6): the record cannot be read."""
    place = path / FOLDER / APPROVALS
    try:
        known = json.loads(read_regular(place))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{str(place)!r} cannot be read. Remove it, and approve again what may be used.", code=6) from error
    return known if isinstance(known, dict) else {}


def approvals_digest(path: Path) -> str:
    """A digest of what is approved; "" where nothing is."""
    known = approvals(path)
    return sha256(json.dumps(known, sort_keys=True).encode()).hexdigest() if known else ""


def let_approved_pass(path: Path) -> None:
    """What was approved in this store passes the doors of this process."""
    for record in approvals(path).values():
        listed = record.get("findings")
        if isinstance(listed, list):
            scan.approve(str(row[2]) for row in listed if isinstance(row, list) and len(row) == 3)


def _covers(record: dict[str, object] | None, content: str, found: tuple[Finding, ...]) -> bool:
    """Whether an approval is of this content and of all that is found in it."""
    listed = record.get("findings") if record else None
    if not record or record.get("content") != content or not isinstance(listed, list):
        return False
    return {finding.digest for finding in found} <= {row[2] for row in listed}


def _contents(store: Store) -> dict[str, str]:
    table = store.live(("id", "content_digest")).select(pl.col("id"), pl.col("content_digest"))
    return dict(table.iter_rows())
