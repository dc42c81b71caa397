"""Two sides of runs against a spec: the checks of the five categories, and what a report shows beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracedance.gate.exact import decimal
from tracedance.gate.workbench import sample, shape
from tracedance.gate.workbench.reading import JudgedRun
from tracedance.gate.workbench.rules import CONTRACT, OPERATIONAL, OUTPUT, Rule, Told, retries, rules, same_json, shown_name
from tracedance.schema import Check, Diff, GateSpec, Invariants, Sprt, Thresholds, Verdict, WilsonBound

SHAPE = "diff_shape"
CATEGORIES = (OUTPUT, CONTRACT, OPERATIONAL, SHAPE, sample.CATEGORY)
COUNTED = (OUTPUT, CONTRACT)
"""The categories whose rules a run must keep to count as passed."""
NAMED = 5
"""Runs, and kinds of offence, named in a reason; the report's rows have them all."""
WORST: tuple[Verdict, ...] = ("FAIL", "INCONCLUSIVE", "WARN", "PASS")

Judged = Sequence[Told]
"""What each rule says of one run, in the order of the rules."""


@dataclass(frozen=True)
class TraceVerdicts:
    """What the gate says of folders of traces."""

    checks: list[Check]
    diff: Diff
    sprt: Sprt | None
    wilson: WilsonBound
    rows: list[Mapping[str, Any]]


def judge_traces(baseline: Sequence[JudgedRun], candidate: Sequence[JudgedRun], spec: GateSpec) -> TraceVerdicts:
    """The candidate's runs, in their order, against the spec and the baseline's. ValueError where a side has no run."""
    if not baseline or not candidate:
        raise ValueError("Both sides need a run.")
    invariants, thresholds = spec.invariants or Invariants(), spec.thresholds or Thresholds()
    asked = rules(invariants)
    sides = {"baseline": baseline, "candidate": candidate}
    told = {side: [[rule.judge(run) for rule in asked] for run in runs] for side, runs in sides.items()}
    passed = {side: [counts(asked, judged) for judged in found] for side, found in told.items()}
    checks = [_rule_check(rule, number, candidate, told["candidate"], thresholds) for number, rule in enumerate(asked)]
    if checks[-1].verdict == "PASS":
        checks.pop()  # how runs ended was not asked: it is told where there is something to tell
    diff, distances, away = _compare(baseline, candidate)
    checks += _shape_checks(distances, thresholds, diff, _open(sides))
    more, sprt = _sample_checks(passed, [run.file for run in candidate], thresholds)
    rows = [
        _row(side, run, judged, (asked, ok, distance, invariants.retry_rule))
        for side, runs in sides.items()
        for run, judged, ok, distance in zip(runs, told[side], passed[side], away[side], strict=True)
    ]
    return TraceVerdicts(checks + more, diff, sprt, sample.wilson_bound(passed["candidate"], thresholds), rows)


def counts(asked: Sequence[Rule], judged: Judged) -> sample.Passed:
    """Whether a run counts as passed: it keeps every rule of behaviour and output. None where one of them cannot be judged."""
    verdicts = {told.verdict for rule, told in zip(asked, judged, strict=True) if rule.category in COUNTED}
    return False if "FAIL" in verdicts else None if "INCONCLUSIVE" in verdicts else True


def _rule_check(rule: Rule, number: int, runs: Sequence[JudgedRun], judged: Sequence[Judged], thresholds: Thresholds) -> Check:
    """One rule over the candidate's runs: the worst of what it says of each."""
    broken = [(run, told[number]) for run, told in zip(runs, judged, strict=True) if told[number].verdict != "PASS"]
    verdict = next((word for word in WORST if any(told.verdict == word for _, told in broken)), "PASS")
    failing = sum(told.verdict == "FAIL" for _, told in broken)
    facts = {"runs": len(runs), "failing": failing, "undecided": len(broken) - failing}
    if not broken:
        return Check(category=rule.category, name=rule.name, verdict="PASS", reason=f"All {len(runs)} runs keep it.", facts=facts)
    words = "do not keep it" if failing == len(broken) else "keep it not or not surely"
    said = f"{len(broken)} of {len(runs)} runs {words}: {_by_words(broken)}."
    if thresholds.violating_runs == "count" and rule.category in COUNTED:
        said += " The pass rate decides."
        return Check(category=rule.category, name=rule.name, verdict="WARN", decides=False, reason=said, facts=facts)
    return Check(category=rule.category, name=rule.name, verdict=verdict, reason=said, facts=facts)


def _by_words(broken: Sequence[tuple[JudgedRun, Told]]) -> str:
    """What is wrong, the worst first, with the runs in which it is; the first few of both."""
    groups: dict[str, list[str]] = {}
    for run, told in sorted(broken, key=lambda pair: WORST.index(pair[1].verdict)):
        groups.setdefault(told.words, []).append(shown_name(run.file))
    shown = [f"{words} ({_few(files)})" for words, files in groups.items()]
    return "; ".join(shown[:NAMED]) + (f"; and {len(shown) - NAMED} other reasons" if len(shown) > NAMED else "")


def _few(files: Sequence[str]) -> str:
    return ", ".join(files[:NAMED]) + (f" and {len(files) - NAMED} more" if len(files) > NAMED else "")


def _open(sides: Mapping[str, Sequence[JudgedRun]]) -> str:
    """Why no distance can be judged, if none can."""
    silent = sum(not run.told_steps for runs in sides.values() for run in runs)
    return f"{silent} traces have no 'spans', so their paths are not known" if silent else ""


def _shape_checks(distances: Mapping[str, Fraction], thresholds: Thresholds, diff: Diff, silent: str) -> list[Check]:
    """Each distance that has a threshold. It exceeds one where it is greater; the fingerprint's comes squared and is compared so."""
    found = []
    for name, exact in distances.items():
        limits = {word: getattr(thresholds, f"{name}_{word}") for word in ("warn", "fail")}
        if all(limit is None for limit in limits.values()):
            continue
        power = 2 if name == "fingerprint_distance" else 1
        over = [word for word, limit in limits.items() if limit is not None and exact > decimal(limit) ** power]
        verdict: Verdict = "FAIL" if "fail" in over else "WARN" if over else "PASS"
        value = _shown(name, exact)
        bounds = ", ".join(f"{word} above {limit:g}" for word, limit in limits.items() if limit is not None)
        said = f"{value:.4f} ({bounds})."
        path = name == "path_edit_distance"
        if path and not silent:
            said = f"{said[:-1]}; the baseline's own runs lie {diff.baseline_distance:.4f} from their middle one."
        open_ = silent or (
            f"{diff.bounded_runs} runs are too long to compare: for them it is the most it can be" if path and diff.bounded_runs else ""
        )
        if open_ and (silent or over):
            verdict, said = "INCONCLUSIVE", f"{said[:-1]}, and {open_}."
        found.append(Check(category=SHAPE, name=name, verdict=verdict, reason=said, facts={"value": value, **limits}))
    return found


def _sample_checks(
    passed: Mapping[str, Sequence[sample.Passed]], files: Sequence[str], thresholds: Thresholds
) -> tuple[list[Check], Sprt | None]:
    """Enough runs, and enough of them passed."""
    runs = passed["candidate"]
    found = [sample.number_check(len(runs), thresholds.min_runs)]
    if wilson := sample.wilson_check(runs, thresholds):
        found.append(wilson)
    state = None
    if thresholds.sprt.enabled:
        check, state = sample.sprt_check(runs, files, thresholds.sprt)
        found.append(check)
    if thresholds.comparison:
        found.append(sample.comparison_check(passed["baseline"], runs, thresholds.comparison))
    return found, state


def _compare(
    baseline: Sequence[JudgedRun], candidate: Sequence[JudgedRun]
) -> tuple[Diff, Mapping[str, Fraction], Mapping[str, list[Fraction]]]:
    """How the candidate's trajectories differ, the exact distances (the fingerprint's squared), and each run's distance to the medoid."""
    paths = {"baseline": [run.names for run in baseline], "candidate": [run.names for run in candidate]}
    middle = shape.medoid(paths["baseline"])
    taken = {side: shape.measured(found, middle.path) for side, found in paths.items()}
    away = {side: found for side, (found, _) in taken.items()}
    common, closed = shape.common_path(paths["baseline"])
    left = [step for path in paths["candidate"] if (step := shape.divergent_step(path, common, closed)) is not None]
    distances = {
        "path_edit_distance": sum(away["candidate"], Fraction(0)) / len(candidate),
        "fingerprint_distance": shape.fingerprint_distance_squared(paths["baseline"], paths["candidate"]),
        "tool_jaccard": shape.jaccard_distance(paths["baseline"], paths["candidate"]),
    }
    diff = Diff(
        **{name: _shown(name, exact) for name, exact in distances.items()},
        path_edit_distance_max=round(float(max(away["candidate"])), sample.DIGITS),
        medoid=middle.path,
        medoid_tried=middle.tried,
        baseline_paths=middle.distinct,
        first_divergent_step=min(left, default=None),
        common_path=common,
        diverging_runs=len(left),
        bounded_runs=taken["candidate"][1],
        baseline_distance=_shown("path_edit_distance", sum(away["baseline"], Fraction(0)) / len(baseline)),
        canonical_outputs_equal=_same_outputs(baseline, candidate),
    )
    return diff, distances, away


def _shown(name: str, exact: Fraction) -> float:
    return round(shape.root(exact) if name == "fingerprint_distance" else float(exact), sample.DIGITS)


def _same_outputs(baseline: Sequence[JudgedRun], candidate: Sequence[JudgedRun]) -> bool | None:
    """Whether both sides recorded the same canonical outputs, whatever how often."""
    kinds: list[list[Any]] = []
    for runs in (baseline, candidate):
        seen: list[Any] = []
        for run in runs:
            if not any(same_json(run.output, other) for other in seen):
                seen.append(run.output)
        kinds.append(seen)
    if kinds == [[None], [None]]:
        return None
    one, other = kinds
    return len(one) == len(other) and all(any(same_json(output, known) for known in other) for output in one)


def _row(side: str, run: JudgedRun, judged: Judged, about: tuple[Sequence[Rule], sample.Passed, Fraction, str]) -> Mapping[str, Any]:
    """One trace's line of the report."""
    asked, passed, distance, retry_rule = about
    broken = [(rule, told) for rule, told in zip(asked, judged, strict=True) if told.verdict != "PASS"]
    return {
        "side": side,
        "file": run.file,
        "digest": run.digest,
        "trace_id": run.trace_id,
        "verdict": next((word for word in WORST if any(told.verdict == word for _, told in broken)), "PASS"),
        "passed": passed,
        "violations": [f"{rule.name}: {told.words}" for rule, told in broken],
        "path_length": len(run.steps),
        "errors": run.errors,
        "retries": retries(run, retry_rule),
        "final_status": run.final_status,
        "path_edit_distance": round(float(distance), sample.DIGITS),
        "unknown_fields": run.unknown_fields,
    }
