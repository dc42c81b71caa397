"""`tracedance trace export`."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracedance.cli.output import AS_JSON, plain, progress, say, say_json, warn

if TYPE_CHECKING:
    from tracedance.traces.export import Exported


@click.group("trace", context_settings={"help_option_names": ["-h", "--help"]})
def trace_command() -> None:
    """Behaviour traces: what agents did, in which order and whether it worked, without any content.

    Subcommands: export SOURCE.
    """


@trace_command.command("export")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option("--out", required=True, type=click.Path(file_okay=False), help="Folder for the traces, one file a session.")
@click.option("--scenario-id", help="Stands in every trace: the task that the sessions did.")
@click.option("--environment", help="Stands in every trace: where they ran, such as 'ci'.")
@click.option("--bash-tool-labels", "labels", multiple=True, help="Names for shell calls: policy_check,refund or tests=pytest|go test.")
@click.option("--spans", type=click.Path(dir_okay=False), help="Rules of your own for span types, before configs/spans.yaml.")
@click.option("--canonical-output", "canonical", multiple=True, help="A field of the final JSON output to keep as it is; repeatable.")
@click.option("--hash-key", help="Hash under this key (HMAC): a file, or the name of an environment variable.")
@click.option("--exported-at", help="ISO 8601.  [default: the end of the session]")
@click.option("--redact", is_flag=True, help="Always on; there is no way to leave it out.")
@AS_JSON
def export_command(
    sources: tuple[str, ...],
    out: str,
    scenario_id: str | None,
    environment: str | None,
    labels: tuple[str, ...],
    spans: str | None,
    canonical: tuple[str, ...],
    hash_key: str | None,
    exported_at: str | None,
    redact: bool,
    as_json: bool,
) -> None:
    """Write the behaviour traces of SOURCE: a store, or session files in any format that 'import' reads.

    Each session becomes one agent-behavior-trace/v0 file: its steps in order, typed, timed and counted. Prompts, answers,
    arguments and results are never in it; hashes stand for them.
    """
    from tracedance.traces.export import export
    from tracedance.traces.hashing import hasher
    from tracedance.traces.labels import Labels
    from tracedance.traces.making import Options, checked_time
    from tracedance.traces.table import span_table

    options = Options(
        table=span_table(Path(spans) if spans else None),
        labels=Labels(labels),
        hasher=hasher(hash_key),
        scenario_id=scenario_id,
        environment=environment,
        exported_at=checked_time(exported_at),
        canonical=tuple(dict.fromkeys(canonical)),
    )
    with progress(quiet=as_json) as advance:
        told = export([Path(source) for source in sources], Path(out), options, advance)
    if as_json:
        say_json(export_json(told, out))
    else:
        say_exported(told, out)
    for name in told.unused:
        warn(f"No shell call has the label {name!r}.")
    if told.several:
        warn(f"{told.several} shell calls fit several labels: the first in the list names them.")


def export_json(told: "Exported", out: str) -> dict[str, object]:
    """What an export did, in its stable shape."""
    return {
        "path": out,
        "sessions": told.sessions,
        "copies": told.copies,
        "empty": told.empty,
        "others": told.others,
        "traces": [{"file": name, "spans": told.traces[name]} for name in sorted(told.traces)],
        "types": totals(told.types),
        "labels": totals(told.labels),
        "several_labels": told.several,
        "unused_labels": list(told.unused),
        "records": {name: told.records[name] for name in ("in", "kept", "ignored", "lost")},
        "losses": [{"reason": reason, "count": count, "example": place} for reason, count, place in told.losses],
    }


def totals(counts: dict[str, "Counter[str]"]) -> dict[str, int]:
    """Counts over all traces, the most frequent first."""
    found = sum(counts.values(), Counter())
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def say_exported(told: "Exported", out: str) -> None:
    """The same for a person."""
    rest = f"{told.copies} copies of the same run + {told.empty} without a step of an agent"
    say(f"Sessions  {told.sessions} = {len(told.traces)} traces + {rest}")
    if told.records["in"]:
        records = told.records
        say(f"Records   {records['in']} in = {records['kept']} kept + {records['ignored']} ignored + {records['lost']} lost")
    for reason, count, place in told.losses:
        say(f"  lost    {count} x {plain(reason)}, first at {plain(place)}")
    say(f"Spans     {listed(totals(told.types))}")
    if any(told.labels.values()):
        say(f"Labels    {listed(totals(told.labels))}")
    if told.others:
        say(f"Beside    {told.others} other *.json files were in the folder already; a gate reads them too")
    say(f"Traces in {plain(out)}. Next: tracedance contract init --baseline {plain(out)} --out behavior.yaml")


def listed(counts: dict[str, int]) -> str:
    """`name 3, other 1`"""
    return ", ".join(f"{plain(name)} {count:,}" for name, count in counts.items()) or "none"
