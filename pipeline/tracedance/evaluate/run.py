"""An evaluation: every model's next turn on every instance, graded, with rates.

    read -> respond -> grade -> rates -> write

Grades come from the panel of the profile's three judges; where there is none, from the families' deterministic checks. All that was paid is
in the folder's ledger before anyone uses it: the same command takes an interrupted run up again and repeats a finished one for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tracedance.analyse.rates import rates, summary
from tracedance.evaluate import accounts, comparable, folder
from tracedance.evaluate import estimate as costs
from tracedance.evaluate.comparable import Excluded, Key
from tracedance.evaluate.grade import NO_CHECK, NOT_REACHED
from tracedance.evaluate.judging import Judged, graded, planted
from tracedance.evaluate.plan import Options, Plan, manifest, planned
from tracedance.evaluate.respond import Turn, respond, wanted
from tracedance.evaluate.spread import Progress, spread
from tracedance.failpoint import failpoint
from tracedance.models import offline, probe, replay, spending
from tracedance.models.ledger import Ledger
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Grade, Response
from tracedance.store import beside

EXCLUDED_CURE = "Leave out the model that it does not fit, or state its context_window and output_cap under 'tracedance:' in its entry."


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
            judged = graded(plan, turns, responses, ledger, tell)
            failpoint("evaluate.graded")
        result = {**summed(plan, responses, judged), "run": out.name, "excluded": comparable.summary(excluded)}
        folder.finish(out, responses, judged.grades, result, {"rendering.jsonl": comparable.log(plan.benchmarks, excluded)})
    return {**result, "run": str(out)}


def summed(plan: Plan, responses: Sequence[Response], judged: Judged) -> dict[str, Any]:
    """What rates.json says of graded responses."""
    table = rates(responses, judged.grades, plan.benchmarks, plan.options.samples, plan.models)
    return {
        "judged_by": plan.ruling.judged_by,
        "results": summary(table),
        "responses": accounts.answers(responses),
        "judging": accounts.judging(plan, judged),
    }


def estimate(paths: Sequence[Path], model_names: Sequence[str], out: Path, options: Mapping[str, Any] | Options) -> dict[str, Any]:
    """What an evaluation in `out` would cost, by stage, role and model. Makes no call and writes nothing."""
    given = options if isinstance(options, Options) else Options.model_validate(dict(options))
    return estimate_of(planned(paths, model_names, given), out)


def estimate_of(plan: Plan, out: Path) -> dict[str, Any]:
    """The estimate of a plan."""
    every = wanted(plan.benchmarks, plan.models, plan.options.samples)
    turns = [turn for turn in every if turn.key[:2] not in plan.excluded]
    sheets = [one.sheet for _, _, one in planted(plan, turns)] if plan.seats else []
    return costs.estimate(turns, plan.provider, costs.Panel(plan, sheets), out / folder.LEDGER)


@contextmanager
def paying(plan: Plan, out: Path, paid: Path | None = None) -> Iterator[tuple[Plan, Ledger]]:
    """The run's ledger, open under the run's terms; its account is written to `out` however the run ends.

    `paid` is the run whose ledger it is where its responses are graded anew: judges alone are asked, and no vote in it is paid twice.
    """
    expected = estimate_of(plan, out) if paid is None and not (out / spending.FILE).exists() else None
    names = (*plan.models, *plan.seats) if paid is None else plan.seats
    asked = [name for name in names if not name.startswith((offline.PREFIX, replay.PREFIX))]
    with changing(out, spending.FILE), changing(paid or out, folder.LEDGER), Ledger((paid or out) / folder.LEDGER) as ledger:
        provider = spending.opened(ledger, plan.provider, "", asked)
        try:
            with spending.accounted(out, ledger, provider, expected):
                yield replace(plan, provider=provider), ledger
        finally:
            if plan.options.record is not None:
                replay.write(plan.options.record, ledger)


@contextmanager
def changing(run: Path, name: str) -> Iterator[None]:
    """A file of a run that is written to: where it is on the run's list, it is off it until this has ended."""
    listed = name in (beside.sealed(run) or {}) or name in beside.being_written(run)
    beside.unseal(run, (name,))
    yield
    if listed:
        beside.seal(run, (name,))


def answered(plan: Plan, turns: Sequence[Turn], ledger: Ledger, tell: Progress) -> tuple[list[Response], dict[Key, Excluded]]:
    """Every next turn, and the instances that were left out for all models: those known beforehand cost no call."""
    asked = [turn for turn in turns if turn.key[:2] not in plan.excluded]
    answer = partial(respond, models=plan.provider, ledger=ledger)
    came = spread(answer, asked, plan.options.concurrency, lambda done, total: tell(done, total, "next turns"))
    had = {turn.key: response for turn, response in zip(asked, came, strict=True)}
    excluded = {**plan.excluded, **comparable.found_too_long(asked, came)}
    return [comparable.put_aside(turn, excluded) or had[turn.key] for turn in turns], excluded


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
        return 3, f"Nothing could be judged: {missing}. 'tracedance rejudge' puts the responses to others, or to two seats (--quorum 2)."
    scripted = all(row.model.startswith(offline.PREFIX) for row in responses)
    cure = "The scripted models have nothing to say here." if scripted else "Configure three judges (configs/models.yaml)."
    unchecked = [row.reason for row in grades if NO_CHECK in row.reason]
    reason = next(iter([*unchecked, *(row.reason for row in grades)]), "there are no instances")
    return 3, f"Nothing could be judged: {reason}. {cure}"
