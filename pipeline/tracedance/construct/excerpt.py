"""A session told briefly: around one place, with what shows the behaviour, the decision, and numbers to point at; or as a whole."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracedance.config import build_settings
from tracedance.kit.texts import INDENT, indented
from tracedance.schema import Hit, Session, Turn

BUDGET = build_settings().excerpt
"""Characters of a whole excerpt, about 6,000 tokens."""
RULES = build_settings().excerpt_system
"""Characters kept of the system prompt, where a policy stands, and of the list of tools."""
TOOLS, SYSTEM = -2, -1
"""Stand for the tools and the system prompt among turn indexes."""
OPENING = build_settings().excerpt_opening
"""Characters kept of the decision, of its evidence and of the first and the last request."""
EVENT = build_settings().excerpt_event
"""Characters kept of any other event."""
OUTLINE = build_settings().outline
"""Characters of a whole session told for its subject."""
BEFORE_DECISION = 8
AROUND_EVIDENCE = 2
NAMED = (4, 200)
"""Length of a value of a hit's facts that is worth looking for in what came before."""
MOST_NAMING, MOST_MEANT = 6, 3
LEAST = 40
"""Characters below which an event is not worth showing."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text shown to a confirmer, and the turn behind each event number."""

    text: str
    events: tuple[int, ...]
    """Turn index of event 1, 2, ...; `TOOLS` and `SYSTEM` for what is no turn."""

    def has(self, number: int) -> bool:
        """Whether an event of this number is shown."""
        return 1 <= number <= len(self.events)


def excerpt(session: Session, hit: Hit, budget: int = BUDGET) -> Excerpt:
    """The excerpt around `hit`, at most about `budget` characters; what matters most is taken first, then told in the recorded order.

    Whatever is not shown is marked where it would stand: events left out, and characters left out of an event.
    """
    first = session.context_start(hit.decision)
    sought = _meant(session, hit)
    asked = _asked(session, hit, first)
    chief = {hit.decision, *hit.evidence, *asked[:1], *asked[-1:]}
    marks = {hit.decision: f" (the decision){_pointing(session, hit, first)}", hit.decision + 1: " (after the decision)"}

    def told(index: int, room: int) -> str:
        limit = min(RULES if index < 0 else OPENING if index in chief else EVENT, room)
        if index == TOOLS:
            return f"tools offered: {shortened(indented(_tools(session, hit)), limit)}" if limit >= LEAST else ""
        return _told(session, index, Telling(limit, marks.get(index, ""), sought))

    return _taken(session, _by_importance(session, hit, first), told, budget, first)


def outline(session: Session, budget: int = OUTLINE) -> str:
    """The whole session, briefly: what people said, then the rest in even steps, with marks for what is left out."""
    said = [turn.index for turn in session.turns if turn.author == "user"]
    rest = [turn.index for turn in session.turns if turn.author != "user"]
    step = max(1, len(rest) // 16)
    order = dict.fromkeys([*said[:1], *rest[:2], *said[1:6], *rest[::step], *said])
    each = max(200, budget // 16)
    return _taken(session, list(order), lambda index, room: _told(session, index, Telling(min(each, room))), budget, 0).text


@dataclass(frozen=True, slots=True)
class Telling:
    """How one event is told."""

    limit: int
    """Characters, or nearly."""
    mark: str = ""
    sought: Sequence[str] = ()
    """Words whose surroundings stay where a text is shortened."""


def _taken(session: Session, order: Sequence[int], told: Callable[[int, int], str], budget: int, first: int) -> Excerpt:
    """Events in the order of their importance while there is room, told in the recorded order."""
    chosen: dict[int, str] = {}
    left = budget
    for index in order:
        text = told(index, max(left, 0))
        if text and len(text) <= left:
            chosen[index] = text
            left -= len(text)
    kept = sorted(chosen)
    return Excerpt("\n".join(_lines(session, kept, chosen, first)), tuple(kept))


def _by_importance(session: Session, hit: Hit, first: int) -> Sequence[int]:
    """The decision, its request, its evidence, what came just before, what names the same things, then the rest; each turn once."""
    asked = _asked(session, hit, first)
    evidence = sorted(index for index in hit.evidence if first <= index < hit.decision)
    near = [
        index + step
        for index in evidence
        for step in sorted(range(-AROUND_EVIDENCE, AROUND_EVIDENCE + 1), key=abs)
        if first <= index + step < hit.decision
    ]
    recent = list(range(hit.decision - 1, max(first, hit.decision - BEFORE_DECISION) - 1, -1))
    after = [hit.decision + 1] if hit.decision + 1 < len(session.turns) and session.turns[hit.decision + 1].role == "tool" else []
    around = [*([TOOLS] if session.tools or session.shapes else []), *([SYSTEM] if (session.system or "").strip() else [])]
    rest = range(hit.decision - BEFORE_DECISION - 1, first - 1, -1)
    naming = [index for word in _meant(session, hit) for index in _naming(session, rest, word)]
    near_by = [hit.decision, *evidence, *asked[:1], *asked[-1:], *recent[:2], *near, *after]
    return list(dict.fromkeys([*near_by, *around, *naming, *recent, *reversed(asked), *rest]))


def _asked(session: Session, hit: Hit, first: int) -> list[int]:
    """Turns in which a person spoke before the decision."""
    return [turn.index for turn in session.turns[first : hit.decision] if turn.author == "user" and turn.text.strip()]


def _tools(session: Session, hit: Hit) -> str:
    """Names of the tools, and the recorded definitions of those that the decision calls."""
    if session.tools is None:
        return f"{', '.join(sorted(session.shapes))} (as the session's calls show; the list itself was not recorded)"
    called = {call.name for call in session.turns[hit.decision].calls}
    defined = [
        f"{tool.name}: {tool.description} {json.dumps(tool.parameters, ensure_ascii=False, sort_keys=True)}"
        for tool in session.tools
        if tool.name in called
    ]
    return "\n".join([", ".join(tool.name for tool in session.tools), *defined])


def _meant(session: Session, hit: Hit) -> list[str]:
    """Words of the decision that the hit is about (a file, an option, a claim), the longest first, none that lies in another."""
    flat = [item for value in hit.facts.values() for item in (value if isinstance(value, list | tuple) else [value])]
    values = {item for item in flat if isinstance(item, str) and NAMED[0] <= len(item) <= NAMED[1]}
    said = "\n".join([session.turns[hit.decision].text, *(call.arguments_json for call in session.turns[hit.decision].calls)])
    found = sorted((value for value in values if _stands(value, said)), key=lambda value: (-len(value), value))
    return [value for place, value in enumerate(found) if not any(value in longer for longer in found[:place])][:MOST_MEANT]


def _stands(value: str, text: str) -> bool:
    """Whether a value stands in a text by itself, as it is or as JSON writes it."""
    return any(form in text and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in {value, json.dumps(value)[1:-1]})


def _pointing(session: Session, hit: Hit, first: int) -> str:
    """Behind the mark of the decision: of several values or claims in a turn, which one is meant, and how many earlier events hold it.

    Left-out events are counted as well: that a value stood nowhere before is what no excerpt can show.
    """
    earlier = [*([session.system] if session.system else []), *("\n".join(_parts(turn)) for turn in session.turns[first : hit.decision])]
    told = []
    for word in _meant(session, hit):
        counts = [f"in {_holding(word, earlier)}"]
        last = re.split(r"[/\\]", word.rstrip("/\\"))[-1]
        if last != word and len(last) >= NAMED[0]:
            counts.append(f"its last part in {_holding(last, earlier)}")
        told.append(
            f"{json.dumps(indented(word).replace(INDENT, ' '), ensure_ascii=False)}, {', '.join(counts)} of {len(earlier)} earlier events"
        )
    return f" [points at {'; '.join(told)}]" if told else ""


def _holding(word: str, texts: Sequence[str]) -> int:
    return sum(_stands(word, text) for text in texts)


def _naming(session: Session, back: Sequence[int], word: str) -> list[int]:
    """Turns that name a word, `back` being turns from the latest backwards: the latest few, and the first ones."""
    found = [index for index in back if any(_stands(word, part) for part in _parts(session.turns[index]))]
    return [*found[:MOST_NAMING], *found[-2:]]


def _parts(turn: Turn) -> list[str]:
    """What a turn says, calls and was given back, each a text; [] when it says nothing."""
    called = [f"call {call.name} {call.arguments_json}" for call in turn.calls]
    returned = [f"result ({result.status}): {result.text}" for result in turn.results]
    return [part for part in (turn.text.strip(), *called, *returned) if part]


def _says(turn: Turn) -> bool:
    return bool(turn.calls or turn.results or turn.text.strip())


def _lines(session: Session, order: Sequence[int], told: Mapping[int, str], first: int) -> list[str]:
    """The events with their numbers, and marks where some are left out. A turn that says nothing is missed by nobody."""
    lines = []
    previous = first - 1
    for number, index in enumerate(order, start=1):
        missing = sum(_says(turn) for turn in session.turns[previous + 1 : index]) if index >= 0 else 0
        if missing:
            lines.append(f"[... {missing} event{'s' if missing > 1 else ''} left out ...]")
        lines.append(f"[{number}] {told[index]}")
        previous = max(previous, index)
    return lines


def _told(session: Session, index: int, how: Telling) -> str:
    """One turn as one event; "" when it says nothing."""
    turn = session.turns[index] if index != SYSTEM else None
    said = [indented(part) for part in (_parts(turn) if turn else [(session.system or "").strip()])]
    if not any(said) or how.limit < LEAST:
        return ""
    who = {"model": "agent", "tool": "tool result"}.get(turn.author, turn.author) if turn else "system prompt"
    shares = _shares([len(part) for part in said], how.limit)
    shown = (shortened(part, share, how.sought) for part, share in zip(said, shares, strict=True))
    return f"{who}{how.mark}: " + INDENT.join(shown)


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of each part is shown: short parts whole, long ones alike, none under 80 characters."""
    shares = dict.fromkeys(range(len(sizes)), 0)
    left, waiting = room, sorted(shares, key=lambda place: sizes[place])
    for done, place in enumerate(waiting):
        shares[place] = max(80, min(sizes[place], left // (len(waiting) - done)))
        left -= min(sizes[place], shares[place])
    return [shares[place] for place in range(len(sizes))]


def shortened(text: str, limit: int, sought: Iterable[str] = ()) -> str:
    """`text` with parts left out and marked, so that beginning and end stay, and what surrounds the first of `sought` between them."""
    if len(text) <= limit:
        return text
    half = max(20, (limit - 40) // 2)
    within = [place for word in sought if (place := text.find(word, half, -half)) >= 0]
    if not within or limit < 400:
        return f"{text[:half]} {_gap(len(text) - 2 * half)} {text[-half:]}"
    third = (limit - 80) // 3
    start = max(third, min(within) - third // 2)
    end = min(start + third, len(text) - third)
    parts = [text[:third], _gap(start - third), text[start:end], _gap(len(text) - third - end), text[-third:]]
    return " ".join(part for part in parts if part)


def _gap(characters: int) -> str:
    return f"[... {characters:,} characters left out ...]" if characters > 0 else ""
