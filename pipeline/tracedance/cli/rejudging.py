"""`tracedance rejudge`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, LOCAL_ONLY, PROFILE, plain, progress, say, say_json, show, warn
from tracedance.cli.spending import Dollars, say_spend


@click.command("rejudge")
@click.argument("run", type=click.Path(exists=True, file_okay=False))
@click.option("--judge", "judges", multiple=True, help="A seat of the panel, in place of the profile's; repeatable.")
@click.option("--rubric", "rubrics", multiple=True, metavar="[FAMILY=]FILE", help="Grade by this rubric, in place of the benchmark's.")
@click.option("--mode", type=click.Choice(["joint", "independent"]), help="How judges see responses.  [default: as the run's]")
@click.option("--quorum", type=click.IntRange(1), help="Seats that must score.  [default: as the run's; all of a panel of another size]")
@click.option("--out", type=click.Path(file_okay=False), help="Folder of the new grades.  [default: a folder in RUN/rejudged]")
@click.option("--concurrency", type=click.IntRange(1, 256), default=8, show_default=True, help="Model calls at a time.")
@click.option("--max-cost", type=Dollars(), help="Dollars that the run may cost, its responses included (exit 4).")
@LOCAL_ONLY
@PROFILE
@CATALOGUE
@AS_JSON
def rejudge_command(run: str, out: str | None, as_json: bool, **options: object) -> None:
    """Grade the responses of a finished run anew, beside its grades, and say what changed.

    No response is asked for again, and no vote that the run has already had is paid again. The new folder is a run of its own: 'compare',
    'gate' and 'report' take it.
    """
    from tracedance.compare.rejudging import rejudge
    from tracedance.evaluate.run import outcome
    from tracedance.models.meter import line
    from tracedance.models.spending import read
    from tracedance.models.stopping import draining
    from tracedance.report.html import render
    from tracedance.report.text import rates_table
    from tracedance.store.beside import seal_outputs
    from tracedance.store.export import write

    with progress(spent=line) as advance, draining():
        summary = rejudge(Path(run), Path(out) if out else None, options, advance)
    folder = Path(summary["run"])
    write(folder / "report.html", render(folder))
    seal_outputs([folder / "report.html"])
    if as_json:
        say_json({**summary, "spend": read(folder)})
    else:
        show(rates_table(summary))
        say_difference(summary["difference"])
        say_spend(read(folder), "The run has cost, its responses included,")
        say(f"Grades, difference and report: {folder}")
        say(f"Next: tracedance compare {run} {folder} --mixed, or, where people have labelled its responses:")
        say(f"      tracedance labels report --run {folder}")
    for sentence in summary["judging"]["warnings"]:
        warn(plain(sentence))
    code, why = outcome(folder)
    if why:
        warn(why)
    raise click.exceptions.Exit(code)


BY_RULE = "rule"
"""The seat in whose name turns without content are scored."""
REPEATED = (
    "No judge was asked anew: judges, prompt, rubrics and turns are those of the run, so these are the run's own votes. "
    "That they agree says nothing of how steady the judges are. For a second opinion name other judges (--judge MODEL, repeatable) "
    "or another --profile; another --mode asks the same judges in another way."
)


def say_difference(change: Mapping[str, Any]) -> None:
    """What the new grades changed, in a line a model and a line a seat."""
    if repeated(change):
        say(REPEATED)
        return
    alike = change["same_outcome"]
    other = change["responses"] - alike
    say(f"Of {change['responses']:,} responses, {alike:,} come out as before (pass, no pass, or no score), {other:,} do not.")
    for row in change["models"]:
        before, after = (f"{row[side]['passed']} of {row[side]['scored']}" for side in ("before", "after"))
        say(f"{plain(row['model'])}: passed {before}, now {after} ({moved(row)})")
    for row in change["seats"]:
        say(f"{plain(row['judge'])}: {of_seat(row, row['judge'] in change['own_votes'])}")


def repeated(change: Mapping[str, Any]) -> bool:
    """Whether every score was there before and is the same vote."""
    sat = [row for row in change["seats"] if row["judge"] != BY_RULE]
    mine = [row["judge"] in change["own_votes"] and row["both"] == row["scores_before"] == row["scores_after"] for row in sat]
    return bool(sat) and all(mine)


def of_seat(row: Mapping[str, Any], own: bool) -> str:
    """What became of one seat's scores."""
    if not row["both"]:
        return f"{row['scores_before']} scores before, {row['scores_after']} now; no response has one of both times"
    if own:
        more = row["scores_after"] - row["both"]
        return f"{row['both']} scores are the run's own votes, not asked anew{f'; {more} are new' if more else ''}"
    step = "" if row["mean_change"] is None else f", {row['mean_change']:+.2f} on average"
    return f"{row['both']} scored both times, {row['same']} alike, {row['higher']} higher, {row['lower']} lower{step}"


def moved(row: Mapping[str, Any]) -> str:
    """What became of the responses of one model that both gradings scored."""
    if not row["both"]:
        return "none was scored both times"
    kept = row["both"] - row["to_pass"] - row["to_fail"]
    return f"of {row['both']} scored both times {row['to_pass']} turned to a pass, {row['to_fail']} to no pass, {kept} came out as before"
