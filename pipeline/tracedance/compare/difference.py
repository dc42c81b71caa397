"""What another judging of the same responses changed: by model, by seat and by response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tracedance.analyse.rates import keyed
from tracedance.schema import Grade, JudgeScore

Pair = tuple[Grade, Grade]


def difference(before: Sequence[Grade], after: Sequence[Grade]) -> dict[str, Any]:
    """Two gradings of the same responses: passes by model, scores by seat, and every response whose grade or votes changed.

    `unchanged` are those with the same grade and the same votes, `same_outcome` those that pass, do not, or are not scored both times.
    """
    first, second = keyed(before, "grade"), keyed(after, "grade")
    pairs = [(first[key], second[key]) for key in sorted(first.keys() & second.keys())]
    rows = [row for pair in pairs if (row := of_response(*pair))]
    models = sorted({one.model for one, _ in pairs})
    return {
        "responses": len(pairs),
        "unchanged": len(pairs) - len(rows),
        "same_outcome": sum(one.passed == other.passed for one, other in pairs),
        "models": [of_model(model, [pair for pair in pairs if pair[0].model == model]) for model in models],
        "seats": seats(pairs),
        "changes": rows,
    }


def of_model(model: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Passes of one model before and after; `to_pass` and `to_fail` over responses that both gradings scored."""
    both = [(one.passed, other.passed) for one, other in pairs if one.passed is not None and other.passed is not None]
    return {
        "model": model,
        "before": {"scored": sum(one.passed is not None for one, _ in pairs), "passed": sum(one.passed is True for one, _ in pairs)},
        "after": {"scored": sum(other.passed is not None for _, other in pairs), "passed": sum(other.passed is True for _, other in pairs)},
        "both": len(both),
        "to_pass": both.count((False, True)),
        "to_fail": both.count((True, False)),
    }


def seats(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """By seat: its votes before and after, and how they moved where it scored both times."""
    names = sorted({vote.judge for pair in pairs for grade in pair for vote in grade.votes})
    return [of_seat(name, pairs) for name in names]


def of_seat(judge: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """One seat; a seat that sat only once has votes on one side alone."""
    told = [(scores_of(one, judge), scores_of(other, judge)) for one, other in pairs]
    moved = [after[rubric] - before[rubric] for before, after in told for rubric in before.keys() & after.keys()]
    return {
        "judge": judge,
        "scores_before": sum(len(before) for before, _ in told),
        "scores_after": sum(len(after) for _, after in told),
        "both": len(moved),
        "same": moved.count(0),
        "higher": sum(step > 0 for step in moved),
        "lower": sum(step < 0 for step in moved),
        "mean_change": sum(moved) / len(moved) if moved else None,
    }


def of_response(one: Grade, other: Grade) -> dict[str, Any] | None:
    """How the grade of one response changed; None where neither it nor a vote did. A seat without a vote, or without a score, is null."""
    judges = sorted({vote.judge for grade in (one, other) for vote in grade.votes})
    votes = {judge: [listed(one, judge), listed(other, judge)] for judge in judges}
    sides = [{"status": grade.status, "mean": grade.mean, "passed": grade.passed} for grade in (one, other)]
    if sides[0] == sides[1] and all(before == after for before, after in votes.values()):
        return None
    about = {"benchmark": one.benchmark, "instance": one.instance, "model": one.model, "sample": one.sample}
    return {**about, "before": sides[0], "after": sides[1], "seats": votes}


def listed(grade: Grade, judge: str) -> int | dict[str, int] | None:
    """A seat's score; by rubric where there are two."""
    scores = scores_of(grade, judge)
    return scores[""] if list(scores) == [""] else scores or None


def scores_of(grade: Grade, judge: str) -> dict[str, int]:
    """By rubric. A turn without content has the same vote by rule for every seat."""
    mine: list[JudgeScore] = [vote for vote in grade.votes if vote.judge == judge]
    return {vote.rubric: vote.score for vote in mine if vote.score is not None}
