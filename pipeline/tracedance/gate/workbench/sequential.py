"""Wald's sequential probability ratio test, in the seed's formula."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracedance.schema import SprtSpec, Verdict


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
    """The log-likelihood ratio ln L(p1)/L(p0) after some runs, against Wald's boundaries.

    At or above `upper` the pass rate is taken for degraded (FAIL), at or below `lower` for acceptable (PASS). The seed's remarks beside its
    two boundaries name them the wrong way round; its verdict lines, and Wald 1945, Annals of Mathematical Statistics 16, p. 117-186, are
    followed. It is computed from the totals and in double precision, as printed there: at the default setting two failures in a row come
    to the boundary (4 * 4 = 16) in theory and just under it in that arithmetic, so that it takes a third, as the recorded figures have it.
    """

    def __init__(self, spec: SprtSpec) -> None:
        self.steps = math.log(spec.p1 / spec.p0), math.log((1 - spec.p1) / (1 - spec.p0))
        self.upper = math.log((1 - spec.beta) / spec.alpha)
        self.lower = math.log(spec.beta / (1 - spec.alpha))

    def llr(self, passed: int, failed: int) -> float:
        """The ratio's logarithm."""
        return passed * self.steps[0] + failed * self.steps[1]

    def verdict(self, passed: int, failed: int) -> Verdict:
        """What the ratio says after these runs."""
        llr = self.llr(passed, failed)
        return "FAIL" if llr >= self.upper else "PASS" if llr <= self.lower else "INCONCLUSIVE"


def walk(runs: Sequence[bool], spec: SprtSpec, ratio: Ratio) -> Walk:
    """The test over runs in their order: the first crossing decides, or with `look: final` the totals alone."""
    passed = sum(runs)
    final = ratio.verdict(passed, len(runs) - passed)
    crossed, first = next(_crossings(runs, ratio), (None, final))
    return Walk(final if spec.look == "final" else first, passed, len(runs), crossed, sum(runs[:crossed]))


def _crossings(runs: Sequence[bool], ratio: Ratio) -> Iterator[tuple[int | None, Verdict]]:
    """The number of each run after which the ratio lies beyond a boundary, with what it says there."""
    passed = 0
    for number, run in enumerate(runs, start=1):
        passed += run
        verdict = ratio.verdict(passed, number - passed)
        if verdict != "INCONCLUSIVE":
            yield number, verdict
