"""What Claude's Messages API refuses."""

from __future__ import annotations

import re
from typing import Any

from tests.servers.rules import Refused, references, require, subschemas

WRONG_KEY = "invalid x-api-key"
WRONG_STATUS = 401
UNKNOWN = "model: {model}"
TOO_LONG = "prompt is too long: {tokens} tokens > {window} maximum"
ID = re.compile(r"[a-zA-Z0-9_-]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
KNOWN = {"model", "messages", "system", "tools", "tool_choice", "max_tokens", "temperature", "top_p", "thinking", "output_config", "stream"}


def check(body: dict[str, Any], model: str) -> None:
    """Raises Refused for what the provider would not take."""
    for name in body.keys() - KNOWN:
        raise Refused(f"{name}: Extra inputs are not permitted")
    require(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        require(body["max_tokens"] > thinking["budget_tokens"], "`max_tokens` must be greater than `thinking.budget_tokens`.")
    require(
        not thinking or thinking.get("type") == "disabled" or body.get("temperature", 1) == 1,
        "`temperature` may only be set to 1 when thinking is enabled",
    )
    check_tools(body.get("tools") or [])
    turns = [{**turn, "content": blocks(turn["content"])} for turn in body.get("messages") or []]
    require(turns and turns[0]["role"] == "user", 'messages: first message must use the "user" role')
    for place, turn in enumerate(turns):
        check_turn(place, turn, turns[place - 1] if place else None, bool(body.get("tools")))
    require(
        turns[-1]["role"] == "user", "This model does not support assistant message prefill. The conversation must end with a user message."
    )
    last = next((turn for turn in reversed(turns) if turn["role"] == "assistant"), None)
    if thinking.get("type") == "enabled" and last and last["content"][0]["type"] not in ("thinking", "redacted_thinking"):
        raise Refused(
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, "
            "a final `assistant` message must start with a thinking block"
        )


def blocks(content: Any) -> list[dict[str, Any]]:
    """The content of a turn as blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def check_turn(place: int, turn: dict[str, Any], before: dict[str, Any] | None, tools: bool) -> None:
    """One turn beside the one before it."""
    require(turn["role"] in ("user", "assistant"), f"messages.{place}.role: Input should be 'user' or 'assistant'")
    require(before is None or before["role"] != turn["role"], 'messages: roles must alternate between "user" and "assistant"')
    require(turn["content"], f"messages.{place}: all messages must have non-empty content")
    called = [block["id"] for block in (before or {}).get("content", []) if block["type"] == "tool_use"]
    told = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
    missing = [name for name in called if name not in told]
    require(
        not missing,
        f"messages.{place - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}.",
    )
    strange = [name for name in told if name not in called]
    require(not strange, f"messages.{place}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(strange)}.")
    require(len(set(told)) == len(told), f"messages.{place}: each tool_use must have a single result.")
    text = False
    for number, block in enumerate(turn["content"]):
        where = f"messages.{place}.content.{number}"
        if block["type"] == "text":
            require(block["text"].strip(), "messages: text content blocks must contain non-whitespace text")
            text = True
        elif block["type"] == "tool_use":
            require(ID.fullmatch(block["id"]), f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
            require(NAME.fullmatch(block["name"]), f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
            require(isinstance(block["input"], dict), f"{where}.tool_use.input: Input should be a valid dictionary")
            require(tools, "Requests which have `tool_use` or `tool_result` blocks in `messages` must define tools.")
        elif block["type"] == "tool_result":
            require(not text, f"{where}: `tool_result` blocks must come before other content")
        else:
            raise Refused(f"{where}: Invalid `signature` in `{block['type']}` block")


def check_tools(tools: list[dict[str, Any]]) -> None:
    """The tools' definitions."""
    names = [tool["name"] for tool in tools]
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")
    for number, tool in enumerate(tools):
        where = f"tools.{number}.custom"
        schema = tool["input_schema"]
        require(NAME.fullmatch(tool["name"]), f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        require(schema.get("type") == "object", f"{where}.input_schema.type: Input should be 'object'")
        union = {"oneOf", "anyOf", "allOf"} & schema.keys()
        require(not union, f"{where}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level")
        require(not references(schema), f"{where}.input_schema: `$ref` is not supported")
        for path, part in subschemas(schema):
            require(
                isinstance(part, dict), f"{where}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 ({path})"
            )
            for name in part.get("properties") or {}:
                require(
                    PROPERTY.fullmatch(name),
                    f"{where}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'",
                )
            bounds = [part.get(word) for word in ("exclusiveMinimum", "exclusiveMaximum")]
            sound = not any(isinstance(bound, bool) for bound in bounds) and isinstance(part.get("required", []), list)
            require(
                sound and not isinstance(part.get("items"), list),
                f"{where}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 ({path})",
            )


def error(status: int, why: str) -> dict[str, Any]:
    """The provider's form of an error."""
    kind = {401: "authentication_error", 404: "not_found_error"}.get(status, "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": why}}


def answer(body: dict[str, Any], model: str) -> dict[str, Any]:
    """One turn: a call of the first tool, else words."""
    tool = next(iter(body.get("tools") or []), None)
    block = {"type": "tool_use", "id": "toolu_01", "name": tool["name"], "input": {}} if tool else {"type": "text", "text": "Hello."}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": "tool_use" if tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }
