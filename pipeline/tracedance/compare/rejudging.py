"""The responses of a finished run, graded anew by other judges or another rubric: no response is paid again, nor a vote that was had."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from tracedance import yamlfile
from tracedance.catalogue import LEVELS, families
from tracedance.compare.difference import difference
from tracedance.compare.evaluated import RUBRICS, evaluated_benchmark, other_rubrics
from tracedance.compare.reading import panel_of
from tracedance.errors import InputError
from tracedance.evaluate import folder, makers
from tracedance.evaluate.grade import Ruling
from tracedance.evaluate.judging import graded
from tracedance.evaluate.plan import Options, Plan, digests, manifest
from tracedance.evaluate.respond import Turn
from tracedance.evaluate.run import paying, summed
from tracedance.evaluate.spread import Progress
from tracedance.gate.runs import EvaluationRun, check_complete, read_run
from tracedance.models import call, offline
from tracedance.models.budget import OnUnknown, Terms
from tracedance.models.config import Models, load
from tracedance.models.reach import only_local
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Benchmark, Rubric, RunManifest
from tracedance.schema.record import Record
from tracedance.store.durable import sweep

FOLDER = "rejudged"
DIFFERENCE = "difference.json"
RENDERING = "rendering.jsonl"


class Asked(Record):
    """What may be asked for beside the run; what is not is as it was."""

    judges: tuple[str, ...] = ()
    """In place of the profile's."""
    rubrics: tuple[str, ...] = ()
    """FILE, or FAMILY=FILE where the run has several families."""
    profile: str | None = None
    mode: Literal["joint", "independent"] | None = None
    quorum: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=8, ge=1)
    catalogues: tuple[Path, ...] = ()
    local_only: bool = False
    max_cost: int | None = Field(default=None, ge=0)
    """Picodollars over the life of the run, its responses included; None: no limit."""
    on_unknown: OnUnknown = "retry"


def rejudge(
    run_folder: Path, out: Path | None = None, options: Mapping[str, Any] | Asked | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Grades a run's responses anew, into a run folder of its own, and returns its summary with the difference to the run.

    `out` is RUN/rejudged/<digest of what is asked for> unless given: the same request is the same folder, and takes up where it stopped.
    Raises InputError as `evaluate` does, and where a benchmark is no longer as it was evaluated.
    """
    asked = options if isinstance(options, Asked) else Asked.model_validate(dict(options or {}))
    run = read_run(run_folder)
    check_complete(run)
    plan = replanned(run, asked)
    tell = progress or (lambda done, total, what: None)
    target = out or run_folder / FOLDER / digest_of(manifest(plan, run_folder, ("judge",)))
    if (target / "run.json").is_file() and not json.loads(read_regular(target / "run.json")).get("rejudges"):
        raise InputError(f"{str(target)!r} holds a run of its own, and its grades would be lost. Give --out a new folder.")
    with folder.held(run_folder):
        target.mkdir(parents=True, exist_ok=True)
        sweep(target)
        folder.claim(target, described(plan, run, target))
        turns = turns_of(plan, run)
        with paying(plan, target, paid=run_folder) as (plan, ledger):
            judged = graded(plan, turns, run.responses, ledger, tell)
        change = {**difference(run.grades, judged.grades), "own_votes": own_votes(plan, run)}
        kept = json.loads(read_regular(run_folder / "rates.json", TABLE)).get("excluded", [])
        result = {**summed(plan, run.responses, judged), "run": target.name, "excluded": kept}
        more = {DIFFERENCE: folder.pretty(change).encode()}
        if (run_folder / RENDERING).is_file():
            more[RENDERING] = read_regular(run_folder / RENDERING, TABLE)
        if plan.rubrics:
            more[RUBRICS] = folder.pretty({name: rubric.model_dump(mode="json") for name, rubric in plan.rubrics.items()}).encode()
        folder.finish(target, run.responses, judged.grades, result, more)
    return {**result, "run": str(target), "difference": change}


def replanned(run: EvaluationRun, asked: Asked) -> Plan:
    """The plan of the run with other judges or rubrics."""
    about = run.manifest
    profile = asked.profile or about.profile
    provider = only_local(load(profile), asked.local_only, () if asked.judges else ("judge",), asked.judges)
    provider = replace(provider, terms=Terms(asked.max_cost, asked.on_unknown))
    seats = seated(asked, provider)
    benchmarks = tuple(evaluated(run))
    before = about.mode if about.mode != "rule" else ("joint" if len(about.models) > 1 else "independent")
    mode = asked.mode or before
    named = sorted({name for benchmark in benchmarks for name in benchmark.manifest.families})
    ruling = ruled(asked, about, seats, mode)
    kept: dict[str, Any] = {"profile": profile, "samples": about.samples, "seed": about.seed, "concurrency": asked.concurrency}
    return Plan(
        benchmarks=benchmarks,
        models=about.models,
        options=Options(**kept, catalogues=asked.catalogues),
        provider=provider,
        seats=seats,
        families=families(asked.catalogues),
        ruling=ruling,
        excluded={},
        rubrics={**other_rubrics(run.folder), **rubrics(asked.rubrics, named)},
        makers={
            **makers.of([*about.models, *seats], provider),
            **{name: about.makers[name] for name in about.models if name in about.makers},
        },
    )


def own_votes(plan: Plan, run: EvaluationRun) -> list[str]:
    """The seats whose scores of both gradings are one and the same vote: their calls are those of the run, so they were not asked anew.

    Where the profile's text has changed since, that is not known, and none is named.
    """
    before, after = run.manifest, digests(plan)
    decisive = [name for name in after if name == "models" or name.startswith(("prompt:", "rubric:"))]
    alike = before.mode == plan.ruling.mode and all(before.digests.get(name) == after[name] for name in decisive)
    return [seat for seat in plan.seats if alike and seat in panel_of(run)]


def ruled(asked: Asked, about: RunManifest, seats: Sequence[str], mode: Literal["joint", "independent"]) -> Ruling:
    """How the votes become a grade. InputError for a quorum that no vote could meet."""
    if not seats:
        if asked.quorum is not None:
            raise InputError(f"--quorum {asked.quorum} is of judges, and none is named: grades come from checks. Name judges with --judge.")
        return Ruling("rule", "rule")
    if asked.quorum is not None and asked.quorum > len(seats):
        raise InputError(
            f"--quorum {asked.quorum} is more than the {len(seats)} seats of the panel ({', '.join(seats)}). Give at most that."
        )
    kept = min(about.quorum, 3) if len(seats) == 3 else len(seats)
    return Ruling("panel", mode, len(seats), asked.quorum or kept)


def seated(asked: Asked, provider: Models) -> tuple[str, ...]:
    """The judges, each once; none where the profile has no panel that can be called."""
    seats = tuple(sorted(set(asked.judges) or provider.role("judge")))
    for name in seats:
        if name.startswith(offline.PREFIX):
            raise InputError(f"{name!r} is a script that takes an agent's next turn, and judges nothing. Name a model.")
        call.check(name, provider)
    return seats


def evaluated(run: EvaluationRun) -> list[Benchmark]:
    """The benchmarks of the run, to the byte. InputError where one is not to be had."""
    found = []
    for about in run.manifest.benchmarks:
        benchmark, trouble = evaluated_benchmark(about, run.folder)
        if benchmark is None:
            raise InputError(f"{about.name!r} cannot be graded anew. {trouble} Put it back where run.json says, or evaluate again.")
        found.append(benchmark)
    return found


def rubrics(given: Sequence[str], known: Sequence[str]) -> dict[str, Rubric]:
    """Rubrics by family. InputError for a file that is none, and for one whose family has to be said."""
    found = {}
    for text in given:
        name, _, path = ("", "", text) if Path(text).is_file() or "=" not in text else text.partition("=")
        if not name and len(known) > 1:
            raise InputError(f"The run has {len(known)} families. Say which the rubric is for: --rubric FAMILY={path}.")
        family = name or known[0]
        fits = [one for one in known if family in (one, one.rpartition("/")[2])]
        if len(fits) != 1:
            raise InputError(f"The run has no family {family!r}. It has: {', '.join(known)}.")
        cure = "A rubric has a question and six levels, 0 to 5."
        rubric = yamlfile.read(Path(path), cure).record(Rubric, cure)
        if sorted(rubric.levels) != list(LEVELS):
            raise InputError(f"{path!r} has the levels {sorted(rubric.levels)}. {cure}")
        found[fits[0]] = rubric
    return found


def turns_of(plan: Plan, run: EvaluationRun) -> list[Turn]:
    """The turn that each response is, in the order of the responses."""
    named = {benchmark.manifest.name: benchmark for benchmark in plan.benchmarks}
    instances = {(name, instance.id): instance for name, benchmark in named.items() for instance in benchmark.instances}
    strange = next((row for row in run.responses if (row.benchmark, row.instance) not in instances), None)
    if strange is not None:
        raise InputError(f"{str(run.folder)!r} has a response to an instance that {strange.benchmark!r} does not hold. Evaluate again.")
    return [Turn(named[row.benchmark], instances[row.benchmark, row.instance], row.model, row.sample) for row in run.responses]


def described(plan: Plan, run: EvaluationRun, target: Path) -> RunManifest:
    """run.json of the new grading."""
    made = manifest(plan, target, ("judge",))
    respond = {"respond": run.manifest.parameters["respond"]} if "respond" in run.manifest.parameters else {}
    return made.model_copy(
        update={"rejudges": seen_from(run.folder, target), "parameters": {**respond, **made.parameters}},
    )


def seen_from(run: Path, target: Path) -> str:
    """Where the run lies, as seen from the new folder."""
    try:
        return os.path.relpath(run, target)
    except ValueError:
        return str(run.resolve())


def digest_of(made: RunManifest) -> str:
    """A short name for what is asked for."""
    return sha256(json.dumps(folder.asked(made), sort_keys=True).encode()).hexdigest()[:8]
