"""A session as plain data, and back: what goes into the sandbox holds no object of ours and no way to the store.

Left out is what an anchor has no business with: labels (outcomes that people or an evaluation recorded), figures, paths and offsets.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import structs

from tracedance.ingest.shapes import shapes
from tracedance.kit.texts import valid
from tracedance.schema import Session, ToolCall, ToolDefinition, ToolResult, ToolShape, Turn

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder()
_FIELDS = ("id", "format", "source_id", "harness", "version", "setting", "cwd", "system", "started", "ended", "parent")


def packed(value: Any) -> bytes:
    """msgpack; what it cannot carry is made `carried`. TypeError on what is no plain value, RecursionError on what is nested too deeply."""
    try:
        return _encoder.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _encoder.encode(carried(value))


def carried(value: Any) -> Any:
    """A plain value as msgpack can carry it: halves of surrogate pairs, which UTF-8 has not, become question marks, and integers beyond
    64 bits the nearest float, as every reader of JSON without integers of its own takes them."""
    if isinstance(value, str):
        return valid(value)
    if isinstance(value, Mapping):
        return {carried(key): carried(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [carried(each) for each in value]
    return _nearest(value) if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64 else value


def _nearest(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max


def to_plain(session: Session) -> list[Any]:
    """The session as lists, texts and numbers; fetches every text that it holds."""
    place = {id(result): (turn.index, at) for turn in session.turns for at, result in enumerate(turn.results)}
    tools = (
        None if session.tools is None else [[tool.name, tool.description, tool.parameters, tool.inferred_from] for tool in session.tools]
    )
    seen = {name: [shape.calls, shape.properties] for name, shape in session.shapes.items()}
    head = [getattr(session, name) for name in _FIELDS]
    return [head, tools, seen, session.compactions, [_turn(turn, place) for turn in session.turns]]


def _turn(turn: Turn, place: Mapping[int, tuple[int, int]]) -> list[Any]:
    return [
        [turn.index, turn.role, turn.author, turn.text],
        [turn.mark, turn.model, turn.time, turn.first, turn.last, turn.chain, turn.reasoning],
        [_result(result) for result in turn.results],
        [_call(call, place) for call in turn.calls],
    ]


def _result(result: ToolResult) -> list[Any]:
    return [
        result.call_id,
        result.text,
        result.status,
        result.error_class,
        result.error_text,
        result.exit_code,
        result.ordinal,
        result.turn,
    ]


def _call(call: ToolCall, place: Mapping[int, tuple[int, int]]) -> list[Any]:
    found = None if call.result is None else place.get(id(call.result)) or _result(call.result)
    plain = [call.id, call.name, call.arguments_json, call.tool_class, call.cmd, call.args_hash, call.ordinal, call.turn]
    return [plain, found]


def from_plain(data: bytes) -> Session:
    """The session that anchors see."""
    head, tools, seen, compactions, turns = _decoder.decode(data)
    results = [[ToolResult(*result) for result in turn[2]] for turn in turns]
    built: list[Turn] = []
    for (index, role, author, text), (mark, model, time, first, last, chain, reasoning), _, calls in turns:
        made = [_called(call, found, results) for call, found in calls]
        built.append(Turn(index, role, author, text, made, results[len(built)], mark, model, time, first, last, chain, reasoning))
    return Session(
        turns=built,
        tools=None if tools is None else [ToolDefinition(*tool) for tool in tools],
        shapes={name: ToolShape(*shape) for name, shape in seen.items()},
        compactions=compactions,
        **dict(zip(_FIELDS, head, strict=True)),
    )


def _called(call: Sequence[Any], found: Any, results: Sequence[Sequence[ToolResult]]) -> ToolCall:
    id_, name, raw, kind, cmd, digest, ordinal, turn = call
    return ToolCall(id_, name, raw, kind, cmd, digest, ordinal, turn, _linked(found, results))


def _linked(found: Any, results: Sequence[Sequence[ToolResult]]) -> ToolResult | None:
    if found is None:
        return None
    return results[found[0]][found[1]] if len(found) == 2 else ToolResult(*found)


def prefix(session: Session, turns: int) -> Session:
    """The session as it stood after its first `turns` turns: later results are unknown, and what importers make of a whole session
    (its end, the shapes of its calls, tools that were inferred from them) is made of these turns."""
    kept = []
    for turn in session.turns[:turns]:
        calls = [call if call.result is None or call.result.turn < turns else _open(call) for call in turn.calls]
        kept.append(structs.replace(turn, calls=calls))
    return replace(
        session,
        turns=kept,
        tools=None if session.tools is None else [tool for tool in session.tools if not tool.inferred_from],
        shapes=shapes(call for turn in kept for call in turn.calls) if session.shapes else {},
        ended=max((turn.time for turn in kept if turn.time), default="") if session.ended else "",
        compactions=[start for start in session.compactions if start < turns],
    )


def _open(call: ToolCall) -> ToolCall:
    plain = (call.id, call.name, call.raw, call.tool_class, call.cmd, call.args_hash, call.ordinal, call.turn)
    return ToolCall(*plain)


def renamed(session: Session, salt: int) -> Session:
    """The session under other ids in the form of ours: an anchor must not know it again."""

    def other(name: str) -> str:
        return name and blake2b(f"{name}/{salt}".encode("utf-8", "replace"), digest_size=16).hexdigest()

    return replace(session, id=other(session.id), source_id=other(session.source_id), parent=other(session.parent))
