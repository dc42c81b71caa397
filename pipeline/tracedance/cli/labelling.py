"""`tracedance labels sample | import | report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, plain, say, say_json, show, warn

if TYPE_CHECKING:
    from tracedance.labels.items import Source

RUN = click.option("--run", "run", type=click.Path(), help="The run that 'tracedance evaluate' wrote.")
BENCHMARK = click.option("--benchmark", "benchmark", type=click.Path(), help="A benchmark, where there is no run.")


@click.group("labels", context_settings={"help_option_names": ["-h", "--help"]})
def labels_command() -> None:
    """What people say of a benchmark and of responses: how good they are, and how far the panel can be trusted.

    Subcommands: sample, import FILE, report. A run's labels lie in its folder as labels.jsonl, a benchmark's beside it.
    """


@labels_command.command("sample")
@RUN
@BENCHMARK
@click.option("--kind", required=True, type=click.Choice(["query", "instance", "rubric", "response"]), help="What is to be labelled.")
@click.option("--n", "n", type=click.IntRange(1), default=100, show_default=True, help="Items to draw.")
@click.option("--raters", type=click.IntRange(1, 500), default=8, show_default=True, help="People who label.")
@click.option("--per-item", type=click.IntRange(1, 20), default=2, show_default=True, help="Raters for each item.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw.")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="The sheet: NAME.csv or NAME.jsonl.")
@click.option("--each", is_flag=True, help="Also one sheet and one page to read from for each rater, beside --out.")
@CATALOGUE
@AS_JSON
def sample_command(kind: Any, out: str, each: bool, as_json: bool, **options: Any) -> None:
    """Draw items to label and assign them to raters, blind: no model, no grade and no other rater's word is shown.

    The draw is even over models and benchmarks, raters get equally many items, and the same seed gives the same sheet. Fill in the
    column 'label' (and 'note', if you like); a half-filled sheet can be imported.
    """
    from tracedance.labels.assign import assigned
    from tracedance.labels.items import supply
    from tracedance.report.label_sheet import write_sheets

    source = source_of(options["run"], options["benchmark"])
    found = supply(source, kind)
    sheet = assigned(found.items, options["n"], options["raters"], options["per_item"], options["seed"])
    catalogues = [Path(one) for one in options["catalogues"]]
    written = write_sheets(sheet, source, Path(out), each, catalogues) if sheet.items else []
    result = {
        "path": out if sheet.items else None,
        "kind": kind,
        "asked": options["n"],
        "supply": len(found.items),
        "items": len(sheet.items),
        "short": max(0, options["n"] - len(found.items)),
        "rows": sum(map(len, sheet.raters.values())),
        "per_item": options["per_item"],
        "seed": options["seed"],
        "raters": {name: len(items) for name, items in sheet.raters.items()},
        "left_out": dict(found.left_out),
        "each": [str(path) for path in written],
    }
    if as_json:
        say_json(result)
    else:
        say_sample({**result, "of": of(options["run"], options["benchmark"])})
    if not sheet.items:
        warn("There is nothing to label, so no sheet was written.")
        raise click.exceptions.Exit(3)
    if result["short"]:
        warn(f"{options['n']} items were asked for and there are {len(found.items)}: all of them are in the sheet.")


def say_sample(told: dict[str, Any]) -> None:
    """A sample for a person."""
    loads = sorted(set(told["raters"].values()))
    each = f"{loads[0]}" if len(loads) == 1 else f"{loads[0]} or {loads[-1]}"
    say(f"{told['items']} of {told['supply']} items to label ({told['kind']}), {told['per_item']} raters an item, {each} items a rater.")
    for reason, count in told["left_out"].items():
        say(f"  not in the draw, {reason.replace('_', ' ')}: {count}")
    if told["path"]:
        say(f"Sheet: {plain(told['path'])}")
    for path in told["each"]:
        say(f"  {plain(path)}")
    if told["path"]:
        say(f"Next: fill in the column 'label', then tracedance labels import {plain(told['path'])} {told['of']}")


@labels_command.command("import")
@click.argument("file", type=click.Path(dir_okay=False))
@RUN
@BENCHMARK
@click.option("--skip-bad", is_flag=True, help="Import the good rows and count the bad ones as lost.")
@AS_JSON
def import_command(file: str, run: str | None, benchmark: str | None, skip_bad: bool, as_json: bool) -> None:
    """Take in a filled sheet, whole or in part; the same sheet again changes nothing, a changed label takes the place of the older one.

    An item that the run does not have, a label off its scale, a row without a rater or given twice is named by its line, and nothing is
    imported.
    """
    from tracedance.evaluate.folder import held
    from tracedance.labels.taking import taken
    from tracedance.store.labels import keep, place

    source = source_of(run, benchmark)
    if source.run is None:
        found = taken(Path(file), source, skip_bad)
        path = keep(source.folder, found.labels)
    else:
        with held(place(source.folder).parent):
            found = taken(Path(file), source, skip_bad)
            path = keep(source.folder, found.labels)
    kept, ignored = found.new + found.changed, found.empty + found.known
    result = {
        "path": str(path),
        "rows": {"in": found.rows, "kept": kept, "ignored": ignored, "lost": len(found.lost)},
        "kept": {"new": found.new, "changed": found.changed},
        "ignored": {"empty": found.empty, "known": found.known},
        "lost": [{"line": line, "reason": reason} for line, reason in found.lost],
        "columns_not_read": list(found.columns),
        "labels": len(found.labels),
    }
    if as_json:
        return say_json(result)
    of_kept, of_ignored = f"{found.new} new, {found.changed} changed", f"{found.empty} empty, {found.known} known"
    say(f"{found.rows} rows: {kept} kept ({of_kept}), {ignored} ignored ({of_ignored}), {len(found.lost)} lost.")
    say(f"{len(found.labels)} labels are in {plain(str(path))}.")
    for line, reason in found.lost[:20]:
        say(f"  line {line} {plain(reason)}")
    say(f"Next: tracedance labels report {of(run, benchmark)}")
    return None


@labels_command.command("report")
@RUN
@BENCHMARK
@click.option("--model", "models", multiple=True, help="Rate only this model, on all that it answered; repeatable.  [default: all]")
@AS_JSON
def report_command(run: str | None, benchmark: str | None, models: tuple[str, ...], as_json: bool) -> None:
    """What the labels say: confirmed instances, understood requests, rubrics, how far raters agree with each other and with the panel.

    With labels of responses, each model's pass rate also stands corrected for the panel's errors, over the instances to which every
    model (of those named with --model) has a valid response; what that leaves out is counted.
    """
    from tracedance.labels.figures import figures
    from tracedance.labels.rates import corrected_rates
    from tracedance.report.labels_text import labels_text

    source = source_of(run, benchmark)
    if models and not source.run:
        raise click.UsageError("--model names models of a run. Give --run.")
    rated = corrected_rates(source.folder, models) if source.run else None
    rates = {"rates": rated.rows if rated else None, "rates_excluded": rated.excluded if rated else None}
    found = {"path": str(source.folder), **figures(source), **rates}
    if as_json:
        say_json(found)
    else:
        show(labels_text(found))
    if not found["labels"]:
        warn("No labels are here. 'tracedance labels sample' draws items to label, 'tracedance labels import' takes them in.")
        raise click.exceptions.Exit(3)


def of(run: str | None, benchmark: str | None) -> str:
    """The option that names what is labelled, as it was given."""
    return f"--run {plain(run)}" if run is not None else f"--benchmark {plain(str(benchmark))}"


def source_of(run: str | None, benchmark: str | None) -> Source:
    """The run or the benchmark that was named."""
    from tracedance.labels.items import of_benchmark, of_run

    if (run is None) == (benchmark is None):
        raise click.UsageError("Give one of --run and --benchmark.")
    return of_run(Path(run)) if run is not None else of_benchmark(Path(str(benchmark)))
