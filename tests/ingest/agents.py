"""Files of other coding agents in their real shapes, written by hand: small builders, and one ordinary session of each format."""

import json
from pathlib import Path
from typing import Any

from tracedance.ingest.read import FileReading, read
from tracedance.privacy.redactor import Redactor

Record = dict[str, Any]


def jsonl(records: list[Any]) -> list[bytes]:
    return [json.dumps(record, ensure_ascii=False).encode() for record in records]


def reading(records: list[Any], folder: Path, name: str = "file.jsonl") -> FileReading:
    """What is read of these records, one a line; every record must be accounted for."""
    path = folder / name
    path.write_bytes(b"\n".join(jsonl(records)) + b"\n")
    found = read(path, Redactor(b"k"))
    assert found.counts.in_ == found.counts.kept + found.counts.ignored + found.counts.lost
    return found


# OpenCode


def opencode(*messages: Record, **info: Any) -> Record:
    about = {"id": "ses_1", "version": "1.2.24", "projectID": "p", "directory": "/home/dev/shop", "title": "Fix", "time": {"created": 1}}
    return {"info": about | info, "messages": list(messages)}


def asked(*parts: Any, **info: Any) -> Record:
    listed = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]
    return {"info": {"role": "user", "id": "msg_1", "time": {"created": 1773070000000}, "agent": "build"} | info, "parts": listed}


def answered(*parts: Any, **info: Any) -> Record:
    listed = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]
    about = {"role": "assistant", "id": "msg_2", "modelID": "gpt-5.3-codex", "providerID": "openai", "time": {"created": 1773070001000}}
    return {"info": about | info, "parts": listed}


def tool(name: str, arguments: Any, status: str = "completed", call: str = "REDACTED", **state: Any) -> Record:
    return {"type": "tool", "callID": call, "tool": name, "state": {"status": status, "input": arguments, **state}}


OPENCODE = opencode(
    asked("Fix the test"),
    answered(
        {"type": "step-start"},
        {"type": "reasoning", "text": "Look first."},
        tool("read", {"filePath": "a.py"}, output="x = 1"),
        tool("bash", {"command": "pytest"}, output="1 failed", metadata={"exit": 1}),
        {"type": "step-finish", "tokens": {}},
    ),
    answered("Done.", {"type": "patch", "hash": "h", "files": []}),
)

# Copilot CLI


def events(*entries: tuple[str, Record] | tuple[str, Record, Record]) -> list[Record]:
    """Events of (type, data[, more fields of the envelope]), each linked to the one before."""
    found: list[Record] = []
    for number, (kind, data, *more) in enumerate(entries):
        parent = found[-1]["id"] if found else None
        time = f"2026-06-25T01:50:{number:02d}.000Z"
        found.append({"type": kind, "data": data, "id": f"e{number}", "timestamp": time, "parentId": parent} | (more[0] if more else {}))
    return found


START: tuple[str, Record] = (
    "session.start",
    {"sessionId": "c-1", "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.64", "context": {"cwd": "/home/dev/shop"}},
)


def message(text: str = "", *requests: tuple[str, str, Any], **data: Any) -> tuple[str, Record]:
    listed = [{"toolCallId": call, "name": name, "arguments": arguments, "type": "function"} for call, name, arguments in requests]
    return "assistant.message", {"content": text, "toolRequests": listed, "model": "claude-sonnet-4.6", "messageId": f"m-{text}"} | data


def completed(call: str, text: str, success: bool = True, **data: Any) -> tuple[str, Record]:
    return "tool.execution_complete", {"toolCallId": call, "success": success, "result": {"content": text, "detailedContent": "UI"}} | data


COPILOT = events(
    START,
    ("system.message", {"role": "system", "content": "You are Copilot."}),
    ("user.message", {"content": "Fix it", "transformedContent": "<current_datetime>now</current_datetime>\n\nFix it", "attachments": []}),
    ("assistant.turn_start", {"turnId": "0"}),
    message("Looking.", ("t1", "bash", {"command": "ls"}), ("t2", "view", {"path": "a.py"}), reasoningText="Look first."),
    ("tool.execution_start", {"toolCallId": "t1", "toolName": "bash", "arguments": {"command": "ls"}}),
    ("hook.end", {"hookInvocationId": "h", "hookType": "postToolUse", "success": True}),
    completed("t2", "x = 1"),
    completed("t1", "a.py\n<shellId: 0 completed with exit code 0>"),
    message("Done."),
    ("session.shutdown", {"shutdownType": "routine"}),
)

# Gemini CLI


def gemini(*messages: Record, **head: Any) -> Record:
    return {"sessionId": "g-1", "projectHash": "f00", "startTime": "2026-01-15T20:51:48.582Z", "messages": list(messages)} | head


def said(kind: str, content: Any, identity: str = "", **more: Any) -> Record:
    return {"id": identity or f"id-{kind}-{content}", "timestamp": "2026-01-15T20:51:50Z", "type": kind, "content": content} | more


def ran(call: str, name: str, arguments: Record, status: str = "success", **response: Any) -> Record:
    result = [{"functionResponse": {"id": call, "name": name, "response": response}}]
    return {"id": call, "name": name, "args": arguments, "status": status, "result": result, "resultDisplay": "for the screen"}


GEMINI = gemini(
    said("user", "Fix it"),
    said(
        "gemini",
        "Looking.",
        model="gemini-2.5-flash",
        thoughts=[{"subject": "Look", "description": "First."}],
        toolCalls=[
            ran("c1", "read_file", {"file_path": "a.py"}, output="x = 1"),
            ran("c2", "run_shell_command", {"command": "pytest"}, output="Output: F\nExit Code: 1\nSignal: 0"),
        ],
    ),
    said("info", "Update available"),
    said("gemini", "Done.", model="gemini-2.5-flash", tokens={"total": 1}),
)

# Pi


def pi(*entries: Record, **head: Any) -> list[Record]:
    """A header and entries; each follows the one before it unless it says otherwise."""
    found: list[Record] = [
        {"type": "session", "version": 3, "id": "p-1", "timestamp": "2026-05-20T10:00:33Z", "cwd": "/home/dev/shop"} | head
    ]
    for number, entry in enumerate(entries):
        before = found[-1]["id"] if number else None
        found.append({"id": f"n{number}", "parentId": before, "timestamp": f"2026-05-20T10:01:{number:02d}Z"} | entry)
    return found


def spoke(text: Any, **more: Any) -> Record:
    content = text if isinstance(text, list) else [{"type": "text", "text": text}]
    return {"type": "message", "message": {"role": "user", "content": content}} | more


def replied(*parts: Any, stop: str = "stop", **more: Any) -> Record:
    listed = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]
    body = {"role": "assistant", "content": listed, "model": "gpt-5.5", "provider": "openai-codex", "stopReason": stop}
    return {"type": "message", "message": body} | more


def calls(call: str, name: str, **arguments: Any) -> Record:
    return {"type": "toolCall", "id": call, "name": name, "arguments": arguments}


def returned(call: str, text: str, error: bool = False, **more: Any) -> Record:
    body = {"role": "toolResult", "toolCallId": call, "toolName": "x", "content": [{"type": "text", "text": text}], "isError": error}
    return {"type": "message", "message": body} | more


PI = pi(
    {"type": "model_change", "provider": "openai-codex", "modelId": "gpt-5.5"},
    spoke("Fix it"),
    replied(
        {"type": "thinking", "thinking": "Look first."},
        calls("c1", "read", path="a.py"),
        calls("c2", "bash", command="go test"),
        stop="toolUse",
    ),
    returned("c1", "x = 1"),
    returned("c2", "FAIL\n\n\nCommand exited with code 1", error=True),
    replied("Done."),
)

# Cursor and Factory Droid


def cursor(role: str, *parts: Any) -> Record:
    return {"role": role, "message": {"content": [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]}}


CURSOR = [
    cursor("user", "<user_query>\nFix it\n</user_query>"),
    cursor("assistant", "Looking.", {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}),
    cursor("assistant", "Done."),
    {"type": "turn_ended", "status": "success"},
]


def droid(*entries: Record, **head: Any) -> list[Record]:
    found: list[Record] = [{"type": "session_start", "id": "d-1", "title": "Fix", "cwd": "/home/dev/shop", "version": 2} | head]
    for number, entry in enumerate(entries):
        link = {"parentId": found[-1]["id"]} if number else {}
        found.append({"id": f"n{number}", **link, "timestamp": f"2026-01-01T00:00:{number:02d}Z"} | entry)
    return found


def body(role: str, *parts: Any, **more: Any) -> Record:
    listed = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in parts]
    return {"type": "message", "message": {"role": role, "content": listed} | more}


DROID = droid(
    body("user", "<system-reminder>\nBe brief.\n</system-reminder>", "Fix it"),
    body("assistant", "Looking.", {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "ls /x"}}, modelId="glm-5"),
    body("user", {"type": "tool_result", "tool_use_id": "t1", "content": "Error: Command failed (exit code: 2)\nls: no such file"}),
    body("assistant", "Done.", modelId="glm-5"),
)

SHAPES = {
    "opencode": jsonl([OPENCODE] * 2),
    "copilot_cli": jsonl(COPILOT),
    "gemini_cli": jsonl([GEMINI]),
    "pi": jsonl(PI),
    "cursor": jsonl(CURSOR),
    "factory_droid": jsonl(DROID),
}
