"""How often the gate fails a candidate that is no worse, and how often it finds one that is 20 points worse.

Simulated through the gate itself; the power is also summed exactly over all outcomes, so that no seed decides.
"""

import os
import random
from functools import cache
from statistics import NormalDist

from scipy.stats import binom, multinomial, multivariate_normal

from tests.gate.workbench.cases import given
from tests.gate.workbench.test_rules import ORDER, run
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.pairing import Item
from tracedance.gate.report import judge
from tracedance.gate.sides import Given
from tracedance.gate.workbench.sample import comparison_check
from tracedance.schema import BenchmarkResultsSpec, ComparisonSpec, GateSpec

SIMULATIONS = int(os.environ.get("TRACEDANCE_GATE_SIMULATIONS", "100"))
ALPHA, GOOD, BAD, LATENT = 0.02, 0.8, 0.6, 0.8
SPEC = BenchmarkResultsSpec(alpha=ALPHA)
COUNTING = GateSpec.model_validate(
    {
        "schema_version": "behavior-spec/v0",
        "id": "counting",
        "invariants": ORDER,
        "thresholds": {"violating_runs": "count", "comparison": {"alpha": ALPHA}},
    }
)


def paired(rng: random.Random, n: int, rates: tuple[float, float]) -> list[Item]:
    """Instances of both sides: each passes where a normal variable is under its rate's quantile, both correlated (Gaussian copula)."""
    ends = [NormalDist().inv_cdf(rate) for rate in rates]
    items = []
    for number in range(n):
        one, other = rng.gauss(0, 1), rng.gauss(0, 1)
        two = LATENT * one + (1 - LATENT**2) ** 0.5 * other
        items.append(Item(("d", "failure/f", f"{number:04}"), (one < ends[0],), (two < ends[1],)))
    return items


@cache
def side(passed: int, n: int) -> Given:
    """A side of `n` traces of which so many keep the order."""
    return given([run(*(("policy_check", "refund_tool") if number < passed else ("refund_tool",)), number=number) for number in range(n)])


def unpaired(rng: random.Random, n: int, rates: tuple[float, float]) -> tuple[Given, Given]:
    first, second = (sum(rng.random() < rate for _ in range(n)) for rate in rates)
    return side(first, n), side(second, n)


def test_a_candidate_that_is_no_worse_is_failed_in_two_of_a_hundred_at_most() -> None:
    rng = random.Random(42)
    paired_fails = [worst(checks(paired(rng, 50, (GOOD, GOOD)), SPEC)) == "FAIL" for _ in range(SIMULATIONS)]
    assert sum(paired_fails) <= 0.02 * SIMULATIONS
    unpaired_fails = [judge(*unpaired(rng, 100, (GOOD, GOOD)), COUNTING).verdict == "FAIL" for _ in range(SIMULATIONS)]
    assert sum(unpaired_fails) <= 0.02 * SIMULATIONS
    print(f"\nA/A: {sum(paired_fails)} of {SIMULATIONS} paired (n = 50) and {sum(unpaired_fails)} unpaired (n = 100) failed")


def test_a_drop_of_20_points_is_found_in_four_of_five() -> None:
    rng = random.Random(7)
    found = sum(worst(checks(paired(rng, 50, (GOOD, BAD)), SPEC)) == "FAIL" for _ in range(SIMULATIONS))
    apart = sum(judge(*unpaired(rng, 100, (GOOD, BAD)), COUNTING).verdict == "FAIL" for _ in range(SIMULATIONS))
    print(f"\n.80 to .60: found in {found} of {SIMULATIONS} paired (n = 50), in {apart} unpaired (n = 100)")
    # A hundred simulations scatter by 4 points; the exact sums below hold the figure itself.
    assert min(found, apart) >= (0.8 - 1.5 / SIMULATIONS**0.5) * SIMULATIONS


def fails(worse: int, better: int, n: int = 50) -> bool:
    kinds = [(True, False)] * worse + [(False, True)] * better + [(True, True)] * (n - worse - better)
    items = [Item(("d", "failure/f", f"{number:04}"), (old,), (new,)) for number, (old, new) in enumerate(kinds)]
    return worst(checks(items, SPEC)) == "FAIL"


def test_power_and_false_fails_over_pairs_summed_exactly() -> None:
    quantiles = {rate: NormalDist().inv_cdf(rate) for rate in (GOOD, BAD)}
    sums = []
    for rate in (BAD, GOOD):
        both = multivariate_normal([0, 0], [[1, LATENT], [LATENT, 1]]).cdf([quantiles[GOOD], quantiles[rate]])
        lost, gained = GOOD - both, rate - both
        places = [(worse, better) for worse in range(31) for better in range(12)]
        shares = {(a, b): multinomial.pmf([a, b, 50 - a - b], 50, [lost, gained, 1 - lost - gained]) for a, b in places}
        sums.append(sum(share for place, share in shares.items() if fails(*place)))
    assert 0.8 <= sums[0] <= 0.85 and sums[1] <= 0.02


def test_power_and_false_fails_over_runs_that_are_not_paired_summed_exactly() -> None:
    power = size = 0.0
    spec = ComparisonSpec(alpha=ALPHA)
    for old in range(64, 94):
        for new in range(40, 94):
            sides = ([True] * passed + [False] * (100 - passed) for passed in (old, new))
            if comparison_check(*sides, spec).verdict == "FAIL":
                power += binom.pmf(old, 100, GOOD) * binom.pmf(new, 100, BAD)
                size += binom.pmf(old, 100, GOOD) * binom.pmf(new, 100, GOOD)
    assert 0.8 <= power <= 0.85 and size <= 0.02
