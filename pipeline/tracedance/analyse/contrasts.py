"""The mean of some responses against that of the others, with what a session that was not drawn may be."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracedance.analyse.bootstrap import CHUNK, TINY, expansion, interval, times_drawn
from tracedance.analyse.corrected import effective_trials
from tracedance.analyse.observations import Floats, Integers
from tracedance.analyse.strata import Stratum, hidden, stratum
from tracedance.kit.intervals import wilson

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
    difference, both = one - other, len(np.intersect1d(codes[inside], codes[~inside]))
    means = np.stack([drawn[:, 2] / drawn[:, 0], drawn[:, 3] / drawn[:, 1]], axis=1)
    spread = expansion(min((side.sessions for side in sides if not side.alike), default=1))
    low, high = interval(difference + spread * (means[:, 0] - means[:, 1] - difference)) if len(drawn) else (difference, difference)
    independent = 1 - both / sum(side.sessions for side in sides)
    below = _hidden(sides, (one - over.least, over.most - other), independent)
    above = _hidden(sides, (over.most - one, other - over.least), independent)
    low, high = difference - math.hypot(max(0.0, difference - low), below), difference + math.hypot(max(0.0, high - difference), above)
    if np.isin(values, (over.least, over.most)).all():
        least, most = _of_shares(over, sides, means, both)
        low, high = min(low, least), max(high, most)
    span, count = over.most - over.least, int(inside.sum())
    return Contrast(one, other, count, len(values) - count, max(-span, low), min(span, high))


def _hidden(sides: tuple[Stratum, Stratum], room: tuple[float, float], independent: float) -> float:
    """What sides whose sessions are alike may hide, with so much room each. Sessions on both sides are alike on both."""
    alike = [(space, side.n) for side, space in zip(sides, room, strict=True) if side.alike]
    shrunk = independent if len(alike) > 1 else 1.0
    return hidden([space for space, _ in alike], [n * shrunk for _, n in alike])


def _of_shares(over: Values, sides: tuple[Stratum, Stratum], means: Floats, both: int) -> tuple[float, float]:
    """The interval of a difference of shares from those of its sides: Wilson's at the trials that each side's error is worth.

    Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on paired data", Statist. Med. 17,
    p. 2635-2650, method 10; the sides' correlation is that of the draws, less what a session won and one lost would take from it.
    """
    span = over.most - over.least
    shares = [(side.mean - over.least) / span for side in sides]
    errors: Floats = means.std(axis=0) / span if len(means) else np.zeros(2)
    trials = [max(1.0, effective_trials(share, float(error), side.n)) for share, error, side in zip(shares, errors, sides, strict=True)]
    ends = [wilson(share * n, n) for share, n in zip(shares, trials, strict=True)]
    (below, above), (under, beyond) = [(share - low, high - share) for share, (low, high) in zip(shares, ends, strict=True)]
    alike = float(np.corrcoef(means[:, 0], means[:, 1]).min()) if both and errors.min() > TINY else 0.0
    shrunk = max(-1.0, (both * alike - 2) / (both + 2)) if both else 0.0
    low = math.sqrt(below**2 + beyond**2 - 2 * shrunk * below * beyond)
    high = math.sqrt(above**2 + under**2 - 2 * shrunk * above * under)
    difference = shares[0] - shares[1]
    return span * (difference - low), span * (difference + high)
