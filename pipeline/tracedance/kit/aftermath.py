"""Failures and what the model did next."""

from collections.abc import Sequence

from tracedance.kit import hits, requests
from tracedance.schema import Session, ToolCall, Turn


def answered(turn: Turn) -> int:
    """Index of the turn in which the last result of this turn's calls came; the turn's own where none was recorded."""
    return max((call.result.turn for call in turn.calls if call.result is not None), default=turn.index)


def next_turn(session: Session, after: int) -> Turn | None:
    """The model's next turn after turn `after`; None where a person spoke first, a compaction came between or the session ends."""
    for later in session.turns[after + 1 :]:
        if later.role == "assistant":
            open_still = hits.decides(later) and not requests.intervened(session, after, later.index)
            return later if open_still and session.context_start(later.index) <= after else None
    return None


def after_calls(session: Session, turn: Turn) -> Turn | None:
    """`next_turn` after all results of a turn's calls; None where those calls, too, are no longer in the context."""
    later = next_turn(session, answered(turn))
    return later if later is not None and session.context_start(later.index) <= turn.index else None


def evidence(call: ToolCall) -> list[int]:
    """The turns of a call and of its result."""
    return [call.turn] if call.result is None else [call.turn, call.result.turn]


def made(context: Sequence[Turn], turn: object, args_hash: object) -> ToolCall | None:
    """The call of a context's turn that has these arguments: how a check finds again the call that a hit was about."""
    return next((call for each in context if each.index == turn for call in each.calls if call.args_hash == args_hash), None)
