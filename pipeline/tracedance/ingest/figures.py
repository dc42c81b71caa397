"""What a source measured of a session: how long calls took, how many tokens turns cost. Numbers alone, so that nothing needs redacting."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tracedance.schema import Figures, ToolResult, Turn

_MOST = 2**53


class Tokens(NamedTuple):
    """What one call of the model cost, as the source states it."""

    given: Sequence[object]
    """Tokens that the model read, in parts that add up."""
    made: object


class Measuring:
    """Collects figures while a session is read; where a source tells none, there are none."""

    def __init__(self) -> None:
        self._began: dict[str, str] = {}
        """Time by the id of the call."""
        self._ended: dict[str, str] = {}
        self._used: dict[int, tuple[int | None, int | None]] = {}
        """Tokens in and out by the id() of the turn."""

    def began(self, turn: Turn, ordinal: int, time: str) -> None:
        """The calls that stand in this record of a turn began then."""
        self._began.update((call.id, time) for call in turn.calls if call.ordinal == ordinal)

    def ended(self, result: ToolResult | None, time: str) -> None:
        """This result came then."""
        if result is not None:
            self._ended[result.call_id] = time

    def used(self, turn: Turn | None, given: Sequence[object], made: object) -> None:
        """A turn's tokens: those the model read, in parts (cached or not), and those it made. Of a repeated record the last word counts."""
        parts = [count for part in given if (count := _count(part)) is not None]
        if turn is not None and (parts or _count(made) is not None):
            self._used[id(turn)] = (sum(parts) if parts else None, _count(made))

    def figures(self, turns: Sequence[Turn]) -> Figures:
        """The figures of a session's calls and assistant turns, in their order."""
        durations = [_milliseconds(self._began.get(call.id, ""), self._ended.get(call.id, "")) for turn in turns for call in turn.calls]
        tokens = [self._used.get(id(turn)) for turn in turns if turn.role == "assistant"]
        return Figures(
            durations if any(each is not None for each in durations) else (),
            tokens if any(each is not None for each in tokens) else (),
        )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def _milliseconds(began: str, ended: str) -> int | None:
    """From one time to the other; None where one is missing or no time, or the second comes first."""
    if not began or not ended:
        return None
    try:
        passed = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    except (ValueError, TypeError, OverflowError):
        return None
    milliseconds = round(passed.total_seconds() * 1000)
    return milliseconds if milliseconds >= 0 else None
