"""`tracedance report`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, say, say_json, show


@click.command("report")
@click.argument("path", type=click.Path())
@click.option(
    "--benchmark", "benchmarks", multiple=True, type=click.Path(), help="For a gate report: show why its instances were found. Repeatable."
)
@click.option(
    "--out",
    "outs",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="The file to write; of a run also .md or .json, and repeatable.  [default: report.html beside what is read]",
)
@AS_JSON
def report_command(path: str, benchmarks: tuple[str, ...], outs: tuple[str, ...], as_json: bool) -> None:
    """One self-contained HTML page of an evaluation run (a folder) or a gate report (a JSON file), which is printed, too.

    Of a run also Markdown and JSON. --json prints a run's figures and writes only the files that are named.
    """
    source = Path(path)
    targets = [Path(out) for out in outs]
    if not targets and not (as_json and source.is_dir()):
        targets = [source / "report.html" if source.is_dir() else source.with_suffix(".html")]
    if source.is_dir():
        _of_run(source, targets, as_json)
    else:
        _of_gate(source, targets, [Path(name) for name in benchmarks], as_json)
    if not as_json:
        for target in targets:
            say(f"Report: {target}")


def _of_run(source: Path, targets: list[Path], as_json: bool) -> None:
    from tracedance.outputs import files_of, refuse_outputs
    from tracedance.report.evaluation import gathered
    from tracedance.report.markdown import as_values
    from tracedance.report.written import refuse_other_forms, write_reports

    refuse_other_forms(targets)
    refuse_outputs({f"--out {number}": target for number, target in enumerate(targets, 1)}, files_of([source]))
    told = gathered([source])
    write_reports(told, targets)
    if as_json:
        say_json(as_values(told))


def _of_gate(source: Path, targets: list[Path], benchmarks: list[Path], as_json: bool) -> None:
    from tracedance.errors import InputError
    from tracedance.outputs import refuse_outputs
    from tracedance.report.gate_text import gate_details
    from tracedance.report.html import read_gate_file, render_gate
    from tracedance.store.export import write

    if others := [target for target in targets if target.suffix.lower() != ".html"]:
        raise InputError(f"A gate report is JSON as it stands, and becomes a page: {str(others[0])!r} does not end in .html.")
    refuse_outputs({f"--out {number}": target for number, target in enumerate(targets, 1)}, [source])
    report = read_gate_file(source)
    page = render_gate(report, benchmarks)
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        show(gate_details(report))
    for target in targets:
        write(target, page)
