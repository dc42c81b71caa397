"""The provider refuses what real ones refuse, and answers from what it is sent alone."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.servers.provider import Provider

ROOT = Path(__file__).resolve().parents[2]
USER = {"role": "user", "content": "Fix it."}
CALL = {"id": "a", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "x"}
TOOL = {"type": "function", "function": {"name": "Bash", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}}


def post(base: str, body: Any) -> tuple[int, Any]:
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())


def body(messages: list[Any], tools: list[Any] | None = None) -> dict[str, Any]:
    return {"model": "good", "messages": messages, **({"tools": tools} if tools is not None else {})}


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (body([]), "'messages' is empty"),
        (body([USER, CALLS, RESULT]), "no tools are given"),
        (body([USER, RESULT], [TOOL]), "without a preceding call"),
        (body([USER, CALLS, USER], [TOOL]), "have no result"),
        (body([USER, CALLS], [TOOL]), "at the end have no result"),
        (body([USER, CALLS, RESULT, RESULT], [TOOL]), "without a preceding call"),
        (body([USER], [{"type": "function", "function": {"name": "a b"}}]), "no function with a plain name"),
        (body([USER], [{"type": "function", "function": {"name": "B", "parameters": {"type": "string"}}}]), "no object schema"),
        (
            body(
                [USER],
                [{"type": "function", "function": {"name": "B", "parameters": {"type": "object", "properties": {"x": {"type": "str"}}}}}],
            ),
            "has the type 'str'",
        ),
        (
            body([USER, {**CALLS, "tool_calls": [{**CALL, "function": {"name": "Bash", "arguments": "{"}}]}, RESULT], [TOOL]),
            "malformed tool call",
        ),
        (body([{"role": "user", "content": ""}]), "has no content"),
        ({"messages": [USER]}, "'model' is missing"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_400(provider: Provider, sent: Any, why: str) -> None:
    status, answer = post(provider.base, sent)
    assert status == 400 and why in answer["error"]["message"]


def test_a_sound_request_is_answered_with_usage(provider: Provider) -> None:
    status, answer = post(provider.base, body([USER, CALLS, RESULT, USER], [TOOL]))
    assert status == 200 and answer["usage"]["total_tokens"] > 0 and answer["choices"][0]["message"]["tool_calls"]


def test_it_lists_its_models(provider: Provider) -> None:
    with urllib.request.urlopen(f"{provider.base}/models", timeout=10) as answer:
        assert {model["id"] for model in json.loads(answer.read())["data"]} >= {"good", "bad", "judge-a"}


def test_the_careful_agent_uses_the_tools_that_it_is_offered(provider: Provider) -> None:
    other = {
        "type": "function",
        "function": {"name": "exec_command", "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}}},
    }
    _, answer = post(provider.base, body([USER], [other]))
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "exec_command", "arguments": '{"cmd": "git status --short"}'}


def test_as_a_program_it_takes_a_free_port_and_says_which() -> None:
    command = [sys.executable, "-m", "tests.servers.provider", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            base = server.stdout.readline().split()[2]
            assert post(base, body([USER], [TOOL]))[0] == 200
        finally:
            server.terminate()
