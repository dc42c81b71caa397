"""Pass rates of an evaluation, with everything that is not in the rate counted beside it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tracedance.kit.intervals import wilson
from tracedance.schema import Benchmark, Grade, PassRate, Response

Key = tuple[str, str, str, int]
"""(benchmark, instance, model, sample)."""

Row = TypeVar("Row", Response, Grade)


def rates(
    responses: Sequence[Response], grades: Sequence[Grade], benchmarks: Sequence[Benchmark], samples: int = 1, models: Sequence[str] = ()
) -> list[PassRate]:
    """One PassRate per benchmark and model: assessed + unscored + failed = instances x samples.

    `models` names those that must have a row though they answered nothing; others are found in the responses. Rows
    come in the order of the benchmarks, then of the models. Intervals are those of `pass_rate`.
    """
    answered, graded = keyed(responses, "response"), keyed(grades, "grade")
    names = list(dict.fromkeys([*models, *sorted({model for _, _, model, _ in (*answered, *graded)})]))
    table = []
    for benchmark in benchmarks:
        for model in names:
            keys = [(benchmark.manifest.name, instance.id, model, sample) for instance in benchmark.instances for sample in range(samples)]
            outcomes = [(key[1], outcome(answered.get(key), graded.get(key))) for key in keys]
            table.append(pass_rate(benchmark.manifest.name, benchmark.manifest.families, model, outcomes))
    return table


def outcome(response: Response | None, grade: Grade | None) -> str:
    """Where one response goes: `passed`, `not_passed`, `partial`, `unscored`, or `failed` (infrastructure: none could be had)."""
    if response is None or response.status == "failed" or (grade is not None and grade.status == "failed"):
        return "failed"
    if grade is None or response.status == "declined" or grade.status == "unscored":
        return "unscored"
    if grade.status == "partial":
        return "partial"
    return "passed" if grade.passed else "not_passed"


def pass_rate(benchmark: str, families: tuple[str, ...], model: str, outcomes: Iterable[tuple[str, str]]) -> PassRate:
    """The PassRate of (instance, `outcome`) pairs, one a response; neither a rate nor an interval where nothing was assessed.

    The rate p is passed / assessed over all samples. The interval's n is the number of distinct assessed instances, with p * n as the
    success count, which need not be whole: samples of one instance are alike, so repeating them narrows nothing. That is exact for one
    sample and wide rather than narrow for several (it takes samples of an instance to agree fully).
    """
    told = list(outcomes)
    counts = Counter(word for _, word in told)
    passed, partial = counts["passed"], counts["partial"]
    assessed = passed + counts["not_passed"]
    n = len({instance for instance, word in told if word in ("passed", "not_passed")})
    return PassRate(
        benchmark=benchmark,
        families=families,
        model=model,
        assessed=assessed,
        passed=passed,
        pass_rate=passed / assessed if assessed else None,
        interval=wilson(passed * n / assessed, n) if assessed else None,
        instances=n,
        unscored=counts["unscored"] + partial,
        failed=counts["failed"],
        partial=partial,
    )


def summary(table: Iterable[PassRate]) -> list[dict[str, Any]]:
    """The `results` of `evaluate --json`: plain JSON values, keys in the stable order."""
    keys = {"benchmark", "families", "model", "assessed", "passed", "pass_rate", "interval", "unscored", "failed"}
    return [row.model_dump(mode="json", include=keys) for row in table]


def keyed(rows: Sequence[Row], what: str) -> dict[Key, Row]:
    """Rows by benchmark, instance, model and sample; ValueError for two of the same."""
    found: dict[Key, Row] = {}
    for row in rows:
        key = (row.benchmark, row.instance, row.model, row.sample)
        if key in found:
            raise ValueError(f"Two {what}s for {key!r}; the run folder was written by two runs at once.")
        found[key] = row
    return found
