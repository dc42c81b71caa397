"""What an evaluation needs to know before its first call: who answers, who judges, by what, and which instances are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import Field

from tracedance.catalogue import Family, families
from tracedance.errors import InputError
from tracedance.evaluate import comparable, folder, makers
from tracedance.evaluate.comparable import Excluded, Key
from tracedance.evaluate.grade import Ruling
from tracedance.evaluate.respond import Turn
from tracedance.models import call, fitting, prompts
from tracedance.models.budget import OnUnknown, Terms
from tracedance.models.config import Models, Purpose, load
from tracedance.models.reach import only_local
from tracedance.schema import Benchmark, Instance, Rubric, RunManifest
from tracedance.schema.record import Record
from tracedance.store.benchmarks import read_benchmark


class Options(Record):
    """What may be asked for beside benchmarks and models."""

    profile: str | None = None
    samples: int = Field(default=1, ge=1)
    mode: Literal["joint", "independent"] | None = None
    """None: joint for several models, independent for one."""
    quorum: int = Field(default=3, ge=2, le=3)
    seed: int = Field(default=0, ge=0)
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
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    """By family, rubrics to grade by in place of the benchmarks' own."""
    makers: Mapping[str, str] = field(default_factory=dict)
    """Who made each model and judge."""

    def rubrics_of(self, turn: Turn) -> dict[str, Rubric]:
        """What a turn is graded by, by family: its instance's rubric, or both where a benchmark has two behaviours that must be absent."""
        return {family: self.rubrics.get(family) or rubric for family, rubric in rubrics_of(turn.benchmark, turn.instance).items()}


def rubrics_of(benchmark: Benchmark, instance: Instance) -> dict[str, Rubric]:
    """The benchmark's own rubrics that grade an instance, by family."""
    about = benchmark.manifest.families
    asked = about if len(about) > 1 else (instance.family,)
    return {family: benchmark.rubrics[family] for family in sorted(asked)}


def planned(paths: Sequence[Path], model_names: Sequence[str], options: Options) -> Plan:
    """Reads everything that can be wrong before anything is paid."""
    models = tuple(sorted(set(model_names)))  # whatever order they are named in, the tables are the same bytes
    provider = only_local(load(options.profile), options.local_only, ("judge",), models)
    benchmarks = distinct([read_benchmark(path) for path in paths])
    if not benchmarks or not models:
        raise InputError("Nothing to evaluate. Give at least one benchmark and one --model.")
    provider = replace(provider, terms=Terms(options.max_cost, options.on_unknown))
    seats = tuple(sorted(provider.role("judge")))
    for name in (*models, *seats):
        call.check(name, provider)
    mode = options.mode or ("joint" if len(models) > 1 else "independent")
    ruling = Ruling("panel", mode, len(seats), options.quorum) if seats else Ruling("rule", "rule")
    excluded = comparable.excluded(benchmarks, models, provider)
    made = makers.of([*models, *seats], provider)
    return Plan(benchmarks, models, options, provider, seats, families(options.catalogues), ruling, excluded, makers=made)


def distinct(benchmarks: Sequence[Benchmark]) -> tuple[Benchmark, ...]:
    """The benchmarks in the order of their names, each once. InputError for two that share a name."""
    named: dict[str, Benchmark] = {}
    for benchmark in benchmarks:
        other = named.setdefault(benchmark.manifest.name, benchmark)
        if other.manifest != benchmark.manifest:
            raise InputError(f"Two benchmarks are named {benchmark.manifest.name!r}. Evaluate them in two runs.")
    return tuple(named[name] for name in sorted(named))


def manifest(plan: Plan, out: Path, purposes: Sequence[Purpose] = ("respond", "judge")) -> RunManifest:
    """run.json: the request, the digests of what decides the grades, and the parameters of calls for these purposes."""
    asked: dict[Purpose, Sequence[str]] = {"respond": plan.models, "judge": plan.seats}
    return RunManifest(
        judged_by=plan.ruling.judged_by,
        mode=plan.ruling.mode,
        profile=plan.options.profile,
        models=plan.models,
        benchmarks=tuple(folder.benchmark_entry(benchmark, out) for benchmark in plan.benchmarks),
        samples=plan.options.samples,
        quorum=plan.ruling.quorum,
        seed=plan.options.seed,
        judges=plan.seats,
        makers=plan.makers,
        digests=digests(plan),
        parameters=fitting.parameters({purpose: asked[purpose] for purpose in purposes}, plan.provider),
    )


def digests(plan: Plan) -> dict[str, str]:
    """Of everything that decides a grade."""
    found: dict[str, str] = {"models": plan.provider.digest}
    if plan.seats:
        found["prompt:judge"] = prompts.load("judge").digest
    for benchmark in plan.benchmarks:
        for name in benchmark.manifest.families:
            rubric = plan.rubrics.get(name) or benchmark.rubrics[name]
            found[f"rubric:{name}"] = sha256(rubric.model_dump_json().encode()).hexdigest()
            if name in plan.families and "check" in plan.families[name].digests:
                found[f"check:{name}"] = plan.families[name].digests["check"]
    return dict(sorted(found.items()))
