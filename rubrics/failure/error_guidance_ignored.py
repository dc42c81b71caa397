"""Another attempt that does nothing of what the error prescribed violates; one that does it satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import guidance
from tracedance.kit.guidance import Guidance
from tracedance.schema import ToolCall, Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Looks, other routes, and shell commands that change something else than what was prescribed are undecided."""
    failed = _failed(context, facts)
    if failed is None:
        return "undecided"
    total = [float(number) for number in facts.get("total") or ()]
    told = Guidance(
        _texts(facts, "wanted"), _texts(facts, "forbidden"), _texts(facts, "demands"), (total[0], total[1]) if len(total) == 2 else None
    )
    if any(guidance.follows(told, failed, call) for call in response.calls):
        tried = [call for call in response.calls if guidance.attempts(failed, call)]
        return "satisfies" if tried and all(guidance.follows(told, failed, call) for call in tried) else "undecided"
    if any(guidance.investigates(call) and not guidance.attempts(failed, call) for call in response.calls):
        return "undecided"
    return "violates" if any(_ignores(failed, call, told) for call in response.calls) else "undecided"


def _ignores(failed: ToolCall, call: ToolCall, told: Guidance) -> bool:
    if not guidance.attempts(failed, call):
        return False
    if call.args_hash == failed.args_hash:
        return True
    if failed.tool_class == "edit" and guidance.sought(failed) == guidance.sought(call):
        return True
    if failed.tool_class in ("shell", "edit", "write"):
        return any(token in call.arguments_json for token in told.forbidden)
    return True


def _failed(context: Sequence[Turn], facts: Mapping[str, Any]) -> ToolCall | None:
    calls = (call for turn in reversed(context) for call in reversed(turn.calls))
    return next((call for call in calls if call.args_hash == facts.get("args_hash") and call.name == facts.get("tool")), None)


def _texts(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(str(token) for token in facts.get(key) or ())
