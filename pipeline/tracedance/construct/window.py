"""The part of a session that a cut keeps, and the decision that it withholds."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracedance.errors import ItemError
from tracedance.schema import Frame, Hit, Session, ToolCall, ToolResult, Turn


@dataclass(frozen=True, slots=True)
class Window:
    """What the model saw at the decision: the turns from the last compaction boundary up to, not with, the decision."""

    session: Session
    hit: Hit
    frame: Frame
    turns: Sequence[Turn]
    decision: Turn

    @property
    def results(self) -> dict[str, ToolResult]:
        """Results inside the window by the id of their call; the first one where a harness recorded several."""
        found: dict[str, ToolResult] = {}
        for turn in self.turns:
            for result in turn.results:
                found.setdefault(result.call_id, result)
        return found

    @property
    def calls(self) -> dict[str, ToolCall]:
        """Calls inside the window by id."""
        return {call.id: call for turn in self.turns for call in turn.calls}

    @property
    def last_evidence(self) -> int:
        """The latest turn that shows the behaviour's ground; -1 where the anchor names none."""
        return max(self.hit.evidence, default=-1)


def window(session: Session, hit: Hit, frame: Frame) -> Window:
    """The window of a hit; `decision_missing` where the session has no such turn."""
    if not 0 <= hit.decision < len(session.turns):
        raise ItemError("decision_missing", f"turn {hit.decision} of {len(session.turns)}")
    start = session.context_start(hit.decision)
    return Window(session, hit, frame, session.turns[start : hit.decision], session.turns[hit.decision])


def as_recorded(turn: Turn) -> str:
    """Everything a turn says in one text: its words and its calls' arguments."""
    return "\n".join([turn.text, *(call.arguments_json for call in turn.calls)])
