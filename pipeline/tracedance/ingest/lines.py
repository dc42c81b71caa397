"""Lines of an untrusted file, one at a time, and JSON from them: a fast typed path, and a slow one for what the fast one refuses."""

import json
import math
from collections.abc import Iterator
from hashlib import sha256
from io import BufferedReader
from typing import Any, Generic, TypeVar

import msgspec

from tracedance.ingest.tally import Tally

CAP = 64 * 1024 * 1024
"""Longest line that is read, in bytes."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"


class Lines:
    """Numbered lines of a stream, split at LF alone (U+2028 and its like stand inside strings), and the digest of all its bytes."""

    def __init__(self, stream: BufferedReader, tally: Tally) -> None:
        self._stream = stream
        self._tally = tally
        self._digest = sha256()
        self.complete = True
        """False once a line without its line feed was read: the last one, perhaps cut off."""

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        ordinal = 0
        while line := self._stream.readline(CAP + 1):
            self._digest.update(line)
            if len(line) > CAP:
                self._skip_rest(line)
                self._tally.seen += 1
                self._tally.lose("line longer than 64 MiB", ordinal)
            elif content := line.removeprefix(_BOM).strip(_BLANK) if ordinal == 0 else line.strip(_BLANK):
                self.complete = line.endswith(b"\n")
                self._tally.seen += 1
                yield ordinal, content
            ordinal += 1

    def digest(self) -> str:
        """sha256 of all bytes, hex; reads what is left of them."""
        while block := self._stream.read(1024 * 1024):
            self._digest.update(block)
        return self._digest.hexdigest()

    def _skip_rest(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(1024 * 1024)
            self._digest.update(line)


T = TypeVar("T", bound=msgspec.Struct)


class Reader(Generic[T]):
    """Turns lines into records of one struct type; what is no JSON object is lost, by name."""

    def __init__(self, record: type[T], lines: Lines, tally: Tally) -> None:
        self._record = record
        self._decode = msgspec.json.Decoder(record).decode
        self._lines = lines
        self._tally = tally

    def __iter__(self) -> Iterator[tuple[int, T]]:
        for ordinal, line in self._lines:
            try:
                yield ordinal, self._decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                record = self._slowly(ordinal, line)
                if record is not None:
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
