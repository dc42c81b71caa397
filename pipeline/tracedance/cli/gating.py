"""`tracedance gate`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from tracedance.cli.output import AS_JSON, say, say_json, show, warn
from tracedance.errors import InputError

if TYPE_CHECKING:
    from tracedance.schema import GateReport

EXIT_CODES = {"PASS": 0, "WARN": 0, "FAIL": 1, "INCONCLUSIVE": 3}
RUN_FILES = ("run.json", "responses.jsonl", "grades.jsonl", "rates.json", "digests.json", "votes.parquet")
SHIPPED = "configs/gate.yaml"


@click.group("gate", invoke_without_command=True)
@click.option("--baseline", multiple=True, help="What was good enough so far: a folder of traces, or RUN:MODEL; one of each may be given.")
@click.option("--candidate", multiple=True, help="What wants to be shipped, in the same form.")
@click.option("--spec", type=click.Path(dir_okay=False), help="A behavior-spec/v0 file.  [default for runs: the shipped configs/gate.yaml]")
@click.option("--locked", is_flag=True, help="Refuse a spec that changed since 'tracedance contract lock'.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the gate-report/v0 here.")
@click.option("--block-on-warn", is_flag=True, help="Exit 1 on WARN too.")
@click.option("--representation", type=click.Path(dir_okay=False), help="A representation-trajectory/v0 for the ledger; decides nothing.")
@click.option("--junit", type=click.Path(dir_okay=False), help="Write the checks as JUnit XML.")
@click.option("--sarif", type=click.Path(dir_okay=False), help="Write what is not PASS as SARIF 2.1.0.")
@click.option("--markdown", type=click.Path(dir_okay=False), help="Write a summary, fit for a comment.")
@click.option("--annotations", type=click.Path(dir_okay=False), help="Write GitHub's workflow commands, one a line, to print later.")
@AS_JSON
@click.pass_context
def gate_command(
    context: click.Context,
    baseline: tuple[str, ...],
    candidate: tuple[str, ...],
    spec: str | None,
    locked: bool,
    out: str | None,
    block_on_warn: bool,
    representation: str | None,
    junit: str | None,
    sarif: str | None,
    markdown: str | None,
    annotations: str | None,
    as_json: bool,
) -> None:
    """Did the candidate behave as the spec asks, and no worse than the baseline? A pure function of files: no model, network or clock.

    Folders of traces are judged by the spec's invariants and thresholds; evaluation runs are paired by instance and judged by its
    benchmark_results. Exit code 0 for PASS and WARN, 1 for FAIL, 3 for INCONCLUSIVE.
    """
    if context.invoked_subcommand:
        return
    from tracedance.gate.report import report_json
    from tracedance.report.text import gate_table
    from tracedance.store.export import write

    told = _Asked(baseline, candidate, Path(spec) if spec else None, representation)
    forms = {"junit": junit, "sarif": sarif, "markdown": markdown, "annotations": annotations}
    _make_room(told, {"out": out, **forms})
    report = _report(told, locked)
    if out:
        write(Path(out), report_json(report))
    _write_forms(report, told, forms, block_on_warn)
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        show(gate_table(report))
        if out:
            say(f"Report: {out}")
    raise click.exceptions.Exit(1 if report.verdict == "WARN" and block_on_warn else EXIT_CODES[report.verdict])


class _Asked(NamedTuple):
    """What was named on the command line."""

    baseline: Sequence[str]
    candidate: Sequence[str]
    spec: Path | None
    representation: str | None


def _make_room(asked: _Asked, wanted: Mapping[str, str | None]) -> None:
    """Nothing that is read is written over, and no old report stays where this call may end without one."""
    from tracedance.gate.locking import lock_of
    from tracedance.gate.runs import resolve
    from tracedance.gate.sides import holds_traces
    from tracedance.outputs import drop_old, refuse_outputs

    inputs = [asked.spec, lock_of(asked.spec)] if asked.spec else []
    inputs += [Path(asked.representation)] if asked.representation else []
    folders: list[Path] = []
    for text in (*asked.baseline, *asked.candidate):
        path = Path(text)
        if not holds_traces(path):
            with suppress(InputError):
                inputs += [each for each in resolve(text).folder.iterdir() if each.name in RUN_FILES]
        (folders if path.is_dir() and holds_traces(path) else inputs).append(path)
    outputs = {f"--{name}": Path(text) for name, text in wanted.items() if text}
    refuse_outputs(outputs, inputs, folders=folders)
    drop_old(outputs.values())


def _write_forms(report: "GateReport", asked: _Asked, wanted: Mapping[str, str | None], block_on_warn: bool) -> None:
    """The forms that CI reads, where a file was named for them."""
    if not any(wanted.values()):
        return
    from tracedance.ci.annotations import annotations
    from tracedance.ci.junit import junit
    from tracedance.ci.markdown import markdown
    from tracedance.ci.sarif import sarif
    from tracedance.gate.sides import holds_traces
    from tracedance.store.export import write

    spec = str(asked.spec) if asked.spec else SHIPPED
    folder = next((text for text in asked.candidate if holds_traces(Path(text))), None)
    forms: dict[str, Callable[[], str]] = {
        "junit": lambda: junit(report, block_on_warn),
        "sarif": lambda: sarif(report, spec, folder),
        "markdown": lambda: markdown(report),
        "annotations": lambda: "".join(f"{line}\n" for line in annotations(report, spec, block_on_warn)),
    }
    for name, made in forms.items():
        if path := wanted[name]:
            write(Path(path), made())


def _report(asked: _Asked, locked: bool) -> "GateReport":
    """The report on what was named; InputError for what cannot be judged."""
    from tracedance.gate.locking import check_lock
    from tracedance.gate.report import judge
    from tracedance.gate.representation import representation_digest
    from tracedance.gate.sides import given
    from tracedance.gate.spec import default_spec, read_spec

    baseline, candidate, spec, representation = asked
    for name, texts in (("baseline", baseline), ("candidate", candidate)):
        if not texts:
            raise InputError(f"No --{name} was given, so there is nothing to compare. Give a folder of traces, or RUN:MODEL.")
    if locked and spec is None:
        raise InputError("--locked is about a spec of your own. Give it with --spec.")
    policy = read_spec(spec) if spec else default_spec()
    if locked and spec:
        check_lock(spec, policy)
    sides = given(baseline), given(candidate)
    for name, side in (("baseline", sides[0]), ("candidate", sides[1])):
        if side.beside:
            few = ", ".join(side.beside[:5]) + (", ..." if len(side.beside) > 5 else "")
            warn(f"Not read of the {name}: {len(side.beside)} files that are no *.json directly in its folder: {few}")
    if spec is None and sides[0].traces is not None:
        raise InputError("Traces are judged by a spec. Give one with --spec; 'tracedance contract init' writes a first one.")
    return judge(*sides, policy, locked, representation_digest(Path(representation)) if representation else None)


@gate_command.command("calibrate")
@click.argument("runs", nargs=-1, required=True, metavar="RUN:MODEL...")
@click.option("--spec", type=click.Path(dir_okay=False), help="A behavior-spec/v0 file.  [default: the shipped configs/gate.yaml]")
@AS_JSON
def calibrate_command(runs: tuple[str, ...], spec: str | None, as_json: bool) -> None:
    """What chance does to a comparison: runs (or samples) of one model against each other, and what a policy can expect of them."""
    from tracedance.gate.calibrate import calibrate
    from tracedance.gate.runs import resolve
    from tracedance.gate.spec import default_spec, read_spec
    from tracedance.report.gate_text import calibration_text

    policy = (read_spec(Path(spec)) if spec else default_spec()).benchmark_results
    if policy is None:
        raise InputError(f"{spec!r} has no benchmark_results, which is what A/A runs calibrate. Give another spec.")
    found = calibrate([resolve(text) for text in runs], policy)
    if as_json:
        say_json(found.model_dump(mode="json"))
    else:
        show(calibration_text(found))
