"""Claude Code records in the real shape, written by hand: each follows the one before it unless told otherwise."""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class Log:
    """A session file under construction."""

    def __init__(self, session: str = "0b6f2a51-0000-4000-8000-000000000001") -> None:
        self.session = session
        self.records: list[Record] = []

    def add(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        """Append a record; its uuid is returned. `parent=""` is the record before, None a root."""
        number = len(self.records)
        before = next((record["uuid"] for record in reversed(self.records) if "uuid" in record), None)
        record = {
            "parentUuid": before if parent == "" else parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": self.session,
            "version": "2.1.36",
            "gitBranch": "main",
            "type": kind,
            "uuid": f"{self.session[:8]}-{number:04d}",
            "timestamp": f"2026-02-08T05:{number // 60:02d}:{number % 60:02d}.000Z",
        }
        self.records.append(record | fields)
        return str(self.records[-1]["uuid"])

    def user(self, text: Any, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": text}, **fields)

    def piece(self, message: str, block: Record, model: str = "claude-opus-4-6", **fields: Any) -> str:
        """One content block of an assistant message, as the harness writes it: a record of its own."""
        body = {"id": message, "type": "message", "role": "assistant", "model": model, "content": [block], "usage": {"output_tokens": 7}}
        return self.add("assistant", message=body, requestId="req_1", **fields)

    def text(self, message: str, text: str, **fields: Any) -> str:
        return self.piece(message, {"type": "text", "text": text}, **fields)

    def call(self, message: str, call: str, tool: str, arguments: Record, **fields: Any) -> str:
        return self.piece(message, {"type": "tool_use", "id": call, "name": tool, "input": arguments}, **fields)

    def result(self, call: str, content: Any, error: bool | None = None, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": content} | ({} if error is None else {"is_error": error})
        extra = {"toolUseResult": {"stdout": "never shown", "originalFile": "whole file"}, **fields}
        return self.add("user", message={"role": "user", "content": [block]}, **extra)

    def bare(self, kind: str, **fields: Any) -> None:
        """A record without a place in the tree."""
        self.records.append({"type": kind, **fields})

    def write(self, path: Path) -> Path:
        path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records), encoding="utf-8")
        return path
