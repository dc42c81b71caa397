"""Intervals that add up what is known of each benchmark, each with its weight in the macro average.

Resamples of what never varied do not vary either: a benchmark in which a model passed 0 of 4 adds no width to a bootstrap, although the
model may pass half of such instances. Here each benchmark brings its own interval, and those that never varied theirs together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from tracedance.analyse.bootstrap import LEVEL, TINY
from tracedance.analyse.observations import Floats, Integers, Matrix
from tracedance.kit.intervals import wilson


@dataclass(frozen=True)
class Stratum:
    """Values that count alike: those of a benchmark, or of a side of a contrast."""

    mean: float
    square: float
    """Mean square of its sessions' means."""
    sessions: int
    n: float
    """Sessions of one size that tell as much: (sum of sizes)^2 / sum of squared sizes (Kish 1965, "Survey sampling", 11.7)."""
    alike: bool
    """No session differs from another."""


def rate_ends(data: Matrix, model: int) -> tuple[float, float]:
    """The 95% interval of a model's macro average over these benchmarks: benchmarks' Wilson intervals, squared and added.

    Yan and Su 2010, "Stratified Wilson and Newcombe confidence intervals for multiple binomial proportions", Stat. Biopharm. Res. 2,
    p. 329-335; with the distance of each end by itself, as Zou and Donner 2008, "Construction of confidence limits about effect
    measures", Statist. Med. 27, p. 1693-1702. Benchmarks that passed none or all count together, by `hidden`.
    """
    strata, independent = _strata(data, data.values[:, model])
    ends = [wilson(min(1.0, one.mean) * one.n, one.n) for one in strata]
    sides = [[one.mean - low, high - one.mean] for one, (low, high) in zip(strata, ends, strict=True)]
    low, high = _added(strata, independent, np.array(sides), 0.0)
    return max(0.0, low), min(1.0, high)


def difference_ends(data: Matrix, one: int, other: int) -> tuple[float, float]:
    """The same of the paired difference of two models, from each benchmark's `adjusted_wald`."""
    strata, independent = _strata(data, data.values[:, one] - data.values[:, other])
    sides = [adjusted_wald(stratum.mean, stratum.square, stratum.n) for stratum in strata]
    low, high = _added(strata, independent, np.array(sides), -1.0)
    return max(-1.0, low), min(1.0, high)


def adjusted_wald(mean: float, square: float, n: float) -> tuple[float, float]:
    """How far below and above it the interval of a mean paired difference of n sessions reaches; `square` is their mean square.

    Bonett and Price 2012, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data", J. Educ.
    Behav. Statist. 37, p. 479-488: one session won and one lost are added to those seen.
    """
    centre = mean * n / (n + 2)
    margin = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(((square * n + 2) / (n + 2) - centre**2) / (n + 2))
    return mean - max(-1.0, centre - margin), min(1.0, centre + margin) - mean


def _added(strata: Sequence[Stratum], independent: float, sides: Floats, least: float) -> tuple[float, float]:
    """The macro average less, and more, what its benchmarks add: `sides` are their distances below and above, [benchmarks, 2]."""
    weight = 1 / len(strata)
    alike = [one for one in strata if one.alike]
    counts = [one.n * independent for one in alike]
    below = hidden([weight * (one.mean - least) for one in alike], counts)
    above = hidden([weight * (1 - one.mean) for one in alike], counts)
    varied = ((weight * sides[[not one.alike for one in strata]].clip(min=0)) ** 2).sum(axis=0)
    mean = weight * sum(one.mean for one in strata)
    return mean - math.sqrt(varied[0] + below**2), mean + math.sqrt(varied[1] + above**2)


def _strata(data: Matrix, values: Floats) -> tuple[list[Stratum], float]:
    """The benchmarks in sorted order, and the share of the alike ones' sessions that are not in several of them."""
    names, of_benchmark = data.codes(lambda item: item.benchmark)
    _, of_session = data.codes(lambda item: item.cluster)
    places = [of_benchmark == place for place in range(len(names))]
    strata = [stratum(values[here], of_session[here]) for here in places]
    alike = [(one.sessions, of_session[here]) for one, here in zip(strata, places, strict=True) if one.alike]
    every = sum(count for count, _ in alike)
    return strata, len(np.unique(np.concatenate([ids for _, ids in alike]))) / every if every else 1.0


def stratum(values: Floats, sessions: Integers) -> Stratum:
    """Of responses or instances, and the numbers of the sessions they belong to."""
    _, codes = np.unique(sessions, return_inverse=True)
    sizes = np.bincount(codes)
    means = np.bincount(codes, weights=values) / sizes
    total = len(values)
    square = float((sizes * means**2).sum() / total)
    return Stratum(float(values.mean()), square, len(sizes), float(total**2 / (sizes**2).sum()), bool(np.ptp(means) < TINY))


def hidden(weights: Sequence[float], counts: Sequence[float], level: float = LEVEL) -> float:
    """The most that sets of trials, each all alike, may hide: the largest sum of weight x share of trials unlike those seen.

    Over all shares under which everything seen would come with at least (1 - level)/2, product of (1 - share)^count: for one set the end
    of Clopper and Pearson's interval (1934, Biometrika 26, p. 404-413), and for several Buehler's bound at the least outcome (Buehler
    1957, "Confidence intervals for the product of two binomial parameters", JASA 52, p. 482-493). The maximum in closed form: with a =
    -log(1 - share), sum of count x a is limited and the sum concave, so that weight x exp(-a) / count is the same wherever a > 0.
    """
    sets = sorted(((math.log(weight / count), weight, count) for weight, count in zip(weights, counts, strict=True) if weight > TINY))[::-1]
    budget, taken, sum_of_logs, found = -math.log((1 - level) / 2), 0.0, 0.0, 0.0
    for place, (ratio, _, count) in enumerate(sets):
        taken, sum_of_logs = taken + count, sum_of_logs + count * ratio
        level_of_all = (sum_of_logs - budget) / taken
        if place + 1 == len(sets) or sets[place + 1][0] <= level_of_all:
            found = sum(weight * -math.expm1(level_of_all - one) for one, weight, _ in sets[: place + 1])
            break
    return found
