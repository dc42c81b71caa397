"""The strict server refuses what each provider refuses: one request that is fine, and one thing wrong at a time."""

import copy
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.strict import Strict

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}
OPENAI: dict[str, Any] = {
    "model": "gpt-x",
    "messages": [
        {"role": "user", "content": "Hi."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "abcdefghi", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "abcdefghi", "content": "x"},
    ],
    "tools": [{"type": "function", "function": {"name": "read", "parameters": PARAMETERS}}],
}
CLAUDE: dict[str, Any] = {
    "model": "claude-x",
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
    ],
    "tools": [{"name": "read", "input_schema": PARAMETERS}],
}
SIGNED = {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}
GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"role": "model", "parts": [SIGNED]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {}}}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "read", "parameters": PARAMETERS}]}],
}
RESPONSES: dict[str, Any] = {
    "model": "gpt-x",
    "input": [
        {"type": "message", "role": "user", "content": "Hi."},
        {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "x"},
    ],
    "tools": [{"type": "function", "name": "read", "parameters": PARAMETERS}],
}
SOUND = {
    "/v1/chat/completions": OPENAI,
    "/v1/messages": CLAUDE,
    "/models/gemini-3-x:generateContent": GEMINI,
    "/v1/responses": RESPONSES,
}
CHAT, MESSAGES, GENERATE, ANSWER = SOUND
NO = object()


@pytest.fixture(scope="module")
def server() -> Iterator[Strict]:
    with Strict() as running:
        yield running


def post(server: Strict, path: str, body: Any) -> tuple[int, str]:
    request = urllib.request.Request(server.base + path, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def changed(path: str, place: tuple[Any, ...], value: Any) -> Any:
    """The sound request with one thing in it replaced, or left out."""
    body = copy.deepcopy(SOUND[path])
    at: Any = body
    for key in place[:-1]:
        at = at[key]
    if value is NO:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return body


@pytest.mark.parametrize("path", SOUND)
def test_a_sound_request_is_answered(path: str, server: Strict) -> None:
    assert post(server, path, SOUND[path])[0] == 200


@pytest.mark.parametrize(
    ("path", "place", "value", "said"),
    [
        (CHAT, ("tools",), NO, "without 'tools'"),
        (CHAT, ("messages", 2), NO, "Without response"),
        (CHAT, ("messages", 1), NO, "must be a response to a preceding"),
        (CHAT, ("messages", 1, "tool_calls", 0, "id"), "x" * 41, "maximum length 40"),
        (CHAT, ("messages", 1, "tool_calls", 0, "function", "name"), "a b", "does not match pattern"),
        (CHAT, ("messages", 1, "tool_calls", 0, "function", "arguments"), "{", "no JSON"),
        (CHAT, ("tools", 0, "function", "parameters", "properties", "path"), {"type": "array"}, "missing items"),
        (CHAT, ("tools", 0, "function", "parameters", "anyOf"), [], "at the top level"),
        (CHAT, ("tools", 0, "function", "name"), "a.b", "does not match pattern"),
        (CHAT, ("temprature",), 1, "Unrecognized request argument"),
        (MESSAGES, ("tools",), NO, "must define tools"),
        (MESSAGES, ("max_tokens",), NO, "Field required"),
        (MESSAGES, ("messages", 0), NO, 'must use the \\"user\\" role'),
        (MESSAGES, ("messages", 1), {"role": "user", "content": "x"}, "roles must alternate"),
        (MESSAGES, ("messages", 1, "content", 0, "id"), "a.b", "should match pattern"),
        (MESSAGES, ("messages", 2, "content", 0, "tool_use_id"), "b", "without `tool_result` blocks immediately after"),
        (MESSAGES, ("messages", 2, "content"), [{"type": "text", "text": "x"}, *CLAUDE["messages"][2]["content"]], "before other content"),
        (MESSAGES, ("messages", 0, "content"), " ", "non-whitespace text"),
        (MESSAGES, ("messages", 2), NO, "must end with a user message"),
        (MESSAGES, ("thinking",), {"type": "enabled", "budget_tokens": 50}, "must start with a thinking block"),
        (MESSAGES, ("tools", 0, "input_schema", "oneOf"), [], "at the top level"),
        (MESSAGES, ("tools", 0, "input_schema", "properties", "path"), {"$ref": "#/x"}, "$ref"),
        (MESSAGES, ("tools", 0, "input_schema", "properties", "@path"), {}, "Property keys"),
        (GENERATE, ("tools",), NO, "without function declarations"),
        (GENERATE, ("contents", 0), NO, "begin with a user turn"),
        (GENERATE, ("contents", 2), {"role": "user", "parts": [{"text": "x"}]}, "number of function response parts"),
        (GENERATE, ("contents", 1, "parts", 0, "thoughtSignature"), NO, "missing a thought_signature"),
        (GENERATE, ("contents", 1, "parts", 0, "thoughtSignature"), "AAAA", "Corrupted thought signature"),
        (GENERATE, ("contents", 2, "parts", 0, "functionResponse", "name"), "other", "names match"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "name"), "1a", "Invalid function name"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "parameters", "$schema"), "x", "Unknown name"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "parameters", "properties", "path"), {}, "schema type field"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "parameters", "properties", "path", "type"), ["string"], "not repeating"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "parameters", "properties", "path", "enum"), [1], "TYPE_STRING"),
        (GENERATE, ("tools", 0, "functionDeclarations", 0, "parameters", "required"), ["x"], "is not defined"),
        (ANSWER, ("input", 2), NO, "No tool output found"),
        (ANSWER, ("input", 1), NO, "No tool call found"),
        (ANSWER, ("reasoning",), {"effort": "none"}, "Unsupported value"),
    ],
)
def test_one_thing_wrong_is_refused_in_the_provider_s_words(
    path: str, place: tuple[Any, ...], value: Any, said: str, server: Strict
) -> None:
    status, answer = post(server, path, changed(path, place, value))
    assert status == 400 and said in answer, answer


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({("messages", 1, "tool_calls", 0, "id"): "abc", ("messages", 2, "tool_call_id"): "abc"}, "length of 9"),
        ({("messages", 0): {"role": "assistant", "content": "x"}}, "first role to be user"),
    ],
)
def test_mistral_has_rules_of_its_own(change: dict[tuple[Any, ...], Any], said: str, server: Strict) -> None:
    body = {**copy.deepcopy(OPENAI), "model": "mistral-x"}
    for place, value in change.items():
        at: Any = body
        for key in place[:-1]:
            at = at[key]
        at[place[-1]] = value
    status, answer = post(server, CHAT, body)
    assert status == 400 and said in answer, answer
