"""The tools of the Codex CLI: everything through a shell, edits through `apply_patch`, exit codes in the text of the output."""

import difflib
import json
from random import Random

from tracedance.synth.shell import Shell
from tracedance.synth.tape import Call, Outcome, Status


class CodexHands:
    """`recent` versions call `exec_command` and answer in plain text; older ones call `shell` and answer in a JSON envelope."""

    harness = "codex"

    def __init__(self, shell: Shell, cwd: str, recent: bool, rng: Random) -> None:
        self._shell = shell
        self._work = shell.tree.work
        self._cwd = cwd
        self._recent = recent
        self._rng = rng

    def read(self, path: str, first: int = 1, last: int = 0) -> Call:
        end = last or max(120, len(self._work.get(path, "").splitlines()))
        return self.shell(f"sed -n '{first},{end}p' {path}")

    def search(self, pattern: str, folder: str) -> Call:
        return self.shell(f'rg -n "{pattern}" {folder}')

    def shell(self, command: str, why: str = "") -> Call:
        text, code = self._shell.run(command)
        return self.told(command, text, code)

    def told(self, command: str, text: str, code: int = 0, why: str = "") -> Call:
        """A command with an output that the scene knows."""
        body = text + ("\n" if text else "")
        status: Status = "error" if code else "ok"
        seconds = self._rng.choice((0.0, 0.0, 0.1, 0.3, 1.2))
        if self._recent:
            arguments = {"cmd": command, "workdir": self._cwd, "yield_time_ms": 10000, "max_output_tokens": 12000}
            told = f"Chunk ID: {self._rng.getrandbits(24):06x}\nWall time: {seconds:.4f} seconds\nProcess exited with code {code}\n"
            told += f"Original token count: {len(body) // 4}\nOutput:\n{body}"
            return Call("exec_command", arguments, Outcome(told, status, {"exit_code": code, "output": body}))
        told = json.dumps({"output": body, "metadata": {"exit_code": code, "duration_seconds": seconds}}, ensure_ascii=False)
        arguments = {"command": ["bash", "-lc", command], "workdir": self._cwd, "timeout_ms": 120000}
        return Call("shell", arguments, Outcome(told, status, {"exit_code": code, "output": body}))

    def slow(self, command: str, session: int) -> tuple[Call, Call]:
        """A command that is still running when the call returns, and the poll that brings its output."""
        text, code = self._shell.run(command)
        arguments = {"cmd": command, "workdir": self._cwd, "yield_time_ms": 1000, "max_output_tokens": 12000}
        head = f"Chunk ID: {self._rng.getrandbits(24):06x}\nWall time: 1.0004 seconds\n"
        running = f"{head}Process running with session ID {session}\nOriginal token count: 0\nOutput:\n"
        first = Call("exec_command", arguments, Outcome(running, extra={"exit_code": 0, "output": ""}))
        poll = {"session_id": session, "chars": "", "yield_time_ms": 30000, "max_output_tokens": 12000}
        ended = f"{head}Process exited with code {code}\nOriginal token count: {len(text) // 4}\nOutput:\n{text}\n"
        return first, Call("write_stdin", poll, Outcome(ended, "error" if code else "ok", {"exit_code": code, "output": text}))

    def edit(self, path: str, old: str, new: str) -> Call:
        patch = "\n".join(["*** Begin Patch", f"*** Update File: {path}", "@@", *_lines(old, new), "*** End Patch"])
        if path not in self._work:
            told = (
                f"apply_patch verification failed: Failed to read file to update {self._cwd}/{path}: No such file or directory (os error 2)"
            )
            return Call("apply_patch", patch, Outcome(told, "error"))
        if f"\n{old}\n" not in f"\n{self._work[path]}\n":
            told = f"apply_patch verification failed: Failed to find expected lines in {self._cwd}/{path}:\n{old}"
            return Call("apply_patch", patch, Outcome(told, "error"))
        self._work[path] = self._work[path].replace(old, new, 1)
        return Call("apply_patch", patch, self._applied(f"M {path}"))

    def write(self, path: str, text: str) -> Call:
        added = "\n".join("+" + line for line in text.rstrip("\n").split("\n"))
        patch = f"*** Begin Patch\n*** Add File: {path}\n{added}\n*** End Patch"
        mark = "M" if path in self._work else "A"
        self._work[path] = text
        return Call("apply_patch", patch, self._applied(f"{mark} {path}"))

    def _applied(self, row: str) -> Outcome:
        told = f"Success. Updated the following files:\n{row}\n"
        if self._recent:
            return Outcome(f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{told}", extra={"exit_code": 0, "output": told})
        return Outcome(
            json.dumps({"output": told, "metadata": {"exit_code": 0, "duration_seconds": 0.0}}), extra={"exit_code": 0, "output": told}
        )

    def plan(self, steps: list[str], done: int) -> Call:
        marks = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
        rows = [{"step": step, "status": mark} for step, mark in zip(steps, marks, strict=False)]
        return Call("update_plan", {"plan": rows}, Outcome("Plan updated", extra={"exit_code": 0, "output": "Plan updated"}))


def _lines(old: str, new: str) -> list[str]:
    before, after = old.split("\n"), new.split("\n")
    lines = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [f" {line}" for line in before[a:b]]
        else:
            lines += [f"-{line}" for line in before[a:b]] + [f"+{line}" for line in after[c:d]]
    return lines
