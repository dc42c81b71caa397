"""What of a context a page shows: the user's first and last request, the evidence and the last turns, and where something is left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracedance.report.excerpts import Call, Clip, called, clip, cost
from tracedance.schema import Message

SPEAKERS = {"system": "System prompt", "user": "User", "harness": "Harness", "model": "Agent", "tool": "Tool result"}
MARKUP = 120
"""Bytes of a message's own markup, about."""


@dataclass(frozen=True)
class Said:
    """One message of a context."""

    speaker: str
    author: str
    turn: int
    notes: tuple[str, ...]
    """Why it is always shown: first request, last request, evidence."""
    text: Clip
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Gap:
    """Messages left out in this place, and whole turns from the first to the last of them."""

    messages: int
    characters: int
    first: int
    last: int


@dataclass(frozen=True)
class Context:
    """The messages shown with the gaps between them, in order; every message is in one or the other."""

    parts: tuple[Said | Gap, ...]
    system: Clip | None

    @property
    def whole(self) -> bool:
        """Whether no message is left out; long ones may still be cut, and say so."""
        return not any(isinstance(part, Gap) for part in self.parts)

    @property
    def shown(self) -> tuple[Said, ...]:
        return tuple(part for part in self.parts if isinstance(part, Said))


def excerpt(messages: Sequence[Message], evidence: Iterable[int], budget: int) -> Context:
    """A context in about `budget` bytes of HTML. `evidence` are turn indexes.

    Two thirds of the budget go to what must be there: the user's first and last request, the turns of evidence, and the last message. What
    they leave goes to as many of the last messages as fit.
    """
    told = [message for message in messages if message.role != "system"]
    notes = noted(told, set(evidence))
    chosen = fitted(told, {*notes, *range(len(told))[-1:]}, notes, budget * 2 // 3)
    left = budget - sum(map(cost_of, chosen.values()))
    for place in range(len(told) - 1, -1, -1):
        if place not in chosen:
            said = spoken(told[place], (), budget // 3)
            left -= cost_of(said)
            if left < 0:
                break
            chosen[place] = said
    system = [message.content for message in messages if message.role == "system"]
    return Context(tuple(joined(told, chosen)), clip("\n\n".join(system), budget // 8) if system else None)


def noted(told: Sequence[Message], evidence: set[int]) -> dict[int, tuple[str, ...]]:
    """What must be shown for its own sake, by place, with why."""
    asked = [place for place, message in enumerate(told) if message.author == "user" and message.content.strip()]
    notes: dict[int, tuple[str, ...]] = {}
    for words, places in (("first request", asked[:1]), ("last request", asked[1:][-1:])):
        for place in places:
            notes[place] = ("request",) if len(asked) == 1 else (words,)
    for place, message in enumerate(told):
        if message.turn in evidence:
            notes[place] = (*notes.get(place, ()), "evidence")
    return notes


def fitted(told: Sequence[Message], places: set[int], notes: dict[int, tuple[str, ...]], budget: int) -> dict[int, Said]:
    """All messages at `places`, in `budget` together: each gets an equal part of what those shorter than it left over."""
    found: dict[int, Said] = {}
    left = budget
    for number, place in enumerate(sorted(places, key=lambda place: (length(told[place]), place))):
        share = max(0, left // (len(places) - number) - MARKUP)
        found[place] = spoken(told[place], notes.get(place, ()), share)
        left -= cost_of(found[place])
    return found


def joined(told: Sequence[Message], chosen: dict[int, Said]) -> list[Said | Gap]:
    """The chosen messages in order, with what is left out marked in its place."""
    parts: list[Said | Gap] = []
    missing: list[Message] = []
    for place, message in enumerate(told):
        if place not in chosen:
            missing.append(message)
            continue
        parts += [gap(missing), chosen[place]] if missing else [chosen[place]]
        missing = []
    return [*parts, gap(missing)] if missing else parts


def gap(missing: Sequence[Message]) -> Gap:
    """Messages in a row as one gap."""
    turns = [message.turn for message in missing]
    return Gap(len(missing), sum(map(length, missing)), min(turns), max(turns))


def spoken(message: Message, notes: tuple[str, ...], budget: int) -> Said:
    """A message cut to `budget` bytes of HTML."""
    share = budget // (1 + len(message.tool_calls))
    return Said(
        speaker=SPEAKERS[message.author],
        author=message.author,
        turn=message.turn,
        notes=notes,
        text=clip(message.content, share),
        calls=tuple(called(call, share) for call in message.tool_calls),
    )


def cost_of(said: Said) -> int:
    """Bytes of a shown message, its own markup aside."""
    texts = [said.text, *(text for call in said.calls for _, text in call.arguments)]
    names = [name for call in said.calls for name, _ in (("", ""), *call.arguments)]
    return sum(cost(text.head) + cost(text.end) for text in texts) + sum(map(cost, names)) + MARKUP


def length(message: Message) -> int:
    """Characters of a message with its calls."""
    return len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
