"""`tracedance scan`."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, STORE, Progress, plain, progress, say, say_json, show, warn
from tracedance.errors import InputError

if TYPE_CHECKING:
    from tracedance.catalogue import Family
    from tracedance.store.store import Store

BY = ("model", "harness", "version", "month", "repository")
"""As `scan.table.BY`, which is not imported to say it."""


@click.command("scan")
@click.argument("paths", nargs=-1, type=click.Path())
@STORE
@click.option("--family", "names", multiple=True, help="Only this family; repeatable. Default: the whole catalogue.")
@click.option("--by", multiple=True, type=click.Choice(BY), help="Rates by this too; repeatable.")
@click.option("--html", "html", type=click.Path(dir_okay=False), help="Write a page with each place in its context.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes that share the work.")
@click.option("--check-needs", "samples", type=click.IntRange(0), default=0, help="Run each anchor on N sessions that fail its NEEDS too.")
@click.option("--met", "with_met", is_flag=True, help="With --json: name the opportunities that were met well too.")
@CATALOGUE
@AS_JSON
def scan_command(
    paths: tuple[str, ...],
    store_path: str,
    names: tuple[str, ...],
    by: tuple[str, ...],
    html: str | None,
    jobs: int,
    samples: int,
    with_met: bool,
    catalogues: tuple[str, ...],
    as_json: bool,
) -> None:
    """What is in my traces? Runs all anchors over the store in one pass; PATHs are imported first.

    Prints, for each family, how often the behaviour could have happened, how often it did, and where. By rule and
    unconfirmed; no model is asked.
    """
    from tracedance.catalogue import families, family
    from tracedance.scan import outcome
    from tracedance.scan.remembered import told
    from tracedance.store.store import Store

    if with_met and not as_json:
        raise InputError("--met names places in JSON only. Give --json too.")
    extra = [Path(folder) for folder in catalogues]
    chosen = [family(name, extra) for name in dict.fromkeys(names)] or list(families(extra).values())
    gc.freeze()  # what is loaded by now stays: the collector need not walk through it again and again
    with progress() as advance:
        if paths:
            import_first(paths, store_path, as_json, advance)
        store = Store.open(Path(store_path))
        made = told(store, chosen, tuple(dict.fromkeys(by)), advance, jobs)  # type: ignore[arg-type]
    if html is not None:
        from tracedance.report.scan_page import render_scan
        from tracedance.scan.engine import scan
        from tracedance.store.export import write

        write(Path(html), render_scan(store, scan(store, chosen), chosen, made))
    if with_met:
        add_met(store, chosen, made)
    missed = needs_missed(store, chosen, samples, made) if samples else []
    if as_json:
        say_json(made)
    else:
        from tracedance.report.scan_text import scan_table

        show(scan_table(made))
    for line in (*outcome.told(made["failures"]), *missed):
        warn(line)
    if not as_json:
        say_next(store, chosen, html, catalogues)
    if missed:
        raise click.exceptions.Exit(1)


def add_met(store: "Store", families: list["Family"], made: dict[str, Any]) -> None:
    """Put the met opportunities into what is printed as JSON."""
    from tracedance.scan.engine import scan
    from tracedance.scan.table import met

    result = scan(store, families)
    for row in made["families"]:
        row["met"] = met(result, row["id"])


def needs_missed(store: "Store", families: list["Family"], samples: int, made: dict[str, Any]) -> list[str]:
    """Put the check of conditions into what is printed as JSON; a line for each session that a condition hides."""
    from tracedance.scan.necessity import check_needs, told

    found = check_needs(store, families, samples)
    made["needs"] = {"checked": found.checked, "missed": [{"family": family, "session": session} for family, session in found.missed]}
    return list(told(found))


def import_first(paths: tuple[str, ...], store_path: str, as_json: bool, advance: Progress) -> None:
    """Import before the scan, with the receipt that `import` prints."""
    from tracedance.cli.importing import say_receipt
    from tracedance.store.importing import import_paths

    receipt = import_paths(Path(store_path), [Path(path) for path in paths], advance)
    if not as_json:
        say_receipt(receipt, store_path)
        say()


def say_next(store: "Store", families: list["Family"], html: str | None, catalogue: tuple[str, ...]) -> None:
    """Where the page is, and the commands that go on from here."""
    if html is not None:
        say(f"Places in their context: {plain(html)}")
    named = families[0].name if len(families) == 1 else "NAME"
    from tracedance.catalogue import confined

    own = "".join(f" --catalogue {plain(folder)}" for folder in catalogue) + " --trust-catalogue" * confined.trusted()
    say(f"Next: tracedance build --family {named} --store {plain(str(store.path))}{own}")
