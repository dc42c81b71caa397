"""One next turn by one model on one instance. Nothing in it is executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.evaluate.messages import rendered
from tracedance.evaluate.reasoning import without_reasoning
from tracedance.kit.first_action import action_of
from tracedance.models import offline
from tracedance.models.call import call
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Benchmark, CallMade, Instance, ModelAnswer, ModelRequest, Response, SourceTurn


@dataclass(frozen=True)
class Turn:
    """One turn to be had: a model's, on an instance, for the n-th time."""

    benchmark: Benchmark
    instance: Instance
    model: str
    sample: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The order of all tables."""
        return self.benchmark.manifest.name, self.instance.id, self.model, self.sample


def wanted(benchmarks: Sequence[Benchmark], models: Sequence[str], samples: int) -> list[Turn]:
    """Every turn of an evaluation, in the order of all tables."""
    every = [
        Turn(benchmark, instance, model, sample)
        for benchmark in benchmarks
        for instance in benchmark.instances
        for model in models
        for sample in range(samples)
    ]
    return sorted(every, key=lambda turn: turn.key)


def respond(turn: Turn, models: Models, ledger: Ledger | None) -> Response:
    """The model's next turn. A secret in it is replaced before anyone sees it: it goes to judges and into reports.

    The recorded turn is handed over here, to `offline/source` alone; it is part of no request.
    """
    if turn.model == offline.SOURCE:
        return recorded(turn, turn.benchmark.checks[turn.instance.id].source)
    answer = call(request(turn, models), models, ledger)
    redactor = Redactor(turn.instance.canary.encode())
    return Response(**identity(turn), **said(answer, redactor, rendered(turn.instance).names))


def request(turn: Turn, models: Models) -> ModelRequest:
    """What the model is sent: system prompt, context and tools, and nothing that says it is a test."""
    made = rendered(turn.instance)
    return ModelRequest(
        model=turn.model,
        messages=made.messages,
        tools=made.tools,
        parameters=models.parameters("respond"),
        purpose="respond",
        sample=turn.sample,
    )


def recorded(turn: Turn, source: SourceTurn) -> Response:
    """The withheld decision as a response."""
    status = "ok" if source.text.strip() or source.tool_calls else "empty"
    given: dict[str, Any] = {"status": status, "text": source.text, "tool_calls": source.tool_calls, "model_version": source.model}
    return Response(**identity(turn), **given, **begun(status, source.tool_calls))


def identity(turn: Turn) -> dict[str, Any]:
    """Whose turn it is."""
    return {
        "instance": turn.instance.id,
        "family": turn.instance.family,
        "benchmark": turn.benchmark.manifest.name,
        "model": turn.model,
        "sample": turn.sample,
    }


def said(answer: ModelAnswer, redactor: Redactor, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the answer says, tools under their recorded `names`, without secrets: names, ids and errors come from the provider too."""
    recorded = names or {}
    calls = tuple(
        CallMade(
            id=redactor.text(made["id"]),
            name=redactor.text(recorded.get(made["name"], made["name"])),
            arguments=redactor.json(made["arguments"]),
        )
        for made in answer.tool_calls
    )
    kept: Mapping[str, Any] = redactor.value(answer.model_dump(include={"model_version", "error", "text"}))
    text, removed = without_reasoning(kept["text"])
    status = "empty" if answer.status == "ok" and not calls and not text.strip() else answer.status
    return {**kept, "text": text, "status": status, "tool_calls": calls, "reasoning_removed": removed, **begun(status, calls)}


def begun(status: str, calls: Sequence[CallMade]) -> dict[str, str]:
    """What the turn does first; nothing of one that is empty or not whole."""
    name, kind, _ = action_of(calls) if status == "ok" else ("", "", False)
    return {"first_action": name, "action_class": kind}
