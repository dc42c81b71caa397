"""What an importer is: a name, a look at how a file begins, and a reader. One module per format; packages may add theirs by entry point."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import pydantic_core

from tracedance.ingest.lines import Lines
from tracedance.ingest.sanitize import Redactor
from tracedance.ingest.tally import Tally
from tracedance.schema import Session

HEAD = 256 * 1024
"""Bytes of a file that are looked at to tell its format."""
_MOST_LINES = 50


@dataclass(frozen=True)
class Opening:
    """How a file begins, as its importer may see it. What it says is untrusted, and so is the file's name, which is no evidence."""

    head: bytes
    """The first `HEAD` bytes, byte order mark and leading blanks removed."""

    @cached_property
    def lines(self) -> list[bytes]:
        """The first lines, the last of them perhaps cut off."""
        return [line.strip() for line in self.head.split(b"\n", _MOST_LINES)[:_MOST_LINES]]

    @cached_property
    def records(self) -> list[Any]:
        """The JSON values of those lines that are whole objects or arrays, None for the others."""
        return [_decoded(line) for line in self.lines]

    @cached_property
    def value(self) -> Any:
        """The JSON value that the file is, as far as the head shows it (what is cut off is missing); None where it is none.

        For a file of one record a line this is the first record.
        """
        if self.records and self.records[0] is not None:
            return self.records[0]
        if self.head[:1] not in (b"{", b"["):
            return None
        try:
            return pydantic_core.from_json(self.head, allow_partial=True)
        except ValueError:
            return None


@dataclass(frozen=True)
class Source:
    """An importer. `tracedance.sources` is the entry point group for those of other packages: each entry is one `Source`."""

    name: str
    """The format's name in receipts: lower case, words joined by underscores."""
    recognises: Callable[[Opening], bool]
    """Whether a file that begins so is of this format. Must be quick, certain, and never raise."""
    read: Callable[[Lines, Tally, Redactor], list[Session]]
    """The sessions of one file. Every record counts exactly once, as kept, ignored or lost; nothing in the file makes it raise."""


def _decoded(line: bytes) -> Any:
    if line[:1] not in (b"{", b"["):
        return None
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
