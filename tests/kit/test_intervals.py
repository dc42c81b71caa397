"""The Wilson interval against statsmodels and the published vectors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from tracedance.kit.intervals import wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_it_agrees_with_statsmodels(case: tuple[int, int], confidence: float) -> None:
    successes, n = case
    expected = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("successes", "n", "low"), [(1, 1, 0.2065), (6, 10, 0.3127), (10, 10, 0.7225), (19, 20, 0.7639), (90, 100, 0.8256)]
)
def test_it_gives_the_known_lower_limits(successes: int, n: int, low: float) -> None:
    assert wilson(successes, n)[0] == pytest.approx(low, abs=5e-5)


@given(st.integers(1, 10_000))
def test_its_ends_are_exact_at_none_and_all(n: int) -> None:
    assert wilson(0, n)[0] == 0.0
    assert wilson(n, n)[1] == 1.0


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_there_is_no_interval_without_data(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="No interval"):
        wilson(successes, n)
