"""Trace files as the gate reads them: with tolerance for what it does not know, and none for what it cannot read."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import BehaviorTrace

VERSION = "agent-behavior-trace/v0"
CURE = "Mend the file or take it out of the folder: a gate that left it out could pass on what is missing."
_EMPTY: dict[str, object] = {}
MOST_BESIDE = 20_000


@dataclass(frozen=True)
class LoadedTrace:
    """A trace and the file it came from."""

    name: str
    """File name, without the folder: moving a folder changes nothing."""
    digest: str
    """sha256 of the file's bytes."""
    trace: BehaviorTrace
    unknown: Mapping[str, int]
    """Fields that this version does not know, by their path (`spans[].cost`), and how often each stood there; nothing reads them."""


def load_traces(folder: Path) -> list[LoadedTrace]:
    """Every `*.json` directly in a folder, in the order of their names, which is that of the runs; a file stands for itself.

    InputError for the first file that is no such trace, for a folder without any, and for a run that is there twice: a copy is no
    further evidence.
    """
    found = [load_trace(path) for path in trace_files(folder)]
    check_once(folder, [(each.name, each.trace.run.trace_id) for each in found])
    return found


def trace_files(folder: Path) -> list[Path]:
    """The files that `load_traces` reads; InputError where there is none."""
    if folder.is_file():
        refuse_unnamable(folder)
        return [folder]
    if not folder.is_dir():
        raise InputError(f"There is no folder of traces at {str(folder)!r}. Write one with 'tracedance trace export SOURCE --out DIR'.")
    found = sorted((path for path in folder.iterdir() if may_be_trace(path.name)), key=lambda path: path.name)
    if not found:
        raise InputError(f"{str(folder)!r} holds no trace (*.json). Write some with 'tracedance trace export SOURCE --out DIR'.")
    for path in found:
        refuse_unnamable(path)
    return found


def may_be_trace(name: str) -> bool:
    """Whether a file of a folder is read as a trace. What begins with a dot is some program's own: a write that was broken off."""
    return name.lower().endswith(".json") and not name.startswith(".")


def refuse_unnamable(path: Path) -> None:
    """InputError for a file whose name is no UTF-8: no report could name it."""
    if any("\ud800" <= char <= "\udfff" for char in path.name):
        raise InputError(f"{str(path)!r}: the name of the file is not UTF-8, so that no report can name it. Rename it.")


def beside(folder: Path) -> list[str]:
    """Files of a folder of traces that look like traces and are not read: JSON in another form, or further below. By path within it.

    At most `MOST_BESIDE` files are looked at, so that naming a whole disk costs no more.
    """
    found, looked = [], 0
    for here, folders, files in os.walk(folder) if folder.is_dir() else ():
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            looked += 1
            below = Path(here) / name
            if ".json" in name.lower() and not name.startswith(".") and not (Path(here) == folder and may_be_trace(name)):
                found.append(below.relative_to(folder).as_posix())
        if looked > MOST_BESIDE:
            break
    return found


def check_once(folder: Path, runs: Sequence[tuple[str, str]]) -> None:
    """InputError for a run (file name, trace_id) that is there twice."""
    seen: dict[str, str] = {}
    for file, trace_id in runs:
        name = seen.setdefault(trace_id, file)
        if name != file:
            raise InputError(f"{str(folder / file)!r} is the same run as {name!r}: trace_id {trace_id!r}. Take one away.")


def load_trace(path: Path) -> LoadedTrace:
    """One trace; InputError, one line with file and position, for anything else."""
    return parse_trace(read_trace(path), path.name, str(path))


def read_trace(path: Path) -> bytes:
    """A trace file's bytes; InputError where it cannot be read."""
    try:
        return read_regular(path)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}. {CURE}") from None


def parse_trace(raw: bytes, name: str, shown: str = "") -> LoadedTrace:
    """As `load_trace`, of bytes; `shown` is how messages name the file."""
    try:
        trace = BehaviorTrace.model_validate_json(raw, strict=True, extra="allow")
    except ValidationError as error:
        raise InputError(_explain(error, shown or name)) from None
    refuse_twice(raw, shown or name)
    return LoadedTrace(name, hashlib.sha256(raw).hexdigest(), trace, dict(sorted(Counter(_unknown(trace)).items())))


class _Object(dict[str, Any]):
    """A JSON object, and the first key that stands in it twice."""

    twice: str | None = None


def refuse_twice(raw: bytes, shown: str) -> None:
    """InputError, with file and place, for a key that stands twice in one object: which of the two values is meant nobody can say."""

    def made(pairs: list[tuple[str, Any]]) -> _Object:
        found = _Object(pairs)
        if len(found) < len(pairs):
            found.twice = next(key for place, (key, _) in enumerate(pairs) if any(key == other for other, _ in pairs[:place]))
        return found

    waiting: list[tuple[str, Any]] = [("", json.loads(raw, object_pairs_hook=made, parse_int=str, parse_float=str))]
    while waiting:
        place, value = waiting.pop(0)
        if isinstance(value, _Object):
            if value.twice is not None:
                key = json.dumps(f"{place}.{value.twice}".lstrip("."))[:200]
                raise InputError(f"{shown!r}, {key}: the key stands there twice. {CURE}")
            waiting += [(f"{place}.{key}", item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{place}[{number}]", item) for number, item in enumerate(value)]


def _unknown(trace: BehaviorTrace) -> Iterator[str]:
    """Paths of unknown fields, once for each time one stands there."""
    parts: list[tuple[str, BaseModel]] = [
        ("", trace),
        ("source.", trace.source),
        ("run.", trace.run),
        ("redaction.", trace.redaction),
    ]
    for prefix, part in parts:
        for key in part.model_extra or _EMPTY:
            yield prefix + key
    for span in trace.spans:
        for key in span.__pydantic_extra__ or _EMPTY:
            yield f"spans[].{key}"
        for key in span.attributes.__pydantic_extra__ or _EMPTY:
            yield f"spans[].attributes.{key}"


def _explain(error: ValidationError, shown: str) -> str:
    """The first thing wrong, where it is, and the cure."""
    first = error.errors(include_url=False, include_context=False)[0]
    key, message = first["loc"], first["msg"].removeprefix("Value error, ")
    if first["type"] == "json_invalid":
        return f"{shown!r} is no valid JSON: {message.removeprefix('Invalid JSON: ')}. {CURE}"
    if key == ("schema_version",):
        given = json.dumps(first["input"])[:80] if first["type"] != "missing" else "none"
        return f"{shown!r}, schema_version: it is {given}, and this version reads {VERSION!r}. Export it again, or upgrade tracedance."
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in key).lstrip(".") or "the whole"
    return f"{shown!r}, {place}: {message[0].lower()}{message[1:]}. {CURE}"
