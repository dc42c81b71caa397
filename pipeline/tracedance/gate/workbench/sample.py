"""`sample_sufficiency`: are there enough runs, and do enough of them pass?

The unit is a run that keeps every rule of behaviour and output. Of a run that cannot be judged (None) a check passes only if it does with
that run counted as failed, and fails only if it does with it counted as passed.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from tracedance.gate.exact import decimal, fisher, interval_is_below, interval_reaches, share_at_most
from tracedance.gate.workbench.sequential import Ratio, Walk, walk
from tracedance.schema import Check, ComparisonSpec, Sprt, SprtSpec, Thresholds, Verdict, WilsonBound

CATEGORY = "sample_sufficiency"
POWER = 0.8
DIGITS = 6
"""Decimals of figures in a report; verdicts rest on exact numbers."""
Passed = bool | None
"""Whether a run counts as passed; None where that cannot be told."""


def number_check(runs: int, least: int) -> Check:
    """Whether there are as many runs as the spec wants."""
    verdict: Verdict = "PASS" if runs >= least and runs > 0 else "INCONCLUSIVE"
    said = f"{runs} run{'s' * (runs != 1)} of the candidate; the spec wants {least} or more."
    return Check(category=CATEGORY, name="min_runs", verdict=verdict, reason=said, facts={"runs": runs, "min_runs": least})


def wilson_ends(passed: int, n: int, z: float) -> tuple[float, float]:
    """Both ends of the Wilson score interval. ValueError for no run, of which there is none.

    The lower one is the seed's formula; with z it bounds the rate from below at the one-sided level of that quantile: 1.96 is 97.5%.
    """
    if n < 1:
        raise ValueError("No interval exists for no run.")
    share = passed / n
    centre = share + z * z / (2 * n)
    margin = z * math.sqrt((share * (1 - share) + z * z / (4 * n)) / n)
    scale = 1 + z * z / n
    return max(0.0, min(1.0, (centre - margin) / scale)), max(0.0, min(1.0, (centre + margin) / scale))


def wilson_bound(runs: Sequence[Passed], thresholds: Thresholds) -> WilsonBound:
    """The interval for the report; runs that cannot be judged count as not passed."""
    passed, n = sum(run is True for run in runs), len(runs)
    low, high = (round(end, DIGITS) for end in wilson_ends(passed, n, thresholds.wilson_z)) if n else (None, None)
    return WilsonBound(passed=passed, runs=n, z=thresholds.wilson_z, low=low, high=high, floor=thresholds.min_wilson_pass_rate)


def wilson_check(runs: Sequence[Passed], thresholds: Thresholds) -> Check | None:
    """The lower end against the floor; None where the spec sets none."""
    if thresholds.min_wilson_pass_rate is None:
        return None
    floor, z2 = decimal(thresholds.min_wilson_pass_rate), decimal(thresholds.wilson_z) ** 2
    bound = wilson_bound(runs, thresholds)
    n, least, most = len(runs), bound.passed, sum(run is not False for run in runs)
    if not n:
        return Check(category=CATEGORY, name="wilson", verdict="INCONCLUSIVE", reason="No run, no rate.", facts={"runs": 0})
    said = f"{least} of {n} runs passed: the rate is {bound.low:.4f} or more at z = {bound.z:g}"
    verdict: Verdict = "INCONCLUSIVE"
    if interval_reaches(least, n, floor, z2):
        verdict, said = "PASS", f"{said}, at or above the floor {float(floor):g}."
    elif thresholds.wilson_policy == "strict":
        verdict = "INCONCLUSIVE" if interval_reaches(most, n, floor, z2) else "FAIL"
        said = f"{said}, under the floor {float(floor):g}.{_enough(floor, z2)}"
    else:
        verdict = "FAIL" if interval_is_below(most, n, floor, z2) else "INCONCLUSIVE"
        where = "and the whole interval is under" if verdict == "FAIL" else "and the interval holds"
        said = f"{said} and {bound.high:.4f} or less, {where} the floor {float(floor):g}.{_enough(floor, z2)}"
    facts = {"passed": least, "undecided": most - least, "runs": n, "low": bound.low, "high": bound.high, "floor": float(floor)}
    return Check(category=CATEGORY, name="wilson", verdict=verdict, reason=said, facts=facts | {"z": bound.z})


def _enough(floor: Fraction, z2: Fraction) -> str:
    """How many runs, all passed, reach the floor: n / (n + z^2) >= floor."""
    if floor == 1:
        return " No number of runs reaches a floor of 1."
    return f" {math.ceil(z2 * floor / (1 - floor))} runs that all pass reach it."


def sprt_check(runs: Sequence[Passed], files: Sequence[str], spec: SprtSpec) -> tuple[Check, Sprt]:
    """The sequential test in the order of the runs, and where it stands."""
    ratio = Ratio(spec)
    strict, kind = (walk([other if run is None else run for run in runs], spec, ratio) for other in (False, True))
    verdict: Verdict = strict.verdict if strict.verdict == kind.verdict else "INCONCLUSIVE"
    state = _state(strict, verdict, files, ratio, spec)
    where = f"crossed at run {state.crossed_at} ({state.crossed_by})" if state.crossed_at else "no boundary crossed"
    bounds = f"PASS at {state.lower:.4f} or less, FAIL at {state.upper:.4f} or more"
    said = f"{state.passed} of {state.runs} runs passed: llr {state.llr:.4f}, {bounds}; {where}."
    if strict.verdict != kind.verdict:
        said += " Runs that cannot be judged leave it open."
    elif verdict == "INCONCLUSIVE":
        said += " Record more runs."
    elif spec.look == "first_crossing" and state.crossed_at != state.runs:
        said += " The first crossing decides; later runs do not count."
    return Check(category=CATEGORY, name="sprt", verdict=verdict, reason=said, facts=state.model_dump(exclude={"verdict"})), state


def _state(taken: Walk, verdict: Verdict, files: Sequence[str], ratio: Ratio, spec: SprtSpec) -> Sprt:
    at, there = taken.crossed_at, taken.passed_there
    return Sprt(
        verdict=verdict,
        runs=taken.runs,
        passed=taken.passed,
        llr=round(ratio.llr(taken.passed, taken.runs - taken.passed), DIGITS),
        upper=round(ratio.upper, DIGITS),
        lower=round(ratio.lower, DIGITS),
        crossed_at=at,
        crossed_by=files[at - 1] if at else None,
        llr_at_crossing=round(ratio.llr(there, at - there), DIGITS) if at else None,
        look=spec.look,
    )


def comparison_check(baseline: Sequence[Passed], candidate: Sequence[Passed], spec: ComparisonSpec) -> Check:
    """Does the candidate pass less often than the baseline? Runs are not paired: Fisher's exact test, one-sided."""
    alpha = decimal(spec.alpha)
    least, most = ([sum(run is True for run in side), sum(run is not False for run in side)] for side in (baseline, candidate))
    sizes = len(baseline), len(candidate)
    strict = fisher((least[1], sizes[0]), (most[0], sizes[1]))
    kind = fisher((least[0], sizes[0]), (most[1], sizes[1]))
    points = detectable_drop((least[0], sizes[0]), sizes[1], alpha)
    said = f"The candidate passed {most[0]} of {sizes[1]} runs, the baseline {least[0]} of {sizes[0]}: p = {float(strict):.2g}"
    shows = f"these numbers of runs show a drop of {points} points 4 times in 5" if points else "so few runs show no drop 4 times in 5"
    verdict: Verdict = "PASS"
    if kind <= alpha:
        verdict, said = "FAIL", f"{said}, at most {float(alpha):g}."
    elif strict <= alpha:
        verdict, said = "INCONCLUSIVE", f"{said}; runs that cannot be judged leave it open."
    elif points is None or (spec.detect is not None and Fraction(points, 100) > decimal(spec.detect)):
        wanted = f" The spec wants {float(decimal(spec.detect)) * 100:g}." if spec.detect is not None else ""
        verdict, said = "INCONCLUSIVE", f"{said}, above {float(alpha):g}, but {shows}.{wanted} Record more runs."
    else:
        said = f"{said}, above {float(alpha):g}; {shows}."
    facts = {"baseline": [least[0], sizes[0]], "candidate": [most[0], sizes[1]], "p": float(strict), "detectable_drop_points": points}
    return Check(category=CATEGORY, name="comparison", verdict=verdict, reason=said, facts=facts)


def detectable_drop(baseline: tuple[int, int], runs: int, alpha: Fraction) -> int | None:
    """Smallest drop below the baseline's rate, in whole points, that so many runs of a candidate show with `POWER`; None if none is.

    The baseline is taken as observed: the test then fails the candidate at or under a certain number of passes.
    """
    passed, n = baseline
    low, high = -1, runs
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fisher(baseline, (middle, runs)) <= alpha else (low, middle - 1)
    if low < 0:
        return None
    drops = range(1, 100 * passed // n + 1)
    place = bisect_left(drops, True, key=lambda drop: share_at_most(low, runs, passed / n - drop / 100) >= POWER)
    return drops[place] if place < len(drops) else None
