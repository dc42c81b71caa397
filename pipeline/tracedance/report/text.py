"""Tables for the terminal. Every foreign text is put in as plain text, never as rich's markup, with control characters shown as codes."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tracedance.compare.notes import contradictions
from tracedance.report.columns import Columns
from tracedance.report.pictures import percent
from tracedance.report.visible import one_line
from tracedance.schema import GateReport

STYLES = {"PASS": "green", "FAIL": "bold red", "WARN": "yellow", "INCONCLUSIVE": "bold yellow"}
FEW_CALLS = 5
"""An inferred schema with fewer calls behind it is little more than a name."""


def rates_table(summary: Mapping[str, Any]) -> RenderableType:
    """The results of `evaluate --json` as a table, one block a benchmark, with who judged under it."""
    table = Columns(["Benchmark, model"], ["Passed", "Rate", "Interval", "Unscored", "Failed"])
    benchmark = None
    for row in summary["results"]:
        if row["benchmark"] != benchmark:
            benchmark = row["benchmark"]
            table.add(said(benchmark, 60))
        table.add(
            Text("  ").append(said(row["model"], 60)),
            f"{row['passed']}/{row['assessed']}",
            rate(row["pass_rate"]),
            between(row["interval"]),
            str(row["unscored"]),
            str(row["failed"]),
        )
    by_panel = summary["judged_by"] == "panel"
    notes = ["Graded by a panel of judges." if by_panel else "Graded by deterministic checks: no model judged."]
    if (checks := summary.get("judging", {}).get("checks", {})).get("contradictions"):
        notes.append(f"{contradictions(checks['compared'], checks['contradictions'])} Read the instances that the report marks so.")
    notes.append("A rate is over contexts selected for failure, so it is no frequency. Interval: Wilson, 95%, over distinct instances.")
    if any(str(row["model"]).startswith("offline/") for row in summary["results"]):
        notes.append("offline/... are self-tests of the product, not models.")
    return Group(table, Text("\n".join(notes), style="dim"))


def gate_table(report: GateReport) -> RenderableType:
    """The verdict, then every check with its reason."""
    head = Text.assemble(
        (report.verdict, STYLES[report.verdict]),
        f"  {one_line(report.candidate.title, 80)} against {one_line(report.baseline.title, 80)}, policy {one_line(report.spec, 60)}",
    )
    table = Columns(["Check", "Verdict", "Why"], prose=["Why"])
    for check in report.checks:
        name = said(check.name, 60)
        if not check.decides:
            name.append(" (informs)", style="dim")
        table.add(name, Text(check.verdict, style=STYLES[check.verdict]), said(check.reason, 600))
    found = Text()
    for row in report.categories:
        if row.verdict is None and (not report.traces or row.name == "benchmark_results"):
            continue
        found.append(f"{'  ' if found else ''}{one_line(row.name, 40)} ")
        found.append(row.verdict or "not asked", style=STYLES[row.verdict] if row.verdict else "dim")
    judged = "No model judged these grades." if report.candidate.judged_by == "rule" else ""
    return Group(head, found, table, Text(judged, style="dim")) if judged else Group(head, found, table)


def stats_table(found: Mapping[str, Any]) -> RenderableType:
    """The result of `store stats --json`: how much there is, who wrote the inputs, and what stands behind the inferred tools."""
    much = Columns(["Harness, setting"], ["Sessions", "Turns", "Calls", "Errors", "Tokens"])
    inputs = Columns(["Inputs by author"], ["Inputs", "Users", "Harness", "Share", "Reserved"])
    for row in [*found["groups"], {"harness": "all", "setting": "", **found["total"]}]:
        name = f"{row['harness'] or 'unknown'} {row['setting'].replace('_', ' ')}"
        much.add(said(name, 60), *(f"{row[key]:,}" for key in ("sessions", "turns", "tool_calls", "errors", "tokens")))
        by = row["user_inputs"]
        figures = [f"{by[key]:,}" for key in ("total", "user", "harness")]
        inputs.add(said(name, 60), *figures, rate(by["user_share"]), f"{row['reserved']:,}")
    notes = [
        "Tokens at 4 characters each. Inputs are turns of the user's role, share is the part that users wrote; reserved counts sessions."
    ]
    by_harness: dict[str, list[int]] = {}
    for tool in found["inferred_tools"]:
        by_harness.setdefault(tool["harness"] or "unknown", []).append(tool["calls"])
    for harness, calls in by_harness.items():
        few = sum(count < FEW_CALLS for count in calls)
        notes.append(
            f"{one_line(harness, 60)}: {len(calls)} tools inferred from {sum(calls):,} calls, {few} of them from under {FEW_CALLS}."
        )
    return Group(much, inputs, Text("\n".join(notes), style="dim"))


def said(text: object, limit: int) -> Text:
    """Foreign text on one line."""
    return Text(one_line(str(text), limit))


def rate(value: float | None) -> str:
    """A rate, or a dash where there is none."""
    return "–" if value is None else percent(value)


def between(ends: Sequence[float] | None) -> str:
    """An interval, or a dash."""
    return "–" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}"
