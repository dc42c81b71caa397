"""Forgetting a session: taken out of the store, and with it what scans, builds and model calls have kept of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracedance.construct.build import LEDGER
from tracedance.construct.run import CANDIDATES, CHECKS, FAILURES, RUNS, Failure
from tracedance.kit.texts import LINE_BREAK
from tracedance.models.ledger import Ledger
from tracedance.scan.carrying import carry_over
from tracedance.schema import Candidate, CheckRow, Record, Session
from tracedance.store import forgetting, runs
from tracedance.store.card import DATA
from tracedance.store.checking import benchmarks
from tracedance.store.durable import locked
from tracedance.store.export import published
from tracedance.store.manifest import sweep
from tracedance.store.store import Store

WORK = ("scan", "batches", "confirmed", "cut", "probed", "rounds", "family")
"""Folders of a run that its steps hand on to each other; none is needed once it has ended, and none fits the store that is left."""
OPENING, SHORTEST, MOST = 60, 20, 400
"""Characters by which a text is recognised in a request, those that tell nothing, and how many texts of a session are looked for."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What became of a session that was forgotten."""

    sessions: tuple[str, ...]
    related: tuple[str, ...]
    """Sessions still there that share its history or worked for it."""
    runs: int
    """Build runs whose working files were removed."""
    calls: int
    """Model calls struck from the store's ledger."""
    benchmarks: tuple[tuple[str, int], ...]
    """Benchmarks under the store that hold instances cut from it, and how many."""


def forget(path: Path, session_id: str, linked: bool = False) -> Forgotten:
    """Remove a session from the store at `path`, with `linked` also its forks and sub-agents, and keep later imports from bringing it back.

    What was published is named, not touched. The session goes last: after a crash the same command finishes. InputError: no such
    session; another command is writing to the store (7).
    """
    Store.open(path)
    with locked(path):
        store = Store.open(path)
        sweep(path, store.manifest)
        related = forgetting.related(store, session_id)
        ids = sorted({session_id, *(related if linked else ())})
        worked = [_strip(run, ids) for run in sorted((path / RUNS).glob("*")) if run.is_dir()]
        calls = _strike(path / LEDGER, [store.session(name) for name in ids])
        made = made_from(store, ids)
        manifest = forgetting.forget(store, ids)
        sweep(path, manifest)
        carry_over(Store.open(path))
    left = () if linked else tuple(related)
    return Forgotten(tuple(ids), left, sum(worked), calls, tuple(made))


def _strip(run: Path, ids: Collection[str]) -> bool:
    """Remove a run's working files, and the rows about these sessions from its account, if it knows them."""
    names = [json.dumps(name, ensure_ascii=False).encode() for name in ids]
    files = [file for file in run.rglob("*.jsonl") if file.is_file()]
    if not any(name in data for data in (file.read_bytes() for file in files) for name in names):
        return False
    for folder in WORK:
        shutil.rmtree(run / folder, ignore_errors=True)
    candidates = runs.read(run / CANDIDATES, Candidate)
    cut = {row.instance for row in candidates if row.place.session in ids}
    _rewrite(run / CANDIDATES, [row for row in candidates if row.place.session not in ids])
    _rewrite(run / CHECKS, [row for row in runs.read(run / CHECKS, CheckRow) if row.instance not in cut])
    _rewrite(run / FAILURES, [row for row in runs.read(run / FAILURES, Failure) if row.session not in ids])
    return True


def _rewrite(path: Path, rows: Sequence[Record]) -> None:
    if path.exists():
        runs.replace(path, rows)


def _strike(ledger: Path, sessions: Collection[Session]) -> int:
    """Strike out every call whose request quotes one of the sessions. One too many costs a call, one too few would keep its words."""
    if not ledger.exists():
        return 0
    openings = [opening for session in sessions for opening in _openings(session)]

    def quotes(request: str) -> bool:
        return any(opening in request for opening in openings)

    with Ledger(ledger) as opened:
        return opened.forget(quotes)


def _openings(session: Session) -> list[str]:
    """How the session's texts begin, what people and models said first: an excerpt may leave out middles, never beginnings.

    Of a beginning of several lines the longest line: prompts mark and indent each.
    """
    said = [turn.text.strip() for turn in session.turns]
    returned = [result.text.strip() for turn in session.turns for result in turn.results]
    called = [call.arguments_json for turn in session.turns for call in turn.calls]
    lines = [max(LINE_BREAK.split(text[:OPENING]), key=len) for text in (*said, *called, *returned)]
    return list(dict.fromkeys(line for line in lines if len(line) >= SHORTEST))[:MOST]


def made_from(store: Store, ids: Collection[str], others: Sequence[Path] = ()) -> Iterator[tuple[str, int]]:
    """Published benchmarks, under the store and at the places given, with instances of these sessions, told by their provenance."""
    marks = {store.provenance(name) for name in ids}
    pointers = {path.resolve(): path for path in (store.path / "benchmarks").glob("*") if path.is_dir()}
    given = {published(path).resolve(): path for path in others}
    pointers |= given
    for folder in dict.fromkeys([*benchmarks(store.path), *given]):
        count = sum(json.loads(line).get("session") in marks for line in _lines(folder / DATA))
        if count:
            yield str(pointers.get(folder.resolve(), folder)), count


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line] if path.exists() else []
