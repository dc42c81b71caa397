"""`tracedance scan`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, STORE, plain, progress, say, say_json, show, warn


@click.command("scan")
@click.argument("paths", nargs=-1, type=click.Path())
@STORE
@click.option("--family", "names", multiple=True, help="Only this family; repeatable. Default: the whole catalogue.")
@CATALOGUE
@AS_JSON
def scan_command(paths: tuple[str, ...], store_path: str, names: tuple[str, ...], catalogues: tuple[str, ...], as_json: bool) -> None:
    """What is in my traces? Runs all anchors over the store in one pass; PATHs are imported first.

    Prints, for each family, how often the behaviour could have happened, how often it did, and where. By rule and
    unconfirmed; no model is asked.
    """
    from tracedance.catalogue import families, family
    from tracedance.cli.importing import say_receipt
    from tracedance.scan.engine import scan
    from tracedance.scan.table import table
    from tracedance.store.importing import import_paths
    from tracedance.store.store import Store

    extra = [Path(folder) for folder in catalogues]
    chosen = [family(name, extra) for name in names] or list(families(extra).values())
    with progress() as advance:
        if paths:
            receipt = import_paths(Path(store_path), [Path(path) for path in paths], advance)
            if not as_json:
                say_receipt(receipt, store_path)
                say()
        result = scan(Store.open(Path(store_path)), chosen, progress=advance)
    if as_json:
        say_json(table(result, chosen))
    else:
        from tracedance.report.text import scan_table

        show(scan_table(table(result, chosen)))
        say("By rule and unconfirmed: no model has looked at these places. A rate is offences per opportunity found, with a 95% interval.")
    for failure in result.failures:
        warn(f"{failure.family} failed on session {failure.session}: {failure.reason}")
    if not as_json:
        say(f"Next: tracedance build --family NAME --store {plain(store_path)}")
