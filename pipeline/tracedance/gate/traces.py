"""Trace files as the gate reads them: with tolerance for what it does not know, and none for what it cannot read."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import BehaviorTrace

VERSION = "agent-behavior-trace/v0"
CURE = "Mend the file or take it out of the folder: a gate that left it out could pass on what is missing."
_EMPTY: dict[str, object] = {}


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
    """Every `*.json` directly in a folder, in the order of their names, which is the order of the runs; a file stands for itself.

    InputError for the first file that is no such trace, for a folder without any, and for a run that is there twice: a copy is no
    further evidence.
    """
    found = [load_trace(path) for path in trace_files(folder)]
    check_once(folder, [(each.name, each.trace.run.trace_id) for each in found])
    return found


def trace_files(folder: Path) -> list[Path]:
    """The files that `load_traces` reads; InputError where there is none."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise InputError(f"There is no folder of traces at {str(folder)!r}. Write one with 'tracedance trace export SOURCE --out DIR'.")
    found = sorted(folder.glob("*.json"), key=lambda path: path.name)
    if not found:
        raise InputError(f"{str(folder)!r} holds no trace (*.json). Write some with 'tracedance trace export SOURCE --out DIR'.")
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
    return LoadedTrace(name, hashlib.sha256(raw).hexdigest(), trace, dict(sorted(Counter(_unknown(trace)).items())))


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
