"""An instance as the request that an evaluated model gets: OpenAI chat form, tools through the provider's own tool-calling."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.schema import Instance, Message, Tool

NO_TEXT = "[no text]"
"""Stands for a message without any text (an image, say): providers refuse empty ones."""


def chat(instance: Instance) -> tuple[Mapping[str, Any], ...]:
    """The context: system prompt first, then every message in its order. What the harness wrote goes in the user's role, as it did then."""
    system = [message for message in instance.messages if message.role == "system"]
    others = [message for message in instance.messages if message.role != "system"]
    return tuple(wire(message) for message in (*system, *others))


def wire(message: Message) -> Mapping[str, Any]:
    """One message."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content or NO_TEXT}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls
    ]
    return {"role": "assistant", "content": message.content or None, "tool_calls": calls}


def offered(tools: Sequence[Tool]) -> tuple[Mapping[str, Any], ...]:
    """The tools on offer."""
    return tuple(
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)},
        }
        for tool in tools
    )
