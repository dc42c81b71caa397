"""The same effect again before any look violates; a look at the state, and nothing else, satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import effects
from tracedance.kit.aftermath import made
from tracedance.kit.looking import looks_only
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """A repeat after a look in the same turn, one with a key, and words alone are undecided."""
    first = made(context, facts.get("turn"), facts.get("args_hash"))
    if first is None:
        return "undecided"
    looked = False
    for call in response.calls:
        looked = looked or looks_only(call)
        if effects.likeness(call, first) >= float(facts.get("similarity") or 0.8):
            return "undecided" if looked or effects.is_idempotent(call) else "violates"
    return "satisfies" if looked and all(looks_only(call) for call in response.calls) else "undecided"
