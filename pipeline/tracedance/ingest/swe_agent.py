"""SWE-agent's `.traj`: `history` (what the model saw) and `trajectory` (what was run and what came back), one JSON object per run.

A record is a message of the history, or a step of the trajectory where there is no history. Before SWE-agent used function calls, the
model wrote its command into its text; the harness's own reading of it (`action`) is the call then, of the tool `bash`.
"""

from typing import Any

from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, definitions, parsed, tell
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_STEP = ("action", "observation", "response")


def recognises(opening: Opening) -> bool:
    """The file is an object with a history by agents of SWE-agent's, or with a trajectory of its steps."""
    value = opening.value
    return isinstance(value, dict) and (_has_history(value) or _has_trajectory(value))


def _has_history(value: dict[str, Any]) -> bool:
    history = value.get("history")
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, dict) and first.get("role") in ("system", "user") and isinstance(first.get("agent"), str)


def _has_trajectory(value: dict[str, Any]) -> bool:
    steps = value.get("trajectory")
    first = steps[0] if isinstance(steps, list) and steps else None
    return isinstance(first, dict) and all(isinstance(first.get(key), str) for key in _STEP)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one file (or of each of its lines)."""
    sessions = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in messages.
        history = value.get("history") if isinstance(value, dict) else None
        steps = value.get("trajectory") if isinstance(value, dict) else None
        if not isinstance(history, list) and not isinstance(steps, list):
            tally.seen += 1
            tally.lose("no history in it", ordinal)
            continue
        session = _Reading(value, tally, redactor).session(_listed(history), _listed(steps))
        sessions += [] if session is None else [session]
    return sessions


class _Reading:
    """Reads one run."""

    def __init__(self, value: dict[str, Any], tally: Tally, redactor: Redactor) -> None:
        self._tally = tally
        self._building = Building(redactor)
        self._about = About("swe_agent", harness="swe-agent", labels=_labels(value.get("info")))
        replay = parsed(value.get("replay_config"))
        agent = replay.get("agent") if isinstance(replay, dict) else None
        model = agent.get("model") if isinstance(agent, dict) else None
        tools = agent.get("tools") if isinstance(agent, dict) else None
        self._model = text_of(model.get("name")) if isinstance(model, dict) else ""
        self._about.tools = definitions(tools.get("tools")) if isinstance(tools, dict) else None
        self._asked = ""
        """Id of the command that the next observation answers."""
        self._count = 0

    def session(self, history: list[Any], steps: list[Any]) -> Session | None:
        """The session; the last observation stands in the trajectory alone."""
        for ordinal, message in enumerate(history):
            self._counted(self._message(message, ordinal), ordinal)
        if not history:
            for ordinal, step in enumerate(steps):
                self._counted(self._step(step, ordinal), ordinal)
        elif steps and isinstance(steps[-1], dict):
            self._observe(text_of(steps[-1].get("observation")), len(history) - 1)
        return self._building.finish(self._about)

    def _counted(self, used: bool | str, ordinal: int) -> None:
        self._tally.seen += 1
        self._tally.settle(used, ordinal)

    def _message(self, entry: Any, ordinal: int) -> bool | str:
        if not isinstance(entry, dict):
            return "not a JSON object"
        message = Message(text_of(entry.get("role")))
        message.take(entry.get("content"))
        for kind in message.unknown:
            self._tally.name_unknown(f"part {kind}")
        if message.role == "assistant":
            return self._assistant(entry, message, ordinal)
        if message.role == "tool":
            ids = entry.get("tool_call_ids")
            source = ids[0] if isinstance(ids, list) and ids else entry.get("tool_call_id")
            self._asked = ""
            return self._building.result(text_of(source), message.text, None, ordinal) is not None or "second result for one call"
        if message.role not in ("system", "user"):
            return f"unknown role {message.role}"
        if message.role == "user" and self._observe(message.text, ordinal):
            return True
        if entry.get("is_demo") is True and message.text.strip():
            self._building.say("harness", message.text, ordinal)
            return True
        return tell(self._building, self._about, message, ordinal)

    def _assistant(self, entry: dict[str, Any], message: Message, ordinal: int) -> bool:
        calls = entry.get("tool_calls")
        self._asked = ""
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                message.call(call.get("id"), function.get("name"), function.get("arguments"))
                self._asked = text_of(call.get("id"))
        if entry.get("is_demo") is True:
            # A demonstration's turns were never the model's own.
            message.model = ""
        elif not message.calls and text_of(entry.get("action")).strip():
            self._act(message, text_of(entry.get("action")), text_of(entry.get("thought")))
        message.thoughts += [text_of(block.get("thinking")) for block in _blocks(entry.get("thinking_blocks"))]
        message.model = self._model
        return tell(self._building, self._about, message, ordinal)

    def _act(self, message: Message, action: str, thought: str) -> None:
        self._count += 1
        self._asked = f"action-{self._count}"
        message.texts = [thought]
        message.call(self._asked, "bash", {"command": action.strip("\n")})

    def _observe(self, text: str, ordinal: int) -> bool:
        """Give the last command its observation; whether one was waited for."""
        asked, self._asked = self._asked, ""
        if not asked or self._building.caller(asked) is None:
            return False
        return self._building.result(asked, text, None, ordinal) is not None

    def _step(self, step: Any, ordinal: int) -> bool | str:
        if not isinstance(step, dict):
            return "not a JSON object"
        message = Message("assistant", texts=[text_of(step.get("thought")) or text_of(step.get("response"))], model=self._model)
        if text_of(step.get("action")).strip():
            self._act(message, text_of(step.get("action")), message.text)
        kept = tell(self._building, self._about, message, ordinal)
        return self._observe(text_of(step.get("observation")), ordinal) or kept


def _blocks(value: Any) -> list[dict[str, Any]]:
    return [block for block in _listed(value) if isinstance(block, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _labels(info: Any) -> dict[str, Any]:
    status = info.get("exit_status") if isinstance(info, dict) else None
    return {"exit_status": status} if isinstance(status, str) else {}


SOURCE = Source("swe_agent", recognises, read)
