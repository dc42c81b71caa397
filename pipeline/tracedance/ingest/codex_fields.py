"""The fields of Codex's records, and what stands in them."""

from typing import Any

import msgspec

from tracedance.ingest.building import text_of


class Payload(msgspec.Struct):
    """Fields of any payload that are read; `Any`, since a wrong type must not cost the whole line."""

    type: Any = None
    role: Any = None
    content: Any = None
    summary: Any = None
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    call_id: Any = None
    id: Any = None
    output: Any = None
    message: Any = None
    replacement_history: Any = None
    base_instructions: Any = None
    instructions: Any = None
    cli_version: Any = None
    cwd: Any = None
    model: Any = None
    source: Any = None
    parent_thread_id: Any = None
    forked_from_id: Any = None
    info: Any = None


def arguments_of(item: Payload) -> object:
    """Arguments as an object where they are one; `input` of a custom tool is free text."""
    if item.type == "custom_tool_call":
        return item.input
    if isinstance(item.action, dict):
        return item.action
    if isinstance(item.arguments, str):
        try:
            parsed = msgspec.json.decode(item.arguments)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return item.arguments
        return parsed if isinstance(parsed, dict) else item.arguments
    return item.arguments if item.arguments is not None else {}


def texts(content: object) -> list[str]:
    """The texts of a content field: a text, or a list of texts and of objects with a text; pictures are named, not kept."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found = []
    for part in content:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, dict):
            found.append(text_of(part.get("text")) or ("[image]" if "image" in text_of(part.get("type")) else ""))
    return [text for text in found if text]
