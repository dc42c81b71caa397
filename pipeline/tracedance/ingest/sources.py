"""What an importer is: a name, a look at how a file begins, and a reader. One module per format; packages may add theirs by entry point."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import pydantic_core

from tracedance.ingest.lines import Lines
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

HEAD = 256 * 1024
"""Bytes of a file that are looked at to tell its format."""
_MOST_LINES = 20


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
    def records(self) -> Sequence[Any]:
        """The JSON values of those lines that are whole objects or arrays, None for the others; each is decoded when it is looked at."""
        return _Decoded(self.lines)

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


class _Decoded(Sequence[Any]):
    """Most formats show in their first line: the others are rarely needed."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._values: list[Any] = []

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        while len(self._values) <= number:
            self._values.append(_decoded(self._lines[len(self._values)]))
        return self._values[number]

    def __iter__(self) -> Iterator[Any]:
        for number in range(len(self)):
            yield self._values[number] if number < len(self._values) else self[number]


def _decoded(line: bytes) -> Any:
    if line[:1] not in (b"{", b"["):
        return None
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
