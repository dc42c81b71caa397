"""The judges among themselves: how each scores, and how far they agree. Nothing here says who is right: people's labels do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tracedance.analyse.agreement import Metric, cohen_kappa, krippendorff_alpha, raw_agreement
from tracedance.analyse.observations import Reply
from tracedance.analyse.pass_rules import judges_of
from tracedance.compare.replies import compared

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison

LEVELS = range(6)
PASS = 4


def tables(about: Comparison) -> dict[str, Any]:
    """`judges`, over the compared responses that a panel scored, and `checks`, over those of them that a family's check decides as well;
    those scored by rule have no judge to agree.
    """
    replies = [reply for reply in compared(about) if "rule" not in reply.scores]
    names = judges_of(replies)
    scores = {judge: [reply.scores.get(judge) for reply in replies] for judge in names}
    metrics: tuple[Metric, ...] = ("nominal", "ordinal", "interval") if len(names) > 1 else ()
    return {
        "judges": {
            "used": "complete",
            "responses": len(replies),
            "alpha": {metric: krippendorff_alpha(list(scores.values()), metric) for metric in metrics},
            "rows": [_row(judge, replies) for judge in names],
            "pairs": [_pair(one, other, replies) for one, other in combinations(names, 2)],
        },
        "checks": {"used": "complete", "rows": checked(about)},
    }


def checked(about: Comparison) -> list[dict[str, Any]]:
    """By model: how many compared responses a panel scored and a check decided, and in how many they say the opposite."""
    kept = {item.key for item in about.complete.items}
    rows: dict[str, Counter[str]] = {model: Counter() for model in about.models}
    for run, name in zip(about.given.runs, about.given.names, strict=True):
        for grade in run.grades:
            model = about.given.called[name, grade.model]
            decided = grade.judged_by == "panel" and grade.passed is not None and grade.check in ("violates", "satisfies")
            if decided and model in rows and (grade.benchmark, grade.instance) in kept:
                side = ("panel_passes" if grade.passed else "panel_fails") if grade.contradiction else "agreed"
                rows[model].update(("compared", side))
    names = ("panel_passes", "panel_fails")
    return [
        {"model": model, "compared": n["compared"], "contradictions": sum(n[name] for name in names), **{name: n[name] for name in names}}
        for model, n in rows.items()
        if n["compared"]
    ]


def _row(judge: str, replies: Sequence[Reply]) -> dict[str, Any]:
    mine = [reply.scores[judge] for reply in replies if judge in reply.scores]
    counts = Counter(mine)
    others = [score for reply in replies if judge in reply.scores for name, score in reply.scores.items() if name != judge]
    mean = sum(mine) / len(mine)
    return {
        "judge": judge,
        "responses": len(mine),
        "mean": mean,
        "above_others": mean - sum(others) / len(others) if others else None,
        "pass_rate": sum(score >= PASS for score in mine) / len(mine),
        "scores": [counts[level] for level in LEVELS],
    }


def _pair(one: str, other: str, replies: Sequence[Reply]) -> dict[str, Any]:
    both = [(reply.scores[one], reply.scores[other]) for reply in replies if one in reply.scores and other in reply.scores]
    passes = [mine >= PASS for mine, _ in both], [theirs >= PASS for _, theirs in both]
    return {"first": one, "second": other, "responses": len(both), "agreement": raw_agreement(*passes), "kappa": cohen_kappa(*passes)}
