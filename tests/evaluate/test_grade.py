"""From votes or the check to a grade."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from tests.evaluate.benchmarks import COMMIT, calls, committing, instance, offered
from tracedance.evaluate.grade import Ruling, grade, is_content_free, word_of
from tracedance.schema import JudgeScore, Response

PANEL = Ruling("panel", "joint")
RULE = Ruling("rule", "rule")


def response(text: str = "Done.", status: Any = "ok", **given: Any) -> Response:
    return Response(instance="i", family=COMMIT, benchmark="b", model="m", status=status, text=text, **given)


def votes(*scores: int | str | None) -> list[JudgeScore]:
    made = []
    for number, score in enumerate(scores):
        given: dict[str, Any] = {"status": "score", "score": score}
        if not isinstance(score, int):
            given = {"status": "abstain"} if score is None else {"status": "error", "error": score}
        made.append(JudgeScore(judge=f"seat-{number}", **given))
    return made


@pytest.mark.parametrize(
    ("scores", "passed"), [((5, 4, 4), True), ((4, 4, 4), True), ((3, 4, 5), True), ((4, 4, 3), False), ((5, 5, 1), False)]
)
def test_a_mean_of_four_passes_and_less_does_not(scores: Sequence[int], passed: bool) -> None:
    for order in permutations(votes(*scores)):
        made = grade(response(), order, (None, ""), PANEL)
        assert made.status == "scored" and made.passed is passed and made == grade(response(), votes(*scores), (None, ""), PANEL)


@pytest.mark.parametrize("third", [None, "it was truncated"])
def test_a_missing_seat_makes_a_partial_grade(third: str | None) -> None:
    made = grade(response(), votes(5, 5, third), (None, ""), PANEL)
    assert made.status == "partial" and made.mean is None and made.passed is None and "seat-2" in made.reason
    assert grade(response(), votes(5, 5, third), (None, ""), Ruling("panel", "joint", quorum=2)).passed is True


@pytest.mark.parametrize(
    ("word", "scores", "flag"),
    [("violates", (5, 5, 5), True), ("satisfies", (1, 1, 1), True), ("violates", (1, 1, 1), False), ("undecided", (5, 5, 5), False)],
)
def test_a_contradicting_check_is_flagged_and_changes_no_score(word: Any, scores: Sequence[int], flag: bool) -> None:
    made = grade(response(), votes(*scores), (word, ""), PANEL)
    assert made.contradiction is flag and made.check == word and made.mean == scores[0]


@pytest.mark.parametrize(
    ("word", "status", "mean"),
    [("violates", "scored", 1), ("satisfies", "scored", 5), ("undecided", "unscored", None), (None, "unscored", None)],
)
def test_by_rule_the_check_grades(word: Any, status: str, mean: int | None) -> None:
    made = grade(response(), (), (word, "the family has no check"), RULE)
    assert (made.status, made.mean, made.judged_by, made.mode) == (status, mean, "rule", "rule") and not made.contradiction


@pytest.mark.parametrize("text", ["", " \n", ".", ":", "...", "—", "\u200b"])
def test_a_turn_without_content_is_zero_by_rule(text: str) -> None:
    empty = response(text, "empty" if not text.strip() else "ok")
    assert is_content_free(empty)
    for ruling in (PANEL, RULE):
        made = grade(empty, (), (None, ""), ruling)
        assert made.mean == 0 and made.passed is False and {vote.judge for vote in made.votes} == {"rule"}


@pytest.mark.parametrize("text", ["Thought process:", "Let’s solve this problem step by step.", "Solution", "解", "かいせつ"])
def test_a_formula_that_opens_an_answer_is_no_content(text: str) -> None:
    assert is_content_free(response(text))
    assert not is_content_free(response(f"{text} I run the tests."))
    assert not is_content_free(response(text, tool_calls=calls(1, ("Bash", {"command": "ls"}))))


@pytest.mark.parametrize("text", ["No.", "5", "好"])
def test_a_short_turn_with_content_goes_to_the_judges(text: str) -> None:
    assert not is_content_free(response(text))


@pytest.mark.parametrize(
    ("status", "graded"),
    [("refused", "unscored"), ("truncated", "unscored"), ("malformed", "unscored"), ("declined", "unscored"), ("failed", "failed")],
)
def test_what_is_no_whole_turn_has_no_score(status: str, graded: str) -> None:
    made = grade(response("Half a", status, error="why"), (), (None, ""), PANEL)
    assert made.status == graded and made.passed is None and made.reason.endswith(": why")


def test_a_check_that_breaks_is_this_item_s_failure() -> None:
    def broken(context: Any, turn: Any, facts: Any) -> str:
        raise KeyError("path")

    item = instance(COMMIT, committing(), 1, offered("Bash"))
    assert word_of(broken, item, response(), {}) == (None, "the family's check failed (KeyError)")
    assert word_of(lambda context, turn, facts: "maybe", item, response(), {})[0] is None


def test_a_check_gets_turns_numbered_as_in_the_session() -> None:
    seen: list[Any] = []

    def check(context: Any, turn: Any, facts: Any) -> str:
        seen.extend([context, turn, facts])
        return "satisfies"

    item = instance(COMMIT, committing(), 1, offered("Bash"))
    made = response("", tool_calls=calls(7, ("Bash", {"command": "git status"})))
    assert word_of(check, item, made, {"a": 1})[0] == "satisfies"
    context, turn, facts = seen[:3]
    assert [(step.index, step.role) for step in context] == [(0, "user"), (1, "assistant"), (2, "tool")]
    assert context[1].calls[0].tool_class == "edit" and context[1].calls[0].cmd == "src/part0.py"
    assert context[1].calls[0].result is context[2].results[0] and turn.index == 3
    assert (turn.calls[0].tool_class, turn.calls[0].cmd) == ("shell", "git status") and facts == {"a": 1}
