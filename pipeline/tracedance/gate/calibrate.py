"""What chance alone does to a comparison: the same model twice (A/A), so that a policy can be set to what the instances can tell."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, sqrt
from statistics import NormalDist

from tracedance.errors import InputError
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.exact import decimal, least_bound, mcnemar, pairs_needed, shares
from tracedance.gate.pairing import ABSENT, Item, ItemKey, judged, outcomes
from tracedance.gate.report import check_comparable
from tracedance.gate.runs import EvaluationRun, RunRef, load
from tracedance.schema import BenchmarkResultsSpec, Verdict
from tracedance.schema.record import Record

MOST_INSTANCES = 5000
"""Up to which number of instances it is said how many a drop would take."""
POWER = 0.8
SELDOM = 0.05
"""Under this chance of too few differing instances, a policy needs no `tolerated_drop`."""
NEVER = 1e-9
"""Chances under this are left out of a sum."""
quantile = NormalDist().inv_cdf


class Calibration(Record):
    """What A/A runs show of a benchmark under a policy."""

    model: str
    runs: int
    instances: int
    """Instances judged at least twice."""
    left_out: int
    """Instances judged less often: nothing can be said of their noise."""
    pass_rate: float
    flip_rate: float
    """How often two samples of one instance differ, on average over the instances."""
    comparisons: Mapping[Verdict, int]
    """What the policy says of each pair of repetitions, one against the other."""
    false_fail: float
    """Chance that the test fails the model against itself."""
    too_few: float
    """Chance that too few instances differ for any verdict but INCONCLUSIVE, unless a drop is tolerated."""
    detectable_drop_points: int | None
    """Smallest drop in whole points that is found in 4 of 5 cases; None if none is."""
    instances_for: Mapping[str, int | None]
    """Drop in points -> how many such instances show it in 4 of 5 cases."""
    suggested: Mapping[str, float]
    """Values for the policy, under which this model mostly passes against itself."""


@dataclass(frozen=True)
class Noise:
    """How often two samples of an instance differ, instance by instance."""

    flips: Sequence[float]

    @property
    def n(self) -> int:
        return len(self.flips)

    @property
    def mean(self) -> float:
        return sum(self.flips) / self.n

    def discordant(self) -> list[float]:
        """P(d instances differ), d = 0, 1, ..., n: a sum of independent unequal coins, one after the other."""
        chances = [1.0]
        for flip in self.flips:
            chances = [here * (1 - flip) + before * flip for here, before in zip([*chances, 0.0], [0.0, *chances], strict=True)]
        return chances


def calibrate(refs: Sequence[RunRef], spec: BenchmarkResultsSpec) -> Calibration:
    """InputError where the runs are of different models or graded differently, or no instance was judged twice."""
    loaded = [load(ref) for ref in refs]
    if len(models := {model for _, model in loaded}) > 1:
        raise InputError(
            f"A/A means one model against itself, and these are {', '.join(map(repr, sorted(models)))}. Give runs of one model."
        )
    if len({run.digest for run, _ in loaded}) < len(loaded):
        raise InputError("One run is given twice: a copy is no repetition. Evaluate the model again into a new folder.")
    for run, _ in loaded[1:]:
        check_comparable(loaded[0][0], run)
    samples = repeated(loaded)
    twice = {key: found for key, found in samples.items() if len(found) > 1}
    if not twice:
        raise InputError(
            "No instance was judged twice, so chance cannot be seen. Give two runs of the model, or evaluate it with --samples 2."
        )
    noise = Noise([flips(sum(found), len(found)) for found in twice.values()])
    alpha, spread = decimal(spec.alpha), noise.discordant()
    too_few = sum(spread[: pairs_needed(alpha)])
    needed = {str(points): next_size(noise.mean, points / 100, alpha) for points in (5, 10, 20)}
    return Calibration(
        model=loaded[0][1],
        runs=len(loaded),
        instances=len(twice),
        left_out=len(samples) - len(twice),
        pass_rate=round(sum(sum(found) / len(found) for found in twice.values()) / len(twice), 6),
        flip_rate=round(noise.mean, 6),
        comparisons=repetitions(twice, spec),
        false_fail=round(sum(chance * failing_share(apart, 0.5, alpha) for apart, chance in enumerate(spread) if chance > NEVER), 6),
        too_few=round(too_few, 6),
        detectable_drop_points=drop_found(noise, alpha),
        instances_for=needed,
        suggested=suggestion(noise, too_few, alpha),
    )


def flips(passed: int, samples: int) -> float:
    """The chance that two of an instance's samples differ, by all pairs of them."""
    return 2 * passed * (samples - passed) / (samples * (samples - 1))


def drop_found(noise: Noise, alpha: Fraction) -> int | None:
    """The smallest drop in whole points that these instances show with `POWER`; None if none."""
    found = bisect_left(range(1, 101), True, key=lambda drop: power(noise.n, noise.mean, drop / 100, alpha) >= POWER) + 1
    return found if found <= 100 else None


def repeated(loaded: Sequence[tuple[EvaluationRun, str]]) -> dict[ItemKey, list[bool]]:
    """Every judged sample of each instance, over all runs in their order."""
    found: dict[ItemKey, list[bool]] = {}
    for run, model in loaded:
        for key, side in outcomes(run, model).items():
            found.setdefault(key, []).extend(judged(side))
    return dict(sorted(found.items()))


def repetitions(twice: Mapping[ItemKey, Sequence[bool]], spec: BenchmarkResultsSpec) -> dict[Verdict, int]:
    """The policy's verdicts where each repetition is compared with each later one."""
    most = min(max(map(len, twice.values())), 8)
    said: Counter[Verdict] = Counter()
    for one, other in combinations(range(most), 2):
        pairs = {key: [found[at : at + 1] for at in (one, other)] for key, found in twice.items()}
        items = [Item(key, *(tuple(side) if side else ABSENT[:1] for side in sides)) for key, sides in pairs.items()]
        said[worst(checks(items, spec))] += 1
    return dict(sorted(said.items()))


@cache
def critical(discordant: int, alpha: Fraction) -> int:
    """How many of so many differing instances must be lost for the test to fail the candidate; one more than there are if none will do."""
    return bisect_left(range(discordant + 1), True, key=lambda lost: mcnemar(lost, discordant - lost) <= alpha)


def failing_share(discordant: int, lost: float, alpha: Fraction) -> float:
    """P(the test fails the candidate) where so many instances differ and each of them is lost with that chance."""
    return sum(shares(discordant, lost)[critical(discordant, alpha) :])


def power(n: int, flips: float, drop: float, alpha: Fraction) -> float:
    """P(FAIL) over `n` instances that differ by chance in `flips` of the cases, half of them lost, and are lost in `drop` more."""
    lost, gained = flips / 2 + drop, flips / 2
    likely = enumerate(shares(n, min(1.0, lost + gained)))
    return sum(chance * failing_share(apart, lost / (lost + gained), alpha) for apart, chance in likely if chance > NEVER)


def next_size(flips: float, drop: float, alpha: Fraction) -> int | None:
    """How many instances show a drop with `POWER`, to the next ten; None above `MOST_INSTANCES`.

    By the normal approximation of the sign test (Connor 1987, Biometrics 43, p. 207-211), a few instances off where they are few.
    """
    apart = flips + drop
    n = ((quantile(1 - float(alpha)) * sqrt(apart) + quantile(POWER) * sqrt(max(apart - drop**2, 0.0))) / drop) ** 2
    found = 10 * ceil(n / 10)
    return found if found <= MOST_INSTANCES else None


def suggestion(noise: Noise, too_few: float, alpha: Fraction) -> dict[str, float]:
    """`warn_drop` that 19 of 20 comparisons with itself stay under; where they are often too few, a `tolerated_drop` that 9 of 10 pass."""
    spread = sqrt(sum(noise.flips))
    lost = ceil(sum(noise.flips) / 2 + quantile(0.9) * spread / 2)
    found: dict[str, float] = {"warn_drop": min(1.0, ceil(100 * quantile(0.95) * spread / noise.n) / 100)}
    bound = least_bound(lost, noise.n, alpha) if too_few > SELDOM else None
    return found | ({"tolerated_drop": bound} if bound is not None else {})
