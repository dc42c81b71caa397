"""What there is to label: a run's valid responses, and the requests, instances and rubrics of benchmarks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tracedance.compare.evaluated import evaluated_benchmark, other_rubrics
from tracedance.compare.reading import word_of
from tracedance.errors import InputError
from tracedance.gate.runs import EvaluationRun, check_complete, read_run
from tracedance.regular import read_regular
from tracedance.schema import Benchmark, LabelKind, Manifest, label
from tracedance.store import labels as stored
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.export import MANIFEST, published

KINDS: tuple[LabelKind, ...] = ("query", "instance", "rubric", "response")
SCALES: Mapping[LabelKind, tuple[str, ...]] = {kind: tuple(map(str, scale)) for kind, scale in label.SCALES.items()}
"""The words a label may be in a sheet."""


@dataclass(frozen=True, order=True)
class Item:
    """One thing to label. `instance`, `model` and `sample` are empty where the kind has none."""

    kind: LabelKind
    id: str
    benchmark: str
    instance: str = ""
    model: str = ""
    sample: int = 0


@dataclass(frozen=True)
class Source:
    """A run with its benchmarks, or a benchmark alone."""

    folder: Path
    """Beside or in which the labels lie."""
    benchmarks: Mapping[str, Benchmark]
    """By name; those that were to be had."""
    run: EvaluationRun | None = None
    troubles: Mapping[str, str] = field(default_factory=dict)
    """Why a benchmark of the run was not to be had, by its name."""


@dataclass(frozen=True)
class Supply:
    """All items of one kind, and what cannot be one, counted by reason."""

    items: tuple[Item, ...]
    left_out: Mapping[str, int]


def of_run(folder: Path) -> Source:
    """A finished run and those of its benchmarks that lie where they were. InputError for a run that is unreadable or not whole."""
    if not (folder / "run.json").is_file():
        raise InputError(f"{str(folder)!r} is no evaluation run: it has no run.json. Give the folder that 'tracedance evaluate' wrote.")
    run = read_run(folder)
    check_complete(run)
    found = {about.name: evaluated_benchmark(about, folder) for about in run.manifest.benchmarks}
    there = {name: benchmark for name, (benchmark, _) in found.items() if benchmark is not None}
    return Source(folder, there, run, {name: why for name, (_, why) in found.items() if why})


def of_benchmark(path: Path) -> Source:
    """A benchmark on its own. InputError for one that is unreadable or changed."""
    benchmark = read_benchmark(path)
    named = path if path.name not in ("", "..") else Path(os.path.abspath(path))
    return Source(named, {benchmark.manifest.name: benchmark})


def supply(source: Source, kind: LabelKind) -> Supply:
    """Everything of one kind that can be labelled, sorted by id, whatever order files name it in. InputError: no run, no responses."""
    if kind == "response":
        return _responses(source)
    items: dict[str, Item] = {}
    left: Counter[str] = Counter(benchmark_not_found=len(source.troubles))
    another = set(other_rubrics(source.folder)) if source.run else set()
    for name, benchmark in source.benchmarks.items():
        about = benchmark.manifest
        if kind != "query":
            digest = digest_of(benchmark)
            # A label of a rubric is of the benchmark's own: where a run was graded by another, it says nothing of that.
            theirs = [one for one in benchmark.instances if kind != "rubric" or not another & {one.family, *about.families}]
            left["graded_by_another_rubric"] += len(benchmark.instances) - len(theirs)
            made = [Item(kind, stored.item_id(kind, digest, one.id), name, one.id) for one in theirs]
        elif about.query is None:
            left["built_without_a_request"] += 1
            continue
        else:
            made = [Item(kind, _request(about), name)]
        left["same_request"] += sum(item.id in items for item in made)
        items |= {item.id: item for item in made if item.id not in items}
    return Supply(tuple(sorted(items.values(), key=lambda item: item.id)), _counted(left))


def _request(about: Manifest) -> str:
    return stored.item_id("query", about.query, list(about.families), dict(about.parameters), about.domain)


def _responses(source: Source) -> Supply:
    """Responses that count in a rate and whose context is to be had: the others have nothing to be compared with, or cannot be read."""
    items, left = responses(source)
    there = [item for item in items if item.benchmark in source.benchmarks]
    left["benchmark_not_found"] = len(items) - len(there)
    return Supply(tuple(there), _counted(left))


def responses(source: Source) -> tuple[list[Item], Counter[str]]:
    """Every response that counts in a rate, sorted by id, and the others counted by reason. InputError where there is no run."""
    if source.run is None:
        raise InputError("A benchmark has no responses to label. Give the run of an evaluation with --run.")
    grades = {(row.benchmark, row.instance, row.model, row.sample): row for row in source.run.grades}
    digests = {about.name: about.digest for about in source.run.manifest.benchmarks}
    left: Counter[str] = Counter()
    items = []
    for row in source.run.responses:
        word = word_of(row, grades.get((row.benchmark, row.instance, row.model, row.sample)))
        if word == "valid":
            name = stored.response_id(digests[row.benchmark], row)
            items.append(Item("response", name, row.benchmark, row.instance, row.model, row.sample))
        else:
            left[word] += 1
    return sorted(items, key=lambda item: item.id), left


def digest_of(benchmark: Benchmark) -> str:
    """The digest by which runs name a benchmark."""
    return sha256(read_regular(published(Path(benchmark.path)) / MANIFEST)).hexdigest()


def every_item(source: Source) -> dict[str, Item]:
    """All items of all kinds, by id; responses also where their context is not to be had any more."""
    items = [item for kind in KINDS[:3] for item in supply(source, kind).items]
    items += responses(source)[0] if source.run is not None else []
    return {item.id: item for item in items}


def _counted(left: Counter[str]) -> dict[str, int]:
    return {reason: count for reason, count in sorted(left.items()) if count}
