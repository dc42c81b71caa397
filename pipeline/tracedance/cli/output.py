"""How commands speak: JSON for programs on standard output, words and progress for people, hostile characters made visible."""

import json
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

import click

Progress = Callable[[int, int, str], None]
"""progress(done, total, what is being done)."""

STORE = click.option("--store", "store_path", default="./.tracedance", show_default=True, help="The store's folder.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_CATALOGUE = click.option(
    "--catalogue",
    "catalogues",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="A catalogue folder of your own on top; repeatable. Its code runs in the sandbox.",
)
LOCAL_ONLY = click.option("--local-only", is_flag=True, help="Refuse every model that is not on this machine, before anything is read.")
PROFILE = click.option("--profile", help="Read configs/models.NAME.yaml, or a YAML file of your own.")


def _trust(context: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        from tracedance.catalogue import confined

        confined.trust(True)
        context.call_on_close(lambda: confined.trust(False))


TRUST = click.option(
    "--trust-catalogue",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help="Run the code of your catalogue folders outside the sandbox: you have read it and trust it.",
)


def CATALOGUE(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--catalogue`, and the user's word on its code."""
    return _CATALOGUE(TRUST(command))


_MAY_HOLD = re.compile(r"://|(?i:pass|pwd|secret|token|cookie|auth|bearer|key|-----)|(?<![^\s,])(?=[^\s,]{12})[^\s,\d]*+\d")
"""Whatever a secret looks like, it or what stands before it is one of these: most lines need no look. Words with a digit are looked for
from their beginnings alone, which takes time in proportion to the text."""


def shown(text: str) -> str:
    """`text` without anything that looks like a secret: what is printed ends in logs, and logs are handed on."""
    if not _MAY_HOLD.search(text):
        return text
    from tracedance.door.scan import masked

    return masked(text)


class Masking:
    """A stream on which no secret is written, whoever writes: a command, a library, a traceback."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held = ""

    def write(self, text: str) -> int:
        """Writes what is whole; the last part of a line waits for the rest of it, but not on a terminal."""
        ready = self._held + text
        self._held = ""
        if "\x1b" not in text and not text.endswith(("\n", "\r")) and len(ready) < 65_536 and not self._stream.isatty():
            cut = ready.rfind("\n") + 1
            ready, self._held = ready[:cut], ready[cut:]
        if ready:
            self._stream.write(shown(ready))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Writes each."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Writes what waits, too."""
        ready, self._held = self._held, ""
        if ready:
            self._stream.write(shown(ready))
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def mask_output() -> None:
    """All that this process prints goes through the mask from here on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Masking):
            setattr(sys, name, cast("TextIO", Masking(stream)))


def plain(text: str, limit: int = 2000) -> str:
    """`text` safe to print: control, bidi and other format characters shown as \\uXXXX, line breaks as spaces."""
    shown = "".join(
        " " if char in "\r\n\t" else f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
        for char in text[:limit]
    )
    return shown if len(text) <= limit else f"{shown} ..."


def say_json(value: Any) -> None:
    """One JSON document on standard output; ASCII only, so that nothing in it can steer a terminal. Masked leaf by leaf, it stays JSON."""
    click.echo(json.dumps(_leaves_shown(value), ensure_ascii=True, indent=1))


def _leaves_shown(value: Any) -> Any:
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {shown(key) if isinstance(key, str) else key: _leaves_shown(item) for key, item in value.items()}
    return [_leaves_shown(item) for item in value] if isinstance(value, list | tuple) else value


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
def progress(quiet: bool = False, spent: Callable[[], str] = str) -> Iterator[Progress]:
    """A progress bar on standard error for anything that takes over two seconds: rate, what `spent` says, time left. Nothing where no
    person looks on.
    """
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
        amount = _amount(done, total, now - since, label.endswith(BYTES))
        bar.update(task, completed=done, total=total, amount=f"{amount}  {spent()}".rstrip())
        if not bar.live.is_started and now - started > 1.0:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
