"""What a run says of its responses and of its judging, beside the rates: for rates.json and `--json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tracedance.analyse.rates import pass_rate
from tracedance.evaluate import makers
from tracedance.evaluate.judging import VOID, Judged, words_on_recorded
from tracedance.evaluate.plan import Plan
from tracedance.kit.first_action import TEXT_ONLY
from tracedance.schema import Grade, JudgeScore, Response


def answers(responses: Sequence[Response]) -> list[dict[str, Any]]:
    """By benchmark and model: how many turns came as what, and what the whole ones do first, by class and by tool."""
    groups: dict[tuple[str, str], list[Response]] = {}
    for response in responses:
        groups.setdefault((response.benchmark, response.model), []).append(response)
    return [
        {
            "benchmark": benchmark,
            "model": model,
            "statuses": counted(row.status for row in rows),
            "first_actions": counted(row.action_class for row in rows if row.action_class),
            "first_tools": counted(row.first_action for row in rows if row.first_action and row.first_action != TEXT_ONLY),
            "reasoning_removed": sum(row.reasoning_removed > 0 for row in rows),
        }
        for (benchmark, model), rows in sorted(groups.items())
    ]


def judging(plan: Plan, judged: Judged) -> dict[str, Any]:
    """Who judged and how: what each seat gave, how it did on its probes, and where the families' checks say otherwise."""
    grades = judged.grades
    told = [
        grade for grade in grades if grade.judged_by == "panel" and grade.status == "scored" and grade.check in ("violates", "satisfies")
    ]
    families = {name for benchmark in plan.benchmarks for name in benchmark.manifest.families}
    return {
        "mode": plan.ruling.mode,
        "quorum": plan.ruling.quorum,
        "seats": [seat_row(seat, plan, grades) for seat in plan.seats],
        "probes": [probe.model_dump(mode="json") for probe in judged.probes],
        "without_probes": sorted(families - {probe.family for probe in judged.probes}) if plan.seats else [],
        "by_rule": sum(any(vote.judge == "rule" for vote in grade.votes) for grade in grades),
        "partial": sum(grade.status == "partial" for grade in grades),
        "checks": {"compared": len(told), "contradictions": sum(grade.contradiction for grade in told)},
        "recorded_turns": [{"benchmark": name, **dict(sorted(words.items()))} for name, words in sorted(words_on_recorded(plan).items())],
        "without_own": without_own(plan, grades),
        "warnings": makers.warnings(plan.models, plan.seats, plan.makers),
    }


def seat_row(seat: str, plan: Plan, grades: Sequence[Grade]) -> dict[str, Any]:
    """What one seat gave: scores + abstained + errors + void = votes."""
    votes = [vote for grade in grades for vote in grade.votes if vote.judge == seat]
    scores = [vote.score for vote in votes if vote.score is not None]
    words = Counter(word_of(vote) for vote in votes)
    return {
        "judge": seat,
        "maker": plan.makers[seat],
        "votes": len(votes),
        "scores": len(scores),
        "abstained": words["abstain"],
        "errors": words["error"],
        "void": words["void"],
        "mean": sum(scores) / len(scores) if scores else None,
    }


def word_of(vote: JudgeScore) -> str:
    """`score`, `abstain`, `error`, or `void` for a seat that failed its probes."""
    return "void" if vote.error.startswith(VOID) else vote.status


def without_own(plan: Plan, grades: Sequence[Grade]) -> list[dict[str, Any]]:
    """Pass rates of the models that a seat of their own maker judged, without that seat."""
    rows = []
    for benchmark in plan.benchmarks:
        for model in plan.models:
            mine = [grade for grade in grades if (grade.benchmark, grade.model) == (benchmark.manifest.name, model)]
            judges = sorted({judge for grade in mine for judge in grade.own_judges})
            if judges:
                told = [
                    (grade.instance, "passed" if grade.passed_without_own else "not_passed")
                    for grade in mine
                    if grade.mean_without_own is not None
                ]
                row = pass_rate(benchmark.manifest.name, benchmark.manifest.families, model, told)
                about = row.model_dump(mode="json", include={"benchmark", "model", "assessed", "passed", "pass_rate", "interval"})
                rows.append({**about, "left_out": judges})
    return rows


def counted(words: Any) -> dict[str, int]:
    """How often each occurs, by name."""
    return dict(sorted(Counter(words).items()))
