"""The gate itself: two sides and a policy in, a `gate-report/v0` out. It reads files alone: no model, network, clock or locale."""

import hashlib
import json

from tracedance.errors import InputError
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.pairing import pair
from tracedance.gate.runs import EvaluationRun, RunRef, load
from tracedance.schema import EvidenceRow, GateReport, GateSpec, Side


def gate(baseline: RunRef, candidate: RunRef, spec: GateSpec) -> GateReport:
    """Compares the candidate with the baseline under the policy; the same files give the same report.

    InputError for a run that is unreadable or not finished, an unknown model, and runs that were judged differently: their grades
    have no common measure, and no number of pairs would mend that.
    """
    first = load(baseline)
    sides = first, load(candidate, first[0])
    check_comparable(*(run for run, _ in sides))
    items = pair(*sides)
    found = checks(items, spec.benchmark_results)
    return GateReport(
        spec=spec.id,
        spec_digest=digest_of(spec),
        baseline=side(*sides[0]),
        candidate=side(*sides[1]),
        verdict=worst(found),
        checks=tuple(found),
        evidence=evidence(*(run for run, _ in sides)),
        pairs=tuple(item.row() for item in items),
    )


def report_json(report: GateReport) -> str:
    """The report's file: sorted keys, ASCII, one line break at the end."""
    return json.dumps(report.model_dump(mode="json"), sort_keys=True, ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def check_comparable(baseline: EvaluationRun, candidate: EvaluationRun) -> None:
    """InputError where the two runs were judged in different ways."""
    one, other = yardstick(baseline), yardstick(candidate)
    for what in sorted(one.keys() & other.keys()):
        if one[what] != other[what]:
            raise InputError(
                f"The two runs were judged differently, so their grades cannot be compared: {what} {one[what]!r} and {other[what]!r}. "
                "Evaluate both models in one run, or with the same settings."
            )


def yardstick(run: EvaluationRun) -> dict[str, str]:
    """Everything that decides how a run's responses were graded; judges are left out where none was asked."""
    about = run.manifest
    measures: dict[str, str] = {"judged by": about.judged_by, "mode": about.mode}
    seats = {vote.judge for grade in run.grades for vote in grade.votes} - {"rule"}
    if about.judged_by == "panel":
        measures |= {"quorum": str(about.quorum)} | ({"judges": ", ".join(sorted(seats))} if seats else {})
    kinds = ("prompt:", "rubric:") if about.judged_by == "panel" else ("check:",)
    return measures | {name: str(digest) for name, digest in about.digests.items() if name.startswith(kinds)}


def side(run: EvaluationRun, model: str) -> Side:
    """What the report says of one side."""
    about = run.manifest
    return Side(model=model, run=run.digest, judged_by=about.judged_by, mode=about.mode, quorum=about.quorum)


def evidence(baseline: EvaluationRun, candidate: EvaluationRun) -> tuple[EvidenceRow, ...]:
    """What the verdict rests on, and what it does not."""
    rows = [
        EvidenceRow(source=f"{name}/{file}", status="used", digest=digest)
        for name, run in (("baseline", baseline), ("candidate", candidate))
        for file, digest in sorted(run.files.items())
    ]
    rows.append(EvidenceRow(source="open-model representation trajectory", status="advisory"))
    rows.append(EvidenceRow(source="private reasoning", status="not_used"))
    return tuple(rows)


def digest_of(spec: GateSpec) -> str:
    """sha256 of the policy as canonical JSON."""
    return hashlib.sha256(json.dumps(spec.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()
