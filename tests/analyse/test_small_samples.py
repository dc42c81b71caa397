"""What a few benchmarks of a few instances can and cannot show."""

import math

import numpy as np
import pytest
from scipy.stats import binom
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

from tests.analyse.power import STUDIES, shown
from tests.analyse.small_cases import ACTIONS, SMALL, first_action, small_case
from tests.analyse.test_formulas import measured
from tracedance.analyse.agreement import Judged
from tracedance.analyse.bootstrap import bootstrap
from tracedance.analyse.contrasts import Values, contrast
from tracedance.analyse.corrected import corrected
from tracedance.analyse.detectable import Design, by_chance, detectable, exact_power, power_of
from tracedance.analyse.external import rank_correlation
from tracedance.analyse.facets import rates
from tracedance.analyse.pairs import mcnemar_exact, pairs
from tracedance.analyse.strata import difference_ends, hidden, rate_ends
from tracedance.compare.notes import leniency


def test_the_exact_tests_power_is_that_of_all_outcomes() -> None:
    n, won, lost = 14, 0.4, 0.1
    every = sum(
        math.comb(n, wins) * math.comb(n - wins, losses) * won**wins * lost**losses * (1 - won - lost) ** (n - wins - losses)
        for wins in range(n + 1)
        for losses in range(n + 1 - wins)
        if wins > losses and mcnemar_exact(wins, losses) <= 0.05
    )
    assert exact_power(n, won + lost, won - lost) == pytest.approx(every, abs=1e-9)


@pytest.mark.parametrize(("n", "least"), [(17, 0.45), (12, 0.6)])
def test_six_trials_that_differ_are_no_difference_shown_four_times_in_five(n: int, least: float) -> None:
    """Six of n all one way are what the test needs; a true difference of 6/n brings them in about three of five."""
    assert exact_power(n, 6 / n, 6 / n) == pytest.approx(binom.sf(5, n, 6 / n)) and 0.55 < binom.sf(5, n, 6 / n) < 0.67
    found = detectable(Design(n, 0, 0.0, (n,)))
    assert least < found < least + 0.09
    assert power_of(Design(n, 0, 0.0, (n,)), found) >= 0.8 > power_of(Design(n, 0, 0.0, (n,)), found - 0.005)
    assert detectable(Design(n, 0, 0.0, (n,)), 0.05 / 3) > found


def test_with_many_sessions_the_error_alone_says_what_is_detectable() -> None:
    """statsmodels' power of a one-sample z-test (ratio 0) at that difference, with a standard error of 0.03."""
    found = detectable(Design(10_000, 500, 0.03, (10_000,)))
    assert NormalIndPower().power(found / 0.03, 1, 0.05, ratio=0) == pytest.approx(0.8, abs=0.005)


def test_five_sessions_show_no_difference_at_all() -> None:
    data = measured([[1.0, 0.0]] * 5, [5])
    (pair,) = pairs(data, bootstrap(data, "instances", 0))
    assert math.isnan(pair.detectable) and not pair.differs


def test_what_differs_because_the_models_do_is_no_chance() -> None:
    assert by_chance(12, 0, mcnemar_exact(12, 0)) == 0
    assert by_chance(6, 4, mcnemar_exact(6, 4)) == 10


@pytest.mark.parametrize("study", [STUDIES[place] for place in (1, 3, 6)], ids=lambda study: study.name)
def test_a_difference_said_to_be_detectable_is_shown_four_times_in_five(study: object) -> None:
    for figure in shown(study, 150, 400):  # type: ignore[arg-type]
        assert not figure.fails, str(figure)


def test_sets_that_never_varied_hide_what_would_still_come_with_a_fortieth() -> None:
    last = proportion_confint(0, 28, method="beta")[1]
    assert hidden([1.0], [28]) == pytest.approx(last)
    assert hidden([0.25], [4]) == pytest.approx(0.25 * proportion_confint(0, 4, method="beta")[1])
    assert hidden([0.25] * 4, [7] * 4) == pytest.approx(last)
    assert hidden([], []) == hidden([0.0], [3]) == 0
    weights, counts = (0.3, 0.7), (4, 9)
    shares = np.linspace(0, 1 - 0.025 ** (1 / 4), 20_001)
    others = 1 - (0.025 / (1 - shares) ** 4) ** (1 / 9)
    assert hidden(weights, counts) == pytest.approx((weights[0] * shares + weights[1] * others).max(), abs=1e-6)


def test_one_benchmark_has_the_intervals_of_the_textbook() -> None:
    data = measured([[1.0, 0.0]] * 3 + [[0.0, 1.0]] + [[1.0, 1.0]] * 6, [10])
    assert rate_ends(data, 0) == pytest.approx(proportion_confint(9, 10, method="wilson"))
    # Bonett and Price: 4 won and 2 lost of 12.
    margin = 1.959963984540054 * math.sqrt((6 / 12 - (2 / 12) ** 2) / 12)
    assert difference_ends(data, 0, 1) == pytest.approx((2 / 12 - margin, 2 / 12 + margin))


def test_a_benchmark_that_passed_none_of_four_may_yet_pass_half() -> None:
    """With a rate of 45% there, 0 of 4 come in 9%: no interval may leave that out, and a difference's not what its rates' hold."""
    others = [[1.0, 0.0]] * 6 + [[0.0, 0.0]] * 4
    data = measured([[0.0, 0.0]] * 4 + others * 3, [4, 10, 10, 10])
    first, second = rates(data, 0)
    (pair,) = pairs(data, bootstrap(data, "instances", 0))
    truth = (0.45 + 3 * 0.6) / 4
    assert pair.difference == pytest.approx(0.45) and pair.low < 0.45 < truth < pair.high
    assert truth < first.high and second.rate == second.low == 0 < second.high
    assert pair.high >= first.high - 0.02


def test_no_pair_is_told_apart_whose_interval_holds_none() -> None:
    """Seven wins and no loss in a large benchmark, beside three instances with half of the weight that may be lost."""
    wins = [[1.0, 0.0]] * 7 + [[1.0, 1.0]] * 33
    data = measured([[1.0, 1.0]] * 3 + wins, [3, 40])
    (pair,) = pairs(data, bootstrap(data, "instances", 0))
    assert pair.p_bootstrap_holm < 0.05 and pair.p_exact_holm < 0.05
    assert pair.low < 0 < pair.high and not pair.differs


def test_a_side_of_one_session_may_be_otherwise() -> None:
    """Four of four responses against one of two, all of a single session: nothing is known of another session."""
    effect = contrast(Values(np.array([1.0] * 4 + [1.0, 0.0]), np.array([0, 1, 2, 3, 0, 0])), np.arange(6) < 4, 0)
    assert effect is not None and effect.difference == 0.5
    assert effect.low < 0 and effect.high > 0.9


@pytest.mark.parametrize("world", SMALL, ids=lambda world: world.name)
def test_intervals_hold_where_little_was_measured(world: object) -> None:
    for figure in small_case(world, 100, 250):  # type: ignore[arg-type]
        assert not figure.fails, str(figure)


@pytest.mark.parametrize("world", ACTIONS, ids=lambda world: world.name)
def test_differences_of_first_actions_hold_too(world: object) -> None:
    figure = first_action(world, 150)  # type: ignore[arg-type]
    assert not figure.fails, str(figure)


def correlation_of(one: list[float], other: list[float]) -> float | None:
    names = [f"m{place}" for place in range(len(one))]
    return rank_correlation(dict(zip(names, one, strict=True)), dict(zip(names, other, strict=True))).p


def test_kendalls_p_of_few_models_counts_the_permutations() -> None:
    assert correlation_of([1, 2, 3], [1, 1, 2]) == pytest.approx(2 / 3)
    assert correlation_of([1, 2, 3], [1, 2, 3]) == pytest.approx(1 / 3)
    # Of the 12 ways to put 1, 1, 2, 3 beside 1..4 the one seen and its mirror have five pairs one way.
    assert correlation_of([1, 2, 3, 4], [1, 1, 2, 3]) == pytest.approx(2 / 12)
    nine = [1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 1, 2, 3, 5, 4, 6, 7, 8]
    assert correlation_of(*nine) == correlation_of(*nine) and 0 < (correlation_of(*nine) or 0) < 0.001


def test_labels_that_may_be_chance_correct_nothing_and_say_so() -> None:
    """Sensitivity 5 of 12 and specificity 9 of 16: together near 1."""
    made = corrected(0.0, 32, Judged(both=6, panel_only=7, people_only=6, neither=9))
    assert made.sensitivity + made.specificity == pytest.approx(1.0625)
    assert made.rate is None and made.low == 0 and made.high > 0.95
    assert "12 labels that people passed and 16 that they failed leave open whether" in made.note and "labels sample" in made.note
    assert corrected(0.4, 200, Judged(50, 6, 10, 60)).rate is not None


def test_a_panel_that_passed_none_is_not_said_to_have_passes() -> None:
    said = leniency(Judged(both=0, panel_only=0, people_only=4, neither=6))
    assert "the panel passed none of these responses, of theirs it passed 0.0%" in said and "its passes they passed" not in said
    said = leniency(Judged(both=0, panel_only=3, people_only=0, neither=6), "the rule")
    assert "of its passes they passed 0.0%, they passed none of these responses" in said
