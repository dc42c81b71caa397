"""`tracedance compare`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, say_json, show, warn

if TYPE_CHECKING:
    from tracedance.compare.comparison import Options

EMPTY = "Nothing could be compared: no instance has a valid response from every compared model. Leave one out with --model."


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False))
@click.option("--model", "models", multiple=True, help="Compare only this model; repeatable.  [default: all]")
@click.option("--samples", is_flag=True, help="Runs of the same model are further samples of it (two seeds of one evaluation).")
@click.option("--mixed", is_flag=True, help="Put runs that were judged differently side by side; the result says so.")
@click.option(
    "--pass-rule",
    type=click.Choice(["mean4", "mean3", "all4", "majority"]),
    default="mean4",
    show_default=True,
    help="What counts as a pass.",
)
@click.option("--external", type=click.Path(exists=True, dir_okay=False), help="CSV or JSON of model -> score reported elsewhere.")
@click.option("--grouping", type=click.Path(exists=True, dir_okay=False), help="YAML or JSON of other groups of families.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the resampling.")
@click.option("--draws", type=click.IntRange(100), help="Resamples.  [default: 5000, more for over a hundred pairs]")
@click.option("--html", type=click.Path(dir_okay=False), help="Write one self-contained page, with every instance.")
@click.option("--markdown", type=click.Path(dir_okay=False), help="Write the tables as Markdown.")
@CATALOGUE
@AS_JSON
def compare_command(runs: tuple[str, ...], as_json: bool, html: str | None, markdown: str | None, **options: object) -> None:
    """A leaderboard of finished runs, with intervals, groups that cannot be told apart, and checks of robustness.

    Only instances with a valid response from every compared model count; what is left out is counted with its reason. No model is asked.
    """
    from tracedance.compare.comparison import Options, compare
    from tracedance.outputs import files_of, refuse_outputs
    from tracedance.report.comparison_text import comparison_text

    folders, asked = [Path(run) for run in runs], Options.model_validate(options)
    named = {"--html": html, "--markdown": markdown}
    given = [Path(str(options[name])) for name in ("external", "grouping") if options.get(name)]
    refuse_outputs({option: Path(path) for option, path in named.items() if path}, [*given, *files_of(folders)])
    found = _reported(folders, asked, html, markdown) if html or markdown else compare(folders, asked)
    if as_json:
        say_json(found)
    else:
        show(comparison_text(found))
    if not found["leaderboard"]["rows"]:
        warn(EMPTY)
        raise click.exceptions.Exit(3)


def _reported(folders: list[Path], asked: "Options", html: str | None, markdown: str | None) -> Mapping[str, Any]:
    """The comparison, once its pages are written."""
    from tracedance.report import markdown as text
    from tracedance.report.evaluation import gathered
    from tracedance.report.html import render_evaluated
    from tracedance.store.beside import seal_outputs
    from tracedance.store.export import write

    told = gathered(folders, asked)
    for path, form in ((html, render_evaluated), (markdown, text.markdown)):
        if path:
            write(Path(path), form(told))
            seal_outputs([Path(path)])
    return told.found
