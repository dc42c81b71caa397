"""`tracedance report`."""

from pathlib import Path

import click

from tracedance.cli.output import say


@click.command("report")
@click.argument("path", type=click.Path())
@click.option(
    "--benchmark", "benchmarks", multiple=True, type=click.Path(), help="For a gate report: show why its instances were found. Repeatable."
)
@click.option("--out", type=click.Path(dir_okay=False), help="The page to write.  [default: report.html beside what is read]")
def report_command(path: str, benchmarks: tuple[str, ...], out: str | None) -> None:
    """One self-contained HTML page of an evaluation run (a folder) or a gate report (a JSON file)."""
    from tracedance.report.html import render, render_gate_file
    from tracedance.store.export import write

    source = Path(path)
    page = render(source) if source.is_dir() else render_gate_file(source, [Path(name) for name in benchmarks])
    target = Path(out) if out else (source / "report.html" if source.is_dir() else source.with_suffix(".html"))
    write(target, page)
    say(f"Report: {target}")
