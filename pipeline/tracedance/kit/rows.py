"""A session as the rows that necessary conditions are about, and whether a condition holds of them: the meaning of `needs` in plain Python.

The scan evaluates the same conditions on the columns of a shard.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tracedance.kit import linear as re2
from tracedance.kit.needs import Both, Either, Needs, Row
from tracedance.kit.texts import valid
from tracedance.schema import Session, ToolResult, Turn


def rows(session: Session) -> list[dict[str, str]]:
    """One row for each text, call (with the outcome of its result) and result."""
    return [row for turn in session.turns for row in _of_turn(turn)]


def holds(needs: Needs, of: Sequence[Mapping[str, str]]) -> bool:
    """Whether the condition holds of these rows."""
    if isinstance(needs, Both):
        return all(holds(part, of) for part in needs.parts)
    if isinstance(needs, Either):
        return any(holds(part, of) for part in needs.parts)
    return any(_meets(needs, row) for row in of)


def patterns(needs: Needs) -> Iterable[str]:
    """Every pattern in a condition."""
    if isinstance(needs, Row):
        yield from (needs.pattern,) if needs.pattern else ()
    for part in needs.where if isinstance(needs, Row) else needs.parts:
        yield from patterns(part)


def _meets(needs: Row, row: Mapping[str, str]) -> bool:
    value = row.get(needs.column)
    if value is None or not all(_meets(part, row) for part in needs.where):
        return False
    return value in needs.values if needs.values else bool(_compiled(needs.pattern).holds(valid(value)))


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern)


def _of_turn(turn: Turn) -> Iterable[dict[str, str]]:
    shared = {"role": turn.role, "author": turn.author}
    if turn.text:
        yield {**shared, "kind": "text", "text": turn.text}
    for call in turn.calls:
        told = {"kind": "call", "tool": call.name, "tool_class": call.tool_class, "cmd": call.cmd}
        yield {**shared, **told, **(_outcome(call.result) if call.result is not None else {})}
    for result in turn.results:
        yield {**shared, "kind": "result", **_outcome(result)}


def _outcome(result: ToolResult) -> dict[str, str]:
    told = {"status": str(result.status), "err_text": result.error_text}
    return {**told, "error_class": result.error_class} if result.error_class is not None else told
