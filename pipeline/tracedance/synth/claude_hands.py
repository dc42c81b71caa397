"""The tools of Claude Code with their guards: an edit needs a read before it, and a file that changed since needs another."""

import difflib
from typing import Any

from tracedance.synth.shell import Shell
from tracedance.synth.tape import Call, Outcome

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT "
    "written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)
CANCELLED = "<tool_use_error>Sibling tool call errored</tool_use_error>"
STALE = "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it."
NOT_READ = "File has not been read yet. Read it first before writing to it."


class ClaudeHands:
    """`recent` versions number lines with a tab and say that the file state is current; older ones use an arrow."""

    harness = "claude_code"

    def __init__(self, shell: Shell, cwd: str, recent: bool) -> None:
        self._shell = shell
        self._work = shell.tree.work
        self._cwd = cwd
        self._recent = recent
        self._known: dict[str, str] = {}

    def at(self, path: str) -> str:
        return f"{self._cwd}/{path}"

    def numbered(self, path: str, first: int, last: int) -> str:
        lines = self._work[path].splitlines()
        chosen = lines[first - 1 : last or len(lines)]
        form = "{}\t{}" if self._recent else "{:>6}→{}"
        return "\n".join(form.format(first + at, line) for at, line in enumerate(chosen))

    def know(self, path: str) -> None:
        """The file came into the context by an attachment."""
        self._known[path] = self._work[path]

    def stale(self, path: str) -> bool:
        """Whether the guard would demand a read before an edit."""
        return self._known.get(path) != self._work.get(path)

    def forget(self) -> None:
        """What was read is gone after a compaction."""
        self._known.clear()

    def read(self, path: str, first: int = 1, last: int = 0) -> Call:
        arguments: dict[str, Any] = {"file_path": self.at(path)}
        if first > 1:
            arguments["offset"] = first
        if last:
            arguments["limit"] = last - first + 1
        if path not in self._work:
            return Call("Read", arguments, _refusal("File does not exist."))
        self._known[path] = self._work[path]
        lines = self._work[path].splitlines()
        content = "\n".join(lines[first - 1 : last or len(lines)])
        seen = {"filePath": self.at(path), "content": content, "numLines": content.count("\n") + 1, "startLine": first}
        extra = {"type": "text", "file": seen | {"totalLines": len(lines)}}
        return Call("Read", arguments, Outcome(self.numbered(path, first, last), extra=extra))

    def search(self, pattern: str, folder: str) -> Call:
        text, _ = self._shell.run(f'grep -rn "{pattern}" {folder}')
        shown = text or "No matches found"
        count = len(text.splitlines())
        extra = {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": count}
        arguments = {"pattern": pattern, "path": self.at(folder), "output_mode": "content", "-n": True}
        return Call("Grep", arguments, Outcome(shown, extra=extra))

    def edit(self, path: str, old: str, new: str) -> Call:
        arguments = {"replace_all": False, "file_path": self.at(path), "old_string": old, "new_string": new}
        problem = self._edit_problem(path, old, new)
        if problem:
            return Call("Edit", arguments, _refusal(problem))
        before = self._work[path]
        self._work[path] = self._known[path] = before.replace(old, new, 1)
        told = f"The file {self.at(path)} has been updated successfully."
        if self._recent:
            told += " (file state is current in your context — no need to Read it back)"
        extra: dict[str, Any] = {"filePath": self.at(path), "oldString": old, "newString": new, "originalFile": before}
        extra |= {"structuredPatch": _hunks(before, self._work[path]), "userModified": False, "replaceAll": False}
        return Call("Edit", arguments, Outcome(told, extra=extra))

    def _edit_problem(self, path: str, old: str, new: str) -> str:
        if path not in self._work:
            return "File does not exist."
        if old == new:
            return "No changes to make: old_string and new_string are exactly the same."
        if path not in self._known:
            return NOT_READ
        if self._known[path] != self._work[path]:
            return STALE
        count = self._work[path].count(old)
        if count == 0:
            return f"String to replace not found in file.\nString: {old}"
        if count > 1:
            return (
                f"Found {count} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to "
                f"true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: {old}"
            )
        return ""

    def write(self, path: str, text: str) -> Call:
        arguments = {"file_path": self.at(path), "content": text}
        before = self._work.get(path)
        if before is not None and path not in self._known:
            return Call("Write", arguments, _refusal(NOT_READ))
        if before is not None and self._known[path] != before:
            return Call("Write", arguments, _refusal(STALE))
        self._work[path] = self._known[path] = text
        extra: dict[str, Any] = {"type": "create", "filePath": self.at(path), "content": text, "structuredPatch": [], "originalFile": None}
        if before is None:
            return Call("Write", arguments, Outcome(f"File created successfully at: {self.at(path)}", extra=extra))
        extra |= {"type": "update", "structuredPatch": _hunks(before, text), "originalFile": before}
        return Call("Write", arguments, Outcome(f"The file {self.at(path)} has been updated successfully.", extra=extra))

    def shell(self, command: str, why: str = "") -> Call:
        text, code = self._shell.run(command)
        return self.told(command, text, code, why)

    def told(self, command: str, text: str, code: int = 0, why: str = "") -> Call:
        """A command with an output that the scene knows."""
        arguments = {"command": command} | ({"description": why} if why else {})
        if code:
            told = f"Exit code {code}" + (f"\n{text}" if text else "")
            return Call("Bash", arguments, Outcome(told, "error", f"Error: {told}"))
        shown = text or ("(Bash completed with no output)" if self._recent else "")
        return Call("Bash", arguments, Outcome(shown, extra=_ran(text, self._recent)))

    def plan(self, steps: list[str], done: int) -> Call:
        marks = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
        todos = [{"content": step, "status": mark, "activeForm": step} for step, mark in zip(steps, marks, strict=False)]
        told = "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress."
        return Call("TodoWrite", {"todos": todos}, Outcome(told, extra={"oldTodos": [], "newTodos": todos}))

    def delegate(self, title: str, prompt: str, report: str) -> Call:
        """A sub-agent works on its own; only its report comes back."""
        arguments = {"description": title, "prompt": prompt, "subagent_type": "general-purpose"}
        extra = {"status": "completed", "prompt": prompt, "content": [{"type": "text", "text": report}], "totalToolUseCount": 7}
        return Call("Task", arguments, Outcome(report, extra=extra))

    def refused(self, call: Call) -> Call:
        """The same call as the person turned it down; what it did to the tree has to be undone by the caller."""
        return Call(call.tool, call.arguments, Outcome(REFUSED, "refused", "User rejected tool use"))

    def cancelled(self, tool: str, arguments: dict[str, Any]) -> Call:
        return Call(tool, arguments, Outcome(CANCELLED, "cancelled", "Sibling tool call errored"))


def _refusal(problem: str) -> Outcome:
    return Outcome(f"<tool_use_error>{problem}</tool_use_error>", "error", f"Error: {problem}")


def _ran(text: str, recent: bool) -> dict[str, Any]:
    extra = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return extra | ({"noOutputExpected": False} if recent else {})


def _hunks(before: str, after: str) -> list[dict[str, Any]]:
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            lines += (
                [f" {line}" for line in old[a:b]]
                if tag == "equal"
                else [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
            )
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        hunks.append({"oldStart": a + 1, "oldLines": b - a, "newStart": c + 1, "newLines": d - c, "lines": lines})
    return hunks
