"""Wald's sequential probability ratio test, decided in whole numbers, so that a boundary that is just reached is reached everywhere."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tracedance.gate.exact import decimal
from tracedance.schema import SprtSpec, Verdict

NEAR = 1e-6
"""Closer to a boundary than this, logarithms are not trusted to say on which side of it a ratio lies."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The test over a series of runs."""

    verdict: Verdict
    passed: int
    runs: int
    crossed_at: int | None
    """Number of the first run, from 1, after which a boundary was crossed."""
    passed_there: int
    """How many had passed by then; all of them where none was crossed."""


class Ratio:
    """The likelihood ratio L(p1)/L(p0) after some runs, against Wald's boundaries A = (1 - beta)/alpha and B = beta/(1 - alpha).

    At or above A the pass rate is taken for degraded (FAIL), at or below B for acceptable (PASS). The seed's remarks beside its two
    boundaries name them the wrong way round; its verdict lines, and Wald 1945, Annals of Mathematical Statistics 16, p. 117-186, are
    followed.
    """

    def __init__(self, spec: SprtSpec) -> None:
        p0, p1, alpha, beta = (decimal(value) for value in (spec.p0, spec.p1, spec.alpha, spec.beta))
        self.steps = p1 / p0, (1 - p1) / (1 - p0)
        self.bounds = (1 - beta) / alpha, beta / (1 - alpha)
        self.logs = tuple(map(_log, self.steps))
        self.upper, self.lower = map(_log, self.bounds)

    def llr(self, passed: int, failed: int) -> float:
        """The natural logarithm of the ratio."""
        return passed * self.logs[0] + failed * self.logs[1]

    def verdict(self, passed: int, failed: int) -> Verdict:
        """What the ratio says after these runs."""
        llr = self.llr(passed, failed)
        if min(abs(llr - self.upper), abs(llr - self.lower)) > NEAR:
            return "FAIL" if llr > self.upper else "PASS" if llr < self.lower else "INCONCLUSIVE"
        ratio = self.steps[0] ** passed * self.steps[1] ** failed
        return "FAIL" if ratio >= self.bounds[0] else "PASS" if ratio <= self.bounds[1] else "INCONCLUSIVE"


def walk(runs: Sequence[bool], spec: SprtSpec, ratio: Ratio) -> Walk:
    """The test over runs in their order: the first crossing decides, or with `look: final` the totals alone."""
    passed = sum(runs)
    found = next(_crossings(runs, ratio), None)
    crossed, verdict = found or (None, ratio.verdict(passed, len(runs) - passed))
    if spec.look == "final":
        verdict = ratio.verdict(passed, len(runs) - passed)
    return Walk(verdict, passed, len(runs), crossed, sum(runs[:crossed]))


def _crossings(runs: Sequence[bool], ratio: Ratio) -> Iterator[tuple[int, Verdict]]:
    """The number of each run after which the ratio lies beyond a boundary, with what it says there."""
    passed = 0
    for number, run in enumerate(runs, start=1):
        passed += run
        verdict = ratio.verdict(passed, number - passed)
        if verdict != "INCONCLUSIVE":
            yield number, verdict


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
