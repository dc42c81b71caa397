"""Grading: the votes of all seats, each held to its probes, and one grade for every response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tracedance.evaluate import makers, probes
from tracedance.evaluate.grade import grade, is_gradable, without_own, word_by
from tracedance.evaluate.panel import UNREACHED, Sheet, content, judge, sheets
from tracedance.evaluate.plan import Plan
from tracedance.evaluate.probes import Probe
from tracedance.evaluate.respond import Turn
from tracedance.evaluate.spread import Progress, spread
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Grade, Instance, JudgeScore, ProbeScore, Response, SourceTurn

TurnKey = tuple[str, str, str, int]
VOID = "void: "
"""How the error of a vote starts whose seat failed its probes."""


@dataclass(frozen=True)
class Judged:
    """One grade for each response, in the same order, and how the seats did on turns whose grade is known."""

    grades: list[Grade]
    probes: list[ProbeScore]


def graded(plan: Plan, turns: Sequence[Turn], responses: Sequence[Response], ledger: Ledger, tell: Progress) -> Judged:
    """Grades of all responses. A seat that fails its probes in a benchmark has errors there for votes."""
    votes, probed = panel_votes(plan, turns, responses, ledger, tell)
    grades = []
    for turn, response in zip(turns, responses, strict=True):
        word = word_on(plan, turn, response) if is_gradable(response) else (None, "")
        made = grade(response, votes.get(turn.key, ()), word, plan.ruling)
        grades.append(without_own(made, makers.own(response, plan.seats, plan.makers)))
    return Judged(grades, probed)


def word_on(plan: Plan, turn: Turn, response: Response) -> tuple[Literal["violates", "satisfies", "undecided"] | None, str]:
    """What the families' checks say of a turn."""
    checks = {name: known.check if (known := plan.families.get(name)) else None for name in plan.rubrics_of(turn)}
    return word_by(checks, turn.instance, response, turn.benchmark.checks[turn.instance.id].facts)


def words_on_recorded(plan: Plan) -> dict[str, Counter[str]]:
    """By benchmark, what the families' checks say of the withheld decisions: one that does not violate was cut in the wrong place, or the
    check is wrong.
    """
    found: dict[str, Counter[str]] = {}
    for benchmark in plan.benchmarks:
        for instance in benchmark.instances:
            turn = Turn(benchmark, instance, "", 0)
            word, _ = word_on(plan, turn, recorded(instance, benchmark.checks[instance.id].source))
            found.setdefault(benchmark.manifest.name, Counter())[word or "unchecked"] += 1
    return found


def recorded(instance: Instance, source: SourceTurn) -> Response:
    """The withheld decision in the form that checks read."""
    about: dict[str, Any] = {"instance": instance.id, "family": instance.family, "benchmark": "", "model": "", "status": "ok"}
    return Response(**about, text=source.text, tool_calls=source.tool_calls)


@dataclass(frozen=True)
class Job:
    """One sheet for one seat, and whose turns are on it."""

    sheet: Sheet
    seat: str
    family: str
    group: Sequence[tuple[Turn, Response]]
    rubric: str
    """The family again where the turns are graded by two rubrics; else ""."""


def panel_votes(
    plan: Plan, turns: Sequence[Turn], responses: Sequence[Response], ledger: Ledger, tell: Progress
) -> tuple[dict[TurnKey, list[JudgeScore]], list[ProbeScore]]:
    """The votes of every seat on every turn that judges get to see, and its probes; nothing where no panel judges.

    Probes are asked first, so that nothing is paid to a seat that is void.
    """
    if not plan.seats:
        return {}, []
    jobs = jobs_of(plan, turns, responses)
    probed = probe_scores(plan, [job.group[0][0] for job in jobs], ledger, tell)
    void = {(one.benchmark, one.family, one.judge): why_void(one) for one in reversed(probed) if not one.held}
    sound = [job for job in jobs if (job.group[0][0].benchmark.manifest.name, job.family, job.seat) not in void]
    ask = partial(ask_seat, models=plan.provider, ledger=ledger)
    asked = [(job.sheet, job.seat) for job in sound]
    answers = spread(ask, asked, plan.options.concurrency, lambda done, total: tell(done, total, "judging"))
    marks = {id(job): answer for job, answer in zip(sound, answers, strict=True)}
    votes: dict[TurnKey, list[JudgeScore]] = {}
    for job in jobs:
        for turn, response in job.group:
            if letter := job.sheet.letters.get(content(response)):
                error = void.get((turn.benchmark.manifest.name, job.family, job.seat), "")
                vote = JudgeScore(judge=job.seat, status="error", error=error) if error else marks[id(job)][letter]
                votes.setdefault(turn.key, []).append(vote.model_copy(update={"rubric": job.rubric}))
    return votes, probed


def jobs_of(plan: Plan, turns: Sequence[Turn], responses: Sequence[Response]) -> list[Job]:
    """Every sheet for every seat: all models' turns on an instance together, or one by one."""
    together: dict[tuple[str, str, int], list[tuple[Turn, Response]]] = {}
    for turn, response in zip(turns, responses, strict=True):
        if is_gradable(response):
            together.setdefault((turn.benchmark.manifest.name, turn.instance.id, turn.sample), []).append((turn, response))
    jobs = []
    for group in together.values():
        first, shown = group[0][0], [response for _, response in group]
        rubrics = plan.rubrics_of(first)
        for family, rubric in rubrics.items():
            for sheet in sheets(first.instance, rubric, shown, plan.ruling.mode == "joint", plan.options.seed):
                jobs += [Job(sheet, seat, family, group, family if len(rubrics) > 1 else "") for seat in plan.seats]
    return jobs


def planted(plan: Plan, turns: Iterable[Turn]) -> list[tuple[str, str, Probe]]:
    """(benchmark, family, probe) for each rubric that these turns are graded by. A family with no known turns has none."""
    asked = {(turn.benchmark.manifest.name, family): rubric for turn in turns for family, rubric in plan.rubrics_of(turn).items()}
    beside = len(plan.models) - 1 if plan.ruling.mode == "joint" else 0
    return [
        (name, family, probe)
        for (name, family), rubric in sorted(asked.items(), key=lambda item: item[0])
        if family in plan.families
        for probe in probes.planted(plan.families[family], rubric, beside, plan.options.seed)
    ]


def probe_scores(plan: Plan, turns: Iterable[Turn], ledger: Ledger, tell: Progress) -> list[ProbeScore]:
    """What every seat makes of the turns planted for each benchmark and rubric that it grades by."""
    asked = [(about, seat) for about in planted(plan, turns) for seat in plan.seats]
    ask = partial(ask_seat, models=plan.provider, ledger=ledger)
    sent = [(probe.sheet, seat) for (_, _, probe), seat in asked]
    came = spread(ask, sent, plan.options.concurrency, lambda done, total: tell(done, total, "probing judges"))
    return [
        probe_score((name, family), probe, seat, marks[probe.letter])
        for ((name, family, probe), seat), marks in zip(asked, came, strict=True)
    ]


def probe_score(about: tuple[str, str], probe: Probe, seat: str, vote: JudgeScore) -> ProbeScore:
    """What a seat made of a planted turn. `about` is the benchmark and the family."""
    why = vote.error or ("" if vote.status == "score" else "it cannot judge it")
    said: dict[str, Any] = {"benchmark": about[0], "family": about[1], "judge": seat, "known": probe.known, "example": probe.example}
    return ProbeScore(**said, score=vote.score, held=probes.held(probe.known, vote), error=why)


def why_void(probe: ProbeScore) -> str:
    """The error of a void seat's votes."""
    if probe.error.startswith(UNREACHED):
        return probe.error
    gave = f"it gave {probe.score} to" if probe.score is not None else f"it has no score ({probe.error}) for"
    return f"{VOID}{gave} a planted turn that is known to be a {probe.known}"


def ask_seat(job: tuple[Sheet, str], models: Models, ledger: Ledger) -> dict[str, JudgeScore]:
    """One seat's votes on one sheet, without secrets."""
    sheet, seat = job
    redactor = Redactor(sheet.instance.canary.encode())
    return {
        letter: vote.model_copy(
            update={
                "rationale": redactor.text(vote.rationale),
                "quotes": tuple(redactor.text(quote) for quote in vote.quotes),
                "error": redactor.text(vote.error),
            }
        )
        for letter, vote in judge(sheet, seat, models, ledger).items()
    }
