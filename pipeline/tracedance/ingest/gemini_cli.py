"""Gemini CLI's sessions: one JSON value with `messages`, or, since 0.40, a log of lines that add, replace and rewind messages.

A record is a message; in the log it is a line. A message that is written again with its id replaces what it said before.
"""

import re
from dataclasses import dataclass
from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.documents import values
from tracedance.ingest.forks import Path, Tree, named
from tracedance.ingest.lines import Lines
from tracedance.ingest.parts import iso, known, listed, shown, shown_texts
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, Turn

Message = dict[str, Any]

_NOTICES = frozenset(("info", "warning", "error"))
"""Types of messages that the program shows its user; the model never sees them."""
_TYPES = _NOTICES | {"user", "gemini"}
_DONE = frozenset(("success", "error", "cancelled"))
"""States of a call that has its result."""
_EXIT = re.compile(r"\nExit Code: (\d{1,5})(?:\n|$)")
_BY_USER = re.compile(r"(?i)user (?:denied|declined|rejected|did not allow|cancelled the operation)|reason: denied")


def recognises(opening: Opening) -> bool:
    """The session's head with its project's hash, or a log in which such a head or an answer of Gemini's stands."""
    return any(isinstance(record, dict) and _is_ours(record) for record in (opening.value, *opening.records))


def _is_ours(record: Message) -> bool:
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
        return "messages" in record or "startTime" in record
    if isinstance(record.get("sessionId"), str) and isinstance(record.get("messages"), list):
        return any(isinstance(message, dict) and message.get("type") == "gemini" for message in record["messages"])
    return record.get("type") == "gemini" and "content" in record and ("thoughts" in record or "tokens" in record or "toolCalls" in record)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """A session per JSON value with messages, one for all lines of a log, and one per branch that its user rewound."""
    sessions = []
    log = _Log(tally)
    for ordinal, value in values(lines, tally):
        if isinstance(value, dict) and isinstance(value.get("messages"), list) and value["messages"]:
            tally.seen -= 1  # The account is in messages.
            whole = _Log(tally)
            whole.head(value)
            for number, message in enumerate(value["messages"]):
                tally.seen += 1
                whole.message(number, message)
            sessions += whole.sessions(redactor)
        else:
            log.line(ordinal, value)
    return sessions + log.sessions(redactor)


@dataclass
class _Entry:
    message: Message
    """What the message said last."""
    counted: bool = True
    """False for a message of a history that was replaced as a whole: its record is the line with all of them."""
    summary: bool = False


class _Log:
    """The messages of one session, with what was replaced and rewound."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._about: Message = {}
        self._tree: Tree[_Entry] = Tree()
        self._entries: dict[str, _Entry] = {}
        self._before: dict[str, str | None] = {}
        """The message before each, by id."""
        self._leaf: str | None = None

    def head(self, value: Message) -> None:
        """Take what a record says of the session as a whole."""
        self._about |= {key: value[key] for key in ("sessionId", "directories", "kind", "meta") if value.get(key)}

    def line(self, ordinal: int, value: Any) -> None:
        """Read one line of a log."""
        if not isinstance(value, dict):
            self._tally.lose("not a JSON object", ordinal)
        elif isinstance(value.get("$set"), dict):
            self.head(value["$set"])
            self._tally.settle(self._history(ordinal, value["$set"].get("messages")), ordinal)
        elif isinstance(value.get("$rewindTo"), str):
            self._leaf = self._before.get(value["$rewindTo"])
            self._tally.ignore()
        elif "sessionId" in value and "type" not in value:
            self.head(value)
            self._tally.ignore()
        else:
            self.message(ordinal, value)

    def message(self, ordinal: int, value: Any) -> None:
        """Add one message, or let it replace the earlier one of its id."""
        if not isinstance(value, dict):
            self._tally.lose("not a JSON object", ordinal)
            return
        kind, identity = text_of(value.get("type")), known(value.get("id"))
        if kind not in _TYPES:
            self._tally.lose_unknown(kind or "record without a type", ordinal)
        elif identity in self._entries:
            self._entries[identity].message = value
            self._tally.ignore()
        else:
            self._add(ordinal, _Entry(value), identity)

    def sessions(self, redactor: Redactor) -> list[Session]:
        """The session and its rewound branches."""
        paths = self._tree.paths(lambda entry: entry.message.get("type") in ("user", "gemini"), self._tally, self._leaf)
        found = (_Reading(self._about, self._tally, redactor).session(path) for path in paths)
        return [session for session in found if session is not None]

    def _add(self, ordinal: int, entry: _Entry, identity: str) -> None:
        identity = identity or f"\0{len(self._entries)}"
        self._entries[identity] = entry
        self._before[identity] = self._leaf
        self._tree.add(ordinal, entry, identity, self._leaf)
        self._leaf = identity

    def _history(self, ordinal: int, messages: Any) -> bool:
        """A history that was replaced as a whole: after a compression its first new message is the summary."""
        history = [message for message in listed(messages) if isinstance(message, dict) and message.get("type") in ("user", "gemini")]
        ids = {known(message.get("id")) for message in history}
        fresh = [message for message in history if known(message.get("id")) not in self._entries]
        shorter = any(identity not in ids for identity in self._entries)
        for number, message in enumerate(fresh):
            self._add(ordinal, _Entry(message, counted=False, summary=shorter and number == 0), known(message.get("id")))
        return bool(fresh)


class _Reading:
    def __init__(self, about: Message, tally: Tally, redactor: Redactor) -> None:
        directories, meta = about.get("directories"), about.get("meta")
        self._tally = tally
        self._building = Building(redactor)
        self._about = About("gemini_cli", source_id=known(about.get("sessionId")), harness="gemini_cli")
        self._about.cwd = text_of(directories[0]) if isinstance(directories, list) and directories else ""
        self._model = text_of(meta.get("model")) if isinstance(meta, dict) else ""
        self._by_agent = about.get("kind") == "subagent"

    def session(self, path: Path[_Entry]) -> Session | None:
        for ordinal, entry, counted in path.records:
            used = self._message(ordinal, entry)
            if counted and entry.counted:
                self._tally.settle(used, ordinal)
        self._about.source_id, self._about.parent = named(self._about.source_id, path)
        return self._building.finish(self._about)

    def _message(self, ordinal: int, entry: _Entry) -> bool:
        message = entry.message
        kind, time = message.get("type"), iso(message.get("timestamp"))
        if kind == "gemini":
            return self._answer(ordinal, message, time)
        if kind == "user":
            return self._user(ordinal, entry, time)
        if kind == "info" and message.get("content") == "Request cancelled.":
            self._building.interrupted()
        return False

    def _user(self, ordinal: int, entry: _Entry, time: str) -> bool:
        parts = listed(entry.message.get("content"))
        answers = [part["functionResponse"] for part in parts if _responds(part)]
        took = [self._result(known(answer.get("id")), [{"functionResponse": answer}], "", ordinal) for answer in answers]
        texts = shown_texts([part for part in parts if not _responds(part)], self._tally)
        if entry.summary and texts:
            self._building.say("harness", "\n\n".join(texts), ordinal, time, "compaction")
            return True
        spoken = False
        for author, text in by_author(texts, self._by_agent):
            self._building.say(author, text, ordinal, time)
            spoken = True
        return spoken or any(took)

    def _answer(self, ordinal: int, message: Message, time: str) -> bool:
        parts = [part for part in listed(message.get("content")) if not _calls(part)]
        text = "\n\n".join(shown_texts(parts, self._tally))
        thoughts = "\n\n".join(thought for part in listed(message.get("thoughts")) if (thought := _thought(part)))
        calls = [call for call in listed(message.get("toolCalls")) if isinstance(call, dict)]
        if not text and not calls and not thoughts:
            return False
        turn = self._building.open(text_of(message.get("model")) or self._model, ordinal, time)
        if thoughts:
            self._building.think(turn, thoughts, ordinal)
        if text:
            self._building.add(turn, text, ordinal)
        for number, call in enumerate(calls):
            self._call(turn, call, known(call.get("id")) or f"call-{ordinal}.{number}", ordinal)
        return True

    def _call(self, turn: Turn, call: dict[str, Any], source: str, ordinal: int) -> None:
        arguments, status = call.get("args"), text_of(call.get("status"))
        self._building.call(turn, source, text_of(call.get("name")), {} if arguments is None else arguments, ordinal)
        if call.get("result") or status in _DONE:
            self._result(source, call["result"] if call.get("result") else text_of(call.get("resultDisplay")), status, ordinal)

    def _result(self, source: str, content: object, status: str, ordinal: int) -> bool:
        texts, failed = [], status == "error"
        for part in listed(content):
            text, error = _response(part["functionResponse"].get("response")) if _responds(part) else (shown(part, self._tally), False)
            texts.append(text)
            failed = failed or error
        text = "\n".join(piece for piece in texts if piece)
        call = self._building.caller(source)
        codes = _EXIT.findall(text[-400:]) if call is not None and call.tool_class == "shell" else []
        flagged = True if failed else False if status == "success" else None
        result = self._building.result(source, text, flagged, ordinal, int(codes[-1]) if codes else None)
        if result is not None and (status == "cancelled" or text.startswith("[Operation Cancelled]")):
            self._building.never_ran(result, "refused" if _BY_USER.search(text[:400]) else "interrupted")
        return result is not None


def _responds(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)


def _calls(part: object) -> bool:
    """Whether a part is a call; `toolCalls` beside the content says the same with the result."""
    return isinstance(part, dict) and "functionCall" in part


def _response(response: object) -> tuple[str, bool]:
    """(text, whether it is an error) of what a function returned."""
    if not isinstance(response, dict):
        return _plain(response), False
    if len(response) == 1 and "error" in response:
        return _plain(response["error"]), True
    return _plain(response["output"] if len(response) == 1 and "output" in response else response), False


def _plain(value: object) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else canonical(value)


def _thought(thought: object) -> str:
    if not isinstance(thought, dict):
        return text_of(thought)
    return "\n".join(text for key in ("subject", "description") if (text := text_of(thought.get(key))))


SOURCE = Source("gemini_cli", recognises, read)
