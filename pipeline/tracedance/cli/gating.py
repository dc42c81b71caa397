"""`tracedance gate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracedance.cli.output import AS_JSON, say, say_json, show
from tracedance.errors import InputError

if TYPE_CHECKING:
    from tracedance.schema import GateReport

EXIT_CODES = {"PASS": 0, "WARN": 0, "FAIL": 1, "INCONCLUSIVE": 3}


@click.group("gate", invoke_without_command=True)
@click.option("--baseline", multiple=True, help="What was good enough so far: a folder of traces, or RUN:MODEL; one of each may be given.")
@click.option("--candidate", multiple=True, help="What wants to be shipped, in the same form.")
@click.option("--spec", type=click.Path(dir_okay=False), help="A behavior-spec/v0 file.  [default for runs: the shipped configs/gate.yaml]")
@click.option("--locked", is_flag=True, help="Refuse a spec that changed since 'tracedance contract lock'.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the gate-report/v0 here.")
@click.option("--block-on-warn", is_flag=True, help="Exit 1 on WARN too.")
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

    report = _report(baseline, candidate, Path(spec) if spec else None, locked)
    if out:
        write(Path(out), report_json(report))
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        show(gate_table(report))
        if out:
            say(f"Report: {out}")
    code = EXIT_CODES[report.verdict]
    raise click.exceptions.Exit(1 if report.verdict == "WARN" and block_on_warn else code)


def _report(baseline: Sequence[str], candidate: Sequence[str], spec: Path | None, locked: bool) -> "GateReport":
    """The report on what was named; InputError for what cannot be judged."""
    from tracedance.gate.locking import check_lock
    from tracedance.gate.report import judge
    from tracedance.gate.sides import given
    from tracedance.gate.spec import default_spec, read_spec

    for name, texts in (("baseline", baseline), ("candidate", candidate)):
        if not texts:
            raise InputError(f"No --{name} was given, so there is nothing to compare. Give a folder of traces, or RUN:MODEL.")
    if locked and spec is None:
        raise InputError("--locked is about a spec of your own. Give it with --spec.")
    policy = read_spec(spec) if spec else default_spec()
    if locked and spec:
        check_lock(spec, policy)
    sides = given(baseline), given(candidate)
    if spec is None and sides[0].traces is not None:
        raise InputError("Traces are judged by a spec. Give one with --spec; 'tracedance contract init' writes a first one.")
    return judge(*sides, policy, locked)


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
