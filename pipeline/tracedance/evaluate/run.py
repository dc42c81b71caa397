"""An evaluation: every model's next turn on every instance, graded, with rates.

    read -> respond -> grade -> rates -> write

Grades come from the panel of the profile's three judges; where there is none, from the families' deterministic checks. All that was paid is
in the folder's ledger before anyone uses it: the same command takes an interrupted run up again and repeats a finished one for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from tracedance.analyse.rates import rates, summary
from tracedance.catalogue import Family, families
from tracedance.errors import InputError
from tracedance.evaluate import comparable, folder
from tracedance.evaluate import estimate as costs
from tracedance.evaluate.comparable import Excluded, Key
from tracedance.evaluate.grade import NOT_REACHED, Ruling, grade, is_gradable, word_of
from tracedance.evaluate.panel import Sheet, content, judge, sheets
from tracedance.evaluate.respond import Turn, respond, wanted
from tracedance.evaluate.spread import Progress, spread
from tracedance.failpoint import failpoint
from tracedance.models import call, fitting, offline, probe, prompts, replay, spending
from tracedance.models.budget import OnUnknown, Terms
from tracedance.models.config import Models, load
from tracedance.models.ledger import Ledger
from tracedance.models.reach import only_local
from tracedance.privacy.redactor import Redactor
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Benchmark, Grade, JudgeScore, Response, RunManifest
from tracedance.schema.record import Record
from tracedance.store.benchmarks import read_benchmark

EXCLUDED_CURE = "Leave out the model that it does not fit, or state its context_window and output_cap under 'tracedance:' in its entry."


class Options(Record):
    """What may be asked for beside benchmarks and models."""

    profile: str | None = None
    samples: int = Field(default=1, ge=1)
    mode: Literal["joint", "independent"] | None = None
    """None: joint for several models, independent for one."""
    quorum: int = Field(default=3, ge=2, le=3)
    seed: int = 0
    concurrency: int = Field(default=8, ge=1)
    catalogues: tuple[Path, ...] = ()
    local_only: bool = False
    """Refuse every model that is not on loopback."""
    max_cost: int | None = Field(default=None, ge=0)
    """Picodollars over the life of the run; None: no limit."""
    on_unknown: OnUnknown = "retry"
    record: Path | None = None
    """Where the answers are written for `replay/FOLDER`."""


@dataclass(frozen=True)
class Plan:
    """All that an evaluation needs to know before its first call."""

    benchmarks: tuple[Benchmark, ...]
    models: tuple[str, ...]
    options: Options
    provider: Models
    seats: tuple[str, ...]
    families: Mapping[str, Family]
    """The catalogue: only the checks are wanted here, rubrics are in the benchmarks. A family that it lacks has no check."""
    ruling: Ruling
    excluded: Mapping[Key, Excluded]
    """Instances that cannot be put to all the models."""


def evaluate(
    paths: Sequence[Path],
    model_names: Sequence[str],
    out: Path,
    options: Mapping[str, Any] | Options | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Runs an evaluation in the folder `out` and returns the summary that is also its rates.json.

    Raises InputError for unknown models and missing keys, for a benchmark with a changed byte (6), for a folder that another request (2) or
    another run (7) has. Calls that fail are counted, not raised: see `outcome`.
    """
    given = options if isinstance(options, Options) else Options.model_validate(dict(options or {}))
    plan = planned(paths, model_names, given)
    tell = progress or (lambda done, total, what: None)
    with folder.held(out):
        folder.claim(out, manifest(plan, out))
        failpoint("evaluate.claimed")
        turns = wanted(plan.benchmarks, plan.models, given.samples)
        with paying(plan, out) as (plan, ledger):
            responses, excluded = answered(plan, turns, ledger, tell)
            failpoint("evaluate.responded")
            grades = graded(plan, turns, responses, ledger, tell)
            failpoint("evaluate.graded")
        table = rates(responses, grades, plan.benchmarks, given.samples, plan.models)
        result = {"run": out.name, "judged_by": plan.ruling.judged_by, "results": summary(table), "excluded": comparable.summary(excluded)}
        folder.finish(out, responses, grades, result, comparable.log(plan.benchmarks, excluded))
    return {**result, "run": str(out)}


def estimate(paths: Sequence[Path], model_names: Sequence[str], out: Path, options: Mapping[str, Any] | Options) -> dict[str, Any]:
    """What an evaluation in `out` would cost, by stage, role and model. Makes no call and writes nothing."""
    given = options if isinstance(options, Options) else Options.model_validate(dict(options))
    return estimate_of(planned(paths, model_names, given), out)


def estimate_of(plan: Plan, out: Path) -> dict[str, Any]:
    """The estimate of a plan."""
    every = wanted(plan.benchmarks, plan.models, plan.options.samples)
    turns = [turn for turn in every if turn.key[:2] not in plan.excluded]
    return costs.estimate(turns, plan.provider, plan.seats, plan.ruling.mode == "joint", out / folder.LEDGER)


@contextmanager
def paying(plan: Plan, out: Path) -> Iterator[tuple[Plan, Ledger]]:
    """The run's ledger, open under the run's terms; its account is written however the run ends."""
    expected = estimate_of(plan, out) if not (out / spending.FILE).exists() else None
    asked = [name for name in (*plan.models, *plan.seats) if not name.startswith((offline.PREFIX, replay.PREFIX))]
    with Ledger(out / folder.LEDGER) as ledger:
        provider = spending.opened(ledger, plan.provider, "", asked)
        try:
            with spending.accounted(out, ledger, provider, expected):
                yield replace(plan, provider=provider), ledger
        finally:
            if plan.options.record is not None:
                replay.write(plan.options.record, ledger)


def planned(paths: Sequence[Path], model_names: Sequence[str], options: Options) -> Plan:
    """Reads everything that can be wrong before anything is paid."""
    models = tuple(dict.fromkeys(model_names))
    provider = only_local(load(options.profile), options.local_only, ("judge",), models)
    benchmarks = distinct([read_benchmark(path) for path in paths])
    if not benchmarks or not models:
        raise InputError("Nothing to evaluate. Give at least one benchmark and one --model.")
    provider = replace(provider, terms=Terms(options.max_cost, options.on_unknown))
    seats = provider.role("judge")
    for name in (*models, *seats):
        call.check(name, provider)
    mode = options.mode or ("joint" if len(models) > 1 else "independent")
    ruling = Ruling("panel", mode, len(seats), options.quorum) if seats else Ruling("rule", "rule")
    excluded = comparable.excluded(benchmarks, models, provider)
    return Plan(benchmarks, models, options, provider, seats, families(options.catalogues), ruling, excluded)


def answered(plan: Plan, turns: Sequence[Turn], ledger: Ledger, tell: Progress) -> tuple[list[Response], dict[Key, Excluded]]:
    """Every next turn, and the instances that were left out for all models: those known beforehand cost no call."""
    asked = [turn for turn in turns if turn.key[:2] not in plan.excluded]
    answer = partial(respond, models=plan.provider, ledger=ledger)
    came = spread(answer, asked, plan.options.concurrency, lambda done, total: tell(done, total, "next turns"))
    had = {turn.key: response for turn, response in zip(asked, came, strict=True)}
    excluded = {**plan.excluded, **comparable.found_too_long(asked, came)}
    return [comparable.put_aside(turn, excluded) or had[turn.key] for turn in turns], excluded


def distinct(benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """The benchmarks in the order of their names, each once. InputError for two that share a name."""
    named: dict[str, Benchmark] = {}
    for benchmark in benchmarks:
        other = named.setdefault(benchmark.manifest.name, benchmark)
        if other.manifest != benchmark.manifest:
            raise InputError(f"Two benchmarks are named {benchmark.manifest.name!r}. Evaluate them in two runs.")
    return tuple(named[name] for name in sorted(named))


def manifest(plan: Plan, out: Path) -> RunManifest:
    """run.json: the request, and the digests of what decides the grades."""
    digests: dict[str, str] = {"models": plan.provider.digest}
    if plan.seats:
        digests["prompt:judge"] = prompts.load("judge").digest
    for name in sorted({name for benchmark in plan.benchmarks for name in benchmark.manifest.families}):
        if name in plan.families and "check" in plan.families[name].digests:
            digests[f"check:{name}"] = plan.families[name].digests["check"]
    return RunManifest(
        judged_by=plan.ruling.judged_by,
        mode=plan.ruling.mode,
        profile=plan.options.profile,
        models=plan.models,
        benchmarks=tuple(folder.benchmark_entry(benchmark, out) for benchmark in plan.benchmarks),
        samples=plan.options.samples,
        quorum=plan.ruling.quorum,
        seed=plan.options.seed,
        digests=digests,
        parameters=fitting.parameters({"respond": plan.models, "judge": plan.seats}, plan.provider),
    )


def graded(plan: Plan, turns: Sequence[Turn], responses: Sequence[Response], ledger: Ledger, tell: Progress) -> list[Grade]:
    """One grade for each response, in the same order."""
    votes = panel_votes(plan, turns, responses, ledger, tell)
    grades = []
    for turn, response in zip(turns, responses, strict=True):
        known = plan.families.get(turn.instance.family)
        row = turn.benchmark.checks[turn.instance.id]
        word = word_of(known.check if known else None, turn.instance, response, row.facts) if is_gradable(response) else (None, "")
        grades.append(grade(response, votes.get(turn.key, ()), word, plan.ruling))
    return grades


def panel_votes(
    plan: Plan, turns: Sequence[Turn], responses: Sequence[Response], ledger: Ledger, tell: Progress
) -> dict[tuple[str, str, str, int], list[JudgeScore]]:
    """The votes of every seat on every turn that judges get to see; {} where no panel judges."""
    if not plan.seats:
        return {}
    together: dict[tuple[str, str, int], list[tuple[Turn, Response]]] = {}
    for turn, response in zip(turns, responses, strict=True):
        if is_gradable(response):
            together.setdefault((turn.benchmark.manifest.name, turn.instance.id, turn.sample), []).append((turn, response))
    jobs: list[tuple[Sheet, str, list[tuple[Turn, Response]]]] = []
    for group in together.values():
        first = group[0][0]
        rubric = first.benchmark.rubrics[first.instance.family]
        shown = sheets(first.instance, rubric, [response for _, response in group], plan.ruling.mode == "joint", plan.options.seed)
        jobs += [(sheet, seat, group) for sheet in shown for seat in plan.seats]
    ask = partial(ask_seat, models=plan.provider, ledger=ledger)
    answers = spread(ask, jobs, plan.options.concurrency, lambda done, total: tell(done, total, "judging"))
    votes: dict[tuple[str, str, str, int], list[JudgeScore]] = {}
    for (sheet, _, group), marks in zip(jobs, answers, strict=True):
        for turn, response in group:
            if letter := sheet.letters.get(content(response)):
                votes.setdefault(turn.key, []).append(marks[letter])
    return votes


def ask_seat(job: tuple[Sheet, str, object], models: Models, ledger: Ledger) -> dict[str, JudgeScore]:
    """One seat's votes on one sheet, without secrets."""
    sheet, seat, _ = job
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


def outcome(out: Path) -> tuple[int, str]:
    """The exit code of a finished run and one line that says why.

    0 when anything was judged; 5 when nothing was because a provider could not be reached; else 3.
    """
    results = json.loads(read_regular(out / "rates.json", TABLE))["results"]
    if any(row["assessed"] for row in results):
        return 0, ""
    responses = [Response.model_validate_json(line) for line in read_regular(out / "responses.jsonl", TABLE).splitlines()]
    grades = [Grade.model_validate_json(line) for line in read_regular(out / "grades.jsonl", TABLE).splitlines()]
    failed = [row for row in responses if row.status == "failed"]
    if failed and all(row.status in ("failed", "declined") for row in responses):
        helps = probe.cure(failed[0].error) or "Mend that."
        return 5, f"No call to {failed[0].model!r} succeeded: {failed[0].error}. {helps} Then give the same command again; it resumes."
    if responses and all(row.status == "excluded" for row in responses):
        return 3, f"Nothing could be judged: every instance was left out for all models ({responses[0].error}). {EXCLUDED_CURE}"
    unjudged = [row.reason for row in grades if row.reason.startswith(NOT_REACHED)]
    if unjudged:
        return 5, f"Nothing could be judged: {unjudged[0]}. Mend that and give the same command again; it resumes."
    if any(row.status == "partial" for row in grades):
        missing = next(row.reason for row in grades if row.status == "partial")
        return 3, f"Nothing could be judged: {missing}. Mend that judge and give the same command again, or allow two seats (--quorum 2)."
    scripted = all(row.model.startswith(offline.PREFIX) for row in responses)
    cure = "The scripted models have nothing to say here." if scripted else "Configure three judges (configs/models.yaml)."
    return 3, f"Nothing could be judged: {grades[0].reason if grades else 'there are no instances'}. {cure}"
