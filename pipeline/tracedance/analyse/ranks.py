"""Ranks with what is known of them: intervals, the probability of being first, and groups that cannot be told apart."""

from collections.abc import Sequence

import numpy as np

from tracedance.analyse.bootstrap import TINY, Bootstrap
from tracedance.analyse.observations import Floats
from tracedance.analyse.pairs import Pair


def ranked(models: Sequence[str], rates: Floats) -> list[tuple[str, int]]:
    """(model, rank) from the best on; models with one rate share a rank and keep the order of their names."""
    order = sorted(range(len(models)), key=lambda place: (-round(float(rates[place]), 9), models[place]))
    better = [int(np.count_nonzero(rates > rates[place] + TINY)) for place in order]
    return [(models[place], count + 1) for place, count in zip(order, better, strict=True)]


def rank_intervals(models: Sequence[str], table: Sequence[Pair]) -> dict[str, tuple[int, int]]:
    """The ranks that each model may truly have: from 1 + the models shown to be better, to all less those shown to be worse.

    Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", Review of Economic Studies 91, p. 476-518. As Holm's correction
    lets no pair be told apart wrongly with more than 5%, the intervals hold all true ranks at once in at least 95%; percentiles of
    resampled ranks do not where models are near each other.
    """
    better, worse = dict.fromkeys(models, 0), dict.fromkeys(models, 0)
    for pair in table:
        if pair.differs:
            leads, trails = (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
            better[trails] += 1
            worse[leads] += 1
    return {model: (1 + better[model], len(models) - worse[model]) for model in models}


def probability_first(drawn: Bootstrap) -> list[float]:
    """The share of resamples in which each model leads; a tie at the top is shared out among those in it."""
    if not len(drawn.draws):
        return [float("nan")] * len(drawn.rates)
    leads = drawn.draws >= drawn.draws.max(axis=1, keepdims=True) - TINY
    shares: Floats = (leads / leads.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares]


def groups(order: Sequence[str], table: Sequence[Pair]) -> list[tuple[str, ...]]:
    """The largest sets of models no two of which are told apart, from the best on; a model may be in several.

    Insert and absorb, Piepho 2004, "An algorithm for a letter-based representation of all-pairwise comparisons", J. Comput. Graph.
    Statist. 13, p. 456-466: start with one set of all; each pair that differs splits the sets that hold both;
    a set within another is absorbed.
    """
    sets = [frozenset(order)]
    for pair in table:
        if not pair.differs:
            continue
        split = [part for one in sets for part in _without_both(one, pair)]
        sets = [one for one in dict.fromkeys(split) if not any(one < other for other in split)]
    place = {model: number for number, model in enumerate(order)}
    found = [tuple(sorted(one, key=place.__getitem__)) for one in sets]
    return sorted(found, key=lambda one: [place[model] for model in one])


def _without_both(one: frozenset[str], pair: Pair) -> list[frozenset[str]]:
    return [one - {pair.first}, one - {pair.second}] if {pair.first, pair.second} <= one else [one]
