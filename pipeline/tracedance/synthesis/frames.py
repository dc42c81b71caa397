"""What the worker and its parent say to each other: frames of a four-byte length and msgpack.

Everything that comes back was made by a process in which an anchor ran: sizes are bounded before a byte is read, and types, ranges and
depths are checked here before anything is believed.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tracedance.kit.needs import Both, Column, Either, Needs, Row
from tracedance.schema import Hit

HEAD = 4
_DEPTH = 8
_PARTS = 200

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


class Loaded(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The second: "" once the source is executed, else why that failed; and the anchor's condition as nested lists."""

    problem: Line
    needs: Any = None


class Found(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One hit."""

    decision: Index
    evidence: Annotated[list[Index], Meta(max_length=10_000)]
    offends: bool
    why: Line
    facts: dict[Annotated[str, Meta(max_length=200)], Any]
    refused_by: Annotated[list[Short], Meta(max_length=20)] = []
    """Guards that are true of it."""


class Answered(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """The answer to one session: hits, or what was raised."""

    nonce: bytes
    raised: Line
    hits: list[Found]


class Forged(Exception):
    """What came back is not what a worker says."""


def decoded(data: bytes, kind: type[msgspec.Struct]) -> Any:
    """A frame's content as `kind`; Forged where it is anything else."""
    try:
        return msgspec.msgpack.decode(data, type=kind, strict=True)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Forged(f"a frame is no {kind.__name__} ({type(error).__name__})") from None


def hits(answer: Answered, most: int) -> list[Hit]:
    """An answer's hits as records; Forged where there are too many or a fact is no plain value."""
    if len(answer.hits) > most:
        raise Forged(f"{len(answer.hits)} hits in one session, and {most} are allowed")
    if not all(_plain(found.facts, _DEPTH) for found in answer.hits):
        raise Forged("a fact is no plain JSON value, or is nested too deep")
    return [
        Hit(decision=each.decision, evidence=tuple(each.evidence), offends=each.offends, why=each.why, facts=each.facts)
        for each in answer.hits
    ]


def _plain(value: Any, depth: int) -> bool:
    if depth == 0:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _plain(each, depth - 1) for key, each in value.items())
    if isinstance(value, list):
        return all(_plain(each, depth - 1) for each in value)
    return value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))


def needs_to_plain(needs: Needs) -> list[Any]:
    """A condition as nested lists."""
    if isinstance(needs, Row):
        return ["row", needs.column, needs.pattern, list(needs.values), [needs_to_plain(each) for each in needs.where]]
    return ["both" if isinstance(needs, Both) else "either", [needs_to_plain(each) for each in needs.parts]]


def needs_from_plain(plain: Any) -> Needs:
    """The condition again; Forged where it is none."""
    return _needs(plain, [_PARTS], _DEPTH)


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
