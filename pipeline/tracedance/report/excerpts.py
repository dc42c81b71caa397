"""Texts cut to what a page can hold, with every cut counted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tracedance.report.visible import visible
from tracedance.schema import CallMade, Message

SPEAKERS = {"system": "System prompt", "user": "User", "harness": "Harness", "model": "Agent", "tool": "Tool result"}


@dataclass(frozen=True)
class Clip:
    """The beginning and, after `elided` characters, the end of a text."""

    head: str
    elided: int = 0
    end: str = ""


@dataclass(frozen=True)
class Call:
    """A tool call with its arguments in a form that is easy to read."""

    name: str
    arguments: tuple[tuple[str, Clip], ...]


@dataclass(frozen=True)
class Said:
    """One message of a context."""

    speaker: str
    author: str
    turn: int
    text: Clip
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Context:
    """The last turns of a context and what was left out before them."""

    shown: tuple[Said, ...]
    elided_turns: int
    elided_characters: int
    task: Clip | None
    """The user's last own words, where they are among what was left out."""
    system: Clip | None


def last_turns(messages: Sequence[Message], budget: int) -> Context:
    """As many of the last messages as fit `budget` bytes of HTML, the last one always; no message takes more than half of it."""
    told = [message for message in messages if message.role != "system"]
    shown: list[Said] = []
    left = budget
    first = len(told)
    while first > 0 and (left > 0 or not shown):
        message = told[first - 1]
        said = spoken(message, budget // 2)
        left -= cost_of(said)
        if left < 0 and shown:
            break
        shown.append(said)
        first -= 1
    before = told[:first]
    asked = None if any(message.author == "user" for message in told[first:]) else last_words(before)
    system = [message.content for message in messages if message.role == "system"]
    return Context(
        shown=tuple(reversed(shown)),
        elided_turns=len({message.turn for message in before} - {message.turn for message in told[first:]}),
        elided_characters=sum(length(message) for message in before),
        task=clip(asked, budget // 8) if asked else None,
        system=clip("\n\n".join(system), budget // 8) if system else None,
    )


def spoken(message: Message, budget: int) -> Said:
    """A message cut to `budget` bytes of HTML."""
    share = budget // (1 + len(message.tool_calls))
    return Said(
        speaker=SPEAKERS[message.author],
        author=message.author,
        turn=message.turn,
        text=clip(message.content, share),
        calls=tuple(called(call, share) for call in message.tool_calls),
    )


def called(call: CallMade, budget: int) -> Call:
    """A call cut to `budget` bytes; text arguments as text, others as JSON, and as it stands what is no JSON object."""
    try:
        parsed = json.loads(call.arguments)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        return Call(call.name, (("", clip(call.arguments, budget)),))
    share = max(80, budget // max(1, len(parsed)))
    texts = [(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) for name, value in parsed.items()]
    kept = texts[: max(1, budget // 80)]
    rows = [(name, clip(text, share)) for name, text in kept]
    if len(texts) > len(kept):
        rows.append((f"{len(texts) - len(kept)} more arguments", clip("", share)))
    return Call(call.name, tuple(rows))


def clip(text: str, budget: int) -> Clip:
    """A text cut to about `budget` bytes of HTML: two thirds from its beginning, the rest from its end."""
    keep = min(len(text), budget)
    while keep > 0 and keep > (fit := fitting(text, keep, budget)):
        keep = fit
    if keep >= len(text):
        return Clip(text)
    head = keep * 2 // 3
    return Clip(text[:head], len(text) - keep, text[len(text) - (keep - head) :] if keep > head else "")


def fitting(text: str, keep: int, budget: int) -> int:
    """A number of characters up to `keep` that comes nearer to costing `budget`."""
    head = keep * 2 // 3
    sample = text if keep == len(text) else text[:head] + text[len(text) - (keep - head) :]
    size = cost(sample)
    return keep if size <= budget else min(keep - 1, keep * budget // size)


def cost(text: str) -> int:
    """Bytes of the text as HTML."""
    return len(escape(visible(text)).encode())


def cost_of(said: Said) -> int:
    """Bytes of a shown message, its own markup aside."""
    texts = [said.text, *(text for call in said.calls for _, text in call.arguments)]
    names = [name for call in said.calls for name, _ in (("", ""), *call.arguments)]
    return sum(cost(text.head) + cost(text.end) for text in texts) + sum(map(cost, names)) + 120


def length(message: Message) -> int:
    """Characters of a message with its calls."""
    return len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)


def last_words(messages: Sequence[Message]) -> str | None:
    """What the user, and not the harness, said last."""
    return next((message.content for message in reversed(messages) if message.author == "user" and message.content.strip()), None)
