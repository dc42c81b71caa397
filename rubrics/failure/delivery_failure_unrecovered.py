"""Going on, ending or repeating the same violates; another delivery, or a plain report, satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import deliveries
from tracedance.kit.aftermath import made
from tracedance.kit.retries import same_effect
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Looks, questions and thoughts are undecided: whether they lead to a delivery is for a reader to say."""
    failed = made(context, facts.get("turn"), facts.get("args_hash"))
    if failed is None:
        return "undecided"
    again = [call for call in response.calls if deliveries.is_delivery(call)]
    if any(not same_effect(call, failed) for call in again):
        return "satisfies"
    if deliveries.makes_up_for(response, failed):
        return "satisfies" if deliveries.says_undelivered(response.text) and not again else "undecided"
    thinks = bool(response.calls) and all(call.tool_class == "plan" for call in response.calls)
    return "undecided" if thinks and not again and not _ticks(response) else "violates"


def _ticks(response: Turn) -> bool:
    return any('"completed"' in call.arguments_json for call in response.calls)
