"""Small Claude Code session files in the real shape, written by hand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Step = Mapping[str, Any]
"""{"user": text} | {"text": .., "call": (tool, arguments), "thinking": ..} | {"result": text, "error": bool}"""

FIRST_EDIT: list[Step] = [
    {"user": "Rename the flag in app.py."},
    {"text": "I will edit it.", "call": ("Edit", {"file_path": "/r/app.py", "old_string": "a", "new_string": "b"})},
    {"result": "<tool_use_error>String to replace not found in file.</tool_use_error>", "error": True},
]
SECOND_EDIT: list[Step] = [
    {"text": "Once more.", "call": ("Edit", {"file_path": "/r/app.py", "old_string": "a ", "new_string": "b"}), "thinking": "Hm."},
    {"result": "The file /r/app.py has been updated."},
    {"text": "Done."},
]


def write_session(path: Path, session: str, steps: Sequence[Step]) -> Path:
    """One session file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records(session, steps)), encoding="utf-8")
    return path


def records(session: str, steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The lines of a session file."""
    made: list[dict[str, Any]] = []
    call = ""
    for number, step in enumerate(steps):
        if "call" in step:
            call = f"toolu_{session}_{number}"
        for message in _messages(step, f"{session}_{number}", call):
            made.append(
                {
                    "type": message["role"],
                    "message": message,
                    "sessionId": session,
                    "uuid": f"{session}-{len(made)}",
                    "parentUuid": f"{session}-{len(made) - 1}" if made else None,
                    "timestamp": f"2026-01-01T10:00:{number % 60:02d}.000Z",
                    "cwd": "/r",
                    "version": "2.1.0",
                    "userType": "external",
                    "isSidechain": False,
                }
            )
    return made


def _messages(step: Step, name: str, call: str) -> list[dict[str, Any]]:
    if "user" in step:
        return [{"role": "user", "content": step["user"]}]
    if "result" in step:
        block = {"type": "tool_result", "tool_use_id": call, "content": step["result"], "is_error": bool(step.get("error"))}
        return [{"role": "user", "content": [block]}]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": step["text"]}]
    if step.get("thinking"):
        blocks.insert(0, {"type": "thinking", "thinking": step["thinking"], "signature": ""})
    if "call" in step:
        blocks.append({"type": "tool_use", "id": call, "name": step["call"][0], "input": step["call"][1]})
    # One record for each content block, as the real files have it.
    common = {"id": f"msg_{name}", "role": "assistant", "type": "message", "model": "claude-x"}
    return [{**common, "content": [block]} for block in blocks]
