"""`tracedance gate`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, say, say_json, show

EXIT_CODES = {"PASS": 0, "WARN": 0, "FAIL": 1, "INCONCLUSIVE": 3}


@click.command("gate")
@click.option("--baseline", required=True, help="RUN:MODEL of a finished evaluation: what was good enough so far.")
@click.option("--candidate", required=True, help="RUN:MODEL of a finished evaluation: what wants to be shipped.")
@click.option("--spec", type=click.Path(dir_okay=False), help="A behavior-spec/v0 file.  [default: the shipped configs/gate.yaml]")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the gate-report/v0 here.")
@click.option("--block-on-warn", is_flag=True, help="Exit 1 on WARN too.")
@AS_JSON
def gate_command(baseline: str, candidate: str, spec: str | None, out: str | None, block_on_warn: bool, as_json: bool) -> None:
    """Is the candidate worse than the baseline on the same instances? A pure function of files: no model, network or clock.

    Exit code 0 for PASS and WARN, 1 for FAIL, 3 for INCONCLUSIVE.
    """
    from tracedance.gate.report import gate, report_json
    from tracedance.gate.runs import resolve
    from tracedance.gate.spec import default_spec, read_spec
    from tracedance.report.text import gate_table
    from tracedance.store.export import write

    report = gate(resolve(baseline), resolve(candidate), read_spec(Path(spec)) if spec else default_spec())
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
