"""The exact arithmetic against scipy and brute force."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from tracedance.gate.exact import (
    decimal,
    detectable_drop,
    holm,
    interval_is_below,
    least_bound,
    mcnemar,
    pairs_for,
    pairs_needed,
    share_is_below,
)
from tracedance.kit.intervals import wilson


@settings(max_examples=2000)
@given(st.integers(0, 300), st.integers(0, 300))
def test_the_paired_test_agrees_with_scipy(worse: int, better: int) -> None:
    expected = binomtest(worse, worse + better, 0.5, alternative="greater").pvalue if worse + better else 1.0
    assert float(mcnemar(worse, better)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", range(1, 11))
def test_the_paired_test_counts_the_worse_half_of_all_ways(n: int) -> None:
    for worse in range(n + 1):
        ways = sum(sum(signs) >= worse for signs in product((0, 1), repeat=n))
        assert mcnemar(worse, n - worse) == Fraction(ways, 2**n)


@pytest.mark.parametrize(("alpha", "pairs"), [(0.05, 5), (0.1, 4), (0.01, 7), (0.025, 6), (0.0625, 4), (0.5, 1), (0.9, 1)])
def test_it_knows_how_many_discordant_pairs_would_do(alpha: float, pairs: int) -> None:
    assert pairs_needed(decimal(alpha)) == pairs


def test_a_decimal_is_what_was_written() -> None:
    assert decimal(0.05) == Fraction(1, 20)
    assert decimal(1e-05) == Fraction(1, 100_000)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(1, 99))
def test_a_bound_on_a_share_agrees_with_scipy(case: tuple[int, int], points: int) -> None:
    found, n = case
    p = binomtest(found, n, points / 100, alternative="less").pvalue
    if abs(p - 0.05) > 1e-9:
        assert share_is_below(found, n, Fraction(points, 100), Fraction(1, 20)) == (p <= 0.05)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 8), st.integers(3, 60))
def test_the_fewest_pairs_and_the_least_bound_are_on_the_edge(found: int, points: int) -> None:
    alpha, bound = Fraction(1, 20), Fraction(points, 100)
    n = pairs_for(found, bound, alpha)
    assert n is not None and share_is_below(found, n, bound, alpha) and not share_is_below(found, n - 1, bound, alpha)
    least = least_bound(found, n, alpha)
    assert least is not None and least <= points / 100 and not share_is_below(found, n, decimal(least) - Fraction(1, 100), alpha)


def test_what_no_number_of_pairs_can_show_is_said() -> None:
    assert pairs_for(0, Fraction(1, 100_000), Fraction(1, 20)) is None
    assert least_bound(1, 1, Fraction(1, 20)) is None


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 1000))
def test_the_floor_is_compared_with_the_upper_end_of_the_interval(case: tuple[int, int], mille: int) -> None:
    high, floor = wilson(*case)[1], Fraction(mille, 1000)
    if abs(high - float(floor)) > 1e-9:
        assert interval_is_below(*case, floor) == (high < floor)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=8))
def test_holm_agrees_with_statsmodels(values: list[int]) -> None:
    mine = holm([Fraction(value, 1000) for value in values])
    assert [float(value) for value in mine] == pytest.approx(list(multipletests([value / 1000 for value in values], method="holm")[1]))


def test_a_detectable_drop_has_the_power_it_promises() -> None:
    points = detectable_drop(49, Fraction(1, 20))
    assert points == 14
    assert binomtest(5, 49, points / 100, alternative="greater").pvalue >= 0.8
    assert binomtest(5, 49, (points - 1) / 100, alternative="greater").pvalue < 0.8
    assert detectable_drop(4, Fraction(1, 20)) is None
