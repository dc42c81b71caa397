"""What the worker and its parent say to each other: frames of a four-byte length and msgpack.

Everything that comes back was made by a process in which an anchor ran: sizes are bounded before a byte is read, values are counted before
they become objects, and types and ranges are checked here before anything is believed. No text of its making is a reason.
"""

import builtins
import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
import re2
from msgspec import Meta

from tracedance.kit import rows
from tracedance.kit.commands import Ran
from tracedance.kit.files import Touch
from tracedance.kit.needs import Both, Column, Either, Needs, Row
from tracedance.kit.shell import SimpleCommand
from tracedance.schema import Hit, Session, ToolCall, ToolDefinition, ToolResult, Turn
from tracedance.synthesis.counting import Beyond, counted

HEAD = 4
FACT_BYTES, FACT_VALUES, FACT_DEPTH = 16 << 10, 1_000, 8
"""Of one hit. The facts of the shipped families are 170 bytes and 21 values at most."""
_NEEDS_VALUES, _NEEDS_DEPTH, _PARTS = 20_000, 18, 200
_PATTERNS, _PATTERN_TEXT, _PATTERN_MEMORY = 40, 20_000, 512 << 10
"""Of a condition, which is searched outside the sandbox. The shipped ones have 5 patterns and 3,900 characters at most."""
_HIT, _VALUE, _TURN, _WIDEST = 1_000, 100, 40, 4
"""Bytes of memory, at most about: a hit's record, a value in facts (its text aside), a turn of evidence, a character."""
NOT_PLAIN = "a fact is no plain value"

Line = Annotated[str, Meta(max_length=2_000)]
Short = Annotated[str, Meta(max_length=64)]
Index = Annotated[int, Meta(ge=0, le=10_000_000)]


class Job(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The first frame to a worker: what it is to run."""

    name: str
    source: str
    params: dict[str, Any]
    guards: list[str]
    hits: int


class Asked(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A session. The nonce comes back with the answer, so that no answer can be given before the question."""

    nonce: bytes
    session: msgspec.Raw


class Ready(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The first frame from a worker, before it has read any source: "" once it is confined, else what is missing."""

    missing: Line


class Raised(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What was raised and where, as `reason` words it; names that it does not know say nothing."""

    kind: Short
    function: Short = ""
    line: Index = 0
    of: Short = ""
    """Type of what lacks an attribute."""
    attribute: Short = ""


class Loaded(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The second: how executing the source failed, which name it lacks, and the anchor's condition as nested lists."""

    raised: Raised | None
    lacks: Short = ""
    needs: msgspec.Raw = msgspec.Raw(b"\xc0")


class Found(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One hit."""

    decision: Index
    evidence: Annotated[list[Index], Meta(max_length=10_000)]
    offends: bool
    why: Line
    facts: msgspec.Raw
    """A mapping in msgpack."""
    refused_by: Annotated[list[Short], Meta(max_length=20)] = []
    """Guards that are true of it."""


class Answered(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The answer to one session: hits, or what was raised."""

    nonce: bytes
    raised: Raised | None
    hits: list[Found]


class Forged(Exception):
    """What came back is not what a worker says."""


class TooMuch(Exception):
    """It says more than it may."""


def decoded(data: bytes, kind: Any) -> Any:
    """Bytes as `kind`, a type; Forged where they are anything else."""
    try:
        return msgspec.msgpack.decode(data, type=kind, strict=True)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Forged(f"it says what is no {kind.__name__} ({type(error).__name__})") from None


def hits(answer: Answered, most: int) -> tuple[list[Hit], int]:
    """An answer's hits as records, and about how many bytes they take. Forged where a fact is no plain value, TooMuch above what may be."""
    if len(answer.hits) > most:
        raise TooMuch(f"{len(answer.hits):,} hits in one session; {most:,} are allowed")
    weight, made = 0, []
    for each in answer.hits:
        facts, values = _facts(bytes(each.facts))
        weight += _HIT + _VALUE * values + _TURN * len(each.evidence) + _WIDEST * (len(each.why) + len(bytes(each.facts)))
        made.append(Hit(decision=each.decision, evidence=tuple(each.evidence), offends=each.offends, why=each.why, facts=facts))
    return made, weight


def _facts(data: bytes) -> tuple[dict[str, Any], int]:
    if len(data) > FACT_BYTES:
        raise TooMuch(f"the facts of a hit in {len(data):,} bytes; {FACT_BYTES:,} are allowed")
    try:
        values = counted(data, FACT_VALUES, FACT_DEPTH)
    except Beyond as beyond:
        raise Forged(f"the facts of a hit: {beyond}") from None
    facts: dict[str, Any] = decoded(data, dict[str, Any])
    if not all(map(_finite, facts.values())):
        raise Forged("a fact is no plain JSON value")
    return facts, values


def _finite(value: Any) -> bool:
    """Whether all numbers in a counted value are numbers."""
    if isinstance(value, dict | list):
        return all(map(_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


_EXCEPTIONS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
_KNOWN = _EXCEPTIONS | {"JSONDecodeError", "PatternError", "ValidationError", "DecodeError", "TransformError", "error", NOT_PLAIN}
_UNNAMED = {"<module>", "<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"}

_RECORDS = (Session, Turn, ToolCall, ToolResult, ToolDefinition, Hit, Ran, SimpleCommand, Touch)
_TYPES = {kind.__name__ for kind in (*_RECORDS, type(None), str, int, bool, list, tuple, dict)}


def reason(raised: Raised, source: str) -> str:
    """What was raised, in names of Python's and of the source alone: what the worker says of it may be a session's text, or anyone's."""
    kind = raised.kind if raised.kind in _KNOWN else "an error"
    line = f"line {raised.line}" if 0 < raised.line <= source.count("\n") + 1 else ""
    if raised.function in _UNNAMED or (raised.function.isidentifier() and re.search(rf"\bdef\s+{raised.function}\b", source)):
        kind += f" in {raised.function}"
    return (f"{kind}, {line}" if line else kind) + _lacking(raised, source)


def _lacking(raised: Raised, source: str) -> str:
    """What was asked of what, where the source itself writes that name behind a point."""
    if not (raised.attribute.isidentifier() and re.search(rf"\.\s*{raised.attribute}\b", source)):
        return ""
    return f": {raised.of if raised.of in _TYPES else 'something'} has no {raised.attribute!r}"


def needs_to_plain(needs: Needs) -> list[Any]:
    """A condition as nested lists."""
    if isinstance(needs, Row):
        return ["row", needs.column, needs.pattern, list(needs.values), [needs_to_plain(each) for each in needs.where]]
    return ["both" if isinstance(needs, Both) else "either", [needs_to_plain(each) for each in needs.parts]]


def needs_from_plain(data: bytes) -> Needs:
    """The condition again, from msgpack. Forged where it is none, TooMuch where its patterns would hold up the scan that searches them."""
    try:
        counted(data, _NEEDS_VALUES, _NEEDS_DEPTH)
    except Beyond as beyond:
        raise Forged(f"its NEEDS: {beyond}") from None
    needs = _needs(decoded(data, Any), [_PARTS], _NEEDS_DEPTH)
    patterns = sorted(rows.patterns(needs))
    if len(patterns) > _PATTERNS or sum(map(len, patterns)) > _PATTERN_TEXT:
        raise TooMuch(f"{len(patterns)} patterns in its NEEDS; {_PATTERNS}, and {_PATTERN_TEXT:,} characters in all, are allowed")
    if any(map(_too_large, patterns)):
        raise TooMuch("a pattern in its NEEDS is too large; write it with less repetition")
    return needs


def _too_large(pattern: str) -> bool:
    """Whether RE2 needs more memory for it than a pattern of a condition should take. What it cannot read at all is another matter."""
    bounded = re2.Options()
    bounded.log_errors, bounded.max_mem = False, _PATTERN_MEMORY
    try:
        re2.compile(pattern, bounded)
    except re2.error as error:
        return "too large" in str(error)
    return False


def _needs(plain: Any, left: list[int], depth: int) -> Needs:
    left[0] -= 1
    if depth == 0 or left[0] < 0:
        raise Forged("its NEEDS are too large")
    match plain:
        case ["row", column, str(pattern), list(values), list(where)]:
            rows = [_needs(each, left, depth - 1) for each in where]
            if column in _COLUMNS and all(isinstance(each, str) for each in values) and all(isinstance(each, Row) for each in rows):
                return Row(column, pattern, tuple(values), tuple(each for each in rows if isinstance(each, Row)))
        case ["both" | "either" as kind, [_, *_] as parts]:
            return _JOINED[kind](tuple(_needs(each, left, depth - 1) for each in parts))
    raise Forged("its NEEDS are no condition")


_COLUMNS: Sequence[str] = Column.__args__  # type: ignore[attr-defined]
_JOINED: Mapping[str, type[Both] | type[Either]] = {"both": Both, "either": Either}
