"""Small deterministic versions of `make test-stats`: intervals hold the truth as often as they say."""

import pytest

from tests.analyse.simulation import ARMS, WORLDS, corrected_rates, ranks_and_rates


@pytest.mark.parametrize("arms", ARMS)
def test_corrected_rates_hold_what_people_would_have_said(arms: str) -> None:
    figures = [corrected_rates(panel, truth, 200, arms) for panel in ("as in the paper", "lenient") for truth in (0.1, 0.5)]
    assert not [str(figure) for figure in figures if figure.fails]
    assert all(figure.width < 60 for figure in figures)


def test_own_labels_make_narrower_rates_than_sensitivity_and_specificity() -> None:
    own, borrowed = (corrected_rates("as in the paper", 0.25, 100, arms) for arms in ("own", "random"))
    assert own.width < borrowed.width / 2


@pytest.mark.parametrize("world", WORLDS[1:], ids=lambda world: world.name)
def test_all_true_ranks_lie_in_their_intervals(world: object) -> None:
    ranks, rates = ranks_and_rates(world, 25, 400)  # type: ignore[arg-type]
    assert not ranks.fails, str(ranks)
    assert not rates.fails, str(rates)


def test_clear_tiers_are_told_apart() -> None:
    """Intervals as wide as the whole board would hold every rank and say nothing."""
    ranks, _ = ranks_and_rates(WORLDS[0], 3, 400)
    assert ranks.width < 5
