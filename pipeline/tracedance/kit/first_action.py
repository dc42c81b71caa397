"""What a turn does first: the tool it calls and the kind of step that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import loads

from tracedance.kit.tools import tool_class
from tracedance.schema import CallMade

TEXT_ONLY = "text only"
CLASSES: Mapping[str, str] = {
    "plan": "plan",
    "ask": "ask user",
    "read": "read or search",
    "search": "read or search",
    "web": "read or search",
    "edit": "edit",
    "write": "edit",
    "shell": "run",
    "job": "run",
    "subagent": "delegate",
    "skill": "skill",
    "message": "deliver",
}
"""Class of tool -> class of first action; all others are `other`."""


def action_of(calls: Sequence[CallMade]) -> tuple[str, str, bool]:
    """(name of the first tool called, its class, whether any call is no planning); `text only` where nothing is called."""
    if not calls:
        return TEXT_ONLY, TEXT_ONLY, False
    classes = [_class(call) for call in calls]
    return calls[0].name, classes[0], any(name != "plan" for name in classes)


def _class(call: CallMade) -> str:
    try:
        arguments = loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    return CLASSES.get(tool_class(call.name, arguments if isinstance(arguments, dict) else {}), "other")
