"""Macro averages and their bootstrap: over benchmarks, over the sessions that instances come from, and over both."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from tracedance.analyse.observations import Floats, Matrix

Over = Literal["benchmarks", "instances", "both"]
DRAWS = 5000
CHUNK = 250
FEW_BENCHMARKS = 10
"""Under this many benchmarks their resampling says little of the next benchmark: intervals are then over instances alone."""
SHARED = 0.1
"""Share of instances whose session is in another benchmark too, from which on benchmarks are not taken for independent."""
LEVEL = 0.95
TINY = 1e-9
"""What is smaller is 0: two sums of the same shares in another order differ by as little."""


@dataclass(frozen=True)
class Bootstrap:
    """Macro averages, as computed and as resampled."""

    over: Over
    rates: Floats
    """[models]."""
    draws: Floats
    """[draws, models], spread by `expansion`, so that they may leave 0..1. The models of a draw share its instances: differences within
    it are paired.
    """


def macro(data: Matrix) -> Floats:
    """Each model's rate averaged over benchmarks (not instances), [models]; NaN without an instance.

    arXiv 2609.33295, Table 2: benchmarks of 5 and of 50 instances count alike.
    """
    if not data.items:
        return np.full(len(data.models), np.nan)
    rates: Floats = benchmark_rates(data).mean(axis=0)
    return rates


def benchmark_rates(data: Matrix) -> Floats:
    """[benchmarks, models], the benchmarks in sorted order."""
    names, codes = data.codes(lambda item: item.benchmark)
    sums = np.zeros((len(names), len(data.models)))
    np.add.at(sums, codes, data.values)
    rates: Floats = sums / np.bincount(codes, minlength=len(names))[:, None]
    return rates


def population(data: Matrix) -> Over:
    """What the headline interval speaks of: benchmarks like these where there are enough of them, else these benchmarks alone.

    Resampled benchmarks bring the chance of their instances with them, so resampling those as well counts it twice (Davison and Hinkley
    1997, 3.8). It is done where sessions reach across benchmarks, whose rates are then not independent: Owen 2007, "The pigeonhole
    bootstrap", Ann. Appl. Stat. 1, p. 386-411, has it that this errs on the wide side.
    """
    if len(data.benchmarks) < FEW_BENCHMARKS:
        return "instances"
    places: dict[str, set[str]] = {}
    for item in data.items:
        places.setdefault(item.cluster, set()).add(item.benchmark)
    shared = sum(len(places[item.cluster]) > 1 for item in data.items)
    return "both" if shared > SHARED * len(data.items) else "benchmarks"


def bootstrap(data: Matrix, over: Over, seed: int, draws: int = DRAWS) -> Bootstrap:
    """Resamples the macro averages; the same data, seed and number of draws give the same figures.

    Efron and Tibshirani 1993, "An introduction to the bootstrap", chapters 6 and 8. A draw takes as many benchmarks, and as many
    sessions, with replacement as there are; a session brings all its instances in whatever benchmark they are (cluster bootstrap: Davison
    and Hinkley 1997, 3.8), for instances of one session are alike. A benchmark none of whose sessions is drawn is left out of that draw.
    """
    rates = macro(data)
    if not data.items:
        return Bootstrap(over, rates, np.empty((0, len(data.models))))
    resampled = np.concatenate(list(_chunks(data, over, np.random.default_rng(seed), draws)))
    n = data.sessions if over == "instances" else len(data.benchmarks)
    return Bootstrap(over, rates, rates + expansion(n) * (resampled - rates))


def expansion(n: int) -> float:
    """By how much resamples of `n` things are spread too little, for 95% intervals.

    Hesterberg 2015, "What teachers should know about the bootstrap", The American Statistician 69, p. 371-386, 5.2: the bootstrap divides
    by n where n - 1 would be right, and its percentiles are those of a normal where Student's t is. 1.22 for 10, 1.02 for 100; 1 for a
    single one, which resampling says nothing of.
    """
    from scipy.stats import t

    return float(t.ppf((1 + LEVEL) / 2, n - 1) / NormalDist().inv_cdf((1 + LEVEL) / 2) * (n / (n - 1)) ** 0.5) if n > 1 else 1.0


def _chunks(data: Matrix, over: Over, random: np.random.Generator, draws: int) -> Iterator[Floats]:
    names, of_benchmark = data.codes(lambda item: item.benchmark)
    sessions, of_session = data.codes(lambda item: item.cluster)
    order = np.argsort(of_benchmark, kind="stable")
    starts = np.searchsorted(of_benchmark[order], np.arange(len(names)))
    values, of_session = data.values[order], of_session[order]
    fixed = benchmark_rates(data)
    for start in range(0, draws, CHUNK):
        size = min(CHUNK, draws - start)
        weights = times_drawn(random, size, len(names)) if over != "instances" else np.ones((size, len(names)))
        if over == "benchmarks":
            yield np.einsum("db,bm->dm", weights, fixed) / len(names)
            continue
        drawn = times_drawn(random, size, len(sessions))[:, of_session]
        counts = np.add.reduceat(drawn, starts, axis=1)
        sums = np.stack([np.add.reduceat(drawn * values[:, model], starts, axis=1) for model in range(len(data.models))], axis=2)
        rates = np.divide(sums, counts[:, :, None], out=np.zeros_like(sums), where=counts[:, :, None] > 0)
        weights = weights * (counts > 0)
        total = weights.sum(axis=1)
        macros = np.einsum("db,dbm->dm", weights, rates) / np.where(total > 0, total, 1.0)[:, None]
        yield np.where(total[:, None] > 0, macros, fixed.mean(axis=0))


def times_drawn(random: np.random.Generator, draws: int, n: int) -> Floats:
    """How often each of `n` things is drawn when n are drawn with replacement, [draws, n]."""
    picked = random.integers(0, n, size=(draws, n)) + n * np.arange(draws)[:, None]
    return np.bincount(picked.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)


def interval(draws: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The percentile interval of one statistic's draws, [draws]."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def p_value(draws: Floats) -> float:
    """Two-sided p-value of "the difference is 0", by inversion of its percentile interval.

    Davison and Hinkley 1997, 4.4: twice the smaller tail share, the observed value counted as a draw so that it is never 0. Draws at 0
    count for both tails.
    """
    n = len(draws)
    smaller = min(int(np.count_nonzero(draws <= TINY)), int(np.count_nonzero(draws >= -TINY)))
    return min(1.0, 2 * (smaller + 1) / (n + 1))


def standard_errors(draws: Floats) -> Floats:
    """Bootstrap standard errors, one a column."""
    errors: Floats = draws.std(axis=0, ddof=1)
    return errors
