"""Findings of the second look, with their place and kind and never their value; and what a person has approved."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

from tracedance.door import patterns
from tracedance.door.decoded import leaves, views
from tracedance.errors import InputError
from tracedance.privacy.redactor import find


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that should not be there."""

    place: str
    kind: str
    digest: str
    """sha256 of the value, by which a person's approval knows it."""


_approved: set[str] = set()
"""Digests of values that people have approved, of the store and the benchmarks in use."""


def approve(digests: Iterable[str]) -> None:
    """These values may leave, in this process."""
    _approved.update(digests)


def unapproved(found: Iterable[Finding]) -> list[Finding]:
    """Those that no person has let pass, in order."""
    return sorted({finding for finding in found if finding.digest not in _approved})


def approved_in(lines: str) -> tuple[str, ...]:
    """Digests of the approved values that these JSON lines hold; nothing is looked for where nothing is approved."""
    if not _approved:
        return ()
    found = (finding for number, line in enumerate(lines.split("\n")) if line for finding in _in_line(".jsonl", number, line))
    return tuple(sorted({finding.digest for finding in found} & _approved))


@cache
def door_digest() -> str:
    """Digest of the code and patterns of the second look."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def in_text(text: str, place: str = "", name: str = "") -> list[Finding]:
    """What is found in one text, `name` being the field it stands under."""
    found: dict[str, Finding] = {}
    for view, joined in views(text):
        for kind, value, start in patterns.secrets(view, joined):
            _add(found, kind, value, f"{place}, line {view.count(chr(10), 0, start) + 1}" if "\n" in view and view is text else place)
    if name and not any(char.isspace() for char in text):
        for kind, value, _ in patterns.secrets(f"{name}={text}", False):
            _add(found, kind, value, place)
    for rule, start, end in find(text):
        _add(found, str(rule), text[start:end], f"{place}, line {text.count(chr(10), 0, start) + 1}" if "\n" in text else place)
    return sorted(found.values())


def _add(found: dict[str, Finding], kind: str, value: str, place: str) -> None:
    digest = sha256(value.encode("utf-8", "replace")).hexdigest()
    found.setdefault(digest, Finding(place.lstrip(", ."), kind, digest))


def in_value(value: Any, place: str = "") -> list[Finding]:
    """What is found in a decoded JSON value, keys among it."""
    return [finding for where, name, text in leaves(value, place) for finding in in_text(text, where, name)]


def in_file(name: str, data: bytes) -> list[Finding]:
    """What is found in a file that is to leave: JSON and JSON lines by their leaves, Parquet by its cells, all else as text."""
    if data.startswith(b"PAR1"):
        return [finding for place, text in _cells(data) for finding in in_text(text, f"{name}, {place}")]
    text = data.decode("utf-8", "replace")
    if name.endswith((".json", ".jsonl")):
        lines = [text] if name.endswith(".json") else text.split("\n")
        return [finding for number, line in enumerate(lines, 1) if line.strip() for finding in _in_line(name, number, line)]
    shown = unescape(text) if name.endswith(".html") else text
    return sorted({*in_text(text, name), *(in_text(shown, name) if shown != text else ())})


def masked(text: str) -> str:
    """An error's text as it may be shown: anything that looks like a secret is named by its kind instead."""
    found = {value: kind for kind, value, _ in patterns.secrets(text, False)} | {
        text[start:end]: str(rule) for rule, start, end in find(text)
    }
    for value, kind in sorted(found.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(value, f"[{kind}]")
    return text


def _in_line(name: str, number: int, line: str) -> list[Finding]:
    place = f"{name}, line {number}, " if name.endswith(".jsonl") else f"{name}, "
    try:
        return in_value(json.loads(line), place)
    except (ValueError, RecursionError):
        return in_text(line, place)


def _cells(data: bytes) -> Iterator[tuple[str, str]]:
    import pyarrow.parquet as pq

    for number, row in enumerate(pq.read_table(io.BytesIO(data)).to_pylist(), 1):
        for where, _, text in leaves(row, f"row {number}, "):
            yield where, text


def refuse(what: str, found: Iterable[Finding], cure: str = "") -> None:
    """InputError where anything was found: places and kinds, never a value."""
    listed = unapproved(found)
    if not listed:
        return
    shown = "; ".join(f"{finding.kind} at {finding.place or 'its text'}" for finding in listed[:3])
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    raise InputError(f"{what} still holds a secret ({shown}{more}) and is not written. {cure}".rstrip())
