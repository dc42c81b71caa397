"""OpenCode's session exports: `{"info": {...}, "messages": [{"info": {...}, "parts": [...]}]}`, pretty-printed or one a line.

A record is a part, or a message that has none. A tool part holds the call and its result. A publisher may have wiped every id.
"""

from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.parts import iso, known, shown, shown_texts
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Mark, Session, ToolCall, Turn

IGNORED = frozenset(("step-start", "step-finish", "snapshot", "patch", "retry"))
"""Part types that the model is shown nothing of."""
_PIVOT = "What did we do so far?"
"""What OpenCode has the user ask where a compacted context starts; the summary is the answer."""


def recognises(opening: Opening) -> bool:
    """The file is an export: a session's `info`, and messages that have `info` and `parts` themselves."""
    value = opening.value
    if not isinstance(value, dict) or not isinstance(value.get("info"), dict) or not isinstance(value.get("messages"), list):
        return False
    first = value["messages"][0] if value["messages"] else None
    if first is None:
        return "version" in value["info"] and ("projectID" in value["info"] or "directory" in value["info"])
    return isinstance(first, dict) and isinstance(first.get("info"), dict) and ("parts" in first or "role" in first["info"])


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """One session per export in the file."""
    sessions = []
    for ordinal, value in values(lines, tally):
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
            tally.lose("no messages in it", ordinal)
            continue
        tally.seen -= 1  # The account is in parts.
        session = _Reading(value, tally, redactor).session(value["messages"])
        if session is not None:
            sessions.append(session)
    return sessions


class _Reading:
    def __init__(self, value: dict[str, Any], tally: Tally, redactor: Redactor) -> None:
        info = value["info"] if isinstance(value.get("info"), dict) else {}
        self._tally = tally
        self._building = Building(redactor)
        self._about = About(
            "opencode",
            source_id=known(info.get("id")),
            harness="opencode",
            version=text_of(info.get("version")),
            cwd=text_of(info.get("directory")),
            parent=known(info.get("parentID")),
        )
        self._by_agent = bool(text_of(info.get("parentID")))
        """Whether another agent wrote the prompts; the parent's id may be wiped."""
        self._turn: Turn | None = None
        self._ids: set[str] = set()
        self._ordinal = -1

    def session(self, messages: list[Any]) -> Session | None:
        for message in messages:
            self._message(message)
        return self._building.finish(self._about)

    def _message(self, message: Any) -> None:
        info = message.get("info") if isinstance(message, dict) else None
        if not isinstance(info, dict):
            self._count("message missing or malformed")
            return
        role = text_of(info.get("role"))
        self._turn = None
        self._describe(info)
        parts = message.get("parts")
        for part in parts if isinstance(parts, list) else ():
            if not isinstance(part, dict):
                self._count("part missing or malformed")
            elif role == "user":
                self._count(self._user(info, part))
            else:
                self._count(self._assistant(info, part) if role == "assistant" else "unknown message role")
        if not parts or not isinstance(parts, list):
            self._count(False)
        error = info.get("error")
        if isinstance(error, dict) and error.get("name") == "MessageAbortedError":
            self._building.interrupted()

    def _count(self, used: bool | str) -> None:
        self._ordinal += 1
        self._tally.seen += 1
        self._tally.settle(used, self._ordinal)

    def _describe(self, info: dict[str, Any]) -> None:
        """Early versions record the system prompt with each answer."""
        system = info.get("system")
        if self._about.system is None and info.get("role") == "assistant" and isinstance(system, list) and system:
            self._about.system = "\n".join(text_of(text) for text in system)

    @property
    def _next(self) -> int:
        """Ordinal of the part that is being read."""
        return self._ordinal + 1

    def _user(self, info: dict[str, Any], part: dict[str, Any]) -> bool | str:
        kind = text_of(part.get("type"))
        if kind in IGNORED or part.get("ignored") is True:
            return False
        time = _time(info)
        if kind == "compaction":
            self._building.say("harness", _PIVOT, self._next, time, "compaction")
            return True
        if kind == "agent":
            text = f"[agent: {text_of(part.get('name'))}]"
        elif kind == "subtask":
            text = f"[subtask: {text_of(part.get('agent'))}]\n{text_of(part.get('prompt'))}"
        else:
            text = shown(part, self._tally)
        harness = part.get("synthetic") is True or self._by_agent
        spoken = False
        for author, piece in by_author([text], harness):
            self._building.say(author, piece, self._next, time)
            spoken = True
        return spoken

    def _assistant(self, info: dict[str, Any], part: dict[str, Any]) -> bool | str:
        kind = text_of(part.get("type"))
        if kind == "step-start":
            self._turn = None  # Older versions keep all steps, each a call of the model, in one message.
        if kind == "step-finish":
            self._used(part.get("tokens"))
        if kind in IGNORED or kind == "compaction":
            return False
        if kind == "tool":
            return self._tool(info, part)
        text = text_of(part.get("text")) if kind in ("text", "reasoning") else shown(part, self._tally)
        if not text.strip():
            return False
        turn = self._open(info)
        if kind == "reasoning":
            self._building.think(turn, text, self._next)
        else:
            self._building.add(turn, text, self._next)
        return True

    def _used(self, tokens: Any) -> None:
        """What the step that just ended cost."""
        if isinstance(tokens, dict):
            cache = tokens.get("cache")
            cached = [cache.get("read"), cache.get("write")] if isinstance(cache, dict) else []
            self._building.measured.used(self._turn, [tokens.get("input"), *cached], tokens.get("output"))

    def _open(self, info: dict[str, Any]) -> Turn:
        if self._turn is None:
            mark: Mark = "forced" if info.get("summary") is True else ""
            self._turn = self._building.open(text_of(info.get("modelID")), self._next, _time(info), mark)
        return self._turn

    def _tool(self, info: dict[str, Any], part: dict[str, Any]) -> bool | str:
        state = part.get("state")
        state = state if isinstance(state, dict) else {}
        source = known(part.get("callID"))
        if not source or source in self._ids:
            source = f"call-{self._next}"
        self._ids.add(source)
        arguments = state.get("input")
        turn = self._open(info)
        call = self._building.call(turn, source, text_of(part.get("tool")), {} if arguments is None else arguments, self._next)
        self._building.measured.began(turn, self._next, _at(state, "start"))
        if state.get("status") in ("completed", "error"):
            self._result(source, state, call)
        return True

    def _result(self, source: str, state: dict[str, Any], call: ToolCall) -> None:
        failed = state.get("status") == "error"
        texts = [text_of(state.get("error"))] if failed else []
        texts += shown_texts(state.get("output"), self._tally) + shown_texts(state.get("attachments"), self._tally)
        metadata = state.get("metadata")
        code = metadata.get("exit") if isinstance(metadata, dict) and call.tool_class == "shell" else None
        code = code if isinstance(code, int) and not isinstance(code, bool) else None
        result = self._building.result(source, "\n".join(text for text in texts if text), failed, self._next, code)
        self._building.measured.ended(result, _at(state, "end"))


def _time(info: dict[str, Any]) -> str:
    return _at(info, "created")


def _at(thing: dict[str, Any], when: str) -> str:
    time = thing.get("time")
    return iso(time.get(when)) if isinstance(time, dict) else ""


SOURCE = Source("opencode", recognises, read)
