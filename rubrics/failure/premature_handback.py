"""Handing back without a call violates; going on with another call than the one that failed satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import handback
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """The same call again, plans and questions to the person, and blockers that only a person can lift are undecided."""
    going = [call for call in response.calls if call.tool_class not in ("plan", "ask", "message")]
    if going:
        same = all(call.name == facts.get("tool") and call.args_hash == facts.get("args_hash") for call in going)
        return "undecided" if same else "satisfies"
    text = response.text
    if response.calls or not handback.hands_back(text):
        return "undecided"
    open_still = handback.needs_person(text) or handback.offers_choice(text) or handback.goes_on(text)
    return "undecided" if open_still else "violates"
