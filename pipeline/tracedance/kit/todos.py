"""What stands open: an agent's own to-do list at a turn, and unfinished code in what it writes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.kit.outputs import shown
from tracedance.schema import Session, ToolCall

STUB = re.compile(
    r"\bTODO\b|\bFIXME\b|\bNotImplementedError\b|unimplemented!|\btodo!\(|not (?:yet )?implemented"
    r"|(?<![-:\w])placeholder\b(?!\s*[-=:(,{}\"'\]?|])"
    r"|\bstub\b|throw new Error\([\"'][Nn]ot impl"
)
"""Unfinished code in a text that an edit writes; the `placeholder` of an input field is none."""
_LISTS = ("todos", "plan", "todoList", "todo_list", "items", "tasks")
_TITLES = ("content", "step", "description", "title", "subject", "task", "text", "name")
_CLOSED = frozenset(("completed", "complete", "done", "cancelled", "canceled", "deleted", "skipped"))
_CREATED = re.compile(r"#?\b(\d+)\b")


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the list."""

    title: str
    """Its words."""
    status: str
    """As the tool names it, such as `pending` or `completed`."""
    turn: int
    """Turn of the call that last set it."""

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status not in _CLOSED


def items(session: Session, before: int, start: int = 0) -> list[Item]:
    """The list as calls of turns `start` up to but not including `before` left it; a call with a whole list replaces what stood there."""
    known: dict[str, Item] = {}
    for turn in session.turns[start:before]:
        for call in turn.calls:
            if call.tool_class == "plan" and (call.result is None or call.result.status == "ok"):
                _apply(known, call)
    return list(known.values())


def _apply(known: dict[str, Item], call: ToolCall) -> None:
    arguments = call.arguments
    listed = next((arguments[key] for key in _LISTS if isinstance(arguments.get(key), list)), None)
    if listed is not None:
        known.clear()
        known.update((f"{place}", item) for place, each in enumerate(listed) if (item := _item(each, call.turn)) is not None)
    elif "create" in call.name.lower():
        item = _item(arguments, call.turn)
        numbered = _CREATED.search(shown(call.result)[:200])
        if item is not None:
            known[numbered[1] if numbered else f"new {len(known)}"] = item
    elif "update" in call.name.lower():
        key = str(arguments.get("taskId", arguments.get("id", "")))
        if key in known:
            status = str(arguments.get("status", known[key].status)).lower()
            known[key] = Item(_title(arguments) or known[key].title, status, call.turn)


def _item(each: Any, turn: int) -> Item | None:
    title = _title(each) if isinstance(each, Mapping) else ""
    return Item(title, str(each.get("status", "pending")).lower(), turn) if title else None


def _title(fields: Mapping[str, Any]) -> str:
    found: Sequence[str] = [fields[key] for key in _TITLES if isinstance(fields.get(key), str) and fields[key]]
    return found[0][:300] if found else ""
