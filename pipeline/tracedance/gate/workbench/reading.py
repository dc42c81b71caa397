"""Folders of traces as the gate judges them: of each run its trajectory and what else a rule can speak of."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tracedance.gate.ordered import Item
from tracedance.gate.traces import VERSION, check_once, parse_trace, read_trace, refuse_twice, trace_files
from tracedance.schema import BehaviorTrace

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Named = Annotated[str, msgspec.Meta(min_length=1)]
_Status = Literal["success", "error", "cancelled", "unknown"]
_by_ordinal = attrgetter("ordinal")
UNKNOWN = "unknown"


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
    open_ends: int = 0
    """Of how many spans of any type no end was recorded: each may have been an error."""
    told_steps: bool = True
    """Whether the file has `spans` at all: an empty list says that nothing was done, a missing one says nothing."""
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
    if trace is None or trace.schema_version != VERSION or (trace.spans and len({span.ordinal for span in trace.spans}) < len(trace.spans)):
        loaded = parse_trace(raw, path.name, str(path))
        return run_of(loaded.trace, loaded.name, loaded.digest, sum(loaded.unknown.values()))
    # What was read, written again, has fewer quotation marks than the file only where a key stood there twice; escapes may hide one.
    if b"\\" in raw or msgspec.json.encode(trace).count(b'"') != raw.count(b'"'):
        refuse_twice(raw, str(path))
    return run_of(trace, path.name, hashlib.sha256(raw).hexdigest())


def run_of(trace: "BehaviorTrace | _Trace", file: str, digest: str, unknown_fields: int = 0) -> JudgedRun:
    """The judged run of a trace record."""
    spans: Sequence[Any] = sorted(trace.spans or (), key=_by_ordinal)
    named = [span for span in spans if span.type != "llm"]
    ends = [span.status or UNKNOWN for span in spans]
    return JudgedRun(
        file=file,
        digest=digest,
        trace_id=trace.run.trace_id,
        final_status=trace.run.final_status or UNKNOWN,
        output=None if trace.run.canonical_output is UNSET else trace.run.canonical_output,
        steps=tuple(Item(span.ordinal, span.ordinal, span.ordinal, span.name, span.status or UNKNOWN) for span in named),
        names=tuple(span.name for span in named),
        inputs=tuple(span.input_hash or None for span in named),
        errors=ends.count("error"),
        open_ends=ends.count(UNKNOWN),
        told_steps=trace.spans is not UNSET if isinstance(trace, _Trace) else "spans" in trace.model_fields_set,
        unknown_fields=unknown_fields,
    )


# The same record as `schema.behavior_trace`, in the form that decodes fastest; a test holds the two together. What the file left out stays
# unset, so that what was read can be held against the file.
class _Part(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    pass


class _Source(_Part):
    platform: str
    export_format: str | UnsetType = UNSET
    exported_at: str | UnsetType = UNSET
    source_hash: str | UnsetType = UNSET


class _Run(_Part):
    trace_id: _Named
    scenario_id: str | UnsetType | None = UNSET
    environment: str | UnsetType | None = UNSET
    final_status: _Status | UnsetType = UNSET
    final_output_hash: str | UnsetType | None = UNSET
    canonical_output: dict[str, Any] | UnsetType | None = UNSET


class _Attributes(_Part):
    model: str | UnsetType | None = UNSET
    tool_name: str | UnsetType | None = UNSET
    token_input_count: _Count | UnsetType | None = UNSET
    token_output_count: _Count | UnsetType | None = UNSET
    redacted: bool | UnsetType = UNSET


class _Span(_Part):
    ordinal: _Count
    type: Literal["llm", "tool", "retriever", "memory", "handoff", "guardrail"]
    name: _Named
    span_id: str | UnsetType = UNSET
    status: _Status | UnsetType = UNSET
    started_at: str | UnsetType | None = UNSET
    duration_ms: _Count | UnsetType | None = UNSET
    input_hash: str | UnsetType | None = UNSET
    output_hash: str | UnsetType | None = UNSET
    attributes: _Attributes | UnsetType = UNSET


class _Redaction(_Part):
    applied: bool
    method: str | UnsetType = UNSET
    removed_fields: list[str] | UnsetType = UNSET


class _Trace(_Part):
    schema_version: str
    source: _Source
    run: _Run
    redaction: _Redaction
    spans: list[_Span] | UnsetType = UNSET


@cache
def _decoder() -> msgspec.json.Decoder[_Trace]:
    return msgspec.json.Decoder(_Trace)
