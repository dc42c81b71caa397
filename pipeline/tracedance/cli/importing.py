"""`tracedance import`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, STORE, plain, progress, say, say_json
from tracedance.schema import Receipt


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@STORE
@click.option("--reserve", type=click.IntRange(0), help="Set this many sessions of each setting aside for discovery (10,000 is usual).")
@click.option("--again", is_flag=True, help="Read unchanged files too, and take forgotten sessions back.")
@AS_JSON
def import_command(paths: tuple[str, ...], store_path: str, reserve: int | None, again: bool, as_json: bool) -> None:
    """Read raw traces (files or folders) into the store.

    Formats are told by content: Claude Code and Codex JSONL, OpenAI chat messages. Secrets are replaced before anything is
    stored. Files that have not changed are not read again, and an interrupted import is completed by the same command. No benchmark
    is cut from a session that --reserve sets aside; later imports keep the number.
    """
    from tracedance.store.importing import import_paths

    with progress() as advance:
        receipt = import_paths(Path(store_path), [Path(path) for path in paths], advance, again, reserve)
    if as_json:
        say_json(receipt_json(receipt))
    else:
        say_receipt(receipt, store_path)


def receipt_json(receipt: Receipt) -> dict[str, object]:
    """The receipt in its stable JSON shape."""
    records = receipt.records
    return {
        "sessions": receipt.sessions.model_dump(),
        "records": {"in": records.in_, "kept": records.kept, "ignored": records.ignored, "lost": records.lost},
        "formats": dict(sorted(receipt.formats.items())),
        "losses": [loss.model_dump() for loss in receipt.losses],
    }


def say_receipt(receipt: Receipt, store_path: str) -> None:
    """The receipt for a person: what came in, what was kept, and each loss by name."""
    sessions, records = receipt.sessions, receipt.records
    formats = ", ".join(f"{name} {count}" for name, count in sorted(receipt.formats.items())) or "none"
    counts = f"{sessions.kept} kept, {sessions.duplicate} already there, {sessions.replaced} replaced, {sessions.skipped} skipped"
    say(f"Sessions  {sessions.seen} seen: {counts}")
    say(f"Records   {records.in_} in = {records.kept} kept + {records.ignored} ignored + {records.lost} lost")
    say(f"Files     {formats}")
    if receipt.secrets:
        say("Secrets   " + ", ".join(f"{rule} {count}" for rule, count in sorted(receipt.secrets.items())) + " replaced before storing")
    for loss in receipt.losses:
        say(f"  lost    {loss.count} x {plain(loss.reason)}, first at {plain(loss.example)}")
    say(f"Stored in {plain(store_path)}. Next: tracedance scan --store {plain(store_path)}")
