"""Pages that stand alone: no request, nothing that needs a script, no link made from data, every foreign character visible."""

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

from tracedance.compare.comparison import Options
from tracedance.compare.reading import panel_of
from tracedance.errors import InputError
from tracedance.gate.benchmark_results import worst
from tracedance.regular import read_regular
from tracedance.report.evaluation import SELF_TESTS, STATUSES, Evaluated, gathered
from tracedance.report.gate_text import diff_rows, digest_word, sprt_rows, trace_rows, wilson_rows
from tracedance.report.judged import NO_PROBES, PLANTED, VOTES, probe_score
from tracedance.report.pictures import bar, dots, heat, intervals, marks_of, percent, stacked
from tracedance.report.quoted import named, quoted
from tracedance.report.visible import one_line, visible
from tracedance.schema import GateReport
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.export import MANIFEST, published

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {"pass": "✓", "no pass": "✗", "PASS": "✓", "FAIL": "✗", "WARN": "!", "INCONCLUSIVE": "?"}


def render(*folders: Path, options: Options | None = None) -> str:
    """The page of finished evaluation runs. InputError for runs that are unreadable, not finished or not to be compared."""
    return render_evaluated(gathered(folders, options))


def render_evaluated(told: Evaluated) -> str:
    """The page of what was gathered of one run, or of several side by side."""
    given = told.given
    pairs = zip(given.names, given.runs, strict=True)
    graded = [grade for name, run in pairs for grade in run.grades if given.called[name, grade.model] in told.about.models]
    votes = {vote.judge for grade in graded for vote in grade.votes}
    classes = sorted({name for counts in told.actions.values() for name in counts})
    manifests = [run.manifest for run in given.runs]
    return page(
        "evaluation.html.j2",
        script=True,
        told=told,
        found=told.found,
        runs=list(zip(given.names, given.runs, strict=True)),
        rule=given.judged_by_rule,
        modes=sorted({one.mode for one in manifests if one.mode != "rule"}),
        quorums=sorted({f"{run.manifest.quorum} of {len(panel_of(run))}" for run in given.runs if run.manifest.judged_by == "panel"}),
        samples=1 + max((reply.sample for reply in given.replies if reply.model in told.about.models), default=0),
        sections=told.sections,
        rows=[row for section in told.sections for row in section.rates],
        judges=sorted(votes - {"rule"}),
        cases=sum(len(section.cases) + section.unshown for section in told.sections),
        classes=classes,
        words=list(dict.fromkeys(word for counts in told.statuses.values() for word in counts)),
        self_tests={model: words for model, words in SELF_TESTS.items() if model in told.compared},
    )


def render_gate(report: GateReport, benchmarks: Sequence[Path] = ()) -> str:
    """The page of a gate report. `benchmarks` are folders from which to tell why instances were found, where they are those compared."""
    why = reasons(benchmarks)
    rows = [
        {**row, "sides": (side_of(row["baseline"]), side_of(row["candidate"])), "why": why.get((row["benchmark"], row["instance"]), "")}
        for row in report.pairs
    ]
    turned = [row for row in rows if row["sides"][0] != row["sides"][1]]
    figures = [*diff_rows(report), *wilson_rows(report.wilson), *sprt_rows(report.sprt)]
    return page(
        "gate.html.j2",
        report=report,
        turned=turned,
        same=len(rows) - len(turned),
        explained=any(row["why"] for row in turned),
        figures=figures,
        digest_word=digest_word,
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
    refuse_inconsistent(report, path)
    return report


ROW_TEXTS, ROW_COUNTS = ("side", "file", "verdict", "final_status"), ("path_length", "errors", "retries", "unknown_fields")


def refuse_inconsistent(report: GateReport, path: Path) -> None:
    """InputError for a report that says of itself what it does not hold: it is shown to people who decide by it."""
    cure = "It was changed after the gate wrote it: run the gate again."
    for number, row in enumerate(report.traces):
        whole = all(isinstance(row.get(name), str) for name in ROW_TEXTS) and all(isinstance(row.get(name), int) for name in ROW_COUNTS)
        listed = isinstance(row.get("violations"), list) and all(isinstance(each, str) for each in row["violations"])
        if not (whole and listed and isinstance(row.get("path_edit_distance"), int | float)):
            raise InputError(f"{str(path)!r} is no gate report: traces[{number}] lacks a field or holds another kind of value. {cure}")
    if report.verdict != (due := worst(report.checks)):
        raise InputError(f"{str(path)!r} says {report.verdict}, and its checks come to {due}. {cure}")
    for told in report.categories:
        mine = [check for check in report.checks if check.category == told.name]
        if told.verdict != (worst(mine) if mine else None):
            raise InputError(f"{str(path)!r} says {told.verdict} of {told.name!r}, and its checks do not. {cure}")


def page(template: str, script: bool = False, **values: Any) -> str:
    """One page with its style sheet inside and a policy that allows nothing but that style sheet, and the script where there is one.

    A page holds all that it says without its script, which searches and filters what is there.
    """
    style, code = asset("page.css"), asset("page.js") if script else ""
    allowed = f"style-src 'sha256-{digest(style)}'" + (f"; script-src 'sha256-{digest(code)}'" if script else "")
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return environment().get_template(template).render(style=Markup(style), script=Markup(code), policy=Markup(policy), **values)


def digest(text: str) -> str:
    """The digest of an inline part of a page as a policy names it."""
    return b64encode(sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """The style sheet's or the script's text, exactly as it stands in the page."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Escapes everything, always; a name that is missing is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=shown, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(percent=percent, one_line=one_line, breakable=breakable, heat=heat, quoted=quoted, named=named, points=points)
    made.filters.update(probe_score=probe_score)
    made.globals.update(NO_PROBES=NO_PROBES, PLANTED=PLANTED, STATUSES=STATUSES, VOTES=VOTES)
    made.globals.update(intervals=intervals, bar=bar, marks=MARKS, dots=dots, marks_of=marks_of, stacked=stacked)
    return made


def shown(value: Any) -> Any:
    """What a template prints: text made visible; markup of our own as it is."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)


def points(value: float | None) -> str:
    """A difference of rates in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.1f}"


def breakable(name: str) -> Markup:
    """A name that may break after its slashes and underscores."""
    return Markup(str(escape(one_line(name))).replace("_", "_<wbr>").replace("/", "/<wbr>"))
