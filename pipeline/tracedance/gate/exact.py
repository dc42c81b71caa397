"""Exact binomial arithmetic on whole numbers and fractions, so that every machine comes to the same verdict."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import comb, fsum

Z2 = Fraction("3.841458820694124")
"""Square of the normal quantile at 0.975, as a constant: the interval of a rate is two-sided at 95%."""


def decimal(value: float) -> Fraction:
    """The number as a person wrote it: 0.05 is 1/20 and not its nearest binary fraction."""
    return Fraction(repr(value))


def mcnemar(worse: int, better: int) -> Fraction:
    """One-sided exact McNemar test: P(X >= worse), X ~ Binomial(worse + better, 1/2).

    McNemar 1947, Psychometrika 12, p. 153-157, in its exact form (a sign test on the discordant pairs). The hypothesis tested is that on
    each instance the candidate is as likely to pass as the baseline; over equally many samples of each it is then as likely to pass in
    a smaller share of them as in a larger. An instance counts once, so that samples, which are alike, do not pass for evidence.
    """
    n = worse + better
    # By symmetry P(X >= worse) = P(X <= better).
    return Fraction(sum(islice(choices(n), better + 1)), 2**n)


def pairs_needed(alpha: Fraction) -> int:
    """How many discordant pairs, all to the candidate's loss, reach `alpha`: the least k with 2**-k <= alpha (5 at 0.05)."""
    k = 0
    while Fraction(1, 2**k) > alpha:
        k += 1
    return k


def share_is_below(found: int, n: int, bound: Fraction, alpha: Fraction) -> bool:
    """Whether `found` of `n` shows at level `alpha` that the true share is under `bound`: P(X <= found) <= alpha at that share.

    The upper limit of Clopper and Pearson 1934, Biometrika 26, p. 404-413, one-sided and without computing the limit.
    """
    return at_most(found, n, bound) <= alpha


def least_bound(found: int, n: int, alpha: Fraction) -> float | None:
    """The smallest bound in whole hundredths under 1 for which `share_is_below` holds; None if there is none."""
    return next((point / 100 for point in range(1, 100) if share_is_below(found, n, Fraction(point, 100), alpha)), None)


def pairs_for(found: int, bound: Fraction, alpha: Fraction, most: int = 10_000) -> int | None:
    """The fewest pairs for which `found` of them would show a share under `bound`; None if that takes more than `most`."""
    low, high = found + 1, 2 * (found + 1)
    while not share_is_below(found, high, bound, alpha):
        low, high = high + 1, 2 * high
        if low > most:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if share_is_below(found, middle, bound, alpha) else (middle + 1, high)
    return low


def at_most(k: int, n: int, share: Fraction) -> Fraction:
    """P(X <= k), X ~ Binomial(n, share)."""
    part, whole = share.numerator, share.denominator
    ways = enumerate(islice(choices(n), k + 1))
    return Fraction(sum(count * part**i * (whole - part) ** (n - i) for i, count in ways), whole**n)


def choices(n: int) -> Iterator[int]:
    """The binomial coefficients n over 0, 1, ..., n, each from the one before."""
    count = 1
    for k in range(n + 1):
        yield count
        count = count * (n - k) // (k + 1)


def detectable_drop(n: int, alpha: Fraction, power: Fraction = Fraction(4, 5)) -> int | None:
    """Smallest drop, in whole percentage points, that `n` pairs show with `power` when the candidate only loses; None if none is.

    The test then fails the candidate at `pairs_needed(alpha)` lost pairs; a candidate that also gains needs a larger drop.
    """
    needed = pairs_needed(alpha)
    if n < needed:
        return None
    low, high = 1, 100
    while low < high:
        middle = (low + high) // 2
        if 1 - at_most(needed - 1, n, Fraction(middle, 100)) >= power:
            high = middle
        else:
            low = middle + 1
    return low


def holm(values: Sequence[Fraction]) -> list[Fraction]:
    """Holm's step-down adjusted p-values, in the order given (Holm 1979, Scandinavian Journal of Statistics 6, p. 65-70)."""
    adjusted = list(values)
    running = Fraction(0)
    for rank, place in enumerate(sorted(range(len(values)), key=lambda index: (values[index], index))):
        running = max(running, min(Fraction(1), (len(values) - rank) * values[place]))
        adjusted[place] = running
    return adjusted


def interval_is_below(passed: int | Fraction, n: int, floor: Fraction, z2: Fraction = Z2) -> bool:
    """Whether the upper end of the Wilson interval of `passed` (which need not be whole) of `n` is under `floor`, in exact arithmetic.

    The upper end is the share p above passed/n with (passed/n - p)^2 n = z^2 p (1 - p); the floor is above it where the left side
    is the greater.
    """
    share = Fraction(passed, n)
    return floor > share and (floor - share) ** 2 * n > z2 * floor * (1 - floor)


def interval_reaches(passed: int, n: int, floor: Fraction, z2: Fraction = Z2) -> bool:
    """Whether the lower end of the Wilson interval is at or above `floor`, as `interval_is_below`."""
    share = Fraction(passed, n)
    return floor == 0 or (floor < share and (share - floor) ** 2 * n >= z2 * floor * (1 - floor))


def fisher(one: tuple[int, int], other: tuple[int, int]) -> Fraction:
    """One-sided Fisher's exact test that `other` passes less often than `one`; both are (passed, runs).

    P(X <= passed of other), X hypergeometric: of all runs of both sides as many pass as did, and chance says on which side
    (Fisher 1935, Journal of the Royal Statistical Society 98, p. 39-82).
    """
    (a, n), (b, m) = one, other
    total = a + b
    least = max(0, total - n)
    count = comb(m, least) * comb(n, total - least)
    found = 0
    for x in range(least, b + 1):
        found += count
        count = count * (m - x) * (total - x) // ((x + 1) * (n - total + x + 1))
    return Fraction(found, comb(n + m, total))


def shares(n: int, rate: float) -> list[float]:
    """P(X = k), k = 0 to n, X ~ Binomial(n, rate), to twelve digits: each term from its neighbour, outward from the largest.

    Exact fractions (`at_most`) take seconds at thousands of runs; products and quotients of doubles are the same on every machine.
    """
    if rate <= 0 or rate >= 1:
        return [float(k == (0 if rate <= 0 else n)) for k in range(n + 1)]
    mode = min(n, int((n + 1) * rate))
    terms = [1.0] * (n + 1)
    for x in range(mode, n):
        terms[x + 1] = terms[x] * (n - x) * rate / ((x + 1) * (1 - rate))
    for x in range(mode, 0, -1):
        terms[x - 1] = terms[x] * x * (1 - rate) / ((n - x + 1) * rate)
    total = fsum(terms)
    return [term / total for term in terms]


def share_at_most(k: int, n: int, rate: float) -> float:
    """P(X <= k) of the same."""
    return fsum(shares(n, rate)[: k + 1])
