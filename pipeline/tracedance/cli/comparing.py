"""`tracedance compare`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, say_json, show, warn

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
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resampling.")
@click.option("--draws", type=click.IntRange(100), help="Resamples.  [default: 5000, more for over a hundred pairs]")
@CATALOGUE
@AS_JSON
def compare_command(runs: tuple[str, ...], as_json: bool, **options: object) -> None:
    """A leaderboard of finished runs, with intervals, groups that cannot be told apart, and checks of robustness.

    Only instances with a valid response from every compared model count; what is left out is counted with its reason. No model is asked.
    """
    from tracedance.compare.comparison import Options, compare
    from tracedance.report.comparison_text import comparison_text

    found = compare([Path(run) for run in runs], Options.model_validate(options))
    if as_json:
        say_json(found)
    else:
        show(comparison_text(found))
    if not found["leaderboard"]["rows"]:
        warn(EMPTY)
        raise click.exceptions.Exit(3)
