"""Writes steps as OpenAI chat messages: a conversation with its tools, or a tau-bench list of runs."""

import json
from hashlib import sha256
from typing import Any

import msgspec

from tracedance.kit.chain import canonical
from tracedance.synth.exam.sheet import Record, Sheet
from tracedance.synth.exam.words import Session, token
from tracedance.synth.marks import Clock
from tracedance.synth.tape import Acted, Said, Step


class ChatWriter:
    """A message is a turn, but for the results of one assistant message, which are one together."""

    def __init__(self, play: Session, sheet: Sheet, clock: Clock) -> None:
        self._play = play
        self._rng = play.rng
        self._sheet = sheet
        self._messages: list[Record] = []
        self._runs = play.harness == "desk" and play.rng.random() < 0.4
        self.session = f"conv-{play.number}-{token(play.rng, 10)}"

    def write(self, steps: list[Step]) -> None:
        """All steps in order; `finish` gives the file."""
        for step in steps:
            if isinstance(step, Said):
                self._messages.append({"role": "system" if step.harness else "user", "content": step.text})
                self._sheet.turn()
            elif isinstance(step, Acted):
                self._acted(step)
            else:
                raise TypeError("A chat has neither compactions nor interrupts.")

    def _acted(self, step: Acted) -> None:
        self._sheet.turn(step.plants)
        told: Record = {"role": "assistant", "content": step.text or None}
        ids = ["call_" + token(self._rng, 24) for _ in step.calls]
        if step.calls:
            told["tool_calls"] = [
                {
                    "id": one,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
                }
                for call, one in zip(step.calls, ids, strict=True)
            ]
        self._messages.append(told)
        for call, one in zip(step.calls, ids, strict=True):
            self._messages.append({"role": "tool", "tool_call_id": one, "name": call.tool, "content": call.outcome.text})
        if step.calls:
            self._sheet.turn()

    def finish(self, system: str, tools: list[Record]) -> bytes:
        """The whole file; the id of a tau-bench run is a digest of it, so it is known only now."""
        messages: list[Any] = [{"role": "system", "content": system}, *self._messages]
        if not self._runs:
            head: Record = {"id": self.session, "harness": self._play.harness if self._play.harness != "desk" else "service-desk"}
            if self._play.harness == "msg":
                head["harness"] = "openclaw"
            return msgspec.json.encode(head | {"messages": messages, "tools": tools}) + b"\n"
        digest = sha256(canonical(messages).encode()).hexdigest()[:8]
        self.session = f"task{self._play.number}-trial0-{digest}"
        run = {"task_id": self._play.number, "trial": 0, "reward": float(self._rng.random() < 0.5), "info": {}, "traj": messages}
        return msgspec.json.encode([run | {"tools": tools}]) + b"\n"
