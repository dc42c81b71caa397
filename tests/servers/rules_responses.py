"""What OpenAI's Responses API refuses: LiteLLM goes there for models that reason and are given tools."""

from __future__ import annotations

from typing import Any

from tests.servers import rules_openai
from tests.servers.rules import Refused, require

WRONG_KEY, WRONG_STATUS, UNKNOWN, TOO_LONG = rules_openai.WRONG_KEY, 401, rules_openai.UNKNOWN, rules_openai.TOO_LONG
error = rules_openai.error
KNOWN = {"model", "input", "instructions", "tools", "max_output_tokens", "reasoning", "temperature", "top_p", "store", "stream", "include"}
EFFORTS = {"low", "medium", "high", "xhigh", "max"}


def check(body: dict[str, Any], model: str) -> None:
    """Raises Refused for what the provider would not take."""
    for name in body.keys() - KNOWN:
        raise Refused(f"Unknown parameter: '{name}'.")
    require((body.get("reasoning") or {}).get("effort", "high") in EFFORTS, "Unsupported value: 'reasoning.effort'")
    for number, tool in enumerate(body.get("tools") or []):
        rules_openai.check_tool(number, {"function": tool})
    asked: list[str] = []
    told: list[str] = []
    for place, item in enumerate(body["input"]):
        kind = item.get("type", "message")
        require(
            kind in ("message", "function_call", "function_call_output"),
            f"Item 'input[{place}]' of type '{kind}' was provided without its source",
        )
        if kind == "function_call":
            require(len(item["call_id"]) <= 64, f"Invalid 'input[{place}].call_id': string too long.")
            require(rules_openai.NAME.fullmatch(item["name"]), f"Invalid 'input[{place}].name': string does not match pattern.")
            require(body.get("tools"), "function_call without tools")
            asked.append(item["call_id"])
        elif kind == "function_call_output":
            require(item["call_id"] in asked, f"No tool call found for function call output with call_id {item['call_id']}.")
            told.append(item["call_id"])
    missing = [name for name in asked if name not in told]
    require(not missing, f"No tool output found for function call {', '.join(missing)}.")
    require(len(set(asked)) == len(asked), "Duplicate item found with id")


def answer(body: dict[str, Any], model: str) -> dict[str, Any]:
    """One turn: a call of the first tool, else words."""
    tool = next(iter(body.get("tools") or []), None)
    words = [{"type": "output_text", "text": "Hello.", "annotations": []}]
    said: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": words}
    if tool:
        said = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_abc",
            "name": tool["name"],
            "arguments": "{}",
            "status": "completed",
        }
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": "completed",
        "output": [said],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12, **details},
    }
