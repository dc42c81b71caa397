"""The gate itself: two sides and a policy in, a `gate-report/v0` out. It reads files alone: no model, network, clock or locale."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tracedance.errors import InputError
from tracedance.gate import benchmark_results
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.pairing import pair
from tracedance.gate.runs import EvaluationRun, RunRef, load
from tracedance.gate.sides import Given
from tracedance.gate.workbench.judging import CATEGORIES, TraceVerdicts, judge_traces
from tracedance.gate.workbench.ledger import trace_rows, traces_digest, unread_row
from tracedance.gate.workbench.rules import CONTRACT
from tracedance.schema import Category, Check, EvidenceRow, GateReport, GateSpec, Side

ALL_CATEGORIES = (*CATEGORIES, benchmark_results.CATEGORY)


@dataclass
class _Found:
    """What the parts of a report are made of, section by section."""

    checks: list[Check] = field(default_factory=list)
    evidence: list[EvidenceRow] = field(default_factory=list)
    sides: tuple[dict[str, Any], dict[str, Any]] = field(default_factory=lambda: ({}, {}))
    pairs: tuple[Mapping[str, Any], ...] = ()
    traces: TraceVerdicts | None = None


def gate(baseline: RunRef, candidate: RunRef, spec: GateSpec) -> GateReport:
    """`judge` for two evaluation runs."""
    return judge(Given(run=baseline), Given(run=candidate), spec)


def judge(baseline: Given, candidate: Given, spec: GateSpec, locked: bool = False, representation: str | None = None) -> GateReport:
    """Judges the candidate by what was given of both sides and what the spec asks; the same files give the same report.

    InputError for what cannot be read or compared: a run that is unreadable or not finished, an unknown model, runs that were judged
    differently (their grades have no common measure, and no number of pairs would mend that), a kind of evidence that one side lacks or
    the spec does not speak of. What the spec asks for and nobody gave is INCONCLUSIVE. `representation` is the digest of a
    representation-trajectory/v0: it stands in the ledger and decides nothing.
    """
    _check_given(baseline, candidate, spec)
    found = _Found()
    for asked, given, section in (
        (spec.about_traces, baseline.traces is not None, _traces),
        (spec.benchmark_results is not None, baseline.run is not None, _runs),
    ):
        if given:
            section(baseline, candidate, spec, found)
        elif asked:
            _missing(section is _traces, found)
    digest = digest_of(spec)
    return GateReport(
        spec=spec.id,
        spec_digest=digest,
        locked=locked,
        baseline=Side(**found.sides[0]),
        candidate=Side(**found.sides[1]),
        verdict=worst(found.checks),
        categories=tuple(_category(name, found.checks) for name in ALL_CATEGORIES),
        checks=tuple(found.checks),
        evidence=(*found.evidence, *_always(digest, locked, representation)),
        pairs=found.pairs,
        diff=found.traces.diff if found.traces else None,
        sprt=found.traces.sprt if found.traces else None,
        wilson=found.traces.wilson if found.traces else None,
        traces=tuple(found.traces.rows) if found.traces else (),
    )


def _category(name: str, checks: Sequence[Check]) -> Category:
    mine = [check for check in checks if check.category == name]
    return Category(name=name, verdict=worst(mine) if mine else None)


def _check_given(baseline: Given, candidate: Given, spec: GateSpec) -> None:
    """InputError where what was given is nothing to compare, or nothing that the spec speaks of."""
    for kind, sides, asked, section in (
        ("traces", (baseline.traces, candidate.traces), spec.about_traces, "invariants or thresholds"),
        ("an evaluation run", (baseline.run, candidate.run), spec.benchmark_results is not None, "benchmark_results"),
    ):
        if (sides[0] is None) != (sides[1] is None):
            lacking = "candidate" if sides[1] is None else "baseline"
            raise InputError(f"Only one side gives {kind}, the {lacking} does not: they cannot be compared. Give the same kind on both.")
        if sides[0] is not None and not asked:
            raise InputError(f"The spec {spec.id!r} has no {section}, so it says nothing about {kind}. Give a spec with --spec that does.")
    if baseline.traces is None and baseline.run is None:
        raise InputError("Nothing to judge was given. Give --baseline and --candidate: folders of traces, or RUN:MODEL.")


def _missing(traces: bool, found: _Found) -> None:
    """The check that stands for a section of the spec that nothing was given for."""
    kind, category = ("traces", CONTRACT) if traces else ("evaluation runs", benchmark_results.CATEGORY)
    said = f"The spec asks about {kind}, and none were given. Add them with --baseline and --candidate, or take the section out."
    found.checks.append(Check(category=category, name="given", verdict="INCONCLUSIVE", reason=said))
    found.evidence.append(EvidenceRow(source=kind, status="unavailable"))


def _traces(baseline: Given, candidate: Given, spec: GateSpec, found: _Found) -> None:
    sides = baseline.traces or (), candidate.traces or ()
    if not all(sides):
        raise InputError("A side has no trace, so there is nothing to judge. Record a run with 'tracedance trace export'.")
    found.traces = judge_traces(*sides, spec)
    found.checks += found.traces.checks
    found.evidence += trace_rows(*sides, spec)
    found.evidence += [*unread_row("baseline", baseline.beside), *unread_row("candidate", candidate.beside)]
    for about, runs in zip(found.sides, sides, strict=True):
        about.update(traces=len(runs), traces_digest=traces_digest(runs))


def _runs(baseline: Given, candidate: Given, spec: GateSpec, found: _Found) -> None:
    if baseline.run is None or candidate.run is None or spec.benchmark_results is None:
        raise ValueError("Both sides need a run, and the spec its section.")
    first = load(baseline.run)
    sides = first, load(candidate.run, first[0])
    check_comparable(*(run for run, _ in sides))
    items = pair(*sides)
    found.checks += checks(items, spec.benchmark_results)
    found.evidence += evidence(*(run for run, _ in sides))
    found.pairs = tuple(item.row() for item in items)
    for about, side in zip(found.sides, sides, strict=True):
        about.update(described(*side))


def _always(digest: str, locked: bool, representation: str | None) -> list[EvidenceRow]:
    """The rows of every ledger: the spec, and what no verdict ever rests on."""
    return [
        EvidenceRow(source="spec", status="used", digest=digest),
        EvidenceRow(source="lock of the spec", status="used" if locked else "not_used", digest=digest if locked else None),
        EvidenceRow(source="open-model representation trajectory", status="advisory", digest=representation),
        EvidenceRow(source="private reasoning", status="not_used"),
    ]


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


def described(run: EvaluationRun, model: str) -> dict[str, Any]:
    """What the report says of one side's run."""
    about = run.manifest
    return {"model": model, "run": run.digest, "judged_by": about.judged_by, "mode": about.mode, "quorum": about.quorum}


def evidence(baseline: EvaluationRun, candidate: EvaluationRun) -> list[EvidenceRow]:
    """The files of two evaluation runs."""
    return [
        EvidenceRow(source=f"{name}/{file}", status="used", digest=digest)
        for name, run in (("baseline", baseline), ("candidate", candidate))
        for file, digest in sorted(run.files.items())
    ]


def digest_of(spec: GateSpec) -> str:
    """sha256 of the policy as canonical JSON."""
    return hashlib.sha256(json.dumps(spec.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()
