"""Factory Droid's session files: a `session_start` header, then messages with Anthropic's content blocks, a tree by `parentId`."""

import re
from typing import Any

import msgspec

from tracedance.ingest.authors import by_author, interrupts
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.forks import Path, Tree, named
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.parts import iso, joined, known, listed, shown
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


class Line(msgspec.Struct):
    """A record. Fields are `Any`: the file is not ours, and a wrong type must not cost the whole line."""

    type: Any = None
    id: Any = None
    parentId: Any = msgspec.UNSET
    """None, said in so many words, marks a root."""
    timestamp: Any = None
    version: Any = None
    cwd: Any = None
    callingSessionId: Any = None
    parent: Any = None
    message: Any = None
    summaryText: Any = None


IGNORED = frozenset(("session_start", "session_end", "session_settings", "todo_state", "agent_turn_outcome"))
"""Record types that the model is shown nothing of."""
_EXIT = re.compile(r"(?:^Error: Command failed \(exit code: |\n\[Process exited with code |^Exit code: )(\d{1,5})")


def recognises(opening: Opening) -> bool:
    """The header, or a message record with Anthropic's blocks: Pi's messages look much the same but have blocks of their own."""
    return any(isinstance(record, dict) and _is_ours(record) for record in opening.records)


def _is_ours(record: dict[str, Any]) -> bool:
    if record.get("type") == "session_start":
        return isinstance(record.get("id"), str) and ("title" in record or "cwd" in record or "version" in record)
    message = record.get("message")
    if record.get("type") != "message" or not isinstance(message, dict) or not isinstance(record.get("id"), str):
        return False
    return any(isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result") for part in listed(message.get("content")))


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one file, and one per branch that its user rewound."""
    tree: Tree[Line] = Tree()
    head = Line()
    for ordinal, line in Reader(Line, lines, tally):
        head = line if line.type == "session_start" and head.type is None else head
        tree.add(ordinal, line, line.id, line.parentId)
    paths = tree.paths(lambda line: line.type == "message", tally)
    found = (_Reading(head, tally, redactor).session(path) for path in paths)
    return [session for session in found if session is not None]


class _Reading:
    """Reads one path of records into one session."""

    def __init__(self, head: Line, tally: Tally, redactor: Redactor) -> None:
        self._tally = tally
        self._building = Building(redactor)
        self._about = About("factory_droid", source_id=known(head.id), harness="factory_droid", cwd=text_of(head.cwd))
        self._about.version = text_of(head.version)  # A number is the version of the file's form, not of the program.
        self._about.parent = known(head.callingSessionId) or known(head.parent)
        self._by_agent = bool(self._about.parent)

    def session(self, path: Path[Line]) -> Session | None:
        """The session of a path; records that another path has accounted for are not counted again."""
        for ordinal, line, counted in path.records:
            used = self._record(ordinal, line)
            if counted:
                self._tally.settle(used, ordinal)
        source, parent = named(self._about.source_id, path)
        self._about.source_id, self._about.parent = source, parent or self._about.parent
        return self._building.finish(self._about)

    def _record(self, ordinal: int, line: Line) -> bool | str:
        """Read one record: True when its content went in, False when it holds none, else the reason why it is lost."""
        kind, time = text_of(line.type), iso(line.timestamp)
        if kind in IGNORED:
            return False
        if kind == "compaction_state":
            text = joined(line.summaryText, self._tally)
            if text.strip():
                self._building.say("harness", text, ordinal, time, "compaction")
            return bool(text.strip())
        if kind != "message":
            return f"unknown {kind or 'record without a type'}"
        if not isinstance(line.message, dict):
            return "message missing or malformed"
        return self._message(ordinal, line.message, time)

    def _message(self, ordinal: int, message: dict[str, Any], time: str) -> bool | str:
        if message.get("visibility") == "user_only":
            return False  # Shown to the user alone; the model never saw it.
        role, parts = message.get("role"), listed(message.get("content"))
        if role == "assistant":
            return self._assistant(ordinal, parts, text_of(message.get("modelId")) or text_of(message.get("model")), time)
        if role in ("user", "tool", "system"):
            harness = self._by_agent or role == "system" or message.get("visibility") == "llm_only" or "hookEventName" in message
            return self._user(ordinal, parts, time, harness)
        return "unknown message role"

    def _assistant(self, ordinal: int, parts: list[Any], model: str, time: str) -> bool:
        parts = [part for part in parts if _says(part)]
        if not parts:
            return False
        turn = self._building.open(model, ordinal, time)
        for part in parts:
            kind = part.get("type") if isinstance(part, dict) else ""
            if kind == "thinking":
                self._building.think(turn, text_of(part.get("thinking")), ordinal)
            elif kind == "tool_use":
                arguments = part.get("input")
                arguments = {} if arguments is None else arguments
                self._building.call(turn, known(part.get("id")), text_of(part.get("name")), arguments, ordinal)
            else:
                self._building.add(turn, shown(part, self._tally), ordinal)
        return True

    def _user(self, ordinal: int, parts: list[Any], time: str, harness: bool) -> bool | str:
        taken = [self._result(ordinal, part) for part in parts if _is_result(part)]
        texts = [shown(part, self._tally) for part in parts if not _is_result(part)]
        spoken = False
        for author, text in by_author(texts, harness):
            self._building.say(author, text, ordinal, time, "interrupt" if interrupts(text) else "")
            spoken = True
        return "second result for one call" if taken and not any(taken) and not spoken else bool(taken) or spoken

    def _result(self, ordinal: int, part: dict[str, Any]) -> bool:
        source, text = known(part.get("tool_use_id")), joined(part.get("content"), self._tally)
        call = self._building.caller(source)
        code = _EXIT.search(f"{text[:200]}\n{text[-200:]}") if call is not None and call.tool_class == "shell" else None
        flagged = True if part.get("is_error") is True or part.get("isError") is True else None
        return self._building.result(source, text, flagged, ordinal, int(code[1]) if code else None) is not None


def _is_result(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_result"


def _says(part: object) -> bool:
    """Whether a part holds anything that can be read."""
    if isinstance(part, dict) and part.get("type") in ("text", "thinking"):
        return bool(text_of(part.get(str(part["type"]))).strip())
    return part != "" and not (isinstance(part, dict) and part.get("type") == "redacted_thinking")


SOURCE = Source("factory_droid", recognises, read)
