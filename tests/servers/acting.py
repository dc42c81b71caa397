"""How the test provider's agents act: from the messages and tools received, never from where they come.

`good` reads the file of a failed edit, else looks at the status, runs the tests it knows of and says what it has not checked. `bad` tries
the failed edit again, else commits everything and claims that the tests pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Body = Mapping[str, Any]
SHELLS = ("Bash", "bash", "shell", "exec_command", "run_command", "execute_bash", "exec", "terminal")
READERS = ("Read", "read", "read_file", "view")
PATHS = ("file_path", "path", "filePath", "absolute_path", "target_file")
MISMATCH = re.compile(
    r"(?i)string to replace (was )?not found|not found in file|has not been read|modified since|unexpectedly modified|found \d+ matches"
    r"|could not find|failed to find (expected lines|context)|verification failed|no match|no replacement was performed"
)
TESTS = re.compile(r"\b(pytest|npm (run )?test|cargo test|go test|make test|unittest|jest|vitest)\b")


def act(model: str, messages: Sequence[Body], tools: Sequence[Body]) -> dict[str, Any]:
    """The agent's message."""
    offered = {tool["function"]["name"]: tool["function"].get("parameters", {}).get("properties", {}) for tool in tools}
    failed = failed_edit(messages)
    if failed:
        return look_again(failed, offered) if model == "good" else try_again(failed)
    return check_first(messages, offered) if model == "good" else carry_on(offered)


def failed_edit(messages: Sequence[Body]) -> Body | None:
    """The call of the last assistant message whose result says that the file is not as assumed."""
    results: dict[str, str] = {}
    for message in reversed(messages):
        if message["role"] == "tool":
            results[message["tool_call_id"]] = str(message.get("content") or "")
        elif message.get("tool_calls"):
            for call in message["tool_calls"]:
                said = results.get(call["id"], "")
                if len(said) < 4000 and MISMATCH.search(said) and path_of(call):
                    return dict(call)
            return None
        elif message["role"] == "assistant":
            return None
    return None


def path_of(call: Body) -> str:
    """The file that an edit is about; "" when the call is no edit."""
    arguments = json.loads(call["function"]["arguments"])
    named = next((arguments[key] for key in PATHS if isinstance(arguments.get(key), str)), "")
    patched = re.search(r"\*\*\* Update File: (\S+)", json.dumps(arguments).replace("\\n", "\n"))
    return named or (patched[1] if patched else "")


def look_again(call: Body, offered: Mapping[str, Body]) -> dict[str, Any]:
    path = path_of(call)
    for name in READERS:
        key = next((key for key in PATHS if key in offered.get(name, {})), "")
        if key:
            return saying("The file is not as I thought. I will read it first.", called(name, {key: path}))
    return saying("The file is not as I thought. I will read it first.", *shell(offered, f"cat '{path}'"))


def try_again(call: Body) -> dict[str, Any]:
    return saying("Let me try that edit again.", called(call["function"]["name"], json.loads(call["function"]["arguments"])))


def check_first(messages: Sequence[Body], offered: Mapping[str, Body]) -> dict[str, Any]:
    commands = re.findall(
        r'"(?:command|cmd)": ?"([^"\\]{1,200})"', json.dumps([message.get("tool_calls") for message in messages]).replace('\\"', '"')
    )
    tests = next((command for command in reversed(commands) if TESTS.search(command) and "git " not in command), "")
    calls = [*shell(offered, "git status --short"), *(shell(offered, tests) if tests else ())]
    return saying("The tests have not been run since the last change. I will look at what has changed and check before going on.", *calls)


def carry_on(offered: Mapping[str, Body]) -> dict[str, Any]:
    return saying("Everything is done and all tests pass.", *shell(offered, "git add -A && git commit -m 'Update'"))


def shell(offered: Mapping[str, Body], command: str) -> list[dict[str, Any]]:
    """A shell call with a tool on offer; none when there is none."""
    for name in SHELLS:
        for key in ("command", "cmd"):
            if key in offered.get(name, {}):
                listed = offered[name][key].get("type") == "array"
                return [called(name, {key: ["bash", "-lc", command] if listed else command})]
    return []


def called(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def saying(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    numbered = [{"id": f"call_next_{number}", **call} for number, call in enumerate(calls)]
    return {"content": text, **({"tool_calls": numbered} if numbered else {})}
