"""The `benchmark_results` checks: is the candidate worse than the baseline on the same items?"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracedance.gate.exact import (
    decimal,
    detectable_drop,
    holm,
    interval_is_below,
    least_bound,
    mcnemar,
    pairs_for,
    pairs_needed,
    share_is_below,
)
from tracedance.gate.pairing import ABSENT, Item, Outcome, judged, unpaired
from tracedance.kit.intervals import wilson
from tracedance.schema import BenchmarkResultsSpec, Check, Verdict

CATEGORY = "benchmark_results"


@dataclass(frozen=True)
class Table:
    """What became of the pairs, one an instance."""

    worse: int
    """The candidate passed in a smaller share of its samples than the baseline: lost."""
    better: int
    both: int
    """Both passed in every sample."""
    neither: int
    """Neither passed in any."""
    between: int = 0
    """Both passed in the same share of their samples, some but not all."""
    fall: Fraction = Fraction(0)
    """By how much the shares fell, summed over the pairs."""

    @property
    def n(self) -> int:
        return self.worse + self.better + self.both + self.neither + self.between

    @property
    def discordant(self) -> int:
        return self.worse + self.better

    @property
    def p(self) -> Fraction:
        return mcnemar(self.worse, self.better)

    @property
    def drop(self) -> Fraction:
        """Of the pass rate over the pairs; negative where the candidate is better."""
        return self.fall / self.n if self.n else Fraction(0)


def tabulate(items: Sequence[Item]) -> Table:
    """The table of the paired items."""
    pairs = [item.shares for item in items if item.paired]
    worse, better = sum(old > new for old, new in pairs), sum(old < new for old, new in pairs)
    both, neither = pairs.count((Fraction(1), Fraction(1))), pairs.count((Fraction(0), Fraction(0)))
    fall = sum((old - new for old, new in pairs), Fraction(0))
    return Table(worse, better, both, neither, len(pairs) - worse - better - both - neither, fall)


def checks(items: Sequence[Item], spec: BenchmarkResultsSpec) -> list[Check]:
    """All checks: whether the items can be compared, the whole, each family, and the floor where one is set."""
    families = sorted({item.family for item in items})
    splits = spec.family_checks == "decide" and len(families) > 1
    alpha = decimal(spec.alpha) / (2 if splits else 1)
    overall = regression_check(tabulate(items), alpha, spec)
    found = [pairing_check(items, spec), *missing_check(items, alpha), overall]
    tables = [tabulate([item for item in items if item.family == family]) for family in families]
    for family, table, adjusted in zip(families, tables, holm([table.p for table in tables]), strict=True):
        found.append(family_check(family, table, adjusted, (alpha, splits or overall.verdict == "FAIL", splits), spec))
    if spec.min_pass_rate is not None:
        found.append(floor_check("floor", items, decimal(spec.min_pass_rate)))
        if len(families) > 1:
            for family in families:
                mine = [item for item in items if item.family == family]
                found.append(informing(floor_check(f"floor of {family}", mine, decimal(spec.min_pass_rate))))
    return found


def worst(found: Sequence[Check]) -> Verdict:
    """FAIL > INCONCLUSIVE > WARN > PASS over the checks that decide; one that informs adds at most WARN. No check is INCONCLUSIVE."""
    verdicts = {check.verdict for check in found if check.decides}
    verdicts |= {"WARN" for check in found if not check.decides and check.verdict in ("WARN", "FAIL")}
    order: tuple[Verdict, ...] = ("FAIL", "INCONCLUSIVE", "WARN", "PASS")
    return next((verdict for verdict in order if verdict in verdicts), "INCONCLUSIVE")


def pairing_check(items: Sequence[Item], spec: BenchmarkResultsSpec) -> Check:
    """Whether enough of the items was judged on both sides. Infrastructure failures are counted here and never in a rate."""
    pairs = sum(item.paired for item in items)
    declined = sum(item.declined for item in items)
    asked = len(items) - declined
    lost = asked - pairs
    reasons = unpaired(list(items))
    per_side = {"baseline": [item.baseline for item in items], "candidate": [item.candidate for item in items]}
    facts: dict[str, Any] = {
        "items": len(items),
        "pairs": pairs,
        "declined": declined,
        "unpaired": reasons,
        "unpaired_share": float(Fraction(lost, asked)) if asked else None,
        "samples": {name: samples(sides) for name, sides in per_side.items()},
    }
    why = "; ".join(f"{count} {reason}" for reason, count in reasons.items())
    said = f"{pairs} of {len(items)} instances were judged on both sides" + (f" ({why})." if why else ".")
    partly = sum(len(judged(side)) < len(side) for item in items if item.paired for side in (item.baseline, item.candidate))
    if partly:
        said += f" Of {partly} of their sides some samples were not judged."
    verdict: Verdict = "PASS"
    if pairs == 0:
        verdict, said = "INCONCLUSIVE", f"Nothing was judged on both sides: {why or 'there are no instances'}."
    elif pairs < spec.min_pairs:
        verdict, said = "INCONCLUSIVE", f"{said} The policy wants at least {spec.min_pairs}, whatever the number of samples."
    elif 2 * declined > len(items):
        verdict, said = "INCONCLUSIVE", f"{said} A policy that is silent on more than half of them shows too little."
    elif Fraction(lost, asked) > decimal(spec.max_unpaired_share):
        verdict, said = "INCONCLUSIVE", f"{said} The policy allows {percent(spec.max_unpaired_share)} without a pair."
    return Check(category="sample_sufficiency", name="pairing", verdict=verdict, reason=said, facts=facts)


def missing_check(items: Sequence[Item], alpha: Fraction) -> list[Check]:
    """Whether what is missing of the candidate could hide a drop: with every such instance that the baseline passed counted as lost.

    What a model leaves unanswered is no accident of chance, so it must never turn a FAIL into a PASS. None where nothing is missing.
    """
    gaps = sum(not item.paired and not item.declined and any(judged(item.baseline)) for item in items)
    table = tabulate(items)
    if not gaps or table.p <= alpha:
        return []
    p = mcnemar(table.worse + gaps, table.better)
    said = f"The candidate has no judged turn on {gaps} instances that the baseline passed; all of them counted as lost, p = {figure(p)}"
    verdict: Verdict = "INCONCLUSIVE" if p <= alpha else "PASS"
    said += f", at most {figure(alpha)}: what is missing may hide a drop." if p <= alpha else f", above {figure(alpha)}."
    return [
        Check(category="sample_sufficiency", name="missing", verdict=verdict, reason=said, facts={"missing": gaps, "p_if_lost": float(p)})
    ]


def samples(sides: Sequence[tuple[Outcome, ...]]) -> dict[str, int]:
    """One side's samples: how many there are, how many were judged, and how many calls failed (infrastructure)."""
    told = [sample for side in sides for sample in side if sample not in ABSENT]
    return {"asked": len(told), "judged": len(judged(tuple(told))), "failed": told.count("failed")}


def regression_check(table: Table, alpha: Fraction, spec: BenchmarkResultsSpec) -> Check:
    """The exact McNemar test over all pairs."""
    verdict, said = judge(table, table.p, alpha, spec)
    points = detectable_drop(table.n, alpha)
    if points is not None:
        said += f" {table.n} pairs show a candidate that does worse on {points}% of instances, and better on none, 4 times in 5."
    if verdict == "INCONCLUSIVE" and table.n >= spec.min_pairs:
        said += f" {cure(table, alpha, spec)}"
    facts = {**figures(table, alpha), "p": float(table.p), "detectable_drop_points": points}
    return Check(category=CATEGORY, name="overall", verdict=verdict, reason=said, facts=facts)


def family_check(family: str, table: Table, adjusted: Fraction, rule: tuple[Fraction, bool, bool], spec: BenchmarkResultsSpec) -> Check:
    """One family's test with Holm's correction; `rule` holds alpha, whether it may say FAIL, and whether it decides then.

    Where families inform, one says FAIL only when the whole does: by closed testing no family is blamed wrongly more often than alpha.
    """
    alpha, may_fail, decides = rule
    verdict, said = judge(table, adjusted, alpha, spec)
    if verdict == "FAIL" and not may_fail:
        verdict, said = "WARN", f"{said} The whole shows no drop, so this informs only."
    elif verdict == "WARN":
        # A small family moves by more than warn_drop with a single pair: without significance that is no news.
        verdict = "PASS"
    facts = {**figures(table, alpha), "p": float(table.p), "p_holm": float(adjusted)}
    counts = decides and (verdict == "FAIL" or table.n == 0)
    return Check(category=CATEGORY, name=family, verdict=verdict, decides=counts, reason=said, facts=facts)


def judge(table: Table, p: Fraction, alpha: Fraction, spec: BenchmarkResultsSpec) -> tuple[Verdict, str]:
    """The verdict on one table and why; `p` is the table's own or corrected for its siblings."""
    needed = pairs_needed(alpha)
    lost = f"The candidate lost {table.worse} and gained {table.better} of {table.n} pairs"
    if table.n == 0:
        return "INCONCLUSIVE", "Nothing was judged on both sides."
    if table.n < spec.min_pairs:
        return "INCONCLUSIVE", f"{lost}; fewer than {spec.min_pairs} pairs decide nothing."
    if p <= alpha:
        return "FAIL", f"{lost}: p = {figure(p)}, at most {figure(alpha)}."
    if table.discordant < needed:
        if spec.tolerated_drop is not None and share_is_below(table.worse, table.n, decimal(spec.tolerated_drop), alpha):
            return "PASS", f"{lost}, which shows a drop under the tolerated {percent(spec.tolerated_drop)}."
        enough = f"; {needed} would do" if table.discordant else ""
        return (
            "INCONCLUSIVE",
            f"{lost}. {table.discordant} discordant pairs cannot reach p = {figure(alpha)} whichever way they fall{enough}.",
        )
    if table.drop > decimal(spec.warn_drop):
        points = percent(float(table.drop)).rstrip("%")
        return "WARN", f"{lost}: p = {figure(p)}, not significant, but the rate fell by {points} points."
    return "PASS", f"{lost}: p = {figure(p)}, above {figure(alpha)}."


def cure(table: Table, alpha: Fraction, spec: BenchmarkResultsSpec) -> str:
    """What can help where too few pairs differ. Instances like these cannot, where none does."""
    drop = least_bound(table.worse, table.n, alpha)
    value = f"{drop:g} or more makes this check PASS on these pairs" if drop else "no value makes this check PASS on pairs as few as these"
    if spec.tolerated_drop is not None:
        needed = pairs_for(table.worse, decimal(spec.tolerated_drop), alpha)
        more = f"{needed or 'over 10000'} pairs with {table.worse} lost would pass"
        return f"At the policy's tolerated_drop of {spec.tolerated_drop:g}, {more}; with another value, {value}."
    setting = f"set tolerated_drop in the policy ({value})"
    if table.discordant == 0:
        return f"Where nothing differs, more instances cannot help: to let a candidate pass that is no different, {setting}."
    return f"Evaluate more instances, or {setting}."


def floor_check(name: str, items: Sequence[Item], floor: Fraction) -> Check:
    """The candidate's own pass rate over all that was judged of it, against the floor."""
    sides = [known for item in items if (known := judged(item.candidate))]
    n, assessed, passed = len(sides), sum(map(len, sides)), sum(map(sum, sides))
    if not n:
        return Check(
            category=CATEGORY, name=name, verdict="INCONCLUSIVE", reason="Nothing of the candidate was judged.", facts={"assessed": 0}
        )
    # As in analyse.rates: the interval's n is the number of instances, whatever the number of samples.
    successes = Fraction(passed * n, assessed)
    low, high = (round(end, 6) for end in wilson(float(successes), n))
    of = f"{passed} of {assessed}" + (f" samples of {n} instances" if assessed > n else "")
    said = f"The candidate passed {of} (95% interval {percent(low)} to {percent(high)}); the floor is {percent(float(floor))}"
    facts = {"assessed": assessed, "passed": passed, "instances": n, "interval": [low, high], "floor": float(floor)}
    verdict: Verdict = "PASS"
    if interval_is_below(successes, n, floor):
        verdict, said = "FAIL", f"{said}, above the whole interval."
    elif Fraction(passed, assessed) < floor:
        verdict, said = "WARN", f"{said}, above the rate but within the interval."
    else:
        said += "."
    return Check(category=CATEGORY, name=name, verdict=verdict, reason=said, facts=facts)


def informing(check: Check) -> Check:
    """The same check as one that does not decide; what would fail warns."""
    return check.model_copy(update={"decides": False, "verdict": "WARN" if check.verdict == "FAIL" else check.verdict})


def figures(table: Table, alpha: Fraction) -> dict[str, Any]:
    """The table as plain values."""
    return {
        "pairs": table.n,
        "worse": table.worse,
        "better": table.better,
        "both_passed": table.both,
        "neither_passed": table.neither,
        "same_share": table.between,
        "discordant": table.discordant,
        "discordant_needed": pairs_needed(alpha),
        "drop": float(table.drop),
        "alpha": float(alpha),
    }


def figure(value: Fraction) -> str:
    """A probability to two significant digits."""
    return f"{float(value):.2g}"


def percent(value: float) -> str:
    """A share in percent, without needless digits."""
    return f"{round(100 * value, 1):g}%"
