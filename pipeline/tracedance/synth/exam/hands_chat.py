"""The function-calling tools of the chat sessions: a personal assistant's own, and whatever a service desk offers."""

import json

from tracedance.synth.exam.stage import Change
from tracedance.synth.exam.words import Session
from tracedance.synth.tape import Call, Outcome

MISMATCH = "Could not find the exact text in {path}. The old text must match exactly including all whitespace and newlines."
SEVERAL = "Found 3 occurrences of the text in {path}. The text must be unique. Please provide more context to make it unique."


class ChatHands:
    """Lower-case tools without an error flag: failures are told in the text."""

    def __init__(self, play: Session) -> None:
        self._rng = play.rng

    def shell(self, command: str, shown: str, code: str) -> Call:
        if code and code not in ("0", "!"):
            shown = f"{shown}\n\nCommand exited with code {code}" if shown else f"Command exited with code {code}"
        return Call("exec", {"command": command}, Outcome(shown or "(no output)", "error" if code not in ("", "0") else "ok"))

    def split(self, call: Call) -> list[Call]:
        """A test run waits for its end."""
        return [call]

    def read(self, path: str, shown: str, failed: bool) -> Call:
        path = path.partition(":")[0]
        if failed:
            shown = shown or f"ENOENT: no such file or directory, access '{path}'"
        return Call("read", {"path": path}, Outcome(shown, "error" if failed else "ok"))

    def search(self, pattern: str, path: str, shown: str) -> Call:
        command = f"find {path} -name '{pattern[5:]}'" if pattern.startswith("glob ") else f'grep -rn "{pattern}" {path}'
        return self.shell(command, shown, "" if shown else "1")

    def edit(self, change: Change) -> Call:
        arguments = {"path": change.path, "oldText": change.old, "newText": change.new}
        if change.failed:
            text = (SEVERAL if change.failed == "nu" else MISMATCH).format(path=change.path)
            return Call("edit", arguments, Outcome(text, "error"))
        return Call("edit", arguments, Outcome(f"Successfully replaced text in {change.path}."))

    def write(self, change: Change) -> Call:
        arguments = {"path": change.path, "content": change.new}
        return Call("write", arguments, Outcome(f"Successfully wrote {len(change.new)} bytes to {change.path}"))

    def todo(self, rows: list[str]) -> Call:
        marks = {"[x]": "completed", "[>]": "in_progress", "[ ]": "pending"}
        plan = [{"step": row[4:], "status": marks[row[:3]]} for row in rows]
        return Call("update_plan", {"plan": plan}, Outcome("Plan updated"))

    def tool(self, name: str, arguments: str, shown: str, mode: str) -> Call:
        return Call(name, json.loads(arguments), Outcome(shown, "error" if mode else "ok"))

    def job(self, command: str, task: str) -> Call:
        return Call("exec", {"command": command, "background": True}, Outcome(f"Command still running (session {task}, pid 4{task[1:4]})."))

    def page(self, url: str, shown: str, failed: bool) -> Call:
        return Call("web_fetch", {"url": url}, Outcome(f"Web fetch failed ({shown})" if failed else shown, "error" if failed else "ok"))

    def agent(self, title: str, report: str) -> Call:
        return Call("sessions_spawn", {"task": title}, Outcome(report))
