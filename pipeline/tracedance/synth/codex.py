"""Writes a session as a Codex rollout file: response items, and event messages that repeat most of them."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from tracedance.synth.marks import Clock, Where, sealed, token, uuid7
from tracedance.synth.sheet import Sheet
from tracedance.synth.tape import Acted, Call, Compacted, Said, Step

OLD = (("0.46.0", "gpt-5-codex"), ("0.50.0", "gpt-5-codex"))
RECENT = (("0.120.0", "gpt-5.4"), ("0.125.0", "gpt-5.4"), ("0.139.0", "gpt-5.5"))
INSTRUCTIONS = (
    "You are a coding agent that works in the user's repository through a shell. Read before you change things, keep edits small, "
    "and tell the user briefly what you did. Use apply_patch for edits. Prefer rg for searching. Do not undo changes that you did not make."
)
PERMISSIONS = (
    "<permissions instructions>\n`sandbox_mode` is `workspace-write`. Approval policy is `on-request`.\n</permissions instructions>"
)
ABORTED = "<turn_aborted>\nThe user interrupted the previous turn on purpose. Running commands may have stopped half-way.\n</turn_aborted>"
COMPACTED = "Another agent worked on this before and left a summary. Build on it and do not repeat what is done.\n\n"

Record = dict[str, Any]


class CodexWriter:
    """Turns steps into records on a sheet."""

    def __init__(self, where: Where, sheet: Sheet, clock: Clock, rng: Random) -> None:
        self._where = where
        self._sheet = sheet
        self._clock = clock
        self._rng = rng
        self._turn = ""
        self._asked: list[str] = []
        self._used = 4000

    def write(self, steps: list[Step]) -> None:
        self._meta()
        for number, step in enumerate(steps):
            if isinstance(step, Said):
                self._said(step)
            elif isinstance(step, Acted):
                self._acted(step)
                if not step.calls and (number + 1 == len(steps) or isinstance(steps[number + 1], Said)):
                    self._event("task_complete", turn_id=self._turn, last_agent_message=step.text)
            elif isinstance(step, Compacted):
                self._compacted(step)
            else:
                self._interrupted()

    def _add(self, kind: str, payload: Mapping[str, Any]) -> None:
        self._sheet.add({"timestamp": self._clock.text(), "type": kind, "payload": payload})

    def _item(self, kind: str, **fields: Any) -> None:
        self._add("response_item", {"type": kind, **fields})

    def _event(self, kind: str, **fields: Any) -> None:
        self._add("event_msg", {"type": kind, **fields})

    def _message(self, role: str, *texts: str, phase: str = "") -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text} for text in texts]
        self._item("message", role=role, content=content, **({"phase": phase} if phase else {}))

    def _meta(self) -> None:
        where = self._where
        meta: Record = {"id": where.session, "timestamp": self._clock.text(), "cwd": where.cwd, "originator": "codex-tui"}
        meta |= {"cli_version": where.version, "source": "cli", "model_provider": "openai", "base_instructions": {"text": INSTRUCTIONS}}
        self._add("session_meta", meta | {"git": {"commit_hash": f"{self._rng.getrandbits(160):040x}", "branch": where.branch}})

    def _said(self, step: Said) -> None:
        self._clock.forward(15, 400)
        first, self._turn = not self._turn, uuid7(self._rng, self._clock)
        self._event("task_started", turn_id=self._turn, started_at=self._clock.seconds, model_context_window=258400)
        if first:
            self._message("developer", PERMISSIONS)
            shell = "  <shell>zsh</shell>\n  <current_date>" + self._clock.day + "</current_date>"
            self._message("user", f"<environment_context>\n  <cwd>{self._where.cwd}</cwd>\n{shell}\n</environment_context>")
        context: Record = {"turn_id": self._turn, "cwd": self._where.cwd, "current_date": self._clock.day, "approval_policy": "on-request"}
        context |= {"sandbox_policy": {"type": "workspace-write", "network_access": False}, "model": self._where.model}
        self._add("turn_context", context | {"effort": "medium", "summary": "auto"})
        self._asked.append(step.text)
        self._message("user", step.text)
        self._event("user_message", message=step.text, images=[], local_images=[], text_elements=[])

    def _acted(self, step: Acted) -> None:
        self._clock.forward(2, 14)
        if step.thought or self._rng.random() < 0.5:
            self._item("reasoning", summary=[], content=None, encrypted_content=sealed(self._rng, 90))
        ids = [token(self._rng, "call_", 24) for _ in step.calls]
        phase = "commentary" if step.calls else "final_answer"
        if step.text:
            self._event("agent_message", message=step.text, phase=phase)
        self._sheet.mark(step.plants, ids)
        if step.text:
            self._message("assistant", step.text, phase=phase if self._where.recent else "")
        for call, one in zip(step.calls, ids, strict=True):
            self._clock.forward(0.1, 0.9)
            if isinstance(call.arguments, str):
                self._item("custom_tool_call", status="completed", call_id=one, name=call.tool, input=call.arguments)
            else:
                self._item("function_call", name=call.tool, arguments=json.dumps(call.arguments, ensure_ascii=False), call_id=one)
        self._tokens()
        for call, one in zip(step.calls, ids, strict=True):
            self._clock.forward(0.1, 2)
            self._output(call, one)

    def _output(self, call: Call, one: str) -> None:
        extra = call.outcome.extra
        patch = isinstance(call.arguments, str)
        if isinstance(call.arguments, str):
            ended = {"stdout": call.outcome.text, "stderr": "", "success": call.outcome.status == "ok", "changes": {}}
            self._event("patch_apply_end", call_id=one, turn_id=self._turn, **ended)
        elif call.tool in ("exec_command", "shell") and extra and self._rng.random() < 0.5:
            told = {
                "stdout": "",
                "stderr": "",
                "aggregated_output": extra["output"],
                "exit_code": extra["exit_code"],
                "status": "completed",
            }
            shown = call.arguments.get("cmd") or call.arguments["command"][-1]
            self._event(
                "exec_command_end", call_id=one, turn_id=self._turn, command=["/bin/zsh", "-lc", shown], cwd=self._where.cwd, **told
            )
        self._item("custom_tool_call_output" if patch else "function_call_output", call_id=one, output=call.outcome.text)

    def _tokens(self) -> None:
        if self._rng.random() < 0.6:
            self._used += self._rng.randint(300, 2600)
            usage = {"input_tokens": self._used, "cached_input_tokens": self._used // 2, "output_tokens": self._rng.randint(30, 900)}
            self._event("token_count", info={"total_token_usage": usage, "model_context_window": 258400}, rate_limits=None)

    def _compacted(self, step: Compacted) -> None:
        self._clock.forward(5, 20)
        texts = [*self._asked, COMPACTED + step.summary]
        history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in texts]
        self._add("compacted", {"message": COMPACTED + step.summary, "replacement_history": history})
        self._event("context_compacted")

    def _interrupted(self) -> None:
        self._clock.forward(0.5, 3)
        self._message("user", ABORTED)
        self._event("turn_aborted", turn_id=self._turn, reason="interrupted")
