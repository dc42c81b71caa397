"""The printed figures of the statistics, the decisions recorded about them, and what happens at their edges."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, fisher_exact

from tracedance.gate.exact import fisher, interval_reaches, share_at_most
from tracedance.gate.workbench.sample import comparison_check, number_check, sprt_check, wilson_check, wilson_ends
from tracedance.gate.workbench.sequential import Ratio
from tracedance.schema import Check, ComparisonSpec, SprtSpec, Thresholds

WILSON = """1/1 .2065; 2/2 .3424; 3/3 .4385; 5/5 .5655; 6/10 .3127; 7/10 .3968; 8/10 .4902; 9/10 .5958; 10/10 .7225; 19/20 .7639;
20/20 .8389; 80/100 .7112; 90/100 .8256"""


@pytest.mark.parametrize("vector", [part.split() for part in WILSON.split(";")], ids=lambda vector: vector[0])
def test_the_lower_bound_is_the_printed_one(vector: list[str]) -> None:
    passed, n = map(int, vector[0].split("/"))
    assert wilson_ends(passed, n, 1.96)[0] == pytest.approx(float(vector[1]), abs=5e-5)


def test_a_one_sided_bound_at_95_percent_is_a_setting() -> None:
    z = 1.644854  # which the figures' source writes as 1.6449
    assert wilson_ends(10, 10, z)[0] == pytest.approx(0.7871, abs=5e-5)
    assert wilson_ends(6, 10, z)[0] == pytest.approx(0.3516, abs=5e-5)


def wilson(passed: int, n: int, floor: float, **values: object) -> Check:
    check = wilson_check([True] * passed + [False] * (n - passed), Thresholds.model_validate({"min_wilson_pass_rate": floor, **values}))
    assert check is not None
    return check


@pytest.mark.parametrize(("floor", "n"), [(0.7, 9), (0.8, 16), (0.9, 35), (0.95, 73)])
def test_the_fewest_runs_that_reach_a_floor(floor: float, n: int) -> None:
    assert wilson(n, n, floor).verdict == "PASS"
    assert wilson(n - 1, n - 1, floor).verdict == "FAIL"
    assert f"{n} runs that all pass reach it" in wilson(n - 1, n - 1, floor).reason


def test_the_seeds_own_example_cannot_pass_with_one_run() -> None:
    assert wilson(1, 1, 0.7).verdict == "FAIL"
    assert wilson(6, 10, 0.7).verdict == wilson(9, 10, 0.7).verdict == "FAIL"


def test_in_three_ways_too_few_runs_are_inconclusive_and_a_low_rate_fails() -> None:
    assert wilson(9, 10, 0.7, wilson_policy="three_way").verdict == "INCONCLUSIVE"
    assert wilson(2, 10, 0.7, wilson_policy="three_way").verdict == "FAIL"
    assert wilson(10, 10, 0.7, wilson_policy="three_way").verdict == "PASS"


def test_no_run_is_inconclusive_and_no_division() -> None:
    assert number_check(0, 1).verdict == wilson(0, 0, 0.5).verdict == "INCONCLUSIVE"
    with pytest.raises(ValueError, match="no run"):
        wilson_ends(0, 0, 1.96)


def test_too_few_runs_are_inconclusive() -> None:
    assert (number_check(4, 5).verdict, number_check(5, 5).verdict) == ("INCONCLUSIVE", "PASS")


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 60), st.data())
def test_the_exact_decision_is_that_of_the_formula(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    floor = data.draw(st.integers(0, 100))
    low = wilson_ends(passed, n, 1.96)[0]
    if abs(low - floor / 100) > 1e-9:
        assert interval_reaches(passed, n, Fraction(floor, 100), Fraction("1.96") ** 2) == (low >= floor / 100)


def sprt(runs: str, **values: object) -> tuple[str, int | None]:
    spec = SprtSpec.model_validate({"enabled": True, **values})
    told = {"p": True, "f": False, "?": None}
    check, state = sprt_check([told[run] for run in runs], [f"r{number}" for number in range(len(runs))], spec)
    assert check.verdict == state.verdict
    return state.verdict, state.crossed_at


def test_the_boundaries_and_steps_are_the_printed_ones() -> None:
    ratio = Ratio(SprtSpec())
    assert (ratio.upper, ratio.lower) == pytest.approx((2.7726, -1.5581), abs=5e-5)
    assert ratio.steps == pytest.approx((-0.17185, 1.38629), abs=5e-6)
    assert ratio.upper == pytest.approx(math.log(0.8 / 0.05))


def test_ten_passes_accept_and_two_failures_are_not_yet_enough() -> None:
    assert sprt("p" * 9) == ("INCONCLUSIVE", None)
    assert sprt("p" * 10) == ("PASS", 10)


def test_all_failing_runs_reach_fail_at_the_third() -> None:
    assert sprt("ff") == ("INCONCLUSIVE", None)
    assert sprt("fff") == ("FAIL", 3)


@pytest.mark.parametrize(("passed", "said"), [(10, "PASS"), (9, "INCONCLUSIVE"), (8, "INCONCLUSIVE"), (7, "FAIL"), (3, "FAIL")])
def test_the_totals_of_ten_runs(passed: int, said: str) -> None:
    assert sprt("p" * passed + "f" * (10 - passed), look="final")[0] == said


def test_the_first_crossing_decides_and_later_runs_do_not_pull_it_back() -> None:
    runs = "fff" + "p" * 40
    assert sprt(runs) == ("FAIL", 3)
    assert sprt(runs, look="final") == ("PASS", 3)
    assert sprt("p" * 10 + "fff") == ("PASS", 10)


def test_the_order_of_the_runs_is_part_of_the_input() -> None:
    assert sprt("fff" + "p" * 10)[0] == "FAIL"
    assert sprt("p" * 10 + "fff")[0] == "PASS"


def test_a_run_that_cannot_be_judged_leaves_the_test_open_where_it_matters() -> None:
    assert sprt("p" * 9 + "?")[0] == "INCONCLUSIVE"
    assert sprt("p" * 10 + "?") == ("PASS", 10)
    assert sprt("fff?")[0] == "FAIL"


@pytest.mark.parametrize(("rate", "wrong", "most"), [(0.95, "FAIL", 0.05), (0.8, "PASS", 0.2)])
def test_the_error_rates_hold_at_both_hypotheses(rate: float, wrong: str, most: float) -> None:
    rng = random.Random(5)
    ended = [sprt("".join("p" if rng.random() < rate else "f" for _ in range(120)))[0] for _ in range(600)]
    assert ended.count(wrong) / len(ended) <= most + 0.02


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_the_exact_test_agrees_with_scipy(n: int, m: int, data: st.DataObject) -> None:
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    assert float(fisher((a, n), (b, m))) == pytest.approx(fisher_exact([[a, n - a], [b, m - b]], alternative="greater").pvalue, rel=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 200), st.integers(0, 99), st.data())
def test_the_quick_binomial_agrees_with_scipy(n: int, rate: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    assert share_at_most(k, n, rate / 100) == pytest.approx(binom.cdf(k, n, rate / 100), rel=1e-9, abs=1e-15)


def test_a_comparison_fails_passes_and_says_when_it_could_not_tell() -> None:
    def compare(old: tuple[int, int], new: tuple[int, int], **values: float) -> Check:
        sides = ([True] * passed + [False] * (n - passed) for passed, n in (old, new))
        return comparison_check(*sides, ComparisonSpec(**values))

    assert compare((19, 20), (10, 20)).verdict == "FAIL"
    assert compare((19, 20), (18, 20)).verdict == "PASS"
    assert compare((2, 2), (2, 2)).verdict == "INCONCLUSIVE"
    few = compare((19, 20), (18, 20), detect=0.2)
    assert few.verdict == "INCONCLUSIVE" and few.facts["detectable_drop_points"] > 20
    assert compare((95, 100), (94, 100), detect=0.2).verdict == "PASS"
