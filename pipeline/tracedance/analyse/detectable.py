"""What a comparison could show at all: the least true difference that both tests of a pair find often enough."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from tracedance.analyse.observations import Floats
from tracedance.analyse.strata import adjusted_wald

ALPHA = 0.05
POWER = 0.8
STEPS = 12
"""Halvings of 0..1: a difference to a fortieth of a point."""


def by_chance(wins: int, losses: int, p_exact: float) -> int:
    """Sessions that would differ without a difference: all that do, or twice the rarer kind where the exact test tells the kinds apart."""
    return 2 * min(wins, losses) if p_exact <= ALPHA else wins + losses


@dataclass(frozen=True)
class Design:
    """What the power of a pair's tests depends on."""

    trials: int
    """Sessions."""
    discordant: int
    """Of them, those that would differ without a difference of the rates; see `by_chance`."""
    error: float
    """Bootstrap standard error of the difference."""
    sizes: tuple[int, ...]
    """Sessions of each benchmark."""

    @property
    def spread(self) -> float:
        """What a variance of 1 a session makes that of the macro average: the sum over benchmarks of (1 / benchmarks)^2 / sessions."""
        return sum(1 / size for size in self.sizes) / len(self.sizes) ** 2


def detectable(design: Design, alpha: float = ALPHA, power: float = POWER) -> float:
    """The least true difference that both tests show with that power; NaN where not even a difference of 1 would be.

    By bisection of `power_of`, which rises with the difference.
    """
    if power_of(design, 1.0, alpha) < power:
        return math.nan
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(design, middle, alpha) >= power else (middle, high)
    return high


def power_of(design: Design, difference: float, alpha: float = ALPHA) -> float:
    """The probability that both tests find a true difference of that size, at that level each, and the interval leaves out 0.

    Sessions differ as often as by chance, with one more added of two, or as often as the difference asks for (Connor 1987, "Sample size
    for testing differences in proportions for the paired-sample design", Biometrics 43, p. 207-211). The exact test's power is exact
    (`exact_power`). The bootstrap's is the normal's (Bloom 1995, "Minimum detectable effects", Evaluation Review 19, p. 547-556), at an
    error not under that of as many independent sessions; the interval's too, at its `reach`. All see the same sessions, so the exact test
    and the weaker of these correlate by the share of the error that sessions explain.
    """
    from scipy.stats import multivariate_normal

    if not design.trials:
        return 0.0
    n, normal = design.trials, NormalDist()
    differing = min(1.0, max((design.discordant + 1) / (n + 2), difference + 1 / (n + 2)))
    variance = max(0.0, differing - difference**2)
    own = math.sqrt(variance * design.spread)
    error = max(design.error, own)
    exact = exact_power(n, differing, difference, alpha)
    by_draws = normal.cdf(difference / error - normal.inv_cdf(1 - alpha / 2)) if error > 0 else 1.0
    room = difference - reach(design.sizes, differing, difference)
    by_interval = normal.cdf(room / own) if own > 0 else float(room > 0)
    weaker, spread = min((by_draws, error), (by_interval, own))
    if not 1e-12 < exact < 1 - 1e-12 or not 1e-12 < weaker < 1 - 1e-12:
        return min(exact, weaker)
    shared = min(0.999, math.sqrt(variance / n) / spread)
    ends = [normal.inv_cdf(exact), normal.inv_cdf(weaker)]
    return float(multivariate_normal.cdf(ends, cov=[[1.0, shared], [shared, 1.0]]))


def reach(sizes: Sequence[int], differing: float, difference: float) -> float:
    """How far below a difference its interval reaches where every benchmark shows just what is expected (`strata.difference_ends`)."""
    squares = sum(adjusted_wald(difference, differing, size)[0] ** 2 for size in sizes)
    return math.sqrt(squares) / len(sizes)


def exact_power(n: int, differing: float, difference: float, alpha: float = ALPHA) -> float:
    """The probability that the exact McNemar test of n sessions rejects in the right direction.

    The number m of sessions that differ is binomial, and of these the wins are (Duffy 1984, "Asymptotic and exact power for the McNemar
    test and its analogue with R controls per case", Biometrics 40, p. 1005-1015): the sum over m of P(m) x P(wins >= those needed at m).
    """
    from scipy.stats import binom

    if differing <= 0:
        return 0.0
    counts = np.arange(1, n + 1)
    won = min(1.0, (differing + difference) / (2 * differing))
    needed = wins_needed(n, alpha)
    chance: Floats = binom.pmf(counts, n, differing) * binom.sf(needed - 1, counts, won)
    return float(chance.sum())


@cache
def wins_needed(n: int, alpha: float) -> Floats:
    """For each number 1..n of sessions that differ, the least wins with which the two-sided exact test is at most alpha; m + 1: none."""
    from scipy.stats import binom

    counts = np.arange(1, n + 1)
    needed: Floats = binom.isf(alpha / 2, counts, 0.5) + 1
    return np.where(2 * binom.sf(needed - 1, counts, 0.5) > alpha, needed + 1, needed)
