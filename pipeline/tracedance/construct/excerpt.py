"""A session told briefly around one place: what was asked first, what shows the behaviour, the decision, and numbers to point at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tracedance.config import build_settings
from tracedance.schema import Hit, Session, ToolCall, Turn

BUDGET = build_settings().excerpt
"""Characters of a whole excerpt, about 6,000 tokens."""
OPENING = build_settings().excerpt_opening
"""Characters kept of the first request and of the decision."""
EVENT = build_settings().excerpt_event
"""Characters kept of any other event."""
INDENT = "\n    "
"""What every further line of an event begins with: no text can look like an event, a mark or the fence."""
LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
BEFORE_DECISION = 8
AROUND_EVIDENCE = 2


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text shown to a confirmer, and the turn behind each event number."""

    text: str
    events: tuple[int, ...]
    """Turn index of event 1, 2, ..."""

    def has(self, number: int) -> bool:
        """Whether an event of this number is shown."""
        return 1 <= number <= len(self.events)


def excerpt(session: Session, hit: Hit, budget: int = BUDGET) -> Excerpt:
    """The excerpt around `hit`, at most `budget` characters; what matters most is taken first, and then told in the recorded order."""
    first = session.context_start(hit.decision)
    told: dict[int, str] = {}
    left = budget
    for index in _by_importance(session, hit, first):
        mark = "the decision" if index == hit.decision else "after the decision" if index > hit.decision else ""
        limit = OPENING if mark == "the decision" or not told else EVENT
        text = _told(session.turns[index], min(limit, max(left, 0)), mark)
        if not text or len(text) > left:
            continue
        told[index] = text
        left -= len(text)
    order = sorted(told)
    return Excerpt("\n".join(_lines(order, told, first)), tuple(order))


def _by_importance(session: Session, hit: Hit, first: int) -> Sequence[int]:
    """The decision, its request, its evidence, what came just before, then what lies further back; each turn once."""
    asked = [turn.index for turn in session.turns[first : hit.decision] if turn.author == "user" and turn.text.strip()]
    evidence = sorted(index for index in hit.evidence if first <= index < hit.decision)
    near = [
        index + step
        for index in evidence
        for step in sorted(range(-AROUND_EVIDENCE, AROUND_EVIDENCE + 1), key=abs)
        if first <= index + step < hit.decision
    ]
    recent = list(range(hit.decision - 1, max(first, hit.decision - BEFORE_DECISION) - 1, -1))
    after = [hit.decision + 1] if hit.decision + 1 < len(session.turns) and session.turns[hit.decision + 1].role == "tool" else []
    rest = list(range(hit.decision - BEFORE_DECISION - 1, first - 1, -1))
    return list(dict.fromkeys([hit.decision, *evidence, *asked[:1], *asked[-1:], *recent[:2], *near, *after, *recent, *asked, *rest]))


def _lines(order: Sequence[int], told: dict[int, str], first: int) -> list[str]:
    lines = []
    previous = first - 1
    for number, index in enumerate(order, start=1):
        if index - previous > 1:
            lines.append(f"[... {index - previous - 1} events left out ...]")
        lines.append(f"[{number}] {told[index]}")
        previous = index
    return lines


def _told(turn: Turn, limit: int, mark: str) -> str:
    """One turn as one event; "" when it says nothing."""
    parts = [
        turn.text.strip(),
        *(_call(call) for call in turn.calls),
        *(f"result ({result.status}): {result.text}" for result in turn.results),
    ]
    said = [part for part in parts if part]
    if not said or limit < 40:
        return ""
    share = max(80, limit // len(said))
    who = {"model": "agent", "tool": "tool result"}.get(turn.author, turn.author)
    return f"{who}{f' ({mark})' if mark else ''}: " + INDENT.join(shortened(INDENT.join(LINE_BREAK.split(part)), share) for part in said)


def _call(call: ToolCall) -> str:
    return f"call {call.name} {call.arguments_json}"


def shortened(text: str, limit: int) -> str:
    """`text` with its middle left out, so that beginning and end stay."""
    if len(text) <= limit:
        return text
    half = max(20, (limit - 40) // 2)
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters left out ...] {text[-half:]}"
