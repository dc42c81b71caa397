"""The failed call again, before anything is changed, violates; a look at what it is about satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit.aftermath import made
from tracedance.kit.looking import looks_only, may_change, shares_object
from tracedance.kit.retries import same_effect
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Another call, and words alone, are undecided: whether they answer the error is for a reader to say."""
    failed = made(context, facts.get("turn"), facts.get("args_hash"))
    if failed is None:
        return "undecided"
    for call in response.calls:
        if same_effect(call, failed):
            return "violates"
        if may_change(call):
            break
    repeated = any(same_effect(call, failed) for call in response.calls)
    looked = [call for call in response.calls if looks_only(call) and shares_object(call, failed)]
    return "satisfies" if looked and len(looked) == len(response.calls) and not repeated else "undecided"
