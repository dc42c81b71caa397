"""`tracedance import`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, STORE, plain, progress, say, say_json, warn
from tracedance.schema import FileReceipt, Receipt

MOST_NAMES = 12
"""Unknown names that are listed for a person."""


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@STORE
@click.option("--reserve", type=click.IntRange(0), help="Set this many sessions of each setting aside for discovery (10,000 is usual).")
@click.option("--again", is_flag=True, help="Read unchanged files too, and take forgotten sessions back.")
@click.option("--strict", is_flag=True, help="Store nothing, and exit with 1, if the content of any record would be lost.")
@click.option("--names", is_flag=True, help="Replace people's names too, as a model of language guesses them (needs the extra 'pii').")
@click.option("--verbose", is_flag=True, help="A receipt for each file and for each member of an archive, too.")
@AS_JSON
def import_command(
    paths: tuple[str, ...], store_path: str, reserve: int | None, again: bool, strict: bool, names: bool, verbose: bool, as_json: bool
) -> None:
    """Read raw traces (files or folders) into the store.

    Formats are told by content, inside zip, tar, gzip and zstd archives too. Secrets are replaced before anything is stored. Files
    that have not changed are not read again, and an interrupted import is completed by the same command. No benchmark is cut from a
    session that --reserve sets aside; later imports keep the number.
    """
    from tracedance.store.importing import Options, import_with

    files: list[FileReceipt] = []
    tell = (files.append if as_json else say_file) if verbose else None
    with progress(quiet=verbose) as advance:
        receipt = import_with(Path(store_path), [Path(path) for path in paths], Options(advance, again, reserve, strict, names, tell))
    if as_json:
        told = {"files": [file_json(file) for file in files]} if verbose else {}
        say_json(receipt_json(receipt) | told)
    else:
        say_receipt(receipt, store_path)
    if not receipt.stored:
        before = f" ({receipt.lost_before} of them by an earlier import of files that have not changed)" if receipt.lost_before else ""
        warn(f"Nothing was stored: --strict, and {receipt.records.lost + receipt.lost_before} records are lost{before}.")
        raise click.exceptions.Exit(1)
    if not receipt.sessions.kept + receipt.sessions.duplicate + receipt.sessions.replaced:
        warn("No session was found in what could be read.")
        raise click.exceptions.Exit(2)


def receipt_json(receipt: Receipt) -> dict[str, object]:
    """The receipt in its stable JSON shape."""
    records = receipt.records
    return {
        "sessions": receipt.sessions.model_dump(),
        "records": {"in": records.in_, "kept": records.kept, "ignored": records.ignored, "lost": records.lost},
        "formats": dict(sorted(receipt.formats.items())),
        "losses": [loss.model_dump() for loss in receipt.losses],
        "unknown": {"types": dict(receipt.unknown), "fields": dict(receipt.fields)},
        "lost_before": receipt.lost_before,
        "own_folders": receipt.own_folders,
        "replaced": dict(sorted(receipt.secrets.items())),
        "stale": receipt.stale,
        "stored": receipt.stored,
    }


def file_json(file: FileReceipt) -> dict[str, object]:
    """The receipt of one file."""
    records = file.records
    return {
        "place": file.place,
        "format": file.format,
        "unchanged": file.unchanged,
        "sessions": file.sessions,
        "records": {"in": records.in_, "kept": records.kept, "ignored": records.ignored, "lost": records.lost},
        "losses": [loss.model_dump() for loss in file.losses],
        "unknown": {"types": dict(file.unknown), "fields": dict(file.fields)},
    }


def say_file(file: FileReceipt) -> None:
    """One file's receipt in a line, and a line for each of its losses."""
    records = file.records
    counts = f"{file.sessions} sessions, {records.in_} in = {records.kept} kept + {records.ignored} ignored + {records.lost} lost"
    say(f"{plain(file.place)}  {file.format}: {counts}{' (unchanged, not read again)' if file.unchanged else ''}")
    for loss in file.losses:
        say(f"  lost    {loss.count} x {plain(loss.reason)}, first at {plain(loss.example)}")


def say_receipt(receipt: Receipt, store_path: str) -> None:
    """The receipt for a person: what came in, what was kept, and each loss by name."""
    sessions, records = receipt.sessions, receipt.records
    formats = ", ".join(f"{name} {count}" for name, count in sorted(receipt.formats.items())) or "none"
    counts = f"{sessions.kept} kept, {sessions.duplicate} already there, {sessions.replaced} replaced, {sessions.skipped} skipped"
    say(f"Sessions  {sessions.seen} seen: {counts}")
    say(f"Records   {records.in_} in = {records.kept} kept + {records.ignored} ignored + {records.lost} lost")
    say(f"Files     {formats}")
    if receipt.own_folders:
        say(f"Skipped   {receipt.own_folders} things that tracedance wrote itself (stores, benchmarks, runs, a corpus's places)")
    if receipt.secrets:
        say(
            "Replaced  "
            + ", ".join(f"{rule} {count}" for rule, count in sorted(receipt.secrets.items()))
            + " (secrets and personal data, before anything is stored)"
        )
    for loss in receipt.losses:
        say(f"  lost    {loss.count} x {plain(loss.reason)}, first at {plain(loss.example)}")
    for what, named in (("record types", receipt.unknown), ("fields", receipt.fields)):
        if named:
            shown = [f"{plain(name)} {count}" for name, count in sorted(named.items(), key=lambda item: -item[1])]
            more = f" and {len(shown) - MOST_NAMES} more (--json names all)" if len(shown) > MOST_NAMES else ""
            say(f"  unknown {what}: {', '.join(shown[:MOST_NAMES])}{more}")
    if receipt.lost_before:
        say(f"  {receipt.lost_before} more records were lost by earlier imports, in files that have not changed since")
    if receipt.stale:
        say(f"Rules     {receipt.stale} sessions are under older redaction rules: tracedance store redact --store {plain(store_path)}")
    if receipt.stored:
        say(f"Stored in {plain(store_path)}. Next: tracedance scan --store {plain(store_path)}")
