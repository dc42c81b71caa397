"""The tools of the Codex CLI: a shell for everything, `apply_patch` for edits, exit codes in the text."""

import json

from tracedance.synth.exam.stage import Change
from tracedance.synth.exam.words import Session
from tracedance.synth.tape import Call, Outcome, Status

DECLINED = "exec command rejected by user"
ABORTED = "aborted by user after 1.2s"


class CodexHands:
    """`exec_command` with plain text results, the older `shell` with a JSON envelope, or `exec` with a script that calls the former."""

    def __init__(self, play: Session) -> None:
        self._cwd = play.cwd
        self._rng = play.rng
        draw = play.rng.random()
        self._recent = draw < 0.75
        self._scripted = draw < 0.1

    def shell(self, command: str, shown: str, code: str) -> Call:
        if code.startswith("!"):
            told = {"!refused": DECLINED, "!cancelled": ABORTED}.get(code, shown)
            status: Status = "refused" if code == "!refused" else "cancelled" if code == "!cancelled" else "error"
            return Call(*self._typed(command), Outcome(told, status))
        return Call(*self._typed(command), self._ended(shown, int(code or 0)))

    def _typed(self, command: str) -> tuple[str, dict[str, object] | str]:
        if self._scripted:
            asked = json.dumps({"cmd": command, "workdir": self._cwd}, ensure_ascii=False)
            return "exec", f"const r = await tools.exec_command({asked});\ntext(r.output);"
        if self._recent:
            return "exec_command", {"cmd": command, "workdir": self._cwd, "yield_time_ms": 10000, "max_output_tokens": 12000}
        return "shell", {"command": ["bash", "-lc", command], "workdir": self._cwd, "timeout_ms": 120000}

    def _ended(self, shown: str, code: int) -> Outcome:
        body = shown + ("\n" if shown else "")
        status: Status = "error" if code else "ok"
        seconds = round(self._rng.uniform(0, 2), 1)
        if not self._recent:
            told = {"output": body, "metadata": {"exit_code": code, "duration_seconds": seconds}}
            return Outcome(json.dumps(told, ensure_ascii=False), status)
        head = f"Chunk ID: {self._rng.getrandbits(24):06x}\nWall time: {seconds:.4f} seconds\nProcess exited with code {code}\n"
        return Outcome(f"{head}Original token count: {len(body) // 4}\nOutput:\n{body}", status)

    def split(self, call: Call) -> list[Call]:
        """A long command returns while it runs and is polled: the output then belongs to the poll, the command to the start."""
        if call.tool != "exec_command" or self._rng.random() > 0.15:
            return [call]
        session = self._rng.randint(10000, 99999)
        head = f"Chunk ID: {self._rng.getrandbits(24):06x}\nWall time: 10.0007 seconds\nProcess running with session ID {session}\n"
        start = Call(call.tool, call.arguments, Outcome(f"{head}Original token count: 0\nOutput:\n"))
        poll = {"session_id": session, "chars": "", "yield_time_ms": 30000, "max_output_tokens": 12000}
        return [start, Call("write_stdin", poll, call.outcome)]

    def read(self, path: str, shown: str, failed: bool) -> Call:
        path, _, lines = path.partition(":")
        first, last = lines.split("-") if lines else ("1", str(max(120, shown.count("\n") + 1)))
        command = f"sed -n '{first},{last}p' {path}"
        if failed:
            return self.shell(command, f"sed: can't read {path}: No such file or directory", "2")
        return self.shell(command, shown, "")

    def search(self, pattern: str, path: str, shown: str) -> Call:
        if pattern.startswith("glob "):
            return self.shell(f"rg --files {path} -g '{pattern[5:]}'", shown, "" if shown else "1")
        return self.shell(f'rg -n "{pattern}" {path}', shown, "" if shown else "1")

    def edit(self, change: Change) -> Call:
        old = [f"-{line}" for line in change.old.split("\n")] if change.old else []
        new = [f"+{line}" for line in change.new.split("\n")] if change.new else []
        body = "\n".join(["@@", *old, *new])
        patch = f"*** Begin Patch\n*** Update File: {change.path}\n{body}\n*** End Patch"
        if change.failed in ("nf", "nu", "stale"):
            told = f"apply_patch verification failed: Failed to find expected lines in {self._cwd}/{change.path}:\n{change.old}"
            return Call("apply_patch", patch, Outcome(told, "error"))
        if change.failed in ("refused", "cancelled"):
            return Call("apply_patch", patch, Outcome("patch rejected by user", "refused"))
        return Call("apply_patch", patch, self._applied(f"M {change.path}"))

    def write(self, change: Change) -> Call:
        added = "\n".join("+" + line for line in change.new.split("\n"))
        patch = f"*** Begin Patch\n*** Add File: {change.path}\n{added}\n*** End Patch"
        return Call("apply_patch", patch, self._applied(f"{'M' if change.failed == 'over' else 'A'} {change.path}"))

    def _applied(self, row: str) -> Outcome:
        told = f"Success. Updated the following files:\n{row}\n"
        if self._recent:
            return Outcome(f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{told}")
        return Outcome(json.dumps({"output": told, "metadata": {"exit_code": 0, "duration_seconds": 0.0}}))

    def todo(self, rows: list[str]) -> Call:
        marks = {"[x]": "completed", "[>]": "in_progress", "[ ]": "pending"}
        plan = [{"step": row[4:], "status": marks[row[:3]]} for row in rows]
        return Call("update_plan", {"plan": plan}, Outcome("Plan updated"))

    def tool(self, name: str, arguments: str, shown: str, mode: str) -> Call:
        return Call(name, json.loads(arguments), Outcome(shown, "error" if mode else "ok"))

    def job(self, command: str, task: str) -> Call:
        head = f"Chunk ID: {self._rng.getrandbits(24):06x}\nWall time: 1.0004 seconds\n"
        told = f"{head}Process running with session ID {int(task[1:], 16) % 90000}\n"
        name, arguments = self._typed(command)
        return Call(name, arguments, Outcome(f"{told}Original token count: 0\nOutput:\n"))

    def page(self, url: str, shown: str, failed: bool) -> Call:
        return self.shell(f"curl -sSL --fail {url}", f"curl: (22) {shown}" if failed else shown, "22" if failed else "")

    def agent(self, title: str, report: str) -> Call:
        return Call("spawn_agent", {"message": title, "agent_type": "worker"}, Outcome(json.dumps({"status": {"completed": report}})))
