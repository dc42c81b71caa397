"""`tracedance evaluate`."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, LOCAL_ONLY, PROFILE, plain, progress, say, say_json, show, warn
from tracedance.cli.spending import say_estimate, say_keys, say_left_out, say_spend, spending_options

if TYPE_CHECKING:
    from tracedance.labels.rates import Rated


@click.command("evaluate")
@click.argument("benchmarks", nargs=-1, required=True, type=click.Path())
@click.option("--model", "models", multiple=True, required=True, help="LiteLLM id, alias, offline/source or offline/careful; repeatable.")
@click.option(
    "--out", type=click.Path(file_okay=False), help="Folder of the run; the same command resumes it.  [default: ./tracedance-run]"
)
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Next turns per instance and model.")
@click.option("--mode", type=click.Choice(["joint", "independent"]), help="How judges see responses.  [default: joint for several models]")
@click.option("--quorum", type=click.Choice(["2", "3"]), default="3", show_default=True, help="Judge seats that must score.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Order in which responses are shown to judges.")
@click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Model calls at a time.")
@LOCAL_ONLY
@spending_options
@PROFILE
@CATALOGUE
@AS_JSON
def evaluate_command(benchmarks: tuple[str, ...], models: tuple[str, ...], out: str | None, as_json: bool, **options: object) -> None:
    """Let each model produce one next turn on every instance, and grade it. Nothing in a turn is executed.

    Without a provider configured, grades come from the families' deterministic checks and no model judges.
    """
    from tracedance.evaluate.run import estimate, evaluate, outcome
    from tracedance.labels.rates import corrected_rates
    from tracedance.models.meter import line
    from tracedance.models.spending import read
    from tracedance.models.stopping import draining
    from tracedance.report.html import render
    from tracedance.store.beside import seal_outputs
    from tracedance.store.export import write

    folder = Path(out or "tracedance-run")
    options["quorum"] = int(str(options["quorum"]))
    paths = [Path(path) for path in benchmarks]
    if options.pop("estimate"):
        expected = estimate(paths, list(models), folder, options)
        return say_json({"estimate": expected}) if as_json else say_estimate(expected)
    with progress(spent=line) as advance, draining():
        summary = evaluate(paths, list(models), folder, options, advance)
    write(folder / "report.html", render(folder))
    seal_outputs([folder / "report.html"])
    labelled = corrected_rates(folder)
    if as_json:
        more = {"labelled": labelled.rows, "labelled_excluded": labelled.excluded} if labelled else {}
        say_json({**summary, "spend": read(folder), **more})
    else:
        say_result(summary, folder, options.get("profile"))
        show_labelled(labelled)
    for sentence in summary["judging"]["warnings"]:
        warn(plain(sentence))
    for seat in summary["judging"]["seats"]:
        if seat["void"]:
            warn(f"{plain(seat['judge'])} failed its planted turns: {seat['void']} of its votes count as errors (see rates.json, probes).")
    code, why = outcome(folder)
    if why:
        warn(why)
    raise click.exceptions.Exit(code)


def say_result(summary: dict[str, Any], folder: Path, profile: object) -> None:
    """A finished run for a person."""
    from tracedance.models.spending import read
    from tracedance.report.text import rates_table

    show(rates_table(summary))
    if any(row["model"] == "offline/careful" and not row["assessed"] for row in summary["results"]):
        say("offline/careful is a script of three habits: it looks before a commit, reads before it retries an edit, tests after changes.")
        say("None of them applies here: it declined, and there is nothing to compare. Name a real model.")
    say_excluded(summary, folder)
    say_left_out(json.loads((folder / "run.json").read_text())["parameters"])
    if summary["judged_by"] == "rule":
        say_keys(profile, "judge", "Graded by checks")
    say_spend(read(folder))
    say(f"Report: {folder / 'report.html'}")
    if any(row["assessed"] for row in summary["results"]):
        say(f"Next: tracedance compare {folder}, or, to hold the grades against people's:")
        say(f"      tracedance labels sample --kind response --run {folder} --out labels.csv")


def show_labelled(labelled: "Rated | None") -> None:
    """Rates beside what people's labels make of them, where a run has labels already."""
    from rich.console import Group

    from tracedance.report.labels_text import rates

    if labelled:
        show(Group(*rates(labelled.rows, labelled.excluded)))


def say_excluded(summary: dict[str, Any], folder: Path) -> None:
    """Instances that were left out for all models, in a line."""
    if gone := summary["excluded"]:
        reasons = Counter(item["reason"] for item in gone)
        said = ", ".join(f"{count} {plain(reason)}" for reason, count in sorted(reasons.items()))
        say(f"Left out for all models: {said} (instances; see {folder / 'rendering.jsonl'})")
