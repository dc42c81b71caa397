"""Turns written as the messages that a model is sent, in one canonical form: calls numbered from 1, each answered right after its turn."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tracedance.construct.window import Window
from tracedance.schema import CallMade, Message, ToolCall, Turn

ID_LENGTH = 20


def messages(window: Window) -> tuple[Message, ...]:
    """The context as messages, system prompt first where one was recorded. Reasoning and turns that say nothing are left out.

    A result stands directly behind the turn that asked for it, in the order of the calls, wherever the harness recorded it: this is how the
    model received it, and the only order providers accept.
    """
    made = [Message(role="system", author="system", content=window.session.system)] if window.session.system else []
    names = numbered(window.turns)
    results = window.results
    for turn in window.turns:
        if turn.role == "user" and turn.text.strip():
            made.append(Message(role="user", author=turn.author, content=turn.text, turn=turn.index))
        elif turn.role == "assistant" and (turn.text.strip() or turn.calls):
            calls = tuple(as_call(call, names[call.id]) for call in turn.calls)
            made.append(Message(role="assistant", author=turn.author, content=turn.text, tool_calls=calls, turn=turn.index))
            made.extend(
                Message(
                    role="tool",
                    author="tool",
                    content=results[call.id].text,
                    tool_call_id=names[call.id],
                    turn=results[call.id].turn if results[call.id].turn >= 0 else turn.index,
                )
                for call in turn.calls
                if call.id in results
            )
    return tuple(made)


def numbered(turns: Sequence[Turn]) -> dict[str, str]:
    """Recorded call id -> `call_1`, `call_2`, ... in order; recorded ids differ between forks and may say where they come from."""
    ids = dict.fromkeys(call.id for turn in turns for call in turn.calls)
    return {recorded: f"call_{number}" for number, recorded in enumerate(ids, start=1)}


def as_call(call: ToolCall, name: str) -> CallMade:
    """A call under its new id."""
    return CallMade(id=name, name=call.name, arguments=call.arguments_json)


def instance_id(context: Sequence[Message], family: str) -> str:
    """Digest of what the context says and the family; the same for forks, rebuilds and grown sessions, whatever ids, turns and tools."""
    canonical = json.dumps([family, [list(_said(message)) for message in context]], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


def _said(message: Message) -> Iterator[Any]:
    yield message.role
    yield message.author
    yield message.content
    yield [[call.name, call.arguments] for call in message.tool_calls]
