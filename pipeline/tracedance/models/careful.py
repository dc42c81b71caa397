"""The careful policy: three habits, decided from the context alone.

1. The last edit failed because the file was not as assumed: read that file.
2. A commit is next: look at the status.
3. Something was edited since the last test run: run the last test command again.

Elsewhere it declines. It uses tools that occur in the context, with the arguments they had there, since other harnesses have other names
and shapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.kit import chain, errors, git, testing, tools
from tracedance.kit.shell import parse
from tracedance.kit.turns import EDIT_FAILURES, flagged
from tracedance.schema import ToolClass

Made = dict[str, str]
"""A tool call: name and arguments (JSON text)."""

COMMIT_WORD = re.compile(r"(?i)\b(?:commit|committe|check(?:ed|ing)? (?:it|this|that|these|everything)? ?in\b|push)")
HARNESS_TAG = re.compile(r"\s*<[a-z_\-]+>|\s*# AGENTS\.md|\s*This session is being continued")
PLACES = ("workdir", "cwd", "directory")


@dataclass(frozen=True)
class Step:
    """One call of the context with its result ("" while there is none)."""

    name: str
    arguments: Mapping[str, Any]
    tool_class: ToolClass
    cmd: str
    result: str


def next_turn(messages: Sequence[Mapping[str, Any]], offered: Sequence[Mapping[str, Any]]) -> Made | None:
    """The one call that the policy makes in this context (OpenAI chat form), or None."""
    steps = steps_of(messages)
    path = failed_edit(messages, steps)
    if path:
        return reading(path, steps, offered)
    if commit_is_next(messages, recent=True):
        return running("git status --short", steps, offered)
    test = stale_test(steps)
    if test:
        return running(test, steps, offered)
    if commit_is_next(messages, recent=False) or any(commits(step) for step in steps):
        return running("git status --short", steps, offered)
    return None


def steps_of(messages: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Every call of the context in order, with its result."""
    results = {message["tool_call_id"]: str(message.get("content") or "") for message in messages if message["role"] == "tool"}
    found = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            name, arguments = call["function"]["name"], parsed(call["function"]["arguments"])
            kind = tools.tool_class(name, arguments)
            found.append(Step(name, arguments, kind, tools.command(name, kind, arguments), results.get(call["id"], "")))
    return found


def parsed(arguments: str) -> Mapping[str, Any]:
    """Arguments as an object; empty where they are none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def failed_edit(messages: Sequence[Mapping[str, Any]], steps: Sequence[Step]) -> str:
    """Path of an edit of the last assistant turn with calls that failed for not matching the file; "" when there is none."""
    last = next((message for message in reversed(messages) if message.get("tool_calls")), None)
    if last is None or messages[-1]["role"] == "assistant":
        return ""
    for step in steps[-len(last["tool_calls"]) :]:
        if step.tool_class in ("edit", "write") and step.result:
            _, kind, _ = errors.outcome(step.tool_class, step.result, flagged(step.tool_class, step.result), None)
            if kind in EDIT_FAILURES:
                named = [path for path in step.cmd.split("\n") if path and path in step.result]
                return (named or step.cmd.split("\n"))[0]
    return ""


def commit_is_next(messages: Sequence[Mapping[str, Any]], recent: bool) -> bool:
    """Whether somebody spoke of committing: in the last words of user or assistant (`recent`), or the user at any time."""
    spoken = [message for message in messages if message["role"] == "user" and not HARNESS_TAG.match(str(message.get("content") or ""))]
    if recent:
        said = [message for message in messages if message["role"] == "assistant" and message.get("content")]
        spoken = spoken[-1:] + said[-1:]
    return any(COMMIT_WORD.search(str(message.get("content") or "")[-4000:]) for message in spoken)


def stale_test(steps: Sequence[Step]) -> str:
    """The last test command, when something was edited after it ran; else ""."""
    edited = False
    for step in reversed(steps):
        if step.tool_class in ("edit", "write"):
            edited = True
        elif step.tool_class == "shell" and any(testing.is_run(command) for command in parse(step.cmd)):
            return step.cmd if edited and not commits(step) else ""
    return ""


def commits(step: Step) -> bool:
    """Whether a call stages or commits."""
    if step.tool_class != "shell" or "git" not in step.cmd:
        return False
    return any(git.is_commit(command) or git.verb(command)[0] in ("add", "stage") for command in parse(step.cmd))


def running(command: str, steps: Sequence[Step], offered: Sequence[Mapping[str, Any]]) -> Made | None:
    """A shell call in the shape of the last one of the context, else in that of a shell tool on offer."""
    for step in reversed(steps):
        if step.tool_class == "shell" and step.cmd:
            return made(step.name, shaped(step.arguments, command))
    for name, properties in shapes(offered):
        if tools.tool_class(name, {}) == "shell":
            key = next((key for key in ("command", "cmd", "script") if key in properties), "")
            if key:
                listed = properties[key].get("type") == "array"
                return made(name, {key: ["bash", "-lc", command] if listed else command})
    return None


def shaped(arguments: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Arguments like those of an earlier shell call, with another command."""
    if isinstance(arguments.get("input"), str):
        return {"input": f"const result = await tools.exec_command({json.dumps({'cmd': command})});\ntext(result.output);\n"}
    kept = {key: arguments[key] for key in PLACES if key in arguments}
    key = next((key for key in ("command", "cmd", "script", "code") if arguments.get(key)), "command")
    before = arguments.get(key)
    if isinstance(before, list):
        wrapper = before[:-1] if len(before) == 3 and str(before[1]).startswith("-") else ["bash", "-lc"]
        return {**kept, key: [*wrapper, command]}
    return {**kept, key: command}


def reading(path: str, steps: Sequence[Step], offered: Sequence[Mapping[str, Any]]) -> Made | None:
    """A call that shows a file: with the reading tool of the context, with one on offer, else with the shell."""
    for step in reversed(steps):
        key = next((key for key, value in step.arguments.items() if value == step.cmd), "") if step.tool_class == "read" else ""
        if key and step.cmd:
            kept = {"command": "view"} if step.arguments.get("command") == "view" else {}
            return made(step.name, {**kept, key: path})
    for name, properties in shapes(offered):
        key = next((key for key in ("file_path", "path", "filePath", "absolute_path", "target_file") if key in properties), "")
        verb = {"command": "view"} if "command" in properties else {}
        if key and tools.tool_class(name, verb) == "read":
            return made(name, {**verb, key: path})
    quoted = "'" + path.replace("'", "'\"'\"'") + "'"
    return running(f"cat {quoted}", steps, offered)


def shapes(offered: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Names of the tools on offer with the properties they take."""
    functions = [tool["function"] for tool in offered]
    return [(function["name"], (function.get("parameters") or {}).get("properties") or {}) for function in functions]


def made(name: str, arguments: Mapping[str, Any]) -> Made:
    """A tool call."""
    return {"name": name, "arguments": chain.canonical(arguments)}
