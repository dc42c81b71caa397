"""Plans and to-do lists that the model keeps by tool, and what it ticks off in them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracedance.schema import ToolCall

_DONE = ("completed", "complete", "done", "finished")


def ticked(call: ToolCall) -> list[str]:
    """Items that a planning call marks as completed: their text, or their number where only that is given."""
    if call.tool_class != "plan":
        return []
    return [_name(item) for item in _items(call.arguments) if str(item.get("status", "")).lower() in _DONE]


def newly_ticked(call: ToolCall, before: Sequence[ToolCall]) -> list[str]:
    """Those of them that none of the earlier planning calls had marked."""
    known = {name for earlier in before for name in ticked(earlier)}
    return [name for name in ticked(call) if name not in known]


def _items(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "status" in arguments:
        yield arguments
    for key in ("todos", "plan", "items", "tasks", "todoList", "todo_list"):
        listed = arguments.get(key)
        if isinstance(listed, list):
            yield from (item for item in listed if isinstance(item, dict))


def _name(item: Mapping[str, Any]) -> str:
    keys = ("content", "step", "title", "description", "subject", "text", "taskId", "task_id", "id")
    return next((str(item[key]) for key in keys if item.get(key)), "")
