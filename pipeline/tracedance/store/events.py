"""Event rows: one per text, reasoning, call or result of a session, flat, in the order of the session."""

from collections.abc import Iterator
from typing import Any

from tracedance.schema import Session, ToolCall, ToolResult, Turn
from tracedance.schema.session import fetch

NAMED = ("session", "kind", "role", "author", "mark", "model", "tool", "tool_class", "status", "error_class")
"""Columns of few distinct values."""

NUMBERS = ("seq", "turn", "ordinal", "first", "last", "exit_code", "answer")
TEXTS = ("time", "chain", "args_hash", "call_id", "cmd", "text", "err_text")
COLD = ("args", "result", "reasoning")
"""Four fifths of the bytes; read only when an anchor asks."""

HOT = (*NAMED, *NUMBERS, *TEXTS)
COLUMNS = (*HOT, *COLD)

ERROR_TEXT = 2048
"""Characters kept of a failed result in the hot column."""

Row = dict[str, Any]


def rows(session: Session) -> list[Row]:
    """The rows of one session; a column that a row has no use for is absent.

    A call carries what became of it, so that one row tells a failed edit, and in `answer` the `seq` of its result's row: it finds its own
    result again even where ids repeat.
    """
    made: list[Row] = []
    seqs: dict[int, int] = {}
    waiting: list[tuple[Row, ToolResult]] = []
    for turn in session.turns:
        start = len(made)
        made.extend(_said(turn))
        for call in turn.calls:
            made.append(_call_row(call))
            if call.result is not None:
                waiting.append((made[-1], call.result))
        for result in turn.results:
            seqs[id(result)] = len(made)
            made.append({"kind": "result", "ordinal": result.ordinal, "call_id": result.call_id, "result": result.text, **_outcome(result)})
        if len(made) == start:
            # A turn without anything in it still is a turn: it keeps a row.
            made.append({"kind": "text", "ordinal": turn.first, "text": turn.text})
        made[start]["chain"] = turn.chain
        shared = {"session": session.id, "turn": turn.index, "role": turn.role, "author": turn.author, "mark": turn.mark}
        shared.update(model=turn.model, time=turn.time, first=turn.first, last=turn.last)
        for row in made[start:]:
            row.update(shared)
    for row, result in waiting:
        row.update(_outcome(result), answer=seqs.get(id(result)))
    for seq, row in enumerate(made):
        row["seq"] = seq
    return made


def _said(turn: Turn) -> Iterator[Row]:
    reasoning = fetch(turn.raw_reasoning)
    if reasoning:
        yield {"kind": "reasoning", "ordinal": turn.first, "reasoning": reasoning}
    if turn.text:
        yield {"kind": "text", "ordinal": turn.first, "text": turn.text}


def _call_row(call: ToolCall) -> Row:
    return {
        "kind": "call",
        "ordinal": call.ordinal,
        "tool": call.name,
        "tool_class": call.tool_class,
        "cmd": call.cmd,
        "args_hash": call.args_hash,
        "call_id": call.id,
        "args": call.arguments_json,
    }


def _outcome(result: ToolResult) -> Row:
    return {
        "status": result.status,
        "error_class": result.error_class,
        "exit_code": result.exit_code,
        "err_text": result.error_text[:ERROR_TEXT],
    }
