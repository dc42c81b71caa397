"""Rates account for every instance, sample and model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation_runs import benchmark, grade, instance, response
from tracedance.analyse.rates import rates, summary
from tracedance.kit.intervals import wilson

WORDS = ("pass", "fail", "near", "tie", "partial", "undecided", "declined", "failed", "no response", "no grade")


def tables(words: list[str], samples: int = 1) -> dict[str, object]:
    items = [instance(number=number) for number in range(len(words) // samples)]
    responses = [response(items[place // samples], "m", word, place % samples) for place, word in enumerate(words) if word != "no response"]
    grades = [
        grade(items[place // samples], "m", word, place % samples)
        for place, word in enumerate(words)
        if word not in ("no response", "no grade")
    ]
    return summary(rates(responses, grades, [benchmark(items)], samples, ["m"]))[0]


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_assessed_unscored_and_failed_are_all_there_is(words: list[str]) -> None:
    row = tables(words)
    assert row["assessed"] + row["unscored"] + row["failed"] == len(words)  # type: ignore[operator]
    assert row["passed"] == words.count("pass") + words.count("tie")
    assert row["failed"] == words.count("failed") + words.count("no response")


def test_a_mean_of_four_passes_and_a_mean_of_eleven_thirds_does_not() -> None:
    assert tables(["tie"])["passed"] == 1
    assert tables(["near"])["passed"] == 0
    assert tables(["near"])["assessed"] == 1


def test_a_missing_seat_is_unscored_and_counted_as_partial() -> None:
    item = instance()
    (row,) = rates([response(item, "m", "partial")], [grade(item, "m", "partial")], [benchmark([item])])
    assert (row.assessed, row.unscored, row.partial, row.pass_rate, row.interval) == (0, 1, 1, None, None)


def test_the_summary_has_the_stable_keys_and_lists() -> None:
    row = tables(["pass", "fail"])
    assert list(row) == ["benchmark", "families", "model", "assessed", "passed", "pass_rate", "interval", "unscored", "failed"]
    assert row["pass_rate"] == 0.5
    assert isinstance(row["interval"], list) and isinstance(row["families"], list)


def test_a_model_that_answered_nothing_has_a_row_of_failures() -> None:
    rows = rates([], [], [benchmark([instance(), instance(number=1)])], 2, ["silent"])
    assert [(row.model, row.failed, row.pass_rate) for row in rows] == [("silent", 4, None)]


def test_samples_count_each() -> None:
    assert tables(["pass", "fail", "pass", "failed"], samples=2)["assessed"] == 3


def test_samples_of_one_instance_do_not_narrow_the_interval() -> None:
    once, thrice = tables(["pass", "fail", "pass", "fail"]), tables(["pass"] * 3 + ["fail"] * 3 + ["pass"] * 3 + ["fail"] * 3, samples=3)
    assert thrice["assessed"] == 12 and thrice["interval"] == once["interval"]


def test_the_interval_with_samples_takes_the_rate_times_the_assessed_instances() -> None:
    assert tables(["pass", "pass", "fail", "pass", "failed", "failed"], samples=2)["interval"] == list(wilson(0.75 * 2, 2))


def test_two_grades_of_one_response_are_refused() -> None:
    item = instance()
    with pytest.raises(ValueError, match="Two grades"):
        rates([response(item, "m", "pass")], [grade(item, "m", "pass"), grade(item, "m", "fail")], [benchmark([item])])
