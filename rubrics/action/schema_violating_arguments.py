"""A call of the tool with the recorded fault violates, or with any fault where the schema was recorded; one of valid form satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import arguments
from tracedance.schema import ToolCall, Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Without a recorded schema a call that lacks the known fault may have another, and fields can hold junk: both are undecided."""
    schema = facts.get("schema")
    calls = [call for call in response.calls if call.name == facts.get("tool")]
    if any(_violates(call, schema, facts) for call in calls):
        return "violates"
    junk = any(arguments.is_placeholder(value) for call in calls for value in call.arguments.values())
    return "satisfies" if calls and isinstance(schema, Mapping) and not junk else "undecided"


def _violates(call: ToolCall, schema: object, facts: Mapping[str, Any]) -> bool:
    if isinstance(schema, Mapping):
        return bool(arguments.against(schema, call.arguments))
    return any(arguments.repeated(fault, call.arguments) for fault in facts.get("faults") or ())
