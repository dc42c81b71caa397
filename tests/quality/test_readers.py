"""The figures of two readers agree with what can be counted by hand."""

from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from tests.quality.readers import agreement, compare


def row(place: str, *answers: str, status: str = "confirmed", kind: str = "hit") -> dict[str, Any]:
    names = ["question 1", "context_suffices", "decision_open"]
    return {
        "place": place,
        "family": "action/x",
        "kind": kind,
        "status": status,
        "reason": "" if status == "confirmed" else f"question 1: {answers[0]}",
        "answers": dict(zip(names, answers, strict=False)),
    }


def test_two_readers_are_compared_where_both_answered() -> None:
    first = [row("a", "yes", "yes", "yes"), row("b", "no", "yes", "yes", status="refused"), row("c")]
    second = [row("a", "yes", "yes", "no", status="refused"), row("b", "cannot_tell", "yes", "yes", status="refused"), row("c", "yes")]
    told = compare(first, second)
    assert (told["places"], told["unanswered"]) == (2, 1)
    assert told["context_suffices"] == {"n": 2, "equal": 1.0, "kappa": None} and told["decision_open"]["equal"] == 0.5
    assert told["divided"] == {"action/x question 1": "1 of 2", "decision_open": "1 of 2"}
    assert told["cannot tell"] == {"action/x question 1": 1}
    assert told["precision"] == {"action/x": {"places": 2, "both": 0, "one": 1, "none": 1}}


def test_readers_of_different_places_are_not_compared() -> None:
    with pytest.raises(SystemExit, match="different places"):
        compare([row("a", "yes")], [row("b", "yes")])


def test_kappa_is_cohen_s() -> None:
    pairs = [("yes", "yes")] * 6 + [("no", "no")] * 3 + [("yes", "no"), ("cannot_tell", "no")]
    assert agreement(pairs)["kappa"] == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)), abs=1e-3)
