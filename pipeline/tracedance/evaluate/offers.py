"""The tools of a context as judges and raters read them: by nothing else can a call be told from one
that is not offered, or has another form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.config import grade_settings
from tracedance.evaluate.messages import loaded
from tracedance.evaluate.rendering import context_text, shortened
from tracedance.kit.texts import INDENT, indented
from tracedance.schema import Instance, Tool

TOOLS = grade_settings().tools
"""Characters of all tools; where fields do not fit, names alone are shown."""
CHOICES = 12
"""Most values of a closed set that are listed."""


def seen_text(instance: Instance) -> str:
    """What a judge reads of an instance: the tools on offer, then the context."""
    return "\n".join(part for part in (offers_text(instance.tools), context_text(instance.messages)) if part)


def offers_text(tools: Sequence[Tool]) -> str:
    """Names with their fields; those that may be left out have a question mark. "" where no list is known."""
    if not tools:
        return ""
    inferred = any(tool.inferred_from for tool in tools)
    heading = "[tools on offer, with the fields that calls on record show]" if inferred else "[tools on offer]"
    lines = [line(tool) for tool in tools]
    body = INDENT.join(lines)
    if len(body) > TOOLS:
        body = shortened("(fields left out here) " + ", ".join(indented(tool.name) for tool in tools), TOOLS)
    return f"{heading}{INDENT}{body}"


def line(tool: Tool) -> str:
    """`name(field: type, other?: "a" | "b")`."""
    schema = loaded(tool.parameters)
    known = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(known, dict) or not known:
        return indented(f"{tool.name}(...)")
    asked = schema.get("required")
    required = set(map(str, asked)) if isinstance(asked, list) else set()
    fields = [f"{name}{'' if name in required else '?'}: {form(field)}" for name, field in known.items()]
    return indented(f"{tool.name}({', '.join(fields)})")


def form(field: Any) -> str:
    """What a field takes."""
    if not isinstance(field, Mapping):
        return "any"
    choices = field.get("enum")
    if isinstance(choices, list) and 0 < len(choices) <= CHOICES:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    kind = field.get("type", "any")
    told = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    return f"{told} of {form(field['items'])}" if told == "array" and "items" in field else told
