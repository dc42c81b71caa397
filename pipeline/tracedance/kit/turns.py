"""The messages of an instance, and a model's next turn, as turns: the form that families' checks read."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from tracedance.kit import chain, errors, tools
from tracedance.schema import CallMade, Message, Response, SourceTurn, ToolCall, ToolClass, ToolResult, Turn

EDIT_FAILURES = ("edit_not_found", "edit_not_unique", "edit_stale", "edit_not_read")
OPENING = 200
"""Characters in which the result of an edit says whether it failed."""


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a context, numbered as in the session that it was cut from; the system prompt is none.

    Each call has its result. Whether a result is a failure is read from its text, since a context records no flag.
    """
    turns: list[Turn] = []
    calls: dict[str, ToolCall] = {}
    told = [message for message in messages if message.role != "system"]
    for (index, role), group in groupby(told, key=lambda message: (message.turn, message.role)):
        several = list(group)
        if role == "tool":
            turns.append(Turn(index, "tool", "tool", results=[result(message, index, calls) for message in several]))
            continue
        for message in several:
            turns.append(turn(message, index))
            calls.update({call.id: call for call in turns[-1].calls})
    chain.with_chain(turns)
    return turns


def turn(message: Message, index: int) -> Turn:
    """A user or assistant message as a turn."""
    if message.role == "assistant":
        return Turn(index, "assistant", "model", message.content, calls=[call(made, index) for made in message.tool_calls])
    return Turn(index, "user", "harness" if message.author == "harness" else "user", message.content)


def turn_of(response: Response | SourceTurn, index: int) -> Turn:
    """A model's next turn, or the recorded one; `index` is the number it would have in the session."""
    return Turn(index, "assistant", "model", response.text, calls=[call(made, index) for made in response.tool_calls])


def call(made: CallMade, index: int) -> ToolCall:
    """A call with its tool class, command and argument hash."""
    arguments = plain(made.arguments)
    kind = tools.tool_class(made.name, arguments)
    canonical = chain.canonical(arguments)
    return ToolCall(
        made.id,
        made.name,
        canonical,
        tool_class=kind,
        cmd=tools.command(made.name, kind, arguments),
        args_hash=chain.args_hash(canonical),
        turn=index,
    )


def result(message: Message, index: int, calls: Mapping[str, ToolCall]) -> ToolResult:
    """A tool message as a result, joined to its call."""
    asked = calls.get(message.tool_call_id)
    kind: ToolClass = asked.tool_class if asked else "other"
    flag = flagged(kind, message.content)
    status, error_class, code = errors.outcome(kind, message.content, flag, None, asked.cmd if asked else "")
    found = ToolResult(
        message.tool_call_id,
        message.content,
        status=status,
        error_class=error_class,
        error_text=message.content[:2048] if status == "error" else "",
        exit_code=code,
        turn=index,
    )
    if asked:
        asked.result = found
    return found


def flagged(kind: ToolClass, text: str) -> bool | None:
    """Whether a result's own text says that the call failed; None where it says nothing. Stands in for the flag that a context lacks.

    Of an edit's result only the first words count: what follows a success may quote any file.
    """
    if text.startswith("<tool_use_error>"):
        return True
    if kind in ("edit", "write") and errors.error_class(kind, text[:OPENING]) in EDIT_FAILURES:
        return True
    return None


def plain(arguments: str) -> Mapping[str, Any]:
    """Arguments parsed; {} where they are no JSON object."""
    try:
        parsed = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
