"""Writes steps as a Codex rollout file."""

import json
from typing import Any

from tracedance.synth.codex import ABORTED, COMPACTED, INSTRUCTIONS, OLD, PERMISSIONS, RECENT
from tracedance.synth.exam.sheet import Record, Sheet
from tracedance.synth.exam.words import Session, token
from tracedance.synth.marks import Clock, sealed, uuid7
from tracedance.synth.tape import Acted, Call, Compacted, Said, Step


class CodexWriter:
    """Items of the model without an output between them are one turn."""

    def __init__(self, play: Session, sheet: Sheet, clock: Clock) -> None:
        self._rng = play.rng
        self._sheet = sheet
        self._clock = clock
        self._cwd = play.cwd
        self._branch = play.words.get("git_branch", "main")
        self.session = uuid7(play.rng, clock)
        self._version, self._model = play.rng.choice(RECENT if play.rng.random() < 0.7 else OLD)
        self._turn = ""
        self._asked: list[str] = []

    def write(self, steps: list[Step]) -> None:
        """All steps in order."""
        meta: Record = {"id": self.session, "timestamp": self._clock.text(), "cwd": self._cwd, "originator": "codex-tui"}
        meta |= {"cli_version": self._version, "source": "cli", "model_provider": "openai", "base_instructions": {"text": INSTRUCTIONS}}
        self._add("session_meta", meta | {"git": {"branch": self._branch}})
        for step in steps:
            if isinstance(step, Said):
                self._said(step)
            elif isinstance(step, Acted):
                self._acted(step)
            elif isinstance(step, Compacted):
                self._compacted(step)
            else:
                self._message("user", ABORTED)
                self._sheet.turn()
                self._event("turn_aborted", turn_id=self._turn, reason="interrupted")

    def _add(self, kind: str, payload: Record) -> None:
        self._sheet.add({"timestamp": self._clock.text(), "type": kind, "payload": payload})

    def _item(self, kind: str, **fields: Any) -> None:
        self._add("response_item", {"type": kind, **fields})

    def _event(self, kind: str, **fields: Any) -> None:
        self._add("event_msg", {"type": kind, **fields})

    def _message(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self._item("message", role=role, content=[{"type": kind, "text": text}])

    def _said(self, step: Said) -> None:
        if step.harness:
            self._message("developer", step.text)
            self._sheet.turn()
            return
        self._clock.forward(15, 400)
        first, self._turn = not self._turn, uuid7(self._rng, self._clock)
        self._event("task_started", turn_id=self._turn, started_at=self._clock.seconds, model_context_window=258400)
        if first:
            self._message("developer", PERMISSIONS)
            day = f"  <shell>zsh</shell>\n  <current_date>{self._clock.day}</current_date>"
            self._message("user", f"<environment_context>\n  <cwd>{self._cwd}</cwd>\n{day}\n</environment_context>")
            self._sheet.turn()
            self._sheet.turn()
        context: Record = {"turn_id": self._turn, "cwd": self._cwd, "approval_policy": "on-request", "model": self._model}
        self._add("turn_context", context | {"sandbox_policy": {"type": "workspace-write", "network_access": True}, "effort": "medium"})
        self._asked.append(step.text)
        self._message("user", step.text)
        self._event("user_message", message=step.text, images=[])
        self._sheet.turn()

    def _acted(self, step: Acted) -> None:
        self._clock.forward(2, 14)
        self._sheet.turn(step.plants)
        if self._rng.random() < 0.4:
            self._item("reasoning", summary=[], content=None, encrypted_content=sealed(self._rng, 90))
        if step.text:
            self._event("agent_message", message=step.text)
            self._message("assistant", step.text)
        ids = ["call_" + token(self._rng, 24) for _ in step.calls]
        for call, one in zip(step.calls, ids, strict=True):
            self._clock.forward(0.1, 0.9)
            if isinstance(call.arguments, str):
                self._item("custom_tool_call", status="completed", call_id=one, name=call.tool, input=call.arguments)
            else:
                self._item("function_call", name=call.tool, arguments=json.dumps(call.arguments, ensure_ascii=False), call_id=one)
        for call, one in zip(step.calls, ids, strict=True):
            self._output(call, one)
        if step.calls:
            self._sheet.turn()
        else:
            self._event("task_complete", turn_id=self._turn, last_agent_message=step.text)

    def _output(self, call: Call, one: str) -> None:
        self._clock.forward(0.1, 2)
        patch = isinstance(call.arguments, str)
        self._item("custom_tool_call_output" if patch else "function_call_output", call_id=one, output=call.outcome.text)

    def _compacted(self, step: Compacted) -> None:
        self._clock.forward(5, 20)
        texts = [*self._asked, COMPACTED + step.summary]
        history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in texts]
        self._add("compacted", {"message": "", "replacement_history": history})
        self._sheet.turn()
