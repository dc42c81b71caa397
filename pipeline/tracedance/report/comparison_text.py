"""A comparison on the terminal: leaderboard, what is told apart, parts and robustness, and how not to read it."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracedance.report.chapters import chapters
from tracedance.report.columns import Columns
from tracedance.report.tables import Chapter
from tracedance.report.visible import one_line

NAME = 60
MOST = 60
"""Rows of a table that a terminal shows; pages and JSON have all."""


def comparison_text(found: Mapping[str, Any]) -> RenderableType:
    """The dictionary of `compare.comparison.compare` for a person; foreign text goes in as plain text."""
    return Group(*_blocks(found))


def _blocks(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    told = chapters(found)
    if not found["leaderboard"]["rows"]:
        yield Text("Nothing to compare: no instance has a valid response from every compared model.")
        told = [chapter for chapter in told if chapter.keys == ("excluded",)]
    for chapter in told:
        if chapter.tables:
            yield from _chapter(chapter)
    yield Text("How to read this", style="bold")
    for note in found["notes"]:
        yield Padding(Text(f"- {one_line(note, 600)}"), (0, 0, 0, 2))


def _chapter(chapter: Chapter) -> Iterator[RenderableType]:
    yield Text(chapter.title, style="bold")
    for sentence in chapter.says:
        yield Text(one_line(sentence, 600))
    for one in chapter.tables:
        table = Columns(one.text, one.figures, one.prose)
        for row in one.rows[:MOST]:
            table.add(*row)
        yield table
        if len(one.rows) > MOST:
            yield Text(f"{len(one.rows) - MOST} rows more are on the page and in the Markdown (--html, --markdown).")


def name(text: str, limit: int = NAME) -> Text:
    """A foreign name as one line of plain text."""
    return Text(one_line(text, limit))
