"""From sessions to the columns of the event table, without a Python object for each row.

Rows of one kind are gathered first; each column is then made whole in the engine: values of a turn are repeated for its rows, values of a
kind are spread over the rows of that kind.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tracedance.schema import Session, ToolCall, ToolResult, Turn
from tracedance.store import events

Ints = npt.NDArray[np.int64]

_TURN = ("role", "author", "mark", "model", "time", "first", "last")
_CALL = {"tool": "name", "tool_class": "tool_class", "cmd": "cmd", "args_hash": "args_hash", "args": "arguments_json"}
"""Column -> attribute of a call."""
_OUTCOME = ("status", "error_class", "exit_code")


def event_columns(sessions: Iterable[Session]) -> dict[str, pl.Series]:
    """All columns of the event table for these sessions, in their order."""
    rows = _Rows()
    for session in sessions:
        rows.add(session)
    return rows.columns()


def refuse_unwritable(session: Session) -> None:
    """Raises where a value of the session does not fit its column: told before a group is written, as that holds other files too."""
    for turn in session.turns:
        _refuse((turn.index, turn.first, turn.last), (turn.role, turn.author, turn.mark, turn.model, turn.time, turn.text, turn.chain))
        for call in turn.calls:
            _refuse((call.ordinal,), (call.id, call.name, call.tool_class, call.cmd, call.args_hash, call.arguments_json))
        for result in turn.results:
            code = 0 if result.exit_code is None else result.exit_code
            _refuse((result.ordinal, code), (result.call_id, result.status, result.error_class or "", result.error_text, result.text))


def _refuse(numbers: tuple[int, ...], texts: tuple[str, ...]) -> None:
    for number in numbers:
        if not -(1 << 31) <= number < 1 << 31:
            raise OverflowError
    for text in texts:
        if not isinstance(text, str):
            raise TypeError


class _Rows:
    """Where each turn, text, call and result of some sessions stands among the rows."""

    def __init__(self) -> None:
        self._count = 0
        self._sessions: list[Session] = []
        self._begins: list[int] = []
        """Row at which each session begins."""
        self._turns: list[Turn] = []
        self._starts: list[int] = []
        """Row at which each turn begins."""
        self._texts: list[Turn] = []
        self._thoughts: list[Turn] = []
        self._calls: list[ToolCall] = []
        self._results: list[ToolResult] = []
        self._at: dict[str, list[int]] = {kind: [] for kind in events.KINDS}
        """Rows of each kind, ascending."""

    def add(self, session: Session) -> None:
        """Take the rows of one session: its turns one after the other, in each of them reasoning, text, calls and results."""
        at, texts, thoughts = self._at, self._at["text"], self._at["reasoning"]
        row = self._count
        self._sessions.append(session)
        self._begins.append(row)
        self._turns.extend(session.turns)
        for turn in session.turns:
            start = row
            self._starts.append(start)
            if turn.raw_reasoning and turn.reasoning:
                self._thoughts.append(turn)
                thoughts.append(row)
                row += 1
            calls, results = turn.calls, turn.results
            if turn.text or (row == start and not calls and not results):
                # A turn without anything in it still is a turn: it keeps a row.
                self._texts.append(turn)
                texts.append(row)
                row += 1
            if calls:
                self._calls.extend(calls)
                at["call"].extend(range(row, row + len(calls)))
                row += len(calls)
            if results:
                self._results.extend(results)
                at["result"].extend(range(row, row + len(results)))
                row += len(results)
        self._count = row

    def columns(self) -> dict[str, pl.Series]:
        """Every column of the table by name."""
        at = {kind: np.array(rows, np.int64) for kind, rows in self._at.items()}
        per_turn = self._per_turn()
        made = {**per_turn, **self._kinds(at), **self._said(at), **self._called(at), **self._came(at)}
        ordinals = np.zeros(self._count, np.int64)
        firsts = per_turn["first"].to_numpy()
        for kind, things in (("call", self._calls), ("result", self._results)):
            ordinals[at[kind]] = [thing.ordinal for thing in things]
        for kind in ("text", "reasoning"):
            ordinals[at[kind]] = firsts[at[kind]]
        made["ordinal"] = pl.Series(ordinals, dtype=pl.Int32)
        return {**made, **self._places(ordinals)}

    def _per_turn(self) -> dict[str, pl.Series]:
        """Columns whose value is one for all rows of a turn, or of a session."""
        of_turn = pl.Series(self._repeated(self._starts), dtype=pl.UInt32)
        numbers = self._repeated(self._begins)
        of_session = pl.Series(numbers, dtype=pl.UInt32)
        values = zip(*map(attrgetter(*_TURN), self._turns), strict=True) if self._turns else ((),) * len(_TURN)
        made = {name: _series(name, column)[of_turn] for name, column in zip(_TURN, map(list, values), strict=True)}
        made["session"] = _series("session", [session.id for session in self._sessions])[of_session]
        made["turn"] = _series("turn", [turn.index for turn in self._turns])[of_turn]
        made["seq"] = pl.Series(np.arange(self._count) - np.array(self._begins, np.int64)[numbers], dtype=pl.Int32)
        made["chain"] = self._spread("chain", [turn.chain for turn in self._turns], np.array(self._starts, np.int64))
        return made

    def _kinds(self, at: dict[str, Ints]) -> dict[str, pl.Series]:
        codes = np.zeros(self._count, np.int64)
        for code, kind in enumerate(events.KINDS):
            codes[at[kind]] = code
        return {"kind": _series("kind", list(events.KINDS))[pl.Series(codes, dtype=pl.UInt32)]}

    def _said(self, at: dict[str, Ints]) -> dict[str, pl.Series]:
        return {
            "text": self._spread("text", [turn.text for turn in self._texts], at["text"]),
            "reasoning": self._spread("reasoning", [turn.reasoning for turn in self._thoughts], at["reasoning"]),
        }

    def _called(self, at: dict[str, Ints]) -> dict[str, pl.Series]:
        values = ((name, list(map(attrgetter(attribute), self._calls))) for name, attribute in _CALL.items())
        return {name: self._spread(name, column, at["call"]) for name, column in values}

    def _came(self, at: dict[str, Ints]) -> dict[str, pl.Series]:
        """Results, and what became of calls: a call's row tells a failed edit alone, and names its result's row by `answer`."""
        rows = {id(result): row for result, row in zip(self._results, self._at["result"], strict=True)}
        answered = [(call.result, row) for call, row in zip(self._calls, self._at["call"], strict=True) if call.result is not None]
        both = [*(result for result, _ in answered), *self._results]
        where = np.concatenate([np.array([row for _, row in answered], np.int64), at["result"]])
        made = {name: self._spread(name, [getattr(result, name) for result in both], where) for name in _OUTCOME}
        made["err_text"] = self._spread("err_text", [result.error_text[: events.ERROR_TEXT] for result in both], where)
        made["result"] = self._spread("result", [result.text for result in self._results], at["result"])
        ids = [*(call.id for call in self._calls), *(result.call_id for result in self._results)]
        made["call_id"] = self._spread("call_id", ids, np.concatenate([at["call"], at["result"]]))
        begins = np.array(self._begins, np.int64)
        own = where[: len(answered)]
        starts = begins[np.searchsorted(begins, own, "right") - 1].tolist() if len(own) else []
        answers = [rows[id(result)] - start if id(result) in rows else None for (result, _), start in zip(answered, starts, strict=True)]
        made["answer"] = self._spread("answer", answers, own)
        return made

    def _places(self, ordinals: Ints) -> dict[str, pl.Series]:
        """Byte ranges of the source records, null where the source has no record a line."""
        bounds = [np.asarray(session.offsets, np.int64) if session.offsets is not None else _NOWHERE for session in self._sessions]
        bases = np.cumsum([0, *(len(bound) for bound in bounds)])[:-1].astype(np.int64)
        of_session = self._repeated(self._begins)
        every = np.concatenate([*bounds, _NOWHERE])
        place = bases[of_session] + ordinals
        known = ordinals + 1 < np.array([len(bound) for bound in bounds], np.int64)[of_session]
        place[~known] = len(every) - 2
        offset = pl.Series(every[place], dtype=pl.Int64)
        length = pl.Series(every[place + 1] - every[place] - 1, dtype=pl.Int32)
        return {"offset": offset.set(pl.Series(~known), None), "length": length.set(pl.Series(~known), None)}

    def _repeated(self, starts: Sequence[int]) -> Ints:
        """For each row the number of the turn or session that it belongs to."""
        bounds = np.array([*starts, self._count], np.int64)
        return np.repeat(np.arange(len(starts)), np.diff(bounds))

    def _spread(self, name: str, values: list[Any], at: Ints) -> pl.Series:
        """A column that holds these values at these rows and null elsewhere."""
        places = np.full(self._count, len(values), np.uint32)
        places[at] = np.arange(len(values), dtype=np.uint32)
        values.append(None)
        return _series(name, values)[pl.Series(places)]


_NOWHERE = np.zeros(2, np.int64)
_DTYPES: dict[str, Any] = {**dict.fromkeys(events.NUMBERS, pl.Int32), "offset": pl.Int64}


def _series(name: str, values: list[Any]) -> pl.Series:
    dtype = _DTYPES.get(name, pl.String)
    try:
        return pl.Series(values, dtype=dtype)
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form; importers replace them, and this is the last line.
        return pl.Series([value.encode("utf-8", "replace").decode() if value is not None else None for value in values], dtype=dtype)
