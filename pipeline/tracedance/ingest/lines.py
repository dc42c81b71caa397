"""Lines of an untrusted file, and JSON from them: a fast typed path over many at once, and a slow one for what the fast one refuses."""

import json
import math
from array import array
from collections.abc import Iterator
from hashlib import sha256
from io import BufferedIOBase
from itertools import accumulate
from typing import Any, Generic, TypeVar

import msgspec

from tracedance.ingest.tally import Tally

CAP = 64 * 1024 * 1024
"""Longest line (or document over many lines) that is read, in bytes."""
VALUES = 2_000_000
"""Commas and brackets in one line: a bound for the JSON values in it, and so for the memory that they take."""

_BLOCK = 256 * 1024
_LONG = 4 * 1024 * 1024
"""Lines up to this length cannot hold too many values and are not counted through."""
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"


class Lines:
    """Numbered lines of a stream, split at LF alone (U+2028 and its like stand inside strings), and the digest of all its bytes."""

    def __init__(self, stream: BufferedIOBase, tally: Tally) -> None:
        self._stream = stream
        self._tally = tally
        self._digest = sha256()
        self._lengths = array("q")
        """Bytes of each line, its line feed included."""
        self.size = 0
        """Bytes read so far."""
        self.complete = True
        """False once a line without its line feed was read: the last one, perhaps cut off."""
        self.numbered = False
        """Whether the reader's ordinals are line numbers, so that the byte ranges of records are known; the reader says so."""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        for first, rows in self.blocks():
            yield from self.of(first, rows)

    def of(self, first: int, rows: list[bytes]) -> Iterator[tuple[int, bytes]]:
        """Those rows of one block that hold anything, with their line numbers; each counts as seen."""
        for ordinal, row in enumerate(rows, first):
            content = row.strip(_BLANK)
            if content:
                self._tally.seen += 1
                yield ordinal, content

    def blocks(self) -> Iterator[tuple[int, list[bytes]]]:
        """All lines, many at a time, without their line feeds, with the number of the first. What is too long is lost, and empty here."""
        pieces: list[bytes] = []
        held = 0
        while chunk := self._read():
            end = chunk.rfind(b"\n")
            if end >= 0:
                pieces.append(chunk[:end])
                yield self._rows(pieces, held + end, 1)
                chunk = chunk[end + 1 :]
                pieces, held = [], 0
            held += len(chunk)
            if chunk and held <= CAP:
                pieces.append(chunk)
        if held:
            self.complete = False
            yield self._rows(pieces, held, 0)

    def offsets(self) -> "array[int]":
        """Byte offset of each line, and of the end behind the last one; a line's length without its line feed is one less than the gap."""
        return array("q", accumulate(self._lengths, initial=0))

    def digest(self) -> str:
        """sha256 of all bytes, hex; reads what is left of them."""
        while self._read():
            pass
        return self._digest.hexdigest()

    def _read(self) -> bytes:
        chunk = self._stream.read(_BLOCK)
        self._digest.update(chunk)
        self.size += len(chunk)
        return chunk

    def _rows(self, pieces: list[bytes], held: int, feed: int) -> tuple[int, list[bytes]]:
        """The lines of a block. Where its first line went beyond the cap, `pieces` lack some of its `held` bytes."""
        ordinal = len(self._lengths)
        rows = b"".join(pieces).split(b"\n")
        lengths = list(map(len, rows))
        lengths[0] += held - sum(lengths) - len(rows) + 1
        self._lengths.extend([length + 1 for length in lengths])
        self._lengths[-1] += feed - 1
        if max(lengths) > min(CAP, _LONG):
            self._drop(ordinal, rows, lengths)
        if ordinal == 0:
            rows[0] = rows[0].removeprefix(_BOM)
        return ordinal, rows

    def _drop(self, ordinal: int, rows: list[bytes], lengths: list[int]) -> None:
        for place, length in enumerate(lengths):
            if length > CAP:
                reason = "line longer than 64 MiB"
            elif length > _LONG and sum(map(rows[place].count, (b",", b"[", b"{"))) > VALUES:
                reason = "too many values in one line"
            else:
                continue
            rows[place] = b""
            self._tally.seen += 1
            self._tally.lose(reason, ordinal + place)


T = TypeVar("T", bound=msgspec.Struct)
_SAMPLE = 2
"""Records of each type, and of each file, whose fields are compared with the known ones."""
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Reader(Generic[T]):
    """Turns lines into records of one struct type; what is no JSON object is lost, by name."""

    def __init__(self, record: type[T], lines: Lines, tally: Tally, known: frozenset[str] = frozenset()) -> None:
        """`known` names all fields that records of the format have, read or not; `"message.id"` one in the object of another.

        Of the first records of each type (the struct's `type`, else its first field) in a file, fields without a name in it are counted.
        Without `known` none are.
        """
        self._record = record
        self._decode = msgspec.json.Decoder(record).decode
        self._lines = lines
        self._tally = tally
        self._known = known
        self._nested = frozenset(name.partition(".")[0] for name in known if "." in name)
        names = record.__struct_fields__
        self._type = "type" if "type" in names or not names else names[0]
        self._sampled: dict[Any, int] = {}
        lines.numbered = True

    def __iter__(self) -> Iterator[tuple[int, T]]:
        for first, rows in self._lines.blocks():
            try:
                records = list(map(self._decode, rows))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                yield from self._one_by_one(first, rows)
                continue
            self._tally.seen += len(rows)
            if self._known:
                self._sample(rows, records)
            yield from enumerate(records, first)

    def _one_by_one(self, first: int, rows: list[bytes]) -> Iterator[tuple[int, T]]:
        """The same for a block in which some line is blank or is not what it should be."""
        for ordinal, line in self._lines.of(first, rows):
            try:
                record: T | None = self._decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                record = self._slowly(ordinal, line)
            if record is not None:
                if self._known:
                    self._sample([line], [record])
                yield ordinal, record

    def _slowly(self, ordinal: int, line: bytes) -> T | None:
        value, reason = lenient(line)
        if reason == "not JSON" and not self._lines.complete:
            reason = "last line cut off"
        if not reason and not isinstance(value, dict):
            reason = "not a JSON object"
        if not reason:
            try:
                return msgspec.convert(value, self._record)
            except (msgspec.ValidationError, RecursionError):
                reason = "fields of a wrong type"
        self._tally.lose(reason, ordinal)
        return None

    def _sample(self, rows: list[bytes], records: list[T]) -> None:
        """Count fields that the format is not known to have, in the first records of each type."""
        sampled = self._sampled
        for row, record in zip(rows, records, strict=True):
            kind = getattr(record, self._type, None)
            try:
                met = sampled.get(kind, 0)
            except TypeError:
                continue  # A type that is a list or an object names nothing.
            if met < _SAMPLE and len(sampled) < 1000:
                sampled[kind] = met + 1
                self._compare(row, "")

    def _compare(self, data: bytes | msgspec.Raw, prefix: str) -> None:
        try:
            fields = _fields(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return
        for name, value in fields.items():
            if prefix + name not in self._known:
                self._tally.meet(prefix + name)
            elif name in self._nested and not prefix:
                self._compare(value, f"{name}.")


def lenient(data: bytes) -> tuple[Any, str]:
    """The value of JSON that strict parsers refuse, and "" or the reason why even this one does.

    Bad UTF-8 and lone surrogates become U+FFFD, NaN and infinities null, integers of absurd length floats; of two equal keys the last wins.
    """
    if b"\0" in data:
        return None, "NUL bytes"
    try:
        value = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None, parse_int=_integer, parse_float=_float)
        return _mended(value), ""
    except RecursionError:
        return None, "nested too deeply"
    except ValueError:
        return None, "not JSON"


def _integer(digits: str) -> int | float | None:
    return int(digits) if len(digits) < 1000 else _float(digits)


def _float(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _mended(value: Any) -> Any:
    """`value` with lone surrogates replaced in all strings and keys."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
