"""ATIF, the Agent Trajectory Interchange Format: one JSON object of steps per trajectory.

A record is a step. An agent's step holds its message, its calls and what came back for them. Steps copied from the context of the
trajectory that is continued (`is_copied_context`) are kept, since the model saw them, as are summaries that a context was replaced by.
"""

from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, definitions, shown, tell
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


def recognises(opening: Opening) -> bool:
    """The file, or its first line, is a trajectory that says which version of ATIF it is."""
    return _is_trajectory(opening.value)


def _is_trajectory(value: Any) -> bool:
    return isinstance(value, dict) and text_of(value.get("schema_version")).startswith("ATIF-")


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of each trajectory in the file, and of those of sub-agents that stand inside one."""
    sessions: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in steps.
        if isinstance(value, dict) and isinstance(value.get("steps"), list):
            sessions += _trajectory(value, tally, redactor)
        else:
            tally.seen += 1
            tally.lose("no steps in it", ordinal)
    return sessions


def _trajectory(value: dict[str, Any], tally: Tally, redactor: Redactor, parent: str = "", depth: int = 0) -> list[Session]:
    reading = _Reading(value, parent, redactor)
    for ordinal, step in enumerate(value["steps"]):
        tally.seen += 1
        used = reading.step(step, ordinal)
        tally.settle(used, ordinal)
    for kind in reading.unknown:
        tally.name_unknown(kind)
    session = reading.building.finish(reading.about)
    sessions = [] if session is None else [session]
    inner = value.get("subagent_trajectories")
    for trajectory in inner if isinstance(inner, list) and depth < 8 else ():
        if isinstance(trajectory, dict) and isinstance(trajectory.get("steps"), list):
            sessions += _trajectory(trajectory, tally, redactor, reading.about.source_id, depth + 1)
    return sessions


class _Reading:
    """Reads the steps of one trajectory."""

    def __init__(self, value: dict[str, Any], parent: str, redactor: Redactor) -> None:
        agent = value.get("agent")
        agent = agent if isinstance(agent, dict) else {}
        self.building = Building(redactor)
        self.about = About("atif", harness=text_of(agent.get("name")) or "atif", version=text_of(agent.get("version")), parent=parent)
        self.about.source_id = text_of(value.get("trajectory_id")) or text_of(value.get("session_id"))
        self.about.tools = definitions(agent.get("tool_definitions"))
        extra = agent.get("extra")
        number = extra.get("continuation_index") if isinstance(extra, dict) else None
        if isinstance(number, int) and number > 0 and not parent:
            # A continuation shares the id of what it continues.
            self.about.parent = self.about.source_id
            self.about.source_id = f"{self.about.source_id}.cont-{number}"
        self.unknown: list[str] = []
        self._model = text_of(agent.get("model_name"))

    def step(self, step: Any, ordinal: int) -> bool | str:
        """Read one step: whether it held anything, or the reason why it is lost."""
        if not isinstance(step, dict):
            return "not a JSON object"
        source = step.get("source")
        message = Message({"agent": "assistant"}.get(text_of(source), text_of(source)), time=text_of(step.get("timestamp")))
        message.take(step.get("message"))
        self.unknown += [f"part {kind}" for kind in message.unknown]
        if source == "agent":
            kept = self._agent(step, message, ordinal)
        elif source in ("system", "user"):
            kept = self._said(step, message, ordinal)
        else:
            return f"unknown step source {text_of(source)}"
        return self._observed(step, message, ordinal) or kept

    def _said(self, step: dict[str, Any], message: Message, ordinal: int) -> bool:
        extra = step.get("extra")
        managed = extra.get("context_management") if isinstance(extra, dict) else None
        if isinstance(managed, dict) and managed.get("type") == "compaction":
            self.building.say("harness", message.text, ordinal, message.time, "compaction")
            return True
        return tell(self.building, self.about, message, ordinal)

    def _agent(self, step: dict[str, Any], message: Message, ordinal: int) -> bool:
        message.model = text_of(step.get("model_name")) or self._model
        message.thoughts.append(text_of(step.get("reasoning_content")))
        calls = step.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                message.call(call.get("tool_call_id"), call.get("function_name"), call.get("arguments"))
        return tell(self.building, self.about, message, ordinal)

    def _observed(self, step: dict[str, Any], message: Message, ordinal: int) -> bool:
        """Results of the step's calls; what came back without a call (a terminal's screen) was shown as a user's message."""
        observation = step.get("observation")
        results = observation.get("results") if isinstance(observation, dict) else None
        open_calls = [call.id for call in message.calls]
        kept = False
        for result in results if isinstance(results, list) else ():
            if not isinstance(result, dict):
                continue
            text = shown(result.get("content"))
            source = text_of(result.get("source_call_id")) or (open_calls[0] if len(message.calls) == 1 == len(results or ()) else "")
            if source:
                self.building.result(source, text, True if result.get("is_error") is True else None, ordinal)
                kept = True
            elif text.strip():
                for _, part in by_author([text], harness=True):
                    self.building.say("harness", part, ordinal, message.time)
                kept = True
        return kept


SOURCE = Source("atif", recognises, read)
