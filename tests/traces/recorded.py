"""Claude Code sessions written by hand for the tests of traces: each record of a session, five seconds after the one before."""

import json
from pathlib import Path
from typing import Any


class Recorded:
    """A session file under construction."""

    def __init__(self, identity: str = "run-1") -> None:
        self.identity = identity
        self._lines: list[dict[str, Any]] = []

    def user(self, text: str) -> "Recorded":
        return self._add("user", {"role": "user", "content": text})

    def model(self, *blocks: dict[str, Any], tokens: tuple[int, int] = (100, 7)) -> "Recorded":
        usage = {"input_tokens": tokens[0] - 90, "cache_read_input_tokens": 90, "output_tokens": tokens[1]}
        message = {"id": f"m{len(self._lines)}", "role": "assistant", "model": "claude-test", "content": list(blocks), "usage": usage}
        return self._add("assistant", message)

    def result(self, call: str, text: str, failed: bool = False) -> "Recorded":
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
        return self._add("user", {"role": "user", "content": [block]})

    def run(self, call: str, command: str, output: str = "done", failed: bool = False) -> "Recorded":
        """A shell call and its result."""
        return self.model(uses(call, "Bash", command=command)).result(call, output, failed)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in self._lines))
        return path

    def _add(self, kind: str, message: dict[str, Any]) -> "Recorded":
        number = len(self._lines)
        common = {"sessionId": self.identity, "cwd": "/home/somebody/work", "version": "2.0.0"}
        when = f"2026-03-01T10:{number * 5 // 60:02}:{number * 5 % 60:02}.000Z"
        parent = f"u{number - 1}" if number else None
        line = {"type": kind, "uuid": f"u{number}", "parentUuid": parent, "timestamp": when, "message": message}
        self._lines.append(common | line)
        return self


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def uses(call: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def traces(folder: Path) -> list[dict[str, Any]]:
    """Every trace in a folder, in the order of their names."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def calls(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The spans of a trace that are calls."""
    return [span for span in trace["spans"] if span["type"] != "llm"]
