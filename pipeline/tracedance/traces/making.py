"""From a session to its behaviour trace: no content goes in but what was asked for by name."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from tracedance.errors import InputError
from tracedance.privacy.redactor import Redactor, find_personal
from tracedance.schema import (
    BehaviorTrace,
    Redaction,
    Session,
    Span,
    SpanAttributes,
    SpanStatus,
    ToolCall,
    TraceRun,
    TraceSource,
    Turn,
)
from tracedance.traces.hashing import TRACE_KEY, Hasher
from tracedance.traces.labels import Labels
from tracedance.traces.table import SpanTable

MODEL_TURN = "assistant_turn"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@+-]{0,127}")
_SOCIAL = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
"""A social security number as the United States write it."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?")
_FENCED = re.compile(r"^```(?:json)?[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_STATUS: Mapping[str, SpanStatus] = {
    "ok": "success",
    "error": "error",
    "refused": "cancelled",
    "cancelled": "cancelled",
    "interrupted": "cancelled",
}
_TURN_STATUS: Mapping[str, SpanStatus] = {"interrupt": "cancelled", "synthetic": "unknown"}
"""By mark: `synthetic` turns are the harness's, in the model's name."""


@dataclass(frozen=True)
class Options:
    """How traces are made. Everything that changes a trace beside its session is in here."""

    table: SpanTable
    labels: Labels
    hasher: Hasher = field(default_factory=Hasher)
    scenario_id: str | None = None
    environment: str | None = None
    exported_at: str | None = None
    canonical: Sequence[str] = ()
    """Names of fields of the final output that may stand in the trace as they are."""


def make_trace(session: Session, options: Options) -> BehaviorTrace:
    """The trace of one session; the same session and options give the same trace."""
    final = next((turn.text for turn in reversed(session.turns) if turn.role == "assistant" and turn.text.strip()), "")
    return BehaviorTrace(
        schema_version="agent-behavior-trace/v0",
        source=TraceSource(
            platform=session.format,
            export_format=_export_format(session.path),
            exported_at=plain_time(options.exported_at or session.ended) or "",
            source_hash=options.hasher(session.source_digest) if options.hasher.key else session.source_digest,
        ),
        run=TraceRun(
            trace_id=trace_id(session, options.hasher),
            scenario_id=options.scenario_id,
            environment=options.environment,
            final_status=final_status(session.turns),
            final_output_hash=options.hasher(final) if final else None,
            canonical_output=canonical_output(final, options.canonical, options.hasher.key) if options.canonical else None,
        ),
        spans=tuple(_spans(session, options)),
        redaction=Redaction(applied=True, method=options.hasher.method, removed_fields=tuple(removed_fields(session))),
    )


def trace_json(trace: BehaviorTrace) -> str:
    """The file of a trace: ASCII, fields in their order, a line break at the end."""
    unsaid = {"spans"} - trace.model_fields_set  # no word about steps is not the word that there were none
    return json.dumps(trace.model_dump(mode="json", exclude=unsaid), ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def trace_id(session: Session, hasher: Hasher) -> str:
    """Digest of the session's id and of how it begins: copies of a session at two lengths are one run."""
    first = session.turns[0].chain if session.turns else ""
    return hasher(f"{session.format}\n{session.id}\n{first}")[:32]


def plain_name(name: str, hasher: Hasher) -> str:
    """A tool's or model's name where it is one. A text in its place is content, and a name may hold a person's (an account's mail): its
    digest stands for both.
    """
    return name if _PLAIN_NAME.fullmatch(name) and not _names_person(name) else f"name-{hasher(name)[:16]}"


@lru_cache(maxsize=4096)
def _names_person(name: str) -> bool:
    """Whether personal data stands in a name, or in a part of it: what joins the parts is no word's end to those who look."""
    parts = {name, *name.split("__"), *re.split(r"[_:/]", name)}
    return any(find_personal(part) for part in parts)


def clean_output(value: Any, redactor: Redactor) -> Any:
    """A canonical output as it may stand in a trace: the fields were asked for by name, what is sensitive in them was not."""
    if isinstance(value, dict):
        return {clean_output(key, redactor): clean_output(item, redactor) for key, item in redactor.value(value).items()}
    if isinstance(value, list):
        return [clean_output(item, redactor) for item in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    text = str(value)
    clean = _SOCIAL.sub(lambda found: f"ssn-{sha256(found[0].encode()).hexdigest()[:8]}", redactor.text(text))
    return value if clean == text else clean


def plain_time(time: str) -> str | None:
    """A time as recorded, where it is one."""
    return time if _TIME.fullmatch(time) else None


def checked_time(time: str | None) -> str | None:
    """A time that was given. InputError for one that is none."""
    if time is not None and plain_time(time) is None:
        raise InputError(f"--exported-at: {time!r} is no time. Write it as 2026-05-24T12:00:00Z.")
    return time


def final_status(turns: Sequence[Turn]) -> SpanStatus:
    """How the run ended, as far as the record tells: `success` is an end in the agent's own words, not a task done.

    `cancelled`: a person broke in and the agent did not take up again. `unknown`: the record ends in the middle of work. What the harness
    says in the model's name is no end of its own.
    """
    ends = [turn for turn in turns if turn.mark == "interrupt" or (turn.role == "assistant" and turn.mark != "synthetic")]
    if not ends:
        return "unknown"
    last = ends[-1]
    if last.mark == "interrupt":
        return "cancelled"
    return "success" if last.text.strip() and not last.calls else "unknown"


def canonical_output(final: str, allowed: Sequence[str], key: bytes = b"") -> dict[str, Any] | None:
    """The allowed fields of a final output that is a JSON object, or holds one in its last fenced block; None where it is neither."""
    for text in (final, *reversed(_FENCED.findall(final))):
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            continue
        if isinstance(found, dict):
            return clean_output({name: found[name] for name in allowed if name in found}, Redactor(key or TRACE_KEY))  # type: ignore[no-any-return]
    return None


def removed_fields(session: Session) -> Iterator[str]:
    """Names of what this session holds and its trace does not; where there is nothing to remove, it is not named."""
    yield from (name for name, holds in _REMOVED if holds(session))


_REMOVED: Sequence[tuple[str, Callable[[Session], bool]]] = (
    ("message.content", lambda session: any(turn.text for turn in session.turns)),
    ("message.reasoning", lambda session: any(turn.raw_reasoning for turn in session.turns)),
    ("tool_input", lambda session: bool(session.calls())),
    ("tool_output", lambda session: any(turn.results for turn in session.turns)),
    ("file_path", lambda session: any(call.cmd and call.tool_class in ("read", "edit", "write") for call in session.calls())),
    ("system_prompt", lambda session: session.system is not None),
    ("tool_definitions", lambda session: session.tools is not None),
    ("session_id", lambda session: bool(session.source_id or session.id)),
    ("parent_session_id", lambda session: bool(session.parent)),
    ("cwd", lambda session: bool(session.cwd)),
    ("harness_version", lambda session: bool(session.version)),
    ("labels", lambda session: bool(session.labels)),
    ("source_path", lambda session: bool(session.path)),
)


def _export_format(path: str) -> str:
    """The ending of the source's file where it is a plain one."""
    ending = PurePosixPath(path.rpartition("!")[2]).suffix[1:].lower()
    return ending if re.fullmatch(r"[a-z0-9]{1,8}", ending) else ""


def _spans(session: Session, options: Options) -> Iterator[Span]:
    ordinal, before = 0, ""
    durations, tokens = iter(session.figures.durations), iter(session.figures.tokens)
    for turn in session.turns:
        if turn.role == "assistant":
            yield _model_span(turn, before, _Measured(ordinal, tokens=next(tokens, None)), options.hasher)
            ordinal += 1
            for call in turn.calls:
                yield _call_span(call, turn, _Measured(ordinal, next(durations, None)), options)
                ordinal += 1
        before = turn.chain


class _Measured(NamedTuple):
    """A span's place, and what the source measured of it."""

    ordinal: int
    duration: int | None = None
    tokens: tuple[int | None, int | None] | None = None


def _model_span(turn: Turn, before: str, at: _Measured, hasher: Hasher) -> Span:
    """A turn of the model. What went in is the digest of all that was said before it, what came out its visible text."""
    status = _TURN_STATUS.get(turn.mark, "success")
    given = hasher(before)
    read, made = at.tokens or (None, None)
    model = plain_name(turn.model, hasher) if turn.model else None
    return Span(
        span_id=f"span_{at.ordinal}_{given[:8]}",
        ordinal=at.ordinal,
        type="llm",
        name=MODEL_TURN,
        status=status,
        started_at=plain_time(turn.time),
        input_hash=given,
        output_hash=hasher(turn.text) if turn.text else None,
        attributes=SpanAttributes(model=model, token_input_count=read, token_output_count=made),
    )


def _call_span(call: ToolCall, turn: Turn, at: _Measured, options: Options) -> Span:
    """A call with what became of it; without a recorded result its status is unknown."""
    label = options.labels.of(call)
    name = plain_name(call.name, options.hasher)
    given = options.hasher(call.arguments_json)
    return Span(
        span_id=f"span_{at.ordinal}_{given[:8]}",
        ordinal=at.ordinal,
        type=options.table.type_of(call, label),
        name=label or name,
        status="unknown" if call.result is None else _STATUS[call.result.status],
        started_at=plain_time(turn.time),
        duration_ms=at.duration,
        input_hash=given,
        output_hash=None if call.result is None else options.hasher(call.result.text),
        attributes=SpanAttributes(model=plain_name(turn.model, options.hasher) if turn.model else None, tool_name=name),
    )
