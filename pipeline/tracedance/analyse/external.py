"""Reported scores of the same models elsewhere, beside their behaviour rates."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RankCorrelation:
    """How alike two rankings of the same models are."""

    n: int
    spearman: float | None
    kendall: float | None
    p: float | None
    """Of Kendall's tau, two-sided; exact where there are no ties."""


def rank_correlation(one: Mapping[str, float], other: Mapping[str, float]) -> RankCorrelation:
    """Spearman's rho and Kendall's tau-b over the models that both name; None for fewer than three, or where a side never varies.

    Spearman 1904, Kendall 1938, as scipy has them. With few models even a perfect correlation may be chance: nine is few.
    """
    from scipy.stats import kendalltau, spearmanr

    shared = sorted(one.keys() & other.keys())
    xs, ys = [one[name] for name in shared], [other[name] for name in shared]
    if len(shared) < 3 or len(set(xs)) < 2 or len(set(ys)) < 2:
        return RankCorrelation(len(shared), None, None, None)
    tau = kendalltau(xs, ys)
    return RankCorrelation(len(shared), float(spearmanr(xs, ys).statistic), float(tau.statistic), float(tau.pvalue))
