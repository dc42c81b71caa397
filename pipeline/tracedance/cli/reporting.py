"""`tracedance report`."""

from pathlib import Path

import click

from tracedance.cli.output import say, show


@click.command("report")
@click.argument("path", type=click.Path())
@click.option(
    "--benchmark", "benchmarks", multiple=True, type=click.Path(), help="For a gate report: show why its instances were found. Repeatable."
)
@click.option("--out", type=click.Path(dir_okay=False), help="The page to write.  [default: report.html beside what is read]")
def report_command(path: str, benchmarks: tuple[str, ...], out: str | None) -> None:
    """One self-contained HTML page of an evaluation run (a folder) or a gate report (a JSON file), which is printed, too."""
    from tracedance.report.gate_text import gate_details
    from tracedance.report.html import read_gate_file, render, render_gate
    from tracedance.store.export import write

    source = Path(path)
    if source.is_dir():
        page = render(source)
    else:
        report = read_gate_file(source)
        page = render_gate(report, [Path(name) for name in benchmarks])
        show(gate_details(report))
    target = Path(out) if out else (source / "report.html" if source.is_dir() else source.with_suffix(".html"))
    write(target, page)
    say(f"Report: {target}")
