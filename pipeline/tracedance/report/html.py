"""Pages that stand alone: no script, no request, no link made from data, every foreign character visible."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from pydantic import ValidationError

from tracedance.errors import InputError
from tracedance.gate.runs import check_complete, read_run
from tracedance.regular import read_regular
from tracedance.report.evaluation import SELF_TESTS, sections
from tracedance.report.gate_text import diff_rows, sprt_rows, trace_rows, wilson_rows
from tracedance.report.pictures import bar, intervals, percent
from tracedance.report.visible import one_line, visible
from tracedance.schema import GateReport
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.export import MANIFEST, published

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {"pass": "✓", "no pass": "✗", "PASS": "✓", "FAIL": "✗", "WARN": "!", "INCONCLUSIVE": "?"}


def render(folder: Path) -> str:
    """The page of a finished evaluation run. InputError for a run that is unreadable or not finished.

    A benchmark that is gone or was changed since is said to be, and its contexts are left out.
    """
    run = read_run(folder)
    check_complete(run)
    found = sections(run)
    votes = {vote.judge for grade in run.grades for vote in grade.votes}
    return page(
        "evaluation.html.j2",
        run=run.manifest,
        files=run.files,
        sections=found,
        rows=[row for section in found for row in section.rates],
        judges=sorted(votes),
        cases=sum(len(section.cases) for section in found),
        contradictions=sum(grade.contradiction for grade in run.grades),
        self_tests={model: words for model, words in SELF_TESTS.items() if model in run.manifest.models},
    )


def render_gate(report: GateReport, benchmarks: Sequence[Path] = ()) -> str:
    """The page of a gate report. `benchmarks` are folders from which to tell why instances were found, where they are those compared."""
    why = reasons(benchmarks)
    rows = [
        {**row, "sides": (side_of(row["baseline"]), side_of(row["candidate"])), "why": why.get((row["benchmark"], row["instance"]), "")}
        for row in report.pairs
    ]
    turned = [row for row in rows if row["sides"][0] != row["sides"][1]]
    figures = [*diff_rows(report.diff), *wilson_rows(report.wilson), *sprt_rows(report.sprt)]
    return page(
        "gate.html.j2",
        report=report,
        turned=turned,
        same=len(rows) - len(turned),
        explained=any(row["why"] for row in turned),
        figures=figures,
        traces=trace_rows(report),
    )


def reasons(benchmarks: Sequence[Path]) -> dict[tuple[str, str], str]:
    """Why each instance was found, by the benchmark's digest and the instance's id."""
    found: dict[tuple[str, str], str] = {}
    for path in benchmarks:
        benchmark = read_benchmark(path)
        digest = sha256(read_regular(published(path) / MANIFEST)).hexdigest()
        found |= {(digest, name): row.why for name, row in benchmark.checks.items()}
    return found


def side_of(cell: Any) -> tuple[str, str]:
    """One side of a pair: a word for its chip and what the chip says. Older reports hold one sample, as true or false."""
    if isinstance(cell, Mapping):
        passed, n = cell.get("passed", 0), cell.get("samples", 0)
        word = "pass" if passed == n else "no pass" if not passed else "some pass"
        return word, word if n == 1 else f"{passed} of {n} passed"
    word = "pass" if cell is True else "no pass" if cell is False else str(cell)
    return word, word


def read_gate_file(path: Path) -> GateReport:
    """A gate report from its file; InputError for anything else."""
    try:
        report = GateReport.model_validate(json.loads(read_regular(path)))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}. Give a run folder or a gate report.") from None
    except (ValueError, RecursionError) as error:
        what = f"field {error.errors()[0]['loc']!r}" if isinstance(error, ValidationError) else "no JSON"
        raise InputError(f"{str(path)!r} is no gate report ({what}). Give a run folder or what 'tracedance gate --out' wrote.") from None
    if report.schema_version != "gate-report/v0":
        raise InputError(f"{str(path)!r} has the form {report.schema_version!r}, this version reads 'gate-report/v0'. Upgrade tracedance.")
    if any(not {"benchmark", "family", "instance", "baseline", "candidate"} <= set(row) for row in report.pairs):
        raise InputError(f"{str(path)!r} is no gate report (a pair lacks a field). Give what 'tracedance gate --out' wrote.")
    return report


def page(template: str, **values: Any) -> str:
    """One page with its style sheet inside and a policy that allows nothing but that style sheet."""
    style = stylesheet()
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    return environment().get_template(template).render(style=Markup(style), policy=Markup(policy), **values)


@cache
def stylesheet() -> str:
    """The style sheet's text, exactly as it stands in the page."""
    return (TEMPLATES / "page.css").read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Escapes everything, always; a name that is missing is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=shown, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(percent=percent, one_line=one_line, breakable=breakable)
    made.globals.update(intervals=intervals, bar=bar, marks=MARKS)
    return made


def shown(value: Any) -> Any:
    """What a template prints: text made visible; markup of our own as it is."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)


def breakable(name: str) -> Markup:
    """A name that may break after its slashes and underscores."""
    return Markup(str(escape(one_line(name))).replace("_", "_<wbr>").replace("/", "/<wbr>"))
