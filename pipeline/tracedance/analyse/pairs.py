"""Which models differ: paired differences, exact tests, and what the data could have shown at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tracedance.analyse.bootstrap import TINY, Bootstrap, interval, p_value, standard_errors
from tracedance.analyse.detectable import ALPHA, Design, by_chance, detectable
from tracedance.analyse.observations import Floats, Matrix
from tracedance.analyse.strata import difference_ends


@dataclass(frozen=True)
class Pair:
    """Two models on the same instances; `difference` is first minus second."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_bootstrap_holm: float
    wins: int
    """Sessions in which the first passed in a larger share of its responses."""
    losses: int
    ties: int
    p_exact: float
    p_exact_holm: float
    design: Design
    among: int
    """Pairs that there are."""

    @property
    def detectable(self) -> float:
        """The least true difference that both tests show at least 4 times in 5, without a correction for the number of pairs; NaN: none."""
        return detectable(self.design)

    @property
    def detectable_holm(self) -> float:
        """The same at the level of the first step of Holm's procedure, whatever the other pairs are."""
        return detectable(self.design, ALPHA / self.among)

    @property
    def differs(self) -> bool:
        """Told apart: both tests say so after Holm's correction, they point the same way, and the interval leaves out 0.

        The tests know nothing of what a small benchmark of much weight does not show; the interval does.
        """
        same_way = (self.difference > 0) == (self.wins > self.losses) and not self.low <= 0 <= self.high
        return same_way and self.p_bootstrap_holm <= ALPHA and self.p_exact_holm <= ALPHA


def pairs(data: Matrix, drawn: Bootstrap) -> list[Pair]:
    """Every pair of models, in the models' order; nothing for a matrix without instances.

    Two tests, for each alone can mislead: the bootstrap of macro averages knows of benchmarks but not of how few responses differ, the
    exact one counts those but weighs instances alike. Holm's correction is over the pairs, for each test by itself.
    """
    if not data.items:
        return []
    both = list(combinations(range(len(data.models)), 2))
    differences = [drawn.draws[:, one] - drawn.draws[:, other] for one, other in both]
    counts = [wins_and_losses(data, one, other) for one, other in both]
    by_draws = [p_value(column) for column in differences]
    by_count = [mcnemar_exact(wins, losses) for wins, losses, _ in counts]
    holm_draws, holm_count = holm(by_draws), holm(by_count)
    table, sizes = [], sizes_of(data)
    for place, (one, other) in enumerate(both):
        low, high = _ends(differences[place], data, (one, other))
        wins, losses, ties = counts[place]
        error = float(standard_errors(differences[place][:, None])[0])
        design = Design(wins + losses + ties, by_chance(wins, losses, by_count[place]), error, sizes)
        table.append(
            Pair(
                first=data.models[one],
                second=data.models[other],
                difference=float(drawn.rates[one] - drawn.rates[other]),
                low=low,
                high=high,
                p_bootstrap=by_draws[place],
                p_bootstrap_holm=holm_draws[place],
                wins=wins,
                losses=losses,
                ties=ties,
                p_exact=by_count[place],
                p_exact_holm=holm_count[place],
                design=design,
                among=len(both),
            )
        )
    return table


def _ends(draws: Floats, data: Matrix, models: tuple[int, int]) -> tuple[float, float]:
    """The percentile interval of a difference, or as far as what each benchmark does not show may reach beyond it."""
    low, high = interval(draws)
    least, most = difference_ends(data, *models)
    return max(-1.0, min(low, least)), min(1.0, max(high, most))


def sizes_of(data: Matrix) -> tuple[int, ...]:
    """Sessions of each benchmark."""
    return tuple(len({item.cluster for item in data.items if item.benchmark == name}) for name in data.benchmarks)


def wins_and_losses(data: Matrix, one: int, other: int) -> tuple[int, int, int]:
    """Sessions won, lost and tied by model `one`: instances of one session are one trial, so that they are not counted as independent."""
    _, codes = data.codes(lambda item: item.cluster)
    sums = np.bincount(codes, weights=data.values[:, one] - data.values[:, other])
    wins, losses = int(np.count_nonzero(sums > TINY)), int(np.count_nonzero(sums < -TINY))
    return wins, losses, len(sums) - wins - losses


def mcnemar_exact(wins: int, losses: int) -> float:
    """Two-sided exact McNemar test: the discordant trials fall either way with probability 1/2. 1.0 without any.

    McNemar 1947, Psychometrika 12, p. 153-157, in its exact form; equals statsmodels' `mcnemar(exact=True)`.
    """
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of Holm's step-down procedure, in the given order.

    Holm 1979, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, p. 65-70; equals statsmodels'
    `multipletests(method="holm")`. No pair is wrongly told apart, however many there are, with more than the level's probability.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
