"""Markdown for a step's summary and a comment: foreign text stands in code spans, where no markup, mention or link is made of it."""

from collections.abc import Iterator

from tracedance.ci.telling import clean, counted
from tracedance.report.gate_text import candidate_rows, diff_rows, digest_word, sprt_rows, wilson_rows
from tracedance.schema import GateReport

MARKER = "<!-- tracedance-gate -->"
"""First line of a comment's body, by which a workflow finds its own comment again."""
MOST_CHARACTERS = 60_000
"""A comment holds 65,536."""
MOST_CHECKS, MOST_TRACES = 60, 20
SIGNS = {"PASS": "✅", "WARN": "⚠️", "FAIL": "❌", "INCONCLUSIVE": "❔"}


def span(text: str, limit: int = 300) -> str:
    """A code span of foreign text, fit for a table's cell. What would end either is replaced by a likeness."""
    shown = clean(text, limit).replace("`", "\u2019").replace("|", "\u00a6")
    return f"`{shown}`" if shown.strip() else "–"


def markdown(report: GateReport) -> str:
    """The verdict, every check, the worst traces, the figures and the ledger."""
    parts = ["\n".join(part) for part in (_head(report), _checks(report), _traces(report), _figures(report), _ledger(report))]
    text = MARKER
    for part in filter(None, parts):
        if len(text) + len(part) > MOST_CHARACTERS:
            return f"{text}\n\nThe rest is left out here; the report has it.\n"
        text += f"\n\n{part}"
    return f"{text}\n"


def _head(report: GateReport) -> Iterator[str]:
    yield f"### {SIGNS[report.verdict]} tracedance gate: {report.verdict}\n"
    lock = "locked" if report.locked else "not locked"
    policy = f"policy {span(report.spec, 60)} ({lock}, {span(report.spec_digest[:12], 12)})"
    yield f"{span(report.candidate.title, 80)} against {span(report.baseline.title, 80)}, {policy}."
    if report.candidate.judged_by == "rule":
        yield "No model judged these grades."


def _checks(report: GateReport) -> Iterator[str]:
    rows = sorted(report.checks, key=lambda check: ("FAIL", "INCONCLUSIVE", "WARN", "PASS").index(counted(check)))
    yield "| | check | verdict | why |"
    yield "|---|---|---|---|"
    for check in rows[:MOST_CHECKS]:
        verdict = check.verdict if check.decides else f"{check.verdict} (informs)"
        yield f"| {SIGNS[counted(check)]} | {span(check.name, 120)} | {verdict} | {span(check.reason)} |"
    if len(rows) > MOST_CHECKS:
        yield f"\n{len(rows) - MOST_CHECKS} more checks are in the report."


def _traces(report: GateReport) -> Iterator[str]:
    rows = [row for row in candidate_rows(report) if row["violations"]]
    if rows:
        yield f"<details><summary>Candidate traces that break a rule: {len(rows)}</summary>\n"
        yield "| trace | verdict | what it breaks |"
        yield "|---|---|---|"
        for row in rows[:MOST_TRACES]:
            yield f"| {span(str(row['file']), 80)} | {span(str(row['verdict']), 20)} | {span('; '.join(map(str, row['violations'])))} |"
        if len(rows) > MOST_TRACES:
            yield f"\n{len(rows) - MOST_TRACES} more are in the report."
        yield "\n</details>"


def _figures(report: GateReport) -> Iterator[str]:
    rows = [*diff_rows(report), *wilson_rows(report.wilson), *sprt_rows(report.sprt)]
    if rows:
        yield "<details><summary>Figures</summary>\n"
        yield "| figure | value |"
        yield "|---|---|"
        for name, value in rows:
            yield f"| {span(name, 120)} | {span(value, 120)} |"
        yield "\n</details>"


def _ledger(report: GateReport) -> Iterator[str]:
    yield "<details><summary>Evidence</summary>\n"
    yield "| source | status | sha256 |"
    yield "|---|---|---|"
    for row in report.evidence:
        yield f"| {span(row.source, 160)} | {row.status.replace('_', ' ')} | {span(digest_word(row, 16), 16)} |"
    yield "\n</details>"
