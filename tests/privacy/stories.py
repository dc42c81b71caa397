"""One small coding session with slots for planted text, and its writers in four formats."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.ingest.agents import calls, pi, replied, returned, spoke
from tests.ingest.claude import Log
from tests.ingest.test_codex import answer, output, rollout, user
from tests.ingest.test_openai_chat import call as chat_call
from tests.privacy.kinds import LOWER, body, word


@dataclass
class Step:
    """One event: `kind` is user, say, call. Calls carry their result."""

    kind: str
    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    error: bool = False
    id: str = ""


@dataclass
class Story:
    """A session before it is written in a format."""

    id: str
    cwd: str
    branch: str
    system: str
    steps: list[Step]


def tell(rng: Random, number: int) -> Story:
    """A fix that is committed unreviewed (always), after a failed edit that is retried blindly, with a claim of tests that never ran."""
    name, project = word(rng), word(rng)
    cwd = f"/srv/{project}"
    path = f"{cwd}/src/{name}.py"
    shown = f"     1→def {name}(value):\n     2→    return value + {number}"
    steps = [
        Step("user", f"Round the total of {name} in {project}, and commit it."),
        Step("say", "I look at the code first."),
        Step("call", tool="Read", arguments={"file_path": path}, result=shown),
        _edit(path, f"return value - {number}", "return round(value)", "String to replace not found in file."),
        _edit(path, f"return value - {number} ", "return round(value)", "String to replace not found in file."),
        _edit(path, f"return value + {number}", f"return round(value + {number})"),
        Step("call", tool="Bash", arguments={"command": f"ls {cwd}"}, result="README.md\nsrc\ntests"),
        Step("say", "All tests pass."),
        Step("user", f"Good. Commit the {name} change."),
        Step(
            "call", tool="Bash", arguments={"command": f"git add -A && git commit -m 'Round {name}'"}, result=f"[main 1a2b3c4] Round {name}"
        ),
        Step("say", "Committed."),
    ]
    for step in steps:
        step.id = "call_" + body(rng, LOWER, 20)
    return Story(f"{number:08x}-{body(rng, '0123456789', 4)}-4000-8000-{number:012x}", cwd, "main", f"You work on {project}.", steps)


def _edit(path: str, old: str, new: str, error: str = "") -> Step:
    done = f"The file {path} has been updated successfully."
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return Step("call", tool="Edit", arguments=arguments, result=error or done, error=bool(error))


def claude_code(story: Story, folder: Path) -> None:
    log = Log(story.id)
    log.user(f"<system-reminder>\n{story.system}\n</system-reminder>", isMeta=True)
    for number, step in enumerate(story.steps):
        if step.kind == "user":
            log.user(step.text)
        elif step.kind == "say":
            log.text(f"msg_{number}", step.text)
        else:
            log.call(f"msg_{number}", step.id, step.tool, step.arguments)
            shown = f"<tool_use_error>{step.result}</tool_use_error>" if step.error else step.result
            log.result(step.id, shown, step.error, toolUseResult={"stdout": step.result})
    for record in log.records:
        record |= {"cwd": story.cwd, "gitBranch": story.branch}
    log.write(_place(folder, "claude_code", story))


def codex(story: Story, folder: Path) -> None:
    items: list[dict[str, Any]] = []
    for step in story.steps:
        if step.kind == "user":
            items.append(user(step.text))
        elif step.kind == "say":
            items += [{"record": "event_msg", "type": "agent_message", "message": step.text}, answer(step.text)]
        else:
            items += _codex_call(step, story.cwd)
    meta = {"id": story.id, "cwd": story.cwd, "base_instructions": {"text": story.system}, "git": {"branch": story.branch}}
    _write_lines(rollout(*items, meta=meta), _place(folder, "codex", story))


def _codex_call(step: Step, cwd: str) -> Iterator[dict[str, Any]]:
    if step.tool == "Bash":
        arguments = {
            "cmd": step.arguments["command"],
            "workdir": cwd,
            **{key: step.arguments[key] for key in step.arguments if key != "command"},
        }
        yield {"type": "function_call", "name": "exec_command", "arguments": json.dumps(arguments), "call_id": step.id}
    else:
        yield {"type": "function_call", "name": step.tool, "arguments": json.dumps(step.arguments), "call_id": step.id}
    yield output(step.id, step.result, 1 if step.error else 0)


def openai_chat(story: Story, folder: Path) -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": story.system}]
    for step in story.steps:
        if step.kind == "user":
            messages.append({"role": "user", "content": step.text})
        elif step.kind == "say":
            messages.append({"role": "assistant", "content": step.text})
        else:
            messages.append({"role": "assistant", "content": None, "tool_calls": [chat_call(step.id, step.tool, step.arguments)]})
            shown = f"Error: {step.result}" if step.error else step.result
            messages.append({"role": "tool", "tool_call_id": step.id, "name": step.tool, "content": shown})
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    names = sorted({step.tool for step in story.steps if step.tool})
    tools = [{"type": "function", "function": {"name": name, "description": f"Use {name}.", "parameters": schema}} for name in names]
    _write_lines([{"id": story.id, "messages": messages, "tools": tools}], _place(folder, "openai_chat", story))


def pi_log(story: Story, folder: Path) -> None:
    entries: list[dict[str, Any]] = [spoke(f"<context>\n{story.system}\n</context>")]
    for step in story.steps:
        if step.kind == "user":
            entries.append(spoke(step.text))
        elif step.kind == "say":
            entries.append(replied(step.text))
        else:
            block = calls(step.id, step.tool) | {"arguments": step.arguments}
            entries += [replied(block, stop="toolUse"), returned(step.id, step.result, step.error)]
    _write_lines(pi(*entries, id=story.id, cwd=story.cwd), _place(folder, "pi", story))


def _write_lines(records: list[dict[str, Any]], path: Path) -> None:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def _place(folder: Path, name: str, story: Story) -> Path:
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{story.id}.jsonl"


FORMATS: tuple[Callable[[Story, Path], None], ...] = (claude_code, codex, openai_chat, pi_log)
