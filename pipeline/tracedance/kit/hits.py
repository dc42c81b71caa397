"""How an anchor reports a place, and which turns can be one."""

from collections.abc import Iterable, Mapping
from typing import Any

from tracedance.schema import Hit, Turn

_WHY = 300


def hit(*, decision: int, offends: bool, why: str, evidence: Iterable[int] = (), facts: Mapping[str, Any] | None = None) -> Hit:
    """A hit with its evidence in order and inside the context, and `why` in one short line."""
    line = " ".join(why.split())
    return Hit(
        decision=decision,
        evidence=tuple(sorted({turn for turn in evidence if 0 <= turn < decision})),
        offends=offends,
        why=line if len(line) <= _WHY else line[: _WHY - 1] + "…",
        facts=dict(facts or {}),
    )


def decides(turn: Turn) -> bool:
    """Whether the model itself decided here: not the harness in its name, and not on the harness's order (summary, title)."""
    return turn.role == "assistant" and turn.author == "model" and turn.mark not in ("synthetic", "forced", "compaction")
