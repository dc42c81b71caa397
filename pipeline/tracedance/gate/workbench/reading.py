"""Folders of traces as the gate judges them: of each run its trajectory and what else a rule can speak of."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from tracedance.gate.ordered import Item
from tracedance.gate.traces import VERSION, check_once, parse_trace, read_trace, trace_files
from tracedance.schema import BehaviorTrace

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Named = Annotated[str, msgspec.Meta(min_length=1)]
_Status = Literal["success", "error", "cancelled", "unknown"]
_by_ordinal = attrgetter("ordinal")


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One run of an agent."""

    file: str
    digest: str
    """sha256 of the file's bytes."""
    trace_id: str
    final_status: str
    output: Mapping[str, Any] | None
    """The canonical output, where one was recorded."""
    steps: tuple[Item, ...]
    """The trajectory: the named steps of every type but llm. Their place is their ordinal."""
    names: tuple[str, ...]
    """The names of the steps."""
    inputs: tuple[str | None, ...]
    """The hash of each step's input."""
    errors: int
    """How many spans of any type ended in an error."""
    unknown_fields: int = 0
    """Fields in the file that this version does not know."""


def read_runs(folder: Path) -> list[JudgedRun]:
    """The runs of a folder in the order of their file names; InputError as `load_traces`."""
    found = [parse_run(read_trace(path), path) for path in trace_files(folder)]
    check_once(folder, [(run.file, run.trace_id) for run in found])
    return found


def parse_run(raw: bytes, path: Path) -> JudgedRun:
    """One file's run.

    Most files hold known fields alone and are decoded at once; all others take the road of `parse_trace`, which counts what it does not
    know and says what is wrong.
    """
    try:
        trace = _decoder().decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        trace = None
    if trace is None or trace.schema_version != VERSION or len({span.ordinal for span in trace.spans}) < len(trace.spans):
        loaded = parse_trace(raw, path.name, str(path))
        return run_of(loaded.trace, loaded.name, loaded.digest, sum(loaded.unknown.values()))
    return run_of(trace, path.name, hashlib.sha256(raw).hexdigest())


def run_of(trace: "BehaviorTrace | _Trace", file: str, digest: str, unknown_fields: int = 0) -> JudgedRun:
    """The judged run of a trace record."""
    spans: Iterable[Any] = sorted(trace.spans, key=_by_ordinal)
    named = [span for span in spans if span.type != "llm"]
    return JudgedRun(
        file=file,
        digest=digest,
        trace_id=trace.run.trace_id,
        final_status=trace.run.final_status,
        output=trace.run.canonical_output,
        steps=tuple(Item(span.ordinal, span.ordinal, span.ordinal, span.name, span.status) for span in named),
        names=tuple(span.name for span in named),
        inputs=tuple(span.input_hash for span in named),
        errors=sum(span.status == "error" for span in trace.spans),
        unknown_fields=unknown_fields,
    )


# The same record as `schema.behavior_trace`, in the form that decodes fastest; a test holds the two together.
class _Part(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    pass


class _Source(_Part):
    platform: str
    export_format: str = ""
    exported_at: str = ""
    source_hash: str = ""


class _Run(_Part):
    trace_id: _Named
    scenario_id: str | None = None
    environment: str | None = None
    final_status: _Status = "unknown"
    final_output_hash: str | None = None
    canonical_output: dict[str, Any] | None = None


class _Attributes(_Part):
    model: str | None = None
    tool_name: str | None = None
    token_input_count: _Count | None = None
    token_output_count: _Count | None = None
    redacted: bool = True


class _Span(_Part):
    ordinal: _Count
    type: Literal["llm", "tool", "retriever", "memory", "handoff", "guardrail"]
    name: _Named
    span_id: str = ""
    status: _Status = "unknown"
    started_at: str | None = None
    duration_ms: _Count | None = None
    input_hash: str | None = None
    output_hash: str | None = None
    attributes: _Attributes = msgspec.field(default_factory=_Attributes)


class _Redaction(_Part):
    applied: bool
    method: str = "hash-only"
    removed_fields: list[str] = msgspec.field(default_factory=list)


class _Trace(_Part):
    schema_version: str
    source: _Source
    run: _Run
    redaction: _Redaction
    spans: list[_Span] = msgspec.field(default_factory=list)


@cache
def _decoder() -> msgspec.json.Decoder[_Trace]:
    return msgspec.json.Decoder(_Trace)
