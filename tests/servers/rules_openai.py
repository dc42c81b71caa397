"""What OpenAI's chat completions refuse, and beyond it what Mistral and strict chat templates refuse (`mistral-*`)."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.servers.rules import Refused, require, subschemas

WRONG_KEY = "Incorrect API key provided: wrong. You can find your API key at https://platform.openai.com/account/api-keys."
WRONG_STATUS = 401
UNKNOWN = "The model `{model}` does not exist or you do not have access to it."
TOO_LONG = "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens."
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NINE = re.compile(r"[a-zA-Z0-9]{9}")
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}
KNOWN = {"model", "messages", "tools", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "reasoning_effort", "stream"}
EFFORTS = {"none", "minimal", "low", "medium", "high", "xhigh", "max"}


def check(body: dict[str, Any], model: str) -> None:
    """Raises Refused for what the provider would not take."""
    for name in body.keys() - KNOWN:
        raise Refused(f"Unrecognized request argument supplied: {name}")
    require(body.get("reasoning_effort", "high") in EFFORTS, "Invalid value for 'reasoning_effort'")
    messages, tools = body.get("messages"), body.get("tools")
    require(messages, "[] is too short - 'messages'")
    require(tools is None or tools, "[] is too short - 'tools'")
    require(len(tools or []) <= 128, f"Invalid 'tools': array too long. Expected an array with maximum length 128, got {len(tools or [])}")
    for number, tool in enumerate(tools or []):
        check_tool(number, tool)
    check_messages(messages or [], bool(tools), model.startswith("mistral"))


def check_messages(messages: list[Any], tools: bool, strict: bool) -> None:
    """Roles, calls and results."""
    waiting: list[str] = []
    before = ""
    for place, message in enumerate(messages):
        role, content, calls = message["role"], message.get("content"), message.get("tool_calls") or []
        require(role in ("system", "developer", "user", "assistant", "tool"), f"Invalid value: '{role}'")
        if role == "tool":
            require(
                message["tool_call_id"] in waiting, f"messages[{place}] with role 'tool' must be a response to a preceding 'tool_calls'"
            )
            require(isinstance(content, str), f"Invalid type for 'messages[{place}].content'")
            waiting.remove(message["tool_call_id"])
            before = role
            continue
        require(not waiting, f"An assistant message with 'tool_calls' must be followed by tool messages. Without response: {waiting}")
        require(content or calls, f"Invalid type for 'messages[{place}].content': expected a string, got null")
        require(role != "system" or before in ("", "system"), f"messages[{place}]: system messages stand first")
        if strict:
            require(role != before or role == "system", f"Conversation roles must alternate user/assistant: messages[{place}]")
            require(before not in ("", "system") or role in ("user", "system"), "Expected the first role to be user")
        require(not calls or tools, "tool_calls without 'tools'")
        for call in calls:
            check_call(call, strict)
        waiting, before = [call["id"] for call in calls], role
        require(len(set(waiting)) == len(waiting), "Duplicate value for 'tool_call_id'")
    require(not waiting, f"Without response: {waiting}")
    require(not strict or before in ("user", "tool"), "Expected last role User or Tool for serving")


def check_call(call: Any, strict: bool) -> None:
    """A call in the messages."""
    require(len(call["id"]) <= 40, f"Invalid 'tool_calls[0].id': string too long. Expected maximum length 40, got {len(call['id'])}")
    require(not strict or NINE.fullmatch(call["id"]), f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9.")
    require(NAME.fullmatch(call["function"]["name"]), "Invalid 'tool_calls[0].function.name': string does not match pattern")
    try:
        require(isinstance(json.loads(call["function"]["arguments"]), dict), "tool call arguments are no object")
    except ValueError:
        raise Refused("tool call arguments are no JSON") from None


def check_tool(number: int, tool: Any) -> None:
    """A tool's definition."""
    function = tool["function"]
    name, parameters = function["name"], function.get("parameters")
    require(NAME.fullmatch(name), f"Invalid 'tools[{number}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.")
    problem = f"Invalid schema for function '{name}': "
    require(isinstance(parameters, dict) and parameters.get("type") == "object", problem + "schema must be of 'type: \"object\"'")
    for word in ("oneOf", "anyOf", "allOf", "enum", "not"):
        require(
            word not in parameters,
            problem + "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
        )
    for path, part in subschemas(parameters):
        require(isinstance(part, dict), f"{problem}{part!r} is not of type 'object', 'boolean' at {path}")
        kinds = part.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        require(set(kinds) <= TYPES, f"{problem}{kinds} is not valid under any of the given schemas at {path}")
        require("array" not in kinds or isinstance(part.get("items"), dict), f"{problem}In context={path}, array schema missing items.")
        bound = part.get("exclusiveMinimum", 0)
        require(not isinstance(bound, bool), f"{problem}True is not of type 'number' at {path}.exclusiveMinimum")
        require(isinstance(part.get("required", []), list), f"{problem}{part.get('required')!r} is not of type 'array' at {path}")


def error(status: int, why: str) -> dict[str, Any]:
    """The provider's form of an error."""
    code = "context_length_exceeded" if "maximum context length" in why else None
    return {"error": {"message": why, "type": "invalid_request_error", "param": None, "code": code}}


def answer(body: dict[str, Any], model: str) -> dict[str, Any]:
    """One turn: a call of the first tool, else words."""
    tool = next(iter(body.get("tools") or []), None)
    call = {"id": "call_abc", "type": "function", "function": {"name": tool["function"]["name"], "arguments": "{}"}} if tool else None
    message = {"role": "assistant", "content": None if call else "Hello.", **({"tool_calls": [call]} if call else {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "tool_calls" if call else "stop", "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }
