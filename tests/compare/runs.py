"""Run folders over real published benchmarks, from a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.evaluate.benchmarks import CANARY, COMMIT, RUBRICS, calls, committing, instance, offered
from tracedance.analyse.rates import rates, summary
from tracedance.evaluate import folder as run_folder
from tracedance.schema import Benchmark, CheckRow, Grade, JudgeScore, Manifest, Response, RunManifest, SourceTurn
from tracedance.store.benchmarks import read_benchmark, write_benchmark

JUDGES = ("gpt-judge", "claude-judge", "gemini-judge")
READS = ("Read", {"file_path": "src/part0.py"})
PLANS = ("TodoWrite", {"todos": []})

Cell = tuple[int, ...] | str
"""The judges' scores, or a response's status: empty, refused, truncated, failed, declined; `partial` for a seat that is missing."""


@dataclass(frozen=True)
class Made:
    """What a benchmark is made of."""

    name: str
    family: str = COMMIT
    size: int = 4
    sessions: Sequence[str] = ()
    source_models: Sequence[str] = ("some-model",)
    also: str = ""
    """A second family: an AND benchmark."""


def publish(folder: Path, made: Made) -> Benchmark:
    """A published benchmark, read back."""
    rows = []
    for number in range(made.size):
        one = instance(made.family, committing(number), number, offered("Bash", "Edit", "Read"))
        session = made.sessions[number] if made.sessions else f"{made.name}-{number}"
        model = made.source_models[number % len(made.source_models)]
        rows.append(one.model_copy(update={"id": f"{abs(hash_of(made.name)):012x}{number:08x}", "session": session, "source_model": model}))
    source = SourceTurn(text="Now on with it.", tool_calls=calls(50, READS), model="some-model")
    checks = [CheckRow(instance=row.id, facts={}, source=source, confirmed_by="rule", canary=CANARY) for row in rows]
    families = (made.family, made.also) if made.also else (made.family,)
    about = Manifest(
        schema="tracedance.benchmark/v1",
        name=made.name,
        query=None,
        families=families,
        digests={},
        instances=len(rows),
        counts={},
        dropped={},
        confirmed_by=("rule",),
        seed=0,
        canary=CANARY,
        files=(),
    )
    return read_benchmark(write_benchmark(about, rows, checks, dict.fromkeys(families, RUBRICS[COMMIT]), folder))


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    return int.from_bytes(text.encode()[-5:], "big")


Scores = Callable[[str, str, int, int], Cell]
"""(model, benchmark, number of the instance, sample) -> cell."""
Calls = Callable[[str, str, int], Sequence[tuple[str, Mapping[str, Any]]]]


def reads(model: str, benchmark: str, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """Every response reads a file."""
    return (READS,)


def write_run(out: Path, benchmarks: Sequence[Benchmark], models: Sequence[str], scores: Scores, **more: Any) -> Path:
    """A finished run; `more`: judges, samples, seed, mode, quorum, called (a Calls), check (a word by model and number)."""
    judges, samples = more.get("judges", JUDGES), more.get("samples", 1)
    called: Calls = more.get("called", reads)
    rule = judges == ("rule",)
    manifest = RunManifest(
        judged_by="rule" if rule else "panel",
        mode="rule" if rule else more.get("mode", "joint"),
        models=tuple(models),
        benchmarks=tuple(run_folder.benchmark_entry(one, out) for one in benchmarks),
        samples=samples,
        seed=more.get("seed", 0),
        quorum=more.get("quorum", 3),
    )
    responses, grades = [], []
    for one in benchmarks:
        for number, item in enumerate(one.instances):
            for model in models:
                for sample in range(samples):
                    who = {"instance": item.id, "family": item.family, "benchmark": one.manifest.name, "model": model, "sample": sample}
                    cell = scores(model, one.manifest.name, number, sample)
                    made = calls(90, *called(model, one.manifest.name, number))
                    status = cell if isinstance(cell, str) and cell != "partial" else "ok"
                    responses.append(
                        Response(
                            **who, status=status, text="On with it." if status != "empty" else "", tool_calls=made if status == "ok" else ()
                        )
                    )
                    grades.append(Grade(**who, **checked(graded(cell, judges, manifest), more.get("check", unchecked)(model, number))))
    out.mkdir(parents=True)
    (out / "run.json").write_text(run_folder.pretty(manifest.model_dump(mode="json", by_alias=True)))
    table = rates(responses, grades, benchmarks, samples, models)
    run_folder.finish(out, responses, grades, {"run": out.name, "judged_by": manifest.judged_by, "results": summary(table)})
    return out


def unchecked(model: str, number: int) -> str | None:
    """No check has a word."""
    return None


def checked(told: dict[str, Any], word: str | None) -> dict[str, Any]:
    """The fields of a grade with a check's word beside them."""
    against = told["passed"] is not None and word in ("violates", "satisfies") and told["passed"] == (word == "violates")
    return {**told, "check": word, "contradiction": against}


def graded(cell: Cell, judges: Sequence[str], manifest: RunManifest) -> dict[str, Any]:
    """The fields of a grade; a turn with nothing in it is 0 by rule."""
    if cell == "empty":
        cell, judges = (0,) * len(judges), ("rule",) * len(judges)
    how: dict[str, Any] = {"judged_by": manifest.judged_by, "mode": manifest.mode, "mean": None, "passed": None}
    if cell == "partial":
        votes = [JudgeScore(judge=judge, status="error", error="no answer") for judge in judges]
        return {**how, "status": "partial", "votes": tuple(votes)}
    if isinstance(cell, str):
        return {**how, "status": "failed" if cell == "failed" else "unscored"}
    votes = [JudgeScore(judge=judge, status="score", score=score, rationale="Said.") for judge, score in zip(judges, cell, strict=True)]
    return {**how, "status": "scored", "votes": tuple(votes), "mean": sum(cell) / len(cell), "passed": sum(cell) >= 4 * len(cell)}


def passing(*shares: float, models: Sequence[str] = ("strong", "weak")) -> Scores:
    """Each model passes the first `share` of every ten instances."""
    share = dict(zip(models, shares, strict=True))
    return lambda model, benchmark, number, sample: (5, 4, 5) if number % 10 < 10 * share[model] else (1, 2, 1)
