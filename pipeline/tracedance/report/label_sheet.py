"""Sheets for raters: CSV that no spreadsheet runs, JSON lines, and a page to read from. Every form holds the same rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracedance.catalogue import families
from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.labels.assign import Sheet
from tracedance.labels.items import SCALES, Item, Source
from tracedance.labels.shown import QUESTIONS, shown
from tracedance.regular import read_regular
from tracedance.report.html import page
from tracedance.report.visible import visible
from tracedance.schema import LabelKind
from tracedance.store import export

CELL = 30_000
"""Characters of a cell; spreadsheets cut at 32,767."""
STARTS_FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet may take for the beginning of a formula, after any blanks; full-width forms count."""


@dataclass(frozen=True)
class Task:
    """One item as one rater gets it."""

    rater: str
    item: str
    kind: LabelKind
    answers: tuple[str, ...]
    shown: Mapping[str, str]
    canary: str


def as_csv(tasks: Sequence[Task]) -> str:
    """The sheet as CSV in UTF-8 with its mark, so that spreadsheets read it as such; `label` and `note` are to be filled in."""
    sections = list(tasks[0].shown) if tasks else []
    lines = io.StringIO()
    write = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    write.writerow(["rater", "item", "kind", "answers", "label", "note", *sections, "canary"])
    for task in tasks:
        write.writerow(map(harmless, [*_told(task), "", "", *(task.shown[name] for name in sections), task.canary]))
    return "\ufeff" + lines.getvalue()


def as_json_lines(tasks: Sequence[Task]) -> str:
    """The sheet as JSON lines; `label` is null until it is filled in."""
    names = ("rater", "item", "kind", "answers")
    rows = [
        {**dict(zip(names, _told(task), strict=True)), "label": None, "note": "", "shown": dict(task.shown), "canary": task.canary}
        for task in tasks
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _told(task: Task) -> list[str]:
    return [task.rater, task.item, task.kind, " ".join(task.answers)]


def harmless(text: str) -> str:
    """A cell that is text to any spreadsheet: what begins like a formula gets an apostrophe, hidden characters their codes."""
    seen = visible(text.replace("\r\n", "\n"))
    if len(seen) > CELL:
        seen = f"{seen[: CELL * 3 // 5]}\n[{len(seen) - CELL:,} characters left out here]\n{seen[-CELL * 2 // 5 :]}"
    return f"'{seen}" if seen.lstrip().startswith(STARTS_FORMULA) or seen.startswith(("\t", "\n")) else seen


def write_sheets(sheet: Sheet, source: Source, out: Path, each: bool, catalogues: Sequence[Path]) -> list[Path]:
    """Writes the sheet through the export door, and with `each` every rater's own with a page to read from; the paths of those.

    InputError for a name that is neither .csv nor .jsonl, and where a secret is found.
    """
    if out.suffix not in FORMS:
        raise InputError(f"{str(out)!r} is no sheet's name. Let --out end in .csv or .jsonl.")
    known = families(tuple(catalogues))
    texts = {item.id: shown(item, source, known) for item in sheet.items}
    scan.refuse(repr(str(out)), scan.in_value(texts), "Build the benchmark anew from traces that were imported anew.")
    tasks = {rater: [task(rater, item, source, texts[item.id]) for item in items] for rater, items in sheet.raters.items()}
    files = {out: FORMS[out.suffix]([one for mine in tasks.values() for one in mine])}
    for rater, mine in tasks.items() if each else ():
        files[out.with_name(f"{out.stem}.{rater}{out.suffix}")] = FORMS[out.suffix](mine)
        files[out.with_name(f"{out.stem}.{rater}.html")] = as_page(mine)
    for path, text in files.items():
        refuse_others(path, text)
    for path, text in files.items():
        export.write(path, text)
    return [path for path in files if path != out]


def refuse_others(path: Path, text: str) -> None:
    """InputError where a file of other content stands at `path`: it may hold labels that somebody has filled in."""
    if path.exists() and read_regular(path) != text.encode("utf-8", "replace"):
        raise InputError(f"{str(path)!r} is there already, and may hold labels. Import it or move it away, or choose another --out.")


def task(rater: str, item: Item, source: Source, texts: Mapping[str, str]) -> Task:
    """An item as a rater gets it."""
    return Task(rater, item.id, item.kind, SCALES[item.kind], texts, source.benchmarks[item.benchmark].manifest.canary)


def as_page(tasks: Sequence[Task]) -> str:
    """A page without scripts or inputs to read the items from; labels go into the sheet."""
    return page("labels.html.j2", tasks=tasks, question=QUESTIONS[tasks[0].kind] if tasks else "")


FORMS: Mapping[str, Callable[[Sequence[Task]], str]] = {".csv": as_csv, ".jsonl": as_json_lines}
