"""JSON values of an untrusted file, whether it holds one a line or a single one over many lines."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from tracedance.ingest.lines import CAP, VALUES, Lines, lenient
from tracedance.ingest.tally import Tally


def values(lines: Lines, tally: Tally) -> Iterator[tuple[int, Any]]:
    """JSON values of a file with the line (from 0) they start on: one a line, or one over all lines, as the file is laid out.

    The tally has counted one record seen for each value; a reader whose records are parts of a value takes that back (`tally.seen -= 1`)
    and counts its own. What is no JSON is lost here. Of a list that was cut off, the whole elements are had.
    """
    rows: Iterator[tuple[int, bytes]] = iter(lines)
    for ordinal, line in rows:
        value, reason = decode(line)
        if not reason:
            yield ordinal, value
        elif line[:1] in (b"[", b"{") and reason == "not JSON":
            held, whole = _held((ordinal, line), rows)
            if whole:
                yield from _whole(held, tally)
                return
            # A file of that length is more likely one of many records, the first of them torn.
            tally.lose("document longer than 64 MiB, or of too many values", ordinal)
            rows = chain(held[1:], rows)
        else:
            tally.lose(_named(reason, lines), ordinal)
        break
    for ordinal, line in rows:
        value, reason = decode(line)
        if reason:
            tally.lose(_named(reason, lines), ordinal)
        else:
            yield ordinal, value


def _named(reason: str, lines: Lines) -> str:
    return "last line cut off" if not lines.complete and reason == "not JSON" else reason


def _held(first: tuple[int, bytes], rows: Iterator[tuple[int, bytes]]) -> tuple[list[tuple[int, bytes]], bool]:
    """The lines of what may be one document, as far as memory is to hold them, and whether those are all."""
    held = [first]
    size = values = 0
    for row in rows:
        held.append(row)
        size += len(row[1])
        values += row[1].count(b",") + row[1].count(b"[") + row[1].count(b"{")
        if size > CAP or values > VALUES:
            return held, False
    return held, True


def _whole(rows: list[tuple[int, bytes]], tally: Tally) -> Iterator[tuple[int, Any]]:
    """One value that spans lines, or what can be had of it: the whole elements of a list that was cut off, or the lines that are whole."""
    start, first = rows[0]
    data = b"\n".join(line for _, line in rows)
    value, reason = decode(data)
    if reason == "not JSON" and first[:1] == b"{" and (row := _row(rows, data, tally)):
        yield from ((start, value) for value in row)
        return
    elements = _elements(data.decode("utf-8", "replace"), 1)[0] if reason == "not JSON" and first[:1] == b"[" else []
    if not reason or elements:
        tally.seen -= len(rows) - 1
        yield start, elements if reason else value
        if reason:
            tally.seen += 1
            tally.lose("file cut off", start)
        return
    good = [(ordinal, value) for ordinal, line in rows[1:] if not (decoded := decode(line))[1] and isinstance(value := decoded[0], dict)]
    if good:
        yield from good
        tally.lose("not JSON", start, len(rows) - len(good))
    else:
        tally.seen -= len(rows) - 1
        tally.lose("file cut off", start)


def _row(rows: list[tuple[int, bytes]], data: bytes, tally: Tally) -> list[Any]:
    """Objects in a row, each over several lines, as a console prints them; none where they are laid out in any other way."""
    text = data.decode("utf-8", "replace")
    found, end = _elements(text, 0)
    rest = text[end:].strip()
    if not found or (rest and (rest[0] != "{" or any(not decode(line.encode())[1] for line in rest.split("\n")))):
        return []
    tally.seen -= len(rows) - len(found)
    if rest:
        tally.seen += 1
        tally.lose("file cut off", rows[-1][0])
    return found


def _elements(text: str, start: int) -> tuple[list[Any], int]:
    """The whole values that follow each other from `start`, with or without commas, and where the last of them ends."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    found: list[Any] = []
    end = position = start
    while True:
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1
        try:
            value, end_of_it = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return found, end
        # Lone surrogates are mended there.
        found.append(lenient(text[position:end_of_it].encode("utf-8", "replace"))[0] if "\\ud" in text[position:end_of_it] else value)
        end = position = end_of_it


def decode(data: bytes) -> tuple[Any, str]:
    """A JSON value, and "" or the reason why there is none."""
    try:
        return msgspec.json.decode(data), ""
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return lenient(data)
