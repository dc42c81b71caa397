"""The mean of some responses against that of the others, with what a session that was not drawn may be."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracedance.analyse.bootstrap import CHUNK, expansion, interval, times_drawn
from tracedance.analyse.observations import Floats, Integers
from tracedance.analyse.strata import Stratum, hidden, stratum

DRAWS = 2000
"""No test and no correction rests on these intervals. A multiple of CHUNK."""


@dataclass(frozen=True)
class Contrast:
    """The mean of some responses minus that of the others, resampled by session."""

    inside: float
    outside: float
    n_inside: int
    n_outside: int
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.inside - self.outside


@dataclass(frozen=True)
class Values:
    """Figures of responses, each with the session it belongs to."""

    values: Floats
    """[responses], or [responses, k] for k figures of each."""
    sessions: Integers
    """Any number that a session has."""
    least: float = 0.0
    most: float = 1.0
    """What a value can be."""


def contrast(over: Values, inside: NDArray[np.bool_], seed: int) -> Contrast | None:
    """Mean of the values inside minus outside, every response of one weight, with its 95% percentile interval over sessions.

    None where a side is empty. Sessions are drawn as in `bootstrap`; draws that leave a side without a response do not count. The
    spread is that of as many sessions as the smaller side has. A side whose sessions are all alike, as a single one is, varies in no
    draw: what it may `hidden`ly hold is squared and added (Zou and Donner 2008, "Construction of confidence limits about effect measures",
    Statist. Med. 27, p. 1693-1702).
    """
    return next(iter(contrasts(over, inside, seed)), None)


def contrasts(over: Values, inside: NDArray[np.bool_], seed: int) -> list[Contrast]:
    """One `contrast` for each of the k figures, all over the same draws; none where a side is empty."""
    if inside.all() or not inside.any():
        return []
    values = over.values.reshape(len(over.values), -1)
    distinct, codes = np.unique(over.sessions, return_inverse=True)
    n, k = len(distinct), values.shape[1]
    sides = np.stack([inside, ~inside], axis=1)
    columns = [*sides.T, *(values[:, place] * side for place in range(k) for side in sides.T)]
    sums = np.stack([np.bincount(codes, weights=column, minlength=n) for column in columns], axis=1)
    random = np.random.default_rng(seed)
    starts = range(0, DRAWS, CHUNK)
    drawn = np.concatenate([np.einsum("ds,sk->dk", times_drawn(random, CHUNK, n), sums) for _ in starts])
    drawn = drawn[(drawn[:, 0] > 0) & (drawn[:, 1] > 0)]
    return [_contrast(over, values[:, place], (inside, codes), drawn[:, [0, 1, 2 + 2 * place, 3 + 2 * place]]) for place in range(k)]


def _contrast(over: Values, values: Floats, where: tuple[NDArray[np.bool_], Integers], drawn: Floats) -> Contrast:
    """One figure's contrast from its draws: [counts inside, outside, sums inside, outside]."""
    inside, codes = where
    sides = stratum(values[inside], codes[inside]), stratum(values[~inside], codes[~inside])
    one, other = sides[0].mean, sides[1].mean
    spread = expansion(min((side.sessions for side in sides if not side.alike), default=1))
    resampled = drawn[:, 2] / drawn[:, 0] - drawn[:, 3] / drawn[:, 1]
    low, high = interval(one - other + spread * (resampled - (one - other))) if len(drawn) else (one - other, one - other)
    shared = len(np.intersect1d(codes[inside], codes[~inside])) / sum(side.sessions for side in sides)
    below = _hidden(sides, (one - over.least, over.most - other), 1 - shared)
    above = _hidden(sides, (over.most - one, other - over.least), 1 - shared)
    low, high = one - other - math.hypot(max(0.0, one - other - low), below), one - other + math.hypot(max(0.0, high - one + other), above)
    span, count = over.most - over.least, int(inside.sum())
    return Contrast(one, other, count, len(values) - count, max(-span, low), min(span, high))


def _hidden(sides: tuple[Stratum, Stratum], room: tuple[float, float], independent: float) -> float:
    """What sides whose sessions are alike may hide, with so much room each. Sessions on both sides are alike on both."""
    alike = [(space, side.n) for side, space in zip(sides, room, strict=True) if side.alike]
    shrunk = independent if len(alike) > 1 else 1.0
    return hidden([space for space, _ in alike], [n * shrunk for _, n in alike])
