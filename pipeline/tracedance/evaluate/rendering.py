"""Contexts and turns as text for judges and reports: within a budget, with every omission marked in its place."""

from __future__ import annotations

from collections.abc import Sequence

from tracedance.config import grade_settings
from tracedance.kit.texts import INDENT, indented
from tracedance.schema import CallMade, Message

CONTEXT = grade_settings().context
"""Characters of a context that judges see; about 12,000 tokens."""
MESSAGE = grade_settings().message
"""Characters of one message."""
TURN = grade_settings().response
"""Characters of a graded turn."""


def context_text(messages: Sequence[Message], budget: int = CONTEXT) -> str:
    """The system prompt, the first message of the user, and as many of the last messages as fit; a marked gap between.

    The last message is always there. A message longer than its share is cut in its middle.
    """
    shown = [message_text(message, messages) for message in messages]
    opening = [place for place, message in enumerate(messages) if message.role == "system"][:1]
    opening += [place for place, message in enumerate(messages) if message.author == "user"][:1]
    left = budget - sum(len(shown[place]) for place in opening)
    start = len(shown)
    while start > 0 and (start == len(shown) or left >= len(shown[start - 1])):
        start -= 1
        left -= 0 if start in opening else len(shown[start])
    parts: list[str] = []
    reached = 0
    for place in sorted({*opening, *range(start, len(shown))}):
        if place > reached:
            parts.append(f"[{place - reached} messages left out here]")
        parts.append(shown[place])
        reached = place + 1
    return "\n".join(parts)


def message_text(message: Message, messages: Sequence[Message]) -> str:
    """One message under a heading that says whose it is and in which turn."""
    if message.role == "system":
        heading = "[system prompt]"
    elif message.role == "tool":
        called = next((call.name for other in messages for call in other.tool_calls if call.id == message.tool_call_id), "a tool")
        heading = f"[turn {message.turn}] result of {indented(called)}"
    else:
        heading = f"[turn {message.turn}] {'agent' if message.role == 'assistant' else message.author}"
    lines = [message.content] if message.content else []
    lines += [call_text(call) for call in message.tool_calls]
    body = shortened("\n".join(lines), MESSAGE)
    return f"{heading}{INDENT}{indented(body)}"


def call_text(call: CallMade) -> str:
    """A call in one line."""
    return f"calls {call.name} {call.arguments}"


def turn_text(text: str, calls: Sequence[CallMade]) -> str:
    """A candidate turn: what it says, then what it calls. Further lines are indented, so that no text can pass for a call."""
    parts = [f"says {indented(shortened(text, TURN))}"] if text.strip() else []
    parts += [indented(shortened(call_text(call), TURN)) for call in calls]
    return "\n".join(parts) or "says nothing and calls nothing"


def shortened(text: str, limit: int) -> str:
    """`text`, with its middle left out and marked when it is longer than `limit`."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 5, limit * 2 // 5
    return f"{text[:head]}\n[{len(text) - head - tail:,} characters left out here]\n{text[-tail:]}"
