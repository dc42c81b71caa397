"""A benchmark as a task of Inspect: `inspect eval tracedance/benchmark -T path=BENCH --model M`.

Samples are the requests that `tracedance evaluate` sends; one turn is generated and nothing in it is executed. Grading is ours: with judges
(`-T judges=A,B,C`, or `--model-role grader=A`) the rubrics and prompt of the panel, each judge held to planted turns first, else the
families' deterministic checks. What cannot be graded is unscored, never a zero, and counted by its reason in a scorer of its own: Inspect
shows no scorer the samples that it leaves out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo

from tracedance.catalogue import families
from tracedance.evaluate.grade import Ruling, grade, is_gradable, word_by
from tracedance.evaluate.judging import probe_score, why_void
from tracedance.evaluate.marks import quotable, read_marks
from tracedance.evaluate.messages import rendered
from tracedance.evaluate.pairing import Unrenderable
from tracedance.evaluate.panel import Sheet, question
from tracedance.evaluate.plan import rubrics_of
from tracedance.evaluate.probes import planted
from tracedance.kit.intervals import wilson
from tracedance.models.ask import REPAIR, Unreadable
from tracedance.models.config import load
from tracedance.schema import Benchmark, CallMade, Grade, Instance, JudgeScore, Response, Rubric
from tracedance.store.benchmarks import read_benchmark

GRADER = "grader"
if (shipped := find_spec("litellm")) and shipped.origin:
    # Inspect counts tokens with files that it would fetch; those that litellm brings along serve, so that no network is needed.
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(Path(shipped.origin).parent / "litellm_core_utils" / "tokenizers"))


@task
def benchmark(path: str, judges: str | Sequence[str] = ()) -> Task:
    """The instances of a published benchmark, one next turn each, graded by its rubric. `judges` are Inspect's names of models."""
    found = held(path)
    seats = [name.strip() for name in (judges.split(",") if isinstance(judges, str) else judges) if name.strip()]
    samples = [made for instance in found.instances if (made := sample(instance)) is not None]
    return Task(dataset=MemoryDataset(samples, name=found.manifest.name), solver=next_turn(path), scorer=[rubric(path, seats), outcomes()])


@cache
def held(path: str) -> Benchmark:
    """The benchmark, verified and read once. Tasks name it by its path: what they are given, Inspect writes into its log."""
    return read_benchmark(Path(path))


def sample(instance: Instance) -> Sample | None:
    """An instance as a sample; None where no request can be made of it. The canary goes into the log, never into the prompt."""
    try:
        made = rendered(instance)
    except Unrenderable:
        return None
    about = {name: getattr(instance, name) for name in ("family", "setting", "harness", "replayability", "canary")}
    return Sample(id=instance.id, input=[message(one) for one in made.messages], target="", metadata=about)


def message(given: Mapping[str, Any]) -> Any:
    """One message of an OpenAI request as Inspect's."""
    content = given.get("content") or ""
    if given["role"] == "tool":
        return ChatMessageTool(content=content, tool_call_id=given["tool_call_id"])
    if given["role"] != "assistant":
        return (ChatMessageSystem if given["role"] == "system" else ChatMessageUser)(content=content)
    calls = [
        ToolCall(id=call["id"], function=call["function"]["name"], arguments=json.loads(call["function"]["arguments"]))
        for call in given.get("tool_calls") or ()
    ]
    return ChatMessageAssistant(content=content, tool_calls=calls or None)


@solver
def next_turn(path: str) -> Solver:
    """One generation with the instance's own tools on offer; calls are kept as they are made."""
    instances = {instance.id: instance for instance in held(path).instances}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tools = [
            ToolInfo.model_validate({key: one["function"][key] for key in ("name", "description", "parameters")})
            for one in rendered(instances[str(state.sample_id)]).tools
        ]
        state.output = await get_model().generate(state.messages, tools=tools)
        state.messages.append(state.output.message)
        return state

    return solve


@metric
def rates() -> Metric:
    """`pass_rate` with its 95% Wilson interval over the `assessed` samples; where there are none, their number alone."""

    def of(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:
            return {"assessed": 0}
        passed = sum(score.score.as_float() for score in scores)
        low, high = wilson(passed, len(scores))
        return {"pass_rate": passed / len(scores), "interval_low": low, "interval_high": high, "assessed": len(scores)}

    return of


@metric
def counts() -> Metric:
    """Samples by outcome; with several epochs each counts for its share."""

    def of(scores: list[SampleScore]) -> dict[str, float]:
        found = [value for score in scores if isinstance(value := score.score.value, Mapping)]
        return {name: sum(float(value.get(name) or 0) for value in found) for name in OUTCOMES}

    return of


@scorer(metrics=[rates()])
def rubric(path: str, judges: Sequence[str]) -> Scorer:
    """1 for a pass (a mean of 4 or more, under both rubrics where two behaviours must be absent), 0 for none, unscored where that cannot be
    told.
    """
    found, known = held(path), families()
    instances = {instance.id: instance for instance in found.instances}
    panel = Panel(found)

    async def score(state: TaskState, target: Target) -> Score:
        instance = instances[str(state.sample_id)]
        response = answered(state.output, instance, found)
        seats = judges_of(judges)
        ruling = Ruling("panel" if seats else "rule", "independent" if seats else "rule", len(seats) or 1, len(seats) or 1)
        if not is_gradable(response):
            return told(grade(response, (), (None, ""), ruling))
        votes = await panel.votes(instance, response, seats)
        checks = {name: family.check if (family := known.get(name)) else None for name in rubrics_of(found, instance)}
        return told(grade(response, votes, word_by(checks, instance, response, found.checks[instance.id].facts), ruling))

    return score


@scorer(metrics=[counts()])
def outcomes() -> Scorer:
    """Where each sample went, of `OUTCOMES`: one of them is 1. It reads what `rubric` found before it."""

    async def score(state: TaskState, target: Target) -> Score:
        graded = (state.scores or {})["rubric"]
        mine = (graded.metadata or {})["outcome"]
        return Score(value={name: int(name == mine) for name in OUTCOMES}, answer=mine, explanation=graded.explanation)

    return score


OUTCOMES = ("passed", "not_passed", "undecided", "partial", "unscored", "failed")
"""Together all samples. `undecided`: no judge was named and the check cannot tell; `partial`: a judge has no vote; `unscored`: nothing to
grade.
"""


class Panel:
    """The judges of one evaluation, each held to a known 0 and a known 5 of every family before its first vote in it."""

    def __init__(self, found: Benchmark) -> None:
        self.found = found
        self.void: dict[tuple[str, str], str] = {}
        self.turns: dict[tuple[str, str], anyio.Lock] = {}

    async def votes(self, instance: Instance, response: Response, seats: Sequence[Model]) -> list[JudgeScore]:
        """Every seat's vote by every rubric; an error where its seat is void."""
        asked = rubrics_of(self.found, instance)
        made = []
        for family, levels in asked.items():
            for judge in seats:
                error = await self.why_void(family, levels, judge)
                given = JudgeScore(judge=str(judge), status="error", error=error)
                given = given if error else await vote(Sheet(instance, levels, {"A": response}), judge)
                made.append(given.model_copy(update={"rubric": family if len(asked) > 1 else ""}))
        return made

    async def why_void(self, family: str, levels: Rubric, judge: Model) -> str:
        """What a judge made wrong of a planted turn; "" where it told them right, or the catalogue has none. It is asked once."""
        key = (family, str(judge))
        async with self.turns.setdefault(key, anyio.Lock()):
            if key not in self.void:
                known = families().get(family)
                name = self.found.manifest.name
                shown = planted(known, levels, 0, 0) if known else []
                told = [probe_score((name, family), probe, str(judge), await vote(probe.sheet, judge)) for probe in shown]
                self.void[key] = next((why_void(one) for one in told if not one.held), "")
        return self.void[key]


def judges_of(seats: Sequence[str]) -> list[Model]:
    """The seats by name, else the model in the role of the grader, else none: the evaluated model never judges itself unasked."""
    if seats:
        return [get_model(name) for name in seats]
    try:
        return [get_model(role=GRADER, required=True)]
    except Exception:  # Inspect says in no class of its own that nobody has the role
        return []


def answered(output: ModelOutput, instance: Instance, found: Benchmark) -> Response:
    """What a model said as our record, tools under their recorded names."""
    names = rendered(instance).names
    calls = tuple(
        CallMade(id=call.id, name=names.get(call.function, call.function), arguments=json.dumps(call.arguments, sort_keys=True))
        for call in (output.message.tool_calls or () if output.choices else ())
    )
    status = (
        "failed" if output.error or not output.choices else STOPPED.get(output.stop_reason, "ok" if output.completion or calls else "empty")
    )
    who = {"instance": instance.id, "family": instance.family, "benchmark": found.manifest.name, "model": output.model}
    return Response.model_validate({**who, "status": status, "text": output.completion, "tool_calls": calls, "error": output.error or ""})


STOPPED = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refused"}


async def vote(sheet: Sheet, judge: Model) -> JudgeScore:
    """One judge's vote on the one turn of a sheet: as the panel asks and reads it, with one repair, then an error."""
    seat = str(judge)
    turns = {letter: quotable(turn.text, turn.tool_calls) for letter, turn in sheet.turns.items()}
    asked = [message(one) for one in question(sheet, seat, load("offline")).messages]
    problem = ""
    for _ in range(2):
        output = await judge.generate(asked)
        try:
            return read_marks(output.completion, turns, seat)["A"]
        except Unreadable as error:
            problem = str(error)
            asked += [
                ChatMessageAssistant(content=output.completion or "(nothing)"),
                ChatMessageUser(content=REPAIR.format(problem=problem)),
            ]
    return JudgeScore(judge=seat, status="error", error=problem)


def outcome(graded: Grade) -> str:
    """Where a graded turn goes, of `OUTCOMES`."""
    if graded.status == "scored":
        return "passed" if graded.passed else "not_passed"
    return "undecided" if graded.status == "unscored" and graded.check == "undecided" else graded.status


def told(graded: Grade) -> Score:
    """A grade as Inspect's score; judges, their scores and the check's word stand in its metadata."""
    votes = [one.model_dump(mode="json") for one in graded.votes]
    about = {
        "outcome": outcome(graded),
        "judged_by": graded.judged_by,
        "mean": graded.mean,
        "check": graded.check,
        "contradiction": graded.contradiction,
        "votes": votes,
    }
    if graded.passed is None:
        return Score.unscored(reason=graded.status, explanation=graded.reason, metadata=about)
    why = "; ".join(f"{one.judge}: {one.score} of 5. {one.rationale}" for one in graded.votes)
    return Score(value=1.0 if graded.passed else 0.0, explanation=why or graded.reason, metadata=about)
