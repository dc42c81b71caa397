"""Filled sheets -> labels. Every row is kept, ignored or lost, and no bad one goes in: it is named by its line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.labels.items import SCALES, Item, Source, every_item
from tracedance.regular import read_regular
from tracedance.schema import Label
from tracedance.store import labels as stored

CURE = "Give a sheet that 'tracedance labels sample' wrote, as CSV (UTF-8) or JSON lines, with its columns rater, item and label."
RATER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
NOTE = 2_000
"""Characters of a note at most."""
LONE = re.compile("[\ud800-\udfff]")
WHOLE = re.compile(r"(\d+)\.0+")
SHOWN = 5
"""Bad lines that an error names."""


@dataclass(frozen=True)
class Row:
    """A row of a sheet as it stands there."""

    line: int
    rater: str
    item: str
    label: str
    note: str
    kind: str


@dataclass(frozen=True)
class Taken:
    """What became of the rows: in = kept + ignored + lost."""

    labels: tuple[Label, ...]
    """All that the folder holds now."""
    rows: int
    new: int
    changed: int
    empty: int
    known: int
    lost: tuple[tuple[int, str], ...]
    """(line, what is wrong with it)."""
    columns: tuple[str, ...]
    """Columns or fields that an import does not read."""


def taken(path: Path, source: Source, skip_bad: bool) -> Taken:
    """The labels of a sheet with those that are held already. A label of the same rater and item takes the place of an older one.

    Raters whose names differ in capitals alone are one.

    InputError for a file that cannot be read, and for any bad row (named by its line) unless `skip_bad`.
    """
    rows, columns = read_rows(path)
    items = every_item(source)
    before = stored.held(source.folder, anew=True)
    held = {(label.rater, label.item): label for label in before}
    good: dict[tuple[str, str], Label] = {}
    lines: dict[tuple[str, str], int] = {}
    lost: list[tuple[int, str]] = []
    empty = new = changed = 0
    spelt = {label.rater.casefold(): label.rater for label in before}
    for row in (replace(row, rater=spelt.setdefault(row.rater.casefold(), row.rater)) for row in rows):
        key = (row.rater, row.item)
        if key in lines:
            lost.append((row.line, f"repeats the item and rater of line {lines[key]}"))
        elif problem := wrong(row, items, source):
            lost.append((row.line, problem))
        elif not row.label:
            empty += 1
        else:
            good[key] = label_of(row, items[row.item])
            new += key not in held
            changed += key in held and held[key] != good[key]
        lines.setdefault(key, row.line)
    if lost and not skip_bad:
        raise InputError(f"{_said(path, lost)} Nothing was imported: mend the lines, or import the others with --skip-bad.")
    known = len(good) - new - changed
    return Taken(tuple({**held, **good}.values()), len(rows), new, changed, empty, known, tuple(lost), columns)


def wrong(row: Row, items: Mapping[str, Item], source: Source) -> str:
    """What is wrong with a row; "" for nothing. Nothing of a cell is repeated but its beginning."""
    if not row.item:
        return "names no item"
    if row.item not in items:
        missing = f" ({'; '.join(source.troubles.values())})" if source.troubles else ""
        return f"the item {row.item[:60]!r} is none of {str(source.folder)!r}{missing}"
    if not row.rater:
        return "names no rater"
    if not RATER.fullmatch(row.rater):
        return f"the rater {row.rater[:40]!r} is no name of up to 40 letters, digits, '.', '_' and '-'"
    kind = items[row.item].kind
    if row.kind and row.kind != kind:
        return f"says {row.kind[:40]!r}, and its item is a {kind}"
    if row.label and row.label not in SCALES[kind]:
        return f"the label {row.label[:40]!r} is none of {', '.join(SCALES[kind])}"
    if len(row.note) > NOTE:
        return f"its note has over {NOTE:,} characters"
    if scan.unapproved(scan.in_text(row.note)):
        return "its note may hold a secret; take that out"
    return ""


def label_of(row: Row, item: Item) -> Label:
    """A good row as a label."""
    value = int(row.label) if row.label.isdigit() else row.label
    who = {"benchmark": item.benchmark, "instance": item.instance, "model": item.model, "sample": item.sample}
    return Label(kind=item.kind, item=item.id, rater=row.rater, value=value, note=row.note, **who)


def read_rows(path: Path) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of a sheet with their lines, and the names of what else it holds. InputError for what is no sheet."""
    try:
        text = read_regular(path).decode("utf-8-sig")
        rows = list(_json_rows(text) if path.suffix == ".jsonl" else _csv_rows(text))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}. {CURE}") from None
    except UnicodeDecodeError:
        raise InputError(f"{str(path)!r} is not UTF-8. Save it as 'CSV UTF-8'.") from None
    except (csv.Error, ValueError, RecursionError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}. {CURE}") from None
    read = ("rater", "item", "label", "note", "kind")
    others = tuple(sorted({name for _, cells in rows for name in cells} - {*read}))
    return [Row(line, *(cells.get(name, "") for name in read)) for line, cells in rows], others


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """(line on which the row begins, its cells by column); a spreadsheet may have put other separators."""
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    header = [name.strip().lower() for name in next(rows, [])]
    _check_columns(header)
    before = rows.line_num
    for cells in rows:
        line, before = before + 1, rows.line_num
        if any(cell.strip() for cell in cells):
            if len(cells) > len(header):
                raise ValueError(f"line {line} has {len(cells)} cells and its header {len(header)}")
            yield line, {name: _plain(name, cell) for name, cell in zip(header, cells, strict=False)}


def _json_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    for line, told in enumerate(text.split("\n"), 1):
        if not told.strip():
            continue
        try:
            values = json.loads(told, object_pairs_hook=partial(_object, line))
        except ValueError as error:
            raise ValueError(str(error) if isinstance(error, _Doubled) else f"line {line} is no JSON") from None
        if not isinstance(values, dict):
            raise ValueError(f"line {line} is no JSON object")
        _check_columns(list(values))
        for name in (name for name, value in values.items() if LONE.search(f"{name}{value}")):
            raise ValueError(f"line {line} holds half a character in {name!a}, which is no text")
        yield line, {str(name): _plain(name, "" if value is None else str(value)) for name, value in values.items()}


class _Doubled(ValueError):
    """A field is given twice in a line."""


def _object(line: int, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a line; which of two values counts would be a guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Doubled(f"line {line} gives {max(names, key=names.count)!a} twice")
    return found


def _check_columns(names: Sequence[str]) -> None:
    for name in ("rater", "item", "label"):
        if names.count(name) != 1:
            raise ValueError(f"it has {'no' if name not in names else 'more than one'} column {name!r}")


def _plain(name: str, cell: str) -> str:
    """A cell as it is read: a number that a program wrote as 4.0 is 4, words of a scale are small."""
    text = cell.strip()
    if name != "label":
        return text
    number = WHOLE.fullmatch(text)
    return number.group(1) if number else text.lower()


def _said(path: Path, lost: Sequence[tuple[int, str]]) -> str:
    named = "; ".join(f"line {line} {problem}" for line, problem in lost[:SHOWN])
    more = f"; and {len(lost) - SHOWN} more lines" if len(lost) > SHOWN else ""
    return f"{str(path)!r}: {named}{more}."
