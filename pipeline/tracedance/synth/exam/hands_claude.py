"""The tools of Claude Code as its session files show them."""

import json
from typing import Any

from tracedance.synth.exam.stage import Change
from tracedance.synth.exam.words import Session, token
from tracedance.synth.tape import Call, Outcome, Status

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT "
    "written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)
CANCELLED = "Sibling tool call errored"
REJECTED = {
    "nf": "String to replace not found in file.\nString: {old}",
    "nu": (
        "Found 3 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. "
        "To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {old}"
    ),
    "stale": "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
    "nr": "File has not been read yet. Read it first before writing to it.",
    "gone": "File does not exist.",
}
STATUS: dict[str, Status] = {"!": "error", "!refused": "refused", "!cancelled": "cancelled"}


class ClaudeHands:
    """Calls with absolute paths; rejections come in `<tool_use_error>`."""

    def __init__(self, play: Session) -> None:
        self._cwd = play.cwd
        self._rng = play.rng
        self._tab = play.rng.random() < 0.5

    def _at(self, path: str) -> str:
        return path if path.startswith(("/", "~", "C:")) else f"{self._cwd}/{path}"

    def shell(self, command: str, shown: str, code: str) -> Call:
        arguments: dict[str, Any] = {"command": command}
        if self._rng.random() < 0.7:
            arguments["description"] = f"Run {command.split()[0]}" if command.split() else "Run it"
        if code in STATUS:
            return Call("Bash", arguments, self._stopped(code, shown))
        if code and code != "0":
            return Call("Bash", arguments, Outcome(f"Exit code {code}" + (f"\n{shown}" if shown else ""), "error"))
        return Call("Bash", arguments, Outcome(shown or self._rng.choice(("", "(Bash completed with no output)"))))

    def _stopped(self, mode: str, shown: str) -> Outcome:
        text = {"!refused": REFUSED, "!cancelled": f"<tool_use_error>{CANCELLED}</tool_use_error>"}.get(mode, shown)
        return Outcome(text, STATUS[mode])

    def split(self, call: Call) -> list[Call]:
        """A test run waits for its end."""
        return [call]

    def read(self, path: str, shown: str, failed: bool) -> Call:
        path, _, lines = path.partition(":")
        arguments: dict[str, Any] = {"file_path": self._at(path)}
        if lines:
            first, _, last = lines.partition("-")
            arguments |= {"offset": int(first), "limit": int(last) - int(first) + 1}
        if failed:
            return Call("Read", arguments, Outcome(f"<tool_use_error>{shown or REJECTED['gone']}</tool_use_error>", "error"))
        start = int(lines.partition("-")[0]) if lines else 1
        form = "{}\t{}" if self._tab else "{:>6}→{}"
        numbered = "\n".join(form.format(start + at, line) for at, line in enumerate(shown.split("\n")))
        return Call("Read", arguments, Outcome(numbered))

    def search(self, pattern: str, path: str, shown: str) -> Call:
        if pattern.startswith("glob "):
            return Call("Glob", {"pattern": pattern[5:], "path": self._at(path)}, Outcome(shown or "No files found"))
        arguments = {"pattern": pattern, "path": self._at(path), "output_mode": "content", "-n": True}
        return Call("Grep", arguments, Outcome(shown or "No matches found"))

    def edit(self, change: Change) -> Call:
        path = self._at(change.path)
        arguments = {"file_path": path, "old_string": change.old, "new_string": change.new, "replace_all": False}
        if change.failed == "all":
            arguments["replace_all"] = True
            return Call("Edit", arguments, Outcome(f"The file {path} has been updated. All occurrences were successfully replaced."))
        if change.failed:
            return Call("Edit", arguments, self._rejected(change))
        return Call("Edit", arguments, Outcome(f"The file {path} has been updated successfully."))

    def _rejected(self, change: Change) -> Outcome:
        if change.failed in ("refused", "cancelled"):
            return self._stopped("!" + change.failed, "")
        return Outcome(f"<tool_use_error>{REJECTED[change.failed].format(old=change.old)}</tool_use_error>", "error")

    def write(self, change: Change) -> Call:
        path = self._at(change.path)
        arguments = {"file_path": path, "content": change.new}
        if change.failed == "over":
            return Call("Write", arguments, Outcome(f"The file {path} has been updated successfully."))
        if change.failed:
            return Call("Write", arguments, self._rejected(change))
        return Call("Write", arguments, Outcome(f"File created successfully at: {path}"))

    def todo(self, rows: list[str]) -> Call:
        marks = {"[x]": "completed", "[>]": "in_progress", "[ ]": "pending"}
        todos = [{"content": row[4:], "status": marks[row[:3]], "activeForm": row[4:]} for row in rows]
        told = "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress."
        return Call("TodoWrite", {"todos": todos}, Outcome(told))

    def tool(self, name: str, arguments: str, shown: str, mode: str) -> Call:
        return Call(name, json.loads(arguments), self._stopped(mode, shown) if mode in STATUS else Outcome(shown))

    def job(self, command: str, task: str) -> Call:
        arguments = {"command": command, "run_in_background": True}
        where = f"/tmp/claude/tasks/{task}.output"
        return Call("Bash", arguments, Outcome(f"Command running in background with ID: {task}. Output is being written to: {where}"))

    def page(self, url: str, shown: str, failed: bool) -> Call:
        arguments = {"url": url, "prompt": "What does the page say about this?"}
        return Call("WebFetch", arguments, Outcome(shown, "error" if failed else "ok"))

    def agent(self, title: str, report: str) -> Call:
        arguments = {"description": title, "prompt": title, "subagent_type": "general-purpose"}
        return Call(self._rng.choice(("Task", "Agent")), arguments, Outcome(f"{report}\n\nagentId: a{token(self._rng, 7).lower()}"))
