"""Reported scores of the same models elsewhere, beside their behaviour rates."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tracedance.analyse.observations import Floats

EXACT_TIES = 8
"""Models up to which ties are permuted in full, 40,320 ways; above, as many ways are drawn."""


@dataclass(frozen=True)
class RankCorrelation:
    """How alike two rankings of the same models are."""

    n: int
    spearman: float | None
    kendall: float | None
    p: float | None
    """Of Kendall's tau, two-sided; exact without ties, and with ties up to `EXACT_TIES` models."""


def rank_correlation(one: Mapping[str, float], other: Mapping[str, float]) -> RankCorrelation:
    """Spearman's rho and Kendall's tau-b over the models that both name; None for fewer than three, or where a side never varies.

    Spearman 1904, Kendall 1938, as scipy has them. With few models even a perfect correlation may be chance: nine is few.
    """
    from scipy.stats import spearmanr

    shared = sorted(one.keys() & other.keys())
    xs, ys = [one[name] for name in shared], [other[name] for name in shared]
    if len(shared) < 3 or len(set(xs)) < 2 or len(set(ys)) < 2:
        return RankCorrelation(len(shared), None, None, None)
    return RankCorrelation(len(shared), float(spearmanr(xs, ys).statistic), *_kendall(xs, ys))


def _kendall(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Tau-b and its p-value of the permutations, which a normal approximates badly for few models (n = 3 and a tie: 0.22 for 2/3).

    Kendall 1970, "Rank correlation methods", chapter 4. Without ties scipy has the exact distribution; with ties the same pairings are
    permuted here (twice the smaller tail, at most 1).
    """
    from scipy.stats import kendalltau, permutation_test

    ties = len(set(xs)) < len(xs) or len(set(ys)) < len(ys)
    tau = kendalltau(xs, ys, method="auto" if ties else "exact")
    if not ties:
        return float(tau.statistic), float(tau.pvalue)
    fixed = np.array(ys)
    firsts, seconds = np.triu_indices(len(xs), 1)
    order = np.sign(fixed[firsts] - fixed[seconds])

    def pairs_in_order(moved: Floats, axis: int) -> Floats:
        found: Floats = (np.sign(moved[..., firsts] - moved[..., seconds]) * order).sum(axis=-1)
        return found

    drawn = permutation_test(
        (np.array(xs),),
        pairs_in_order,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=math.factorial(EXACT_TIES),
        batch=10_000,
        rng=np.random.default_rng(0),
    )
    return float(tau.statistic), min(1.0, float(drawn.pvalue))
