"""From event rows back to sessions: cheap views whose bulky texts come from the store when somebody asks.

A scan builds many thousands of turns a second. So rows are sorted out by kind in the engine, each column becomes a plain list once, and
objects are made from parallel lists without a Python loop over rows; only putting calls and results into their turns is one.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from tracedance.schema import Session, ToolCall, ToolResult, Turn
from tracedance.store import sessions
from tracedance.store.collector import uncollected

Cold = Callable[[str, int], str]
"""(column, row number in the shard) -> its text."""

_TURN = ("turn", "role", "author", "mark", "model", "time", "first", "last", "chain")
_CALL = ("call_id", "tool", "tool_class", "cmd", "args_hash", "ordinal", "turn")
_RESULT = ("call_id", "status", "error_class", "err_text", "exit_code", "ordinal", "turn")

NEEDED = tuple(dict.fromkeys(("session", "seq", "kind", "text", "answer", "row", *_TURN, *_CALL, *_RESULT)))
"""Columns a view is built from."""


CHUNK_ROWS = 4096
"""Rows turned into objects at a time: enough to pay for the engine's overhead, few enough to stay out of the collector's way."""


def build(frame: pl.DataFrame, meta: Mapping[str, Mapping[str, Any]], cold: Cold) -> Iterator[Session]:
    """Sessions of `frame` (whole sessions, in stored order), with their rows of the sessions table by id."""
    starts = [*np.flatnonzero(frame["seq"].to_numpy() == 0).tolist(), len(frame)]
    begin = 0
    for end, following in pairwise(starts):
        if following - begin > CHUNK_ROWS and end > begin:
            yield from _chunk(frame[begin:end], meta, cold)
            begin = end
    if begin < len(frame):
        yield from _chunk(frame[begin:], meta, cold)


def _chunk(frame: pl.DataFrame, meta: Mapping[str, Mapping[str, Any]], cold: Cold) -> Iterator[Session]:
    # Every turn's first row carries its chain: counting them numbers the turns of the frame.
    frame = frame.with_row_index("at").with_columns((pl.col("chain").is_not_null().cum_sum().cast(pl.Int64) - 1).alias("nth"))
    firsts = frame.filter(pl.col("chain").is_not_null())
    with uncollected():
        turns = _turns(firsts)
        _fill(turns, frame, cold)
    starts = np.flatnonzero(firsts["seq"].to_numpy() == 0).tolist()
    ids = firsts["session"][starts].to_list()
    for session_id, (start, end) in zip(ids, pairwise([*starts, len(turns)]), strict=True):
        yield _session(meta[session_id], turns[start:end])


def _turns(firsts: pl.DataFrame) -> list[Turn]:
    index, role, author, mark, model, time, first, last, chain = (firsts[name].to_list() for name in _TURN)
    nothing: list[tuple[()]] = [()] * len(firsts)
    return list(map(Turn, index, role, author, [""] * len(firsts), nothing, nothing, mark, model, time, first, last, chain))


def _fill(turns: list[Turn], frame: pl.DataFrame, cold: Cold) -> None:
    """Put texts, reasoning, calls and results into their turns, and link each call with its result."""
    said = frame.filter(pl.col("kind") == "text")
    for nth, text in zip(said["nth"].to_list(), said["text"].to_list(), strict=True):
        turns[nth].text = text
    thought = frame.filter(pl.col("kind") == "reasoning")
    for nth, row in zip(thought["nth"].to_list(), thought["row"].to_list(), strict=True):
        turns[nth].raw_reasoning = partial(cold, "reasoning", row)
    came = frame.filter(pl.col("kind") == "result")
    results = dict(zip(came["at"].to_list(), _results(came, cold), strict=True))
    for nth, result in zip(came["nth"].to_list(), results.values(), strict=True):
        turns[nth].results = [*turns[nth].results, result]
    # A session's rows are numbered from 0 by `seq`, so `at - seq` is where it starts in the frame.
    made = frame.filter(pl.col("kind") == "call").with_columns((pl.col("at").cast(pl.Int64) - pl.col("seq") + pl.col("answer")).alias("to"))
    for nth, call, answer in zip(made["nth"].to_list(), _calls(made, cold), made["to"].to_list(), strict=True):
        turns[nth].calls = [*turns[nth].calls, call]
        if answer is not None:
            call.result = results[answer]


def _calls(rows: pl.DataFrame, cold: Cold) -> list[ToolCall]:
    ids, names, classes, commands, hashes, ordinals, turns = (rows[name].to_list() for name in _CALL)
    arguments = [partial(cold, "args", row) for row in rows["row"].to_list()]
    return list(map(ToolCall, ids, names, arguments, classes, commands, hashes, ordinals, turns))


def _results(rows: pl.DataFrame, cold: Cold) -> list[ToolResult]:
    ids, statuses, classes, errors, codes, ordinals, turns = (rows[name].to_list() for name in _RESULT)
    texts = [partial(cold, "result", row) for row in rows["row"].to_list()]
    return list(map(ToolResult, ids, texts, statuses, classes, errors, codes, ordinals, turns))


def _session(row: Mapping[str, Any], turns: list[Turn]) -> Session:
    return Session(
        id=row["id"],
        format=row["format"],
        turns=turns,
        source_id=row["source_id"],
        harness=row["harness"],
        version=row["version"],
        setting=row["setting"],
        cwd=row["cwd"],
        system=row["system"],
        tools=sessions.definitions(row["tools"]),
        shapes=sessions.Shapes(row["shapes"]),
        started=row["started"],
        ended=row["ended"],
        parent=row["parent"],
        compactions=tuple(row["compactions"]),
        labels=sessions.labels(row.get("labels")),
        replaced=sessions.labels(row.get("replaced")),
        figures=sessions.figures(row.get("figures")),
        path=row["path"],
        source_digest=row["source_digest"],
    )
