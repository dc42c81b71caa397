"""The whole of a gate report for the terminal: what `gate_table` leaves out."""

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tracedance.gate.calibrate import MOST_INSTANCES, Calibration
from tracedance.report.columns import Columns
from tracedance.report.pictures import percent
from tracedance.report.text import STYLES, gate_table, said
from tracedance.report.visible import one_line
from tracedance.schema import EvidenceRow, GateReport, Sprt, WilsonBound

MOST_TRACES = 20
"""Traces that the terminal lists, the worst first; the page has all."""
RANK = ("FAIL", "INCONCLUSIVE", "WARN", "PASS")


def gate_details(report: GateReport) -> RenderableType:
    """Verdict and checks, then the distances, the statistics, the traces and the ledger."""
    parts: list[RenderableType] = [gate_table(report)]
    figures = Columns(["Figure"], ["Value"])
    for name, value in [*diff_rows(report), *wilson_rows(report.wilson), *sprt_rows(report.sprt)]:
        figures.add(said(name, 80), one_line(value, 80))
    if figures.rows:
        parts.append(figures)
    if report.traces:
        parts += [traces_table(report), Text(listed(report), style="dim")]
    ledger = Columns(["Evidence", "Status", "sha256"])
    for row in report.evidence:
        ledger.add(said(row.source, 160), row.status.replace("_", " "), said(digest_word(row, 16), 16))
    return Group(*parts, ledger)


def digest_word(row: EvidenceRow, length: int = 64) -> str:
    """The beginning of a row's digest; where it has none, whether there is something that it could be of."""
    if row.digest is not None:
        return row.digest[:length]
    return "unavailable" if row.status in ("unavailable", "advisory") else "–"


def traces_table(report: GateReport) -> Columns:
    """The candidate's traces, the worst first."""
    table = Columns(["Trace", "Verdict", "What it breaks"], ["Steps", "Errors", "Retries", "Distance"], prose=["What it breaks"])
    for row in candidate_rows(report)[:MOST_TRACES]:
        figures = [str(row[name]) for name in ("path_length", "errors", "retries")]
        broken = said("; ".join(row["violations"]) or "–", 300)
        verdict = Text(row["verdict"], style=STYLES.get(row["verdict"], ""))
        table.add(said(row["file"], 60), verdict, broken, *figures, f"{row['path_edit_distance']:.3f}")
    return table


def listed(report: GateReport) -> str:
    """How many traces the table does not show."""
    rows = candidate_rows(report)
    odd = sum(row["unknown_fields"] for row in report.traces)
    told = [f"{len(rows) - MOST_TRACES} more traces of the candidate are on the page."] if len(rows) > MOST_TRACES else []
    told += [f"The files hold {odd} fields that this version does not know; none was read."] if odd else []
    return "\n".join(told)


def trace_rows(report: GateReport) -> list[dict[str, Any]]:
    """The candidate's traces, the worst first, then the baseline's, each with every field."""
    words = dict.fromkeys(("side", "file", "verdict", "final_status"), "")
    counts = dict.fromkeys(("path_length", "errors", "retries", "path_edit_distance", "unknown_fields"), 0)
    empty: dict[str, Any] = {**words, **counts, "passed": None, "violations": []}
    rows = [{**empty, **row} for row in report.traces]
    return sorted(rows, key=lambda row: (row["side"] != "candidate", RANK.index(row["verdict"]) if row["verdict"] in RANK else len(RANK)))


def candidate_rows(report: GateReport) -> list[dict[str, Any]]:
    """Those of the candidate."""
    return [row for row in trace_rows(report) if row["side"] == "candidate"]


def diff_rows(report: GateReport) -> Iterator[tuple[str, str]]:
    """The figures of a diff, each with its name. Of a folder held against itself there is no difference to tell, only its own spread."""
    diff = report.diff
    if diff is None:
        return
    own = "unavailable" if diff.baseline_distance is None else f"{diff.baseline_distance:.4f}"
    if report.baseline.traces_digest is not None and report.baseline.traces_digest == report.candidate.traces_digest:
        yield "Difference of the sides", "none: they are the same runs"
        yield "Spread of these runs: path edit distance to their medoid, mean", own
        return
    among = (
        "" if diff.medoid_tried == diff.baseline_paths else f", sought among the {diff.medoid_tried} most common of {diff.baseline_paths}"
    )
    yield f"Path edit distance, mean over the candidate's runs to the baseline's medoid{among}", f"{diff.path_edit_distance:.4f}"
    if diff.bounded_runs:
        yield "Candidate runs too long to compare, for which it is the most that it can be", str(diff.bounded_runs)
    yield "The same of the baseline's own runs: their spread", own
    yield "Path edit distance, largest", f"{diff.path_edit_distance_max:.4f}"
    yield "Fingerprint distance (mean calls a run, by tool)", f"{diff.fingerprint_distance:.4f}"
    yield "Jaccard distance of the tools used", f"{diff.tool_jaccard:.4f}"
    yield "First divergent step", "none" if diff.first_divergent_step is None else str(diff.first_divergent_step)
    yield "Candidate runs that leave the common path", str(diff.diverging_runs)
    same = {True: "equal", False: "different", None: "none recorded"}[diff.canonical_outputs_equal]
    yield "Canonical outputs of both sides", same


def wilson_rows(bound: WilsonBound | None) -> Iterator[tuple[str, str]]:
    """The interval of the pass rate."""
    if bound is None or bound.low is None or bound.high is None:
        return
    yield "Candidate runs that passed", f"{bound.passed} of {bound.runs}"
    yield f"Wilson interval of that rate at z = {bound.z:g}", f"{bound.low:.4f} to {bound.high:.4f}"
    yield "Floor under its lower end", "none set" if bound.floor is None else f"{bound.floor:g}"


def sprt_rows(state: Sprt | None) -> Iterator[tuple[str, str]]:
    """Where the sequential test stands."""
    if state is None:
        return
    yield "SPRT", state.verdict
    yield f"SPRT log-likelihood ratio after {state.runs} runs", f"{state.llr:.4f}"
    yield "SPRT boundaries (PASS at or below, FAIL at or above)", f"{state.lower:.4f}, {state.upper:.4f}"
    crossing = "none" if state.crossed_at is None else f"run {state.crossed_at} ({state.crossed_by}) at {state.llr_at_crossing or 0:.4f}"
    yield "SPRT first crossing", crossing


def calibration_text(found: Calibration) -> str:
    """What A/A runs show, a sentence a line."""
    said = ", ".join(f"{count} {verdict}" for verdict, count in found.comparisons.items())
    drop = found.detectable_drop_points
    sizes = "; ".join(f"{points} points: {size or f'over {MOST_INSTANCES}'}" for points, size in found.instances_for.items())
    values = "\n".join(f"  {name}: {value:g}" for name, value in found.suggested.items())
    left = f" {found.left_out} were judged less often and are left out." if found.left_out else ""
    lines = [
        f"{one_line(found.model, 80)} against itself: {found.instances} instances judged at least twice.{left}",
        f"Pass rate {percent(found.pass_rate)}; two samples of an instance differ in {percent(found.flip_rate)} of the cases.",
        f"Its repetitions compared under this policy: {said}.",
        f"Chance that the test fails it against itself: {found.false_fail:.2%}; that too few instances differ: {found.too_few:.1%}.",
        f"With this noise a drop of {drop} points is found 4 times in 5." if drop else "With this noise no drop is found 4 times in 5.",
        f"Instances that show a drop 4 times in 5: {sizes}.",
        "To let it mostly pass against itself, in the policy:",
        "benchmark_results:",
        values,
    ]
    return "\n".join(lines)
