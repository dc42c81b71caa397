"""Copilot CLI's event logs: `events.jsonl`, one event a line, with the whole system prompt.

`hook.*` events repeat whole tool results and `tool.execution_start` the calls. What a sub-agent does stands among the rest, marked
with the call that started it; it becomes a session of its own.
"""

import re
from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.copilot_events import IGNORED, READ, Line, Log
from tracedance.ingest.documents import decode
from tracedance.ingest.known_fields import COPILOT_CLI
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.parts import iso, known, listed, shown_texts
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, Turn

_EXIT = re.compile(r"<(?:exited|shellId: \S{1,40} completed) with exit code (-?\d{1,5})>\s*$")


def recognises(opening: Opening) -> bool:
    """One of the first lines is an event: its type is one of Copilot's, and it is linked to the one before it."""
    return any(isinstance(record, dict) and _is_event(record) for record in opening.records)


def _is_event(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    linked = isinstance(record.get("data"), dict) and "parentId" in record and "timestamp" in record
    return isinstance(kind, str) and linked and (kind in IGNORED or kind in READ)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one file, and one per sub-agent that worked in it."""
    events = list(Reader(Line, lines, tally, COPILOT_CLI))
    log = Log(events)
    readings: dict[str, _Reading] = {"": _Reading("", log, tally, redactor)}
    for ordinal, line in events:
        agent = log.agent(line)
        if agent not in readings:
            readings[agent] = _Reading(agent, log, tally, redactor)
        tally.settle(readings[agent].event(ordinal, line), ordinal)
    found = (reading.session() for reading in readings.values())
    return [session for session in found if session is not None]


class _Reading:
    """Reads the events of one agent into one session."""

    def __init__(self, agent: str, log: Log, tally: Tally, redactor: Redactor) -> None:
        self._agent = agent
        self._log = log
        self._tally = tally
        self._building = Building(redactor)
        about = log.about
        self._about = About("copilot_cli", harness="copilot_cli", version=about.get("version", ""), cwd=about.get("cwd", ""))
        self._about.source_id = about.get("source", "")
        if agent:
            self._about.parent = self._about.source_id
            self._about.source_id = f"{self._about.source_id}.agent-{agent}"
        self._model = about.get("model", "")
        self._message = ""
        """Id of the message that the last turn belongs to; a long one comes in several events."""
        self._thought: Turn | None = None
        """The turn whose reasoning came ahead of its message."""
        self._by_user: set[str] = set()
        """Calls that the user, not the model, asked for."""

    def session(self) -> Session | None:
        """The session, once all events are read."""
        return self._building.finish(self._about)

    def event(self, ordinal: int, line: Line) -> bool | str:
        """Read one event: True when its content went in, False when it holds none, else the reason why it is lost."""
        kind = text_of(line.type)
        read = _READERS.get(kind)
        if read is None and kind not in IGNORED:
            return f"unknown {kind or 'record without a type'}"
        if not isinstance(line.data, dict):
            return "event without data"
        if kind == "session.model_change":
            self._model = text_of(line.data.get("newModel")) or self._model
        return read(self, ordinal, line.data, iso(line.timestamp)) if read is not None else False

    def _system(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        text = text_of(data.get("content"))
        if self._about.system is None and self._building.last is None and data.get("role") != "developer":
            self._about.system = text
            return True
        return text != self._about.system and self._say([text], ordinal, time, harness=True)

    def _user(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        """The person's words, and around them what the harness adds before the model sees them."""
        words, sent = text_of(data.get("content")), text_of(data.get("transformedContent"))
        before, found, after = sent.partition(words) if words else ("", "", sent)
        source = text_of(data.get("source"))
        harness = bool(self._agent) or source not in ("", "user")
        spoken = self._say([before] if found else [], ordinal, time, harness=True)
        marks = [_attached(item) for item in listed(data.get("attachments")) if isinstance(item, dict)]
        spoken |= self._say([words, *marks], ordinal, time, harness)
        return self._say([after or ("" if found else sent)], ordinal, time, harness=True) or spoken

    def _say(self, texts: list[str], ordinal: int, time: str, harness: bool = False) -> bool:
        self._started(ordinal)
        spoken = False
        for author, text in by_author(texts, harness):
            self._building.say(author, text, ordinal, time)
            spoken = True
        return spoken

    def _started(self, ordinal: int) -> None:
        """A sub-agent's first message is the prompt of the call that started it."""
        prompt = self._log.prompts.pop(self._agent, "") if self._agent else ""
        if prompt and self._building.last is None:
            self._building.say("harness", prompt, ordinal)

    def _open(self, ordinal: int, data: dict[str, Any], time: str) -> Turn:
        """The turn that an event of the model's belongs to: reasoning comes before its message, a long message in several events."""
        self._started(ordinal)
        last, message = self._building.last, known(data.get("messageId"))
        if last is not None and last.role == "assistant" and (last is self._thought or (message and message == self._message)):
            turn = last
        else:
            turn = self._building.open(text_of(data.get("model")) or self._model, ordinal, time)
        self._message, self._thought = message, None
        return turn

    def _reasoning(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        text = text_of(data.get("content"))
        if text.strip():
            turn = self._open(ordinal, data, time)
            self._building.think(turn, text, ordinal)
            self._thought = turn
        return bool(text.strip())

    def _assistant(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        text, thought = text_of(data.get("content")), text_of(data.get("reasoningText"))
        requests = [request for request in listed(data.get("toolRequests")) if isinstance(request, dict)]
        if not text.strip() and not thought.strip() and not requests:
            return False
        turn = self._open(ordinal, data, time)
        if thought.strip() and thought not in turn.reasoning:
            self._building.think(turn, thought, ordinal)
        if text.strip():
            self._building.add(turn, text, ordinal)
        for request in requests:
            self._call(turn, request.get("toolCallId"), request.get("name"), request.get("arguments"), ordinal)
        return True

    def _call(self, turn: Turn, source: object, name: object, arguments: object, ordinal: int) -> None:
        if isinstance(arguments, str):
            parsed, reason = decode(arguments.encode("utf-8", "replace"))
            arguments = parsed if not reason and isinstance(parsed, dict) else arguments
        self._building.call(turn, known(source), text_of(name), {} if arguments is None else arguments, ordinal)

    def _executed(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        """A call that starts is known from its message, unless that message is missing."""
        source = text_of(data.get("toolCallId"))
        if source in self._log.called or source in self._by_user:
            return False
        self._call(self._open(ordinal, data, time), source, data.get("toolName"), data.get("arguments"), ordinal)
        return True

    def _requested(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        self._by_user.add(text_of(data.get("toolCallId")))
        arguments = data.get("arguments")
        words = [text_of(data.get("toolName")), *(text_of(value) for value in (arguments.values() if isinstance(arguments, dict) else ()))]
        return self._say([" ".join(word for word in words if word)], ordinal, time)

    def _completed(self, ordinal: int, data: dict[str, Any], time: str) -> bool | str:
        source, text = text_of(data.get("toolCallId")), _output(data, self._tally)
        if source in self._by_user:
            return self._say([text], ordinal, time, harness=True)
        success, error = data.get("success"), data.get("error")
        call = self._building.caller(known(source))
        code = _EXIT.search(text[-80:]) if call is not None and call.tool_class == "shell" else None
        flagged = not success if isinstance(success, bool) else None
        result = self._building.result(known(source), text, flagged, ordinal, int(code[1]) if code else None)
        if result is None:
            return "second result for one call"
        if source in self._log.refused or (isinstance(error, dict) and error.get("code") == "rejected"):
            self._building.never_ran(result, "refused")
        return True

    def _notified(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        return self._say([text_of(data.get("content"))], ordinal, time, harness=True)

    def _compacted(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        text = text_of(data.get("summaryContent"))
        if data.get("success") is False or not text.strip():
            return False
        self._building.say("harness", text, ordinal, time, "compaction")
        return True

    def _handed(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        return self._say([text_of(data.get("context")), text_of(data.get("summary"))], ordinal, time, harness=True)

    def _cleared(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        self._building.start_context()
        return False

    def _aborted(self, ordinal: int, data: dict[str, Any], time: str) -> bool:
        self._building.interrupted()
        return False


_READERS = {
    "system.message": _Reading._system,
    "system.notification": _Reading._notified,
    "user.message": _Reading._user,
    "assistant.reasoning": _Reading._reasoning,
    "assistant.message": _Reading._assistant,
    "tool.user_requested": _Reading._requested,
    "tool.execution_start": _Reading._executed,
    "tool.execution_complete": _Reading._completed,
    "session.compaction_complete": _Reading._compacted,
    "session.handoff": _Reading._handed,
    "session.context_cleared": _Reading._cleared,
    "abort": _Reading._aborted,
}


def _attached(item: dict[str, Any]) -> str:
    kind, name = text_of(item.get("type")), text_of(item.get("displayName")) or text_of(item.get("path"))
    if kind == "blob":
        return "[image]" if text_of(item.get("mimeType")).startswith("image/") else "[file]"
    return f"[{kind[:40] or 'attachment'}: {name[:300]}]"


def _output(data: dict[str, Any], tally: Tally) -> str:
    """What the model was shown: the content, not the detailed one, which is for the screen; or the error."""
    result, error = data.get("result"), data.get("error")
    texts = []
    if isinstance(result, dict):
        texts = [content] if (content := text_of(result.get("content"))) else shown_texts(result.get("contents"), tally)
        texts += ["[image]" for _ in listed(result.get("binaryResultsForLlm"))]
    if isinstance(error, dict):
        texts.append(text_of(error.get("message")))
    return "\n".join(text for text in texts if text)


SOURCE = Source("copilot_cli", recognises, read)
