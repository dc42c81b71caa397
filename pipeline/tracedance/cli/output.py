"""How commands speak: JSON for programs on standard output, words and progress for people, hostile characters made visible."""

import json
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

Progress = Callable[[int, int, str], None]
"""progress(done, total, what is being done)."""

STORE = click.option("--store", "store_path", default="./.tracedance", show_default=True, help="The store's folder.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
CATALOGUE = click.option(
    "--catalogue",
    "catalogues",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="A catalogue folder of your own on top; repeatable.",
)
LOCAL_ONLY = click.option("--local-only", is_flag=True, help="Refuse every model that is not on this machine, before anything is read.")
PROFILE = click.option("--profile", help="Read configs/models.NAME.yaml, or a YAML file of your own.")


def plain(text: str, limit: int = 2000) -> str:
    """`text` safe to print: control, bidi and other format characters shown as \\uXXXX, line breaks as spaces."""
    shown = "".join(
        " " if char in "\r\n\t" else f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
        for char in text[:limit]
    )
    return shown if len(text) <= limit else f"{shown} ..."


def say_json(value: Any) -> None:
    """One JSON document on standard output; ASCII only, so that nothing in it can steer a terminal."""
    click.echo(json.dumps(value, ensure_ascii=True, indent=1))


def say(text: str = "") -> None:
    """One line for a person."""
    click.echo(text)


def show(renderable: object) -> None:
    """A line or a table for a person."""
    from rich.console import Console

    if isinstance(renderable, str):
        click.echo(renderable)
    else:
        Console(soft_wrap=False).print(renderable)


def warn(text: str) -> None:
    """One line on standard error."""
    click.echo(plain(text), err=True)


BYTES = ", bytes"
"""What a task is called that counts bytes ends so."""


def _amount(done: int, total: int, seconds: float, in_bytes: bool) -> str:
    """How far a task is, and how fast it goes."""
    rate = done / seconds if seconds > 0.5 else 0.0
    if in_bytes:
        return f"{done / 1e6:,.0f}/{total / 1e6:,.0f} MB" + (f"  {rate / 1e6:,.1f} MB/s" if rate else "")
    return f"{done:,}/{total:,}" + (f"  {rate:,.0f}/s" if rate else "")


@contextmanager
def progress(quiet: bool = False) -> Iterator[Progress]:
    """A progress bar on standard error for anything that takes over two seconds; nothing where no person looks on."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, Any] = {}
    started = time.monotonic()

    def advance(done: int, total: int, what: str) -> None:
        label = plain(what, 60).replace("[", "\\[")
        now = time.monotonic()
        if label not in tasks:
            tasks[label] = bar.add_task(label.removesuffix(BYTES), total=total, amount=""), now
        task, since = tasks[label]
        bar.update(task, completed=done, total=total, amount=_amount(done, total, now - since, label.endswith(BYTES)))
        if not bar.live.is_started and now - started > 1.0:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
