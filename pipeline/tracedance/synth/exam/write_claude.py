"""Writes steps as Claude Code records them: one chained record for each content block, with the harness's own records between."""

from typing import Any

from tracedance.synth.claude_code import OLD, RECENT
from tracedance.synth.exam.sheet import Record, Sheet
from tracedance.synth.exam.words import Session, token
from tracedance.synth.marks import Clock, sealed, uuid4
from tracedance.synth.tape import Acted, Call, Compacted, Said, Step

INTERRUPTED = "[Request interrupted by user]"
CONTINUED = "This session is being continued from a previous conversation that ran out of context. The summary covers what came before.\n\n"


class ClaudeWriter:
    """Every message is a turn; results join the turn of their calls."""

    def __init__(self, play: Session, sheet: Sheet, clock: Clock) -> None:
        self._rng = play.rng
        self._sheet = sheet
        self._clock = clock
        self.session = uuid4(play.rng)
        self._recent = play.rng.random() < 0.6
        self._version, self._model = play.rng.choice(RECENT if self._recent else OLD)
        shared: Record = {"isSidechain": False, "userType": "external", "cwd": play.cwd, "sessionId": self.session}
        self._shared = shared | {"version": self._version, "gitBranch": play.words.get("git_branch", "main")}
        self._parent: str | None = None

    def write(self, steps: list[Step]) -> None:
        """All steps in order."""
        if self._recent:
            self._bare("permission-mode", permissionMode="acceptEdits")
        for number, step in enumerate(steps):
            if isinstance(step, Said):
                self._said(step)
            elif isinstance(step, Acted):
                self._acted(step)
                if not step.calls and (number + 1 == len(steps) or isinstance(steps[number + 1], Said)):
                    self._chained("system", subtype="turn_duration", durationMs=self._rng.randint(9000, 240000), isMeta=False)
            elif isinstance(step, Compacted):
                self._compacted(step)
            else:
                self._chained("user", message={"role": "user", "content": [{"type": "text", "text": INTERRUPTED}]})
                self._sheet.turn()

    def _bare(self, kind: str, **fields: Any) -> None:
        self._sheet.add({"type": kind, **fields, "sessionId": self.session})

    def _chained(self, kind: str, **fields: Any) -> str:
        own = uuid4(self._rng)
        self._sheet.add({"parentUuid": self._parent, **self._shared, "type": kind, **fields, "uuid": own, "timestamp": self._clock.text()})
        self._parent = own
        return own

    def _said(self, step: Said) -> None:
        self._clock.forward(0.2, 1.0) if step.harness else self._clock.forward(15, 400)
        self._sheet.turn()
        if step.harness:
            self._bare("queue-operation", operation="enqueue", timestamp=self._clock.text(), content=step.text)
            self._chained("user", message={"role": "user", "content": step.text}, isMeta=True)
            return
        shot = {"messageId": uuid4(self._rng), "trackedFileBackups": {}, "timestamp": self._clock.text()}
        self._sheet.add({"type": "file-history-snapshot", "messageId": shot["messageId"], "snapshot": shot, "isSnapshotUpdate": False})
        self._chained("user", message={"role": "user", "content": step.text})

    def _acted(self, step: Acted) -> None:
        self._clock.forward(2, 14)
        self._sheet.turn(step.plants)
        rng = self._rng
        usage = {
            "input_tokens": rng.randint(1, 9),
            "cache_read_input_tokens": rng.randint(9000, 90000),
            "output_tokens": rng.randint(20, 700),
        }
        head: Record = {"model": self._model, "id": "msg_01" + token(rng, 22), "type": "message", "role": "assistant"}
        tail: Record = {"stop_reason": "tool_use" if step.calls else "end_turn", "stop_sequence": None, "usage": usage}
        request = "req_011C" + token(rng, 20)
        blocks: list[Record] = []
        if self._recent and rng.random() < 0.3:
            blocks.append({"type": "thinking", "thinking": "", "signature": sealed(rng, 90)})
        if step.text:
            blocks.append({"type": "text", "text": step.text})
        ids = ["toolu_01" + token(rng, 22) for _ in step.calls]
        for call, one in zip(step.calls, ids, strict=True):
            blocks.append({"type": "tool_use", "id": one, "name": call.tool, "input": call.arguments})
        made = ""
        for block in blocks:
            self._clock.forward(0.2, 1.4)
            made = self._chained("assistant", message={**head, "content": [block], **tail}, requestId=request)
        for call, one in zip(step.calls, ids, strict=True):
            self._result(call, one, made)
        if step.calls:
            self._sheet.turn()

    def _result(self, call: Call, one: str, made: str) -> None:
        self._clock.forward(0.1, 3)
        outcome = call.outcome
        content: Any = [{"type": "text", "text": outcome.text}] if call.tool in ("Task", "Agent") else outcome.text
        block: Record = {"tool_use_id": one, "type": "tool_result", "content": content}
        if outcome.status != "ok":
            block["is_error"] = True
        elif call.tool == "Bash":
            block["is_error"] = False
        extra: Any = f"Error: {outcome.text}" if outcome.status != "ok" else {}
        if call.tool == "Bash" and outcome.status == "ok":
            extra = {"stdout": outcome.text, "stderr": "", "interrupted": False, "isImage": False}
        self._chained("user", message={"role": "user", "content": [block]}, toolUseResult=extra, sourceToolAssistantUUID=made)

    def _compacted(self, step: Compacted) -> None:
        before, self._parent = self._parent, None
        self._clock.forward(20, 60)
        told = {"subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False, "level": "info"}
        self._chained("system", logicalParentUuid=before, **told, compactMetadata={"trigger": "auto", "preTokens": 167000})
        message = {"role": "user", "content": CONTINUED + step.summary}
        self._chained("user", message=message, isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self._sheet.turn()
