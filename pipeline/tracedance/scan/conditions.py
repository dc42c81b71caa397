"""Necessary conditions as questions to columns: which sessions of a shard may hold a hit at all."""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import polars as pl

from tracedance.kit.needs import Both, Needs, Row

_ESCAPE = re.compile(r"\\.", re.DOTALL)

Flags = npt.NDArray[np.bool_]

SELECTIVE = 0.5
"""Below this share of rows it pays to cut the rows out before a pattern is run over them."""


def columns(needs: Iterable[Needs]) -> set[str]:
    """Event columns that the conditions ask about."""
    return {name for one in needs for row in _rows(one) for name in _row_columns(row)}


class Conditions:
    """Answers conditions over the event rows of one shard. Each distinct row condition is evaluated once, whoever asks it."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame
        starts = (frame["seq"] == 0).to_numpy()
        self._session = np.cumsum(starts) - 1
        self.ids: list[str] = frame["session"].filter(frame["seq"] == 0).cast(pl.String).to_list()
        """Sessions in stored order; the flags of `sessions` are parallel to it."""
        self._masks: dict[Row, Flags] = {}

    def sessions(self, needs: Needs) -> Flags:
        """For each session whether it meets the condition."""
        if isinstance(needs, Row):
            flags = np.zeros(len(self.ids), dtype=np.bool_)
            flags[self._session[self._mask(needs)]] = True
            return flags
        parts = [self.sessions(part) for part in needs.parts]
        combine = np.logical_and if isinstance(needs, Both) else np.logical_or
        flags = parts[0]
        for part in parts[1:]:
            flags = combine(flags, part)
        return flags

    def _mask(self, row: Row) -> Flags:
        if row not in self._masks:
            self._masks[row] = self._evaluate(row)
        return self._masks[row]

    def _evaluate(self, row: Row) -> Flags:
        among = np.ones(len(self._frame), dtype=np.bool_)
        for part in row.where:
            among = among & self._mask(part)
        column = self._frame[row.column]
        if row.values:
            return among & _true(column.is_in(list(row.values)))
        if among.all() or among.mean() >= SELECTIVE:
            return among & _matches(column, row.pattern)
        places = np.flatnonzero(among)
        mask = np.zeros(len(among), dtype=np.bool_)
        mask[places] = _matches(column.gather(places), row.pattern)
        return mask


def _matches(column: pl.Series, pattern: str) -> Flags:
    try:
        return _true(column.cast(pl.String).str.contains(_quick(pattern)))
    except pl.exceptions.ComputeError:
        # Not of the engine's dialect: then the condition says nothing, and the anchor itself decides. Never a wrong answer.
        return column.is_not_null().to_numpy()


def _quick(pattern: str) -> str:
    """The pattern with word borders as RE2 has them, between ASCII letters.

    With borders of Unicode the engine leaves its fast automaton at the first dash or quotation mark of a text (ten times slower).
    """
    if any(sign.isalnum() and not sign.isascii() for sign in pattern):
        return pattern  # A border beside such a letter is another one.
    return _ESCAPE.sub(lambda sign: r"(?-u:\b)" if sign[0] == r"\b" else sign[0], pattern)


def _true(series: pl.Series) -> Flags:
    return series.fill_null(False).to_numpy()


def _rows(needs: Needs) -> list[Row]:
    return [needs] if isinstance(needs, Row) else [row for part in needs.parts for row in _rows(part)]


def _row_columns(row: Row) -> set[str]:
    return {row.column}.union(*(_row_columns(part) for part in row.where))
