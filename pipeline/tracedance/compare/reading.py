"""Run folders -> the instances and graded replies that a comparison is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.analyse.observations import UNKNOWN, Item, Reply
from tracedance.analyse.pass_rules import BY_RULE
from tracedance.catalogue import Family, families
from tracedance.compare.evaluated import evaluated_benchmark
from tracedance.errors import InputError
from tracedance.gate.report import yardstick
from tracedance.gate.runs import EvaluationRun, check_complete, read_run
from tracedance.kit.first_action import action_of
from tracedance.schema import Benchmark, Grade, JudgeScore, Response, RunBenchmark


@dataclass(frozen=True)
class Given:
    """What is compared: runs as read, flattened."""

    runs: tuple[EvaluationRun, ...]
    names: tuple[str, ...]
    """What each run is called, in the order of the runs."""
    called: Mapping[tuple[str, str], str]
    """(run's name, model) -> what the model is called here."""
    models: tuple[str, ...]
    items: tuple[Item, ...]
    replies: tuple[Reply, ...]
    repeats: Mapping[str, tuple[str, ...]]
    """Model -> what it is called in each run, for those that several runs hold and that are not pooled."""
    differences: tuple[str, ...]
    """How the runs were judged differently, a sentence each."""
    troubles: tuple[str, ...]
    """What could not be read of benchmarks, a sentence each."""
    judged_by_rule: bool


def gather(folders: Sequence[Path], pool: bool = False, mixed: bool = False, catalogues: Sequence[Path] = ()) -> Given:
    """Reads runs to be compared.

    With `pool`, runs of one model are further samples of it; else such a model is compared with itself, once a run. InputError for an
    unfinished run, for one run given twice, for a benchmark that changed between runs, and for runs that were judged differently
    unless `mixed`; pooled ones must be judged alike.
    """
    runs = tuple(_whole(folder) for folder in folders)
    if not runs:
        raise InputError("Nothing to compare. Name the folders that 'tracedance evaluate' wrote.")
    names = _names([run.folder for run in runs])
    _refuse_twice(runs, names)
    differences = _differences(runs, names)
    if differences and (pool or not mixed):
        cure = "" if pool else ", or add --mixed to see them side by side all the same"
        raise InputError(f"{differences[0]} Their grades have no common measure: 'tracedance rejudge' one of them like the other{cure}.")
    counts = Counter(model for run in runs for model in run.manifest.models)
    called = {
        (name, model): model if pool or counts[model] == 1 else f"{model} @ {name}"
        for run, name in zip(runs, names, strict=True)
        for model in run.manifest.models
    }
    items, troubles = _items(runs, families(tuple(catalogues)))
    repeats = {model: tuple(called[name, model] for name in names if (name, model) in called) for model in counts if counts[model] > 1}
    return Given(
        runs=runs,
        names=names,
        called=called,
        models=tuple(dict.fromkeys(called.values())),
        items=items,
        replies=_replies(runs, names, called),
        repeats={} if pool else repeats,
        differences=differences,
        troubles=troubles,
        judged_by_rule=all(run.manifest.judged_by == "rule" for run in runs),
    )


def panel_of(run: EvaluationRun) -> tuple[str, ...]:
    """The seats that judged a run; those that voted where an older run does not name its panel."""
    return run.manifest.judges or tuple(sorted({vote.judge for grade in run.grades for vote in grade.votes} - {BY_RULE}))


def _whole(folder: Path) -> EvaluationRun:
    if not (folder / "run.json").is_file():
        raise InputError(f"{str(folder)!r} is no evaluation run: it has no run.json. Give the folder that 'tracedance evaluate' wrote.")
    run = read_run(folder)
    check_complete(run)
    return run


def _names(folders: Sequence[Path]) -> tuple[str, ...]:
    """The folders' own names where those differ, else their paths."""
    short = [folder.resolve().name for folder in folders]
    return tuple(short) if len(set(short)) == len(short) else tuple(str(folder) for folder in folders)


def _refuse_twice(runs: Sequence[EvaluationRun], names: Sequence[str]) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for run, name in zip(runs, names, strict=True):
        held = tuple(run.files[part] for part in ("run.json", "responses.jsonl", "grades.jsonl"))
        if held in seen:
            raise InputError(f"{seen[held]!r} and {name!r} are one run. Give it once.")
        seen[held] = name


def _differences(runs: Sequence[EvaluationRun], names: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each way in which a run was judged unlike the first."""
    first = yardstick(runs[0])
    found = []
    for run, name in zip(runs[1:], names[1:], strict=True):
        other = yardstick(run)
        for what in sorted(first.keys() & other.keys()):
            if first[what] != other[what]:
                found.append(f"{names[0]!r} and {name!r} were judged differently: {what} {first[what]!r} and {other[what]!r}.")
    return tuple(found)


def _items(runs: Sequence[EvaluationRun], known: Mapping[str, Family]) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Every instance of every benchmark, once, sorted; InputError where two runs hold different benchmarks of one name."""
    digests: dict[str, str] = {}
    items: dict[tuple[str, str], Item] = {}
    had: set[str] = set()
    troubles: dict[str, str] = {}
    for run in runs:
        responses: dict[str, list[Response]] = {}
        for row in run.responses:
            responses.setdefault(row.benchmark, []).append(row)
        for asked in run.manifest.benchmarks:
            if digests.setdefault(asked.name, asked.digest) != asked.digest:
                raise InputError(f"The benchmark {asked.name!r} is another one in {str(run.folder)!r}. Evaluate both runs on the same.")
            if asked.name in had and asked.name not in troubles:
                continue
            had.add(asked.name)
            benchmark, trouble = evaluated_benchmark(asked, run.folder)
            troubles.pop(asked.name, None)
            if trouble:
                troubles[asked.name] = (
                    f"{asked.name}: sessions, harness and source model are not known, so each instance stands alone. {trouble}"
                )
            items |= {item.key: item for item in _of_benchmark(asked, benchmark, responses.get(asked.name, []), known)}
    return tuple(items[key] for key in sorted(items)), tuple(troubles[name] for name in sorted(troubles))


def _of_benchmark(
    asked: RunBenchmark, benchmark: Benchmark | None, responses: Sequence[Response], known: Mapping[str, Family]
) -> list[Item]:
    domain = str(benchmark.manifest.parameters.get("domain") or UNKNOWN) if benchmark else UNKNOWN
    told: dict[str, dict[str, Any]] = {row.instance: {"family": row.family} for row in responses}
    if benchmark:
        wanted = ("family", "harness", "setting", "session", "source_model")
        told |= {one.id: {name: getattr(one, name) for name in wanted} for one in benchmark.instances if one.id in told}
    found = []
    for instance, about in told.items():
        family = known.get(about["family"])
        found.append(
            Item(
                benchmark=asked.name,
                instance=instance,
                frame=about["family"].partition("/")[0],
                group=family.card.group if family else UNKNOWN,
                domain=domain,
                joint=len(asked.families) > 1,
                specific=family is None,
                **about,
            )
        )
    return found


def _replies(runs: Sequence[EvaluationRun], names: Sequence[str], called: Mapping[tuple[str, str], str]) -> tuple[Reply, ...]:
    """Every sample of every model; the samples of a pooled run come after those of the runs before it."""
    replies: list[Reply] = []
    taken: Counter[str] = Counter()
    for run, name in zip(runs, names, strict=True):
        grades = {(row.benchmark, row.instance, row.model, row.sample): row for row in run.grades}
        for row in run.responses:
            model = called[name, row.model]
            replies.append(_reply(row, grades.get((row.benchmark, row.instance, row.model, row.sample)), model, taken[model]))
        taken.update({called[name, model]: run.manifest.samples for model in run.manifest.models})
    return tuple(replies)


def _reply(response: Response, grade: Grade | None, model: str, offset: int) -> Reply:
    word = word_of(response, grade)
    action, kind, acts = action_of(response.tool_calls) if response.status == "ok" else ("", "", False)
    votes = grade.votes if grade and word == "valid" else ()
    return Reply(
        benchmark=response.benchmark,
        instance=response.instance,
        model=model,
        sample=offset + response.sample,
        word=word,
        scores=lowest(votes),
        passed=grade.passed if grade and word == "valid" else None,
        action=action,
        action_class=kind,
        acts=acts,
    )


def lowest(votes: Sequence[JudgeScore]) -> dict[str, int]:
    """Each seat's score; under two rubrics the lower one, since both must be met."""
    scores: dict[str, int] = {}
    for vote in votes:
        if vote.score is not None:
            scores[vote.judge] = min(vote.score, scores.get(vote.judge, vote.score))
    return scores


def word_of(response: Response, grade: Grade | None) -> str:
    """`valid`, or why a response is not: its own status where that says so, else the grade's."""
    if grade is not None and grade.status == "scored" and grade.passed is not None:
        return "valid"
    if response.status not in ("ok", "empty"):
        return response.status
    return grade.status if grade is not None else "unscored"
