"""Necessary conditions: what a session must hold before an anchor is worth running, said so that the engine can ask columns for it.

A condition is about one row of the event table (a text, a call or a result); a session qualifies when some row meets it. Conditions
join with `&` (the session has a row for each) and `|` (for either). A condition must be necessary: a session that does not meet it holds no
hit. Patterns are those of Rust's regex crate: no look-around, no back-references.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Column = Literal["cmd", "text", "err_text", "tool", "tool_class", "error_class", "status", "role", "author", "kind"]


@dataclass(frozen=True, slots=True)
class Row:
    """Some row whose `column` matches `pattern` (a search) or equals one of `values`; all of `where` hold of that same row."""

    column: Column
    """The column that is asked."""
    pattern: str = ""
    """An RE2 pattern to search for; "" where `values` decide."""
    values: tuple[str, ...] = ()
    """Values of which one must be there; empty where `pattern` decides."""
    where: tuple[Row, ...] = ()
    """Conditions on other columns of that row."""

    def __and__(self, other: Needs) -> Needs:
        return Both((self, other))

    def __or__(self, other: Needs) -> Needs:
        return Either((self, other))


@dataclass(frozen=True, slots=True)
class Both:
    """The session meets every one of `parts`, each on a row of its own."""

    parts: tuple[Needs, ...]
    """Conditions that must all hold."""

    def __and__(self, other: Needs) -> Needs:
        return Both((*self.parts, other))

    def __or__(self, other: Needs) -> Needs:
        return Either((self, other))


@dataclass(frozen=True, slots=True)
class Either:
    """The session meets at least one of `parts`."""

    parts: tuple[Needs, ...]
    """Conditions of which one must hold."""

    def __and__(self, other: Needs) -> Needs:
        return Both((self, other))

    def __or__(self, other: Needs) -> Needs:
        return Either((*self.parts, other))


Needs: TypeAlias = "Row | Both | Either"


def matching(pattern: str, on: Column, *where: Row) -> Row:
    """Some row whose `on` column contains a match of `pattern` (write `(?i)` for any case)."""
    return Row(on, pattern=pattern, where=where)


def among(column: Column, *values: str) -> Row:
    """Some row whose `column` equals one of `values`."""
    return Row(column, values=values)
