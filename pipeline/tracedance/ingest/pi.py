"""Pi's session files, and OpenClaw's, which runs on Pi: a header, then entries that form a tree by `id` and `parentId`.

The conversation is the path to the last entry; what other branches hold was rewound. Versions before 2 have no ids and no branches.
"""

import re
from typing import Any

import msgspec

from tracedance.ingest import openclaw
from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.forks import Path, Tree, named
from tracedance.ingest.known_fields import PI
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.parts import iso, joined, known, listed, shown, shown_texts
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


class Line(msgspec.Struct):
    """An entry. Fields are `Any`: the file is not ours, and a wrong type must not cost the whole line."""

    type: Any = None
    id: Any = None
    parentId: Any = msgspec.UNSET
    """None, said in so many words, marks a root."""
    timestamp: Any = None
    version: Any = None
    cwd: Any = None
    parentSession: Any = None
    provider: Any = None
    modelId: Any = None
    message: Any = None
    summary: Any = None
    firstKeptEntryId: Any = None
    firstKeptEntryIndex: Any = None
    customType: Any = None
    content: Any = None


IGNORED = frozenset(("session", "model_change", "thinking_level_change", "custom", "label", "session_info"))
"""Entry types that the model is shown nothing of."""
_EXIT = re.compile(r"(?:^|\n)Command exited with code (\d{1,5})\s*$")
_ABORTED = re.compile(r"(?:^|\n)(?:Command|Operation) aborted\s*$")
_COMPACTED = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>"
_LEFT = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>"


def recognises(opening: Opening) -> bool:
    """The header, or a message that only this engine writes (its roles, calls and stop reasons are its own)."""
    return any(isinstance(record, dict) and _is_ours(record) for record in opening.records)


def _is_ours(record: dict[str, Any]) -> bool:
    message = record.get("message")
    if record.get("type") == "session":
        return isinstance(record.get("id"), str) and isinstance(record.get("cwd"), str) and "timestamp" in record
    if record.get("type") != "message" or not isinstance(message, dict):
        return False
    return message.get("role") in ("toolResult", "bashExecution") or (message.get("role") == "assistant" and "stopReason" in message)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one file, and one per branch that its user rewound."""
    tree: Tree[Line] = Tree()
    numbered: list[Line] = []
    claw = False
    for ordinal, line in Reader(Line, lines, tally, PI):
        claw = claw or openclaw.wrote(line.customType, line.provider, line.cwd, line.message)
        numbered.append(line)
        tree.add(ordinal, line, line.id, line.parentId)
    sessions = []
    for path in tree.paths(lambda line: line.type == "message", tally):
        session = _Reading(numbered, claw, tally, redactor).session(path)
        if session is not None:
            sessions.append(session)
    return sessions


class _Reading:
    """Reads one path of entries into one session."""

    def __init__(self, numbered: list[Line], claw: bool, tally: Tally, redactor: Redactor) -> None:
        self._numbered = numbered
        self._claw = claw
        self._tally = tally
        self._building = Building(redactor)
        self._about = About("pi", harness="openclaw" if claw else "pi", setting="general_tool_use" if claw else "coding")
        self._model = ""
        self._before: list[Line] = []
        """Entries of the path so far, which a compaction may keep."""

    def session(self, path: Path[Line]) -> Session | None:
        """The session of a path; entries that another path has accounted for are not counted again."""
        for line in self._numbered:
            if line.type == "session" and not self._about.source_id:
                self._head(line)
        for ordinal, line, counted in path.records:
            used = self._entry(ordinal, line)
            self._before.append(line)
            if counted:
                self._tally.settle(used, ordinal)
        source, parent = named(self._about.source_id, path)
        self._about.source_id, self._about.parent = source, parent or self._about.parent
        return self._building.finish(self._about)

    def _head(self, line: Line) -> None:
        self._about.source_id = known(line.id)
        self._about.cwd = text_of(line.cwd)
        self._about.version = f"session v{line.version}" if isinstance(line.version, int) else ""
        self._about.parent = text_of(line.parentSession).replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl").rpartition("_")[2]

    def _entry(self, ordinal: int, line: Line) -> bool | str:
        """Read one entry: True when its content went in, False when it holds none, else the reason why it is lost."""
        kind, time = text_of(line.type), iso(line.timestamp)
        if kind in IGNORED:
            self._model = text_of(line.modelId) or self._model
            return False
        if kind == "message":
            return self._message(ordinal, line.message, time)
        if kind == "compaction":
            self._building.say("harness", self._compacted(line), ordinal, time, "compaction")
            return True
        if kind == "branch_summary":
            return self._note(ordinal, _LEFT.format(text_of(line.summary)), time, bool(text_of(line.summary).strip()))
        if kind == "custom_message":
            text = joined(line.content, self._tally)
            return self._note(ordinal, text, time, bool(text.strip()))
        return f"unknown {kind or 'record without a type'}"

    def _note(self, ordinal: int, text: str, time: str, says: bool) -> bool:
        if says:
            self._building.say("harness", text, ordinal, time)
        return says

    def _compacted(self, line: Line) -> str:
        """What the model saw from here on: the summary, and the latest messages, which the harness kept as they were."""
        first = line.firstKeptEntryId
        index = line.firstKeptEntryIndex
        if isinstance(index, int) and 0 <= index < len(self._numbered):
            place = next((place for place, entry in enumerate(self._before) if entry is self._numbered[index]), len(self._before))
        else:
            known_places = (place for place, entry in enumerate(self._before) if entry.id == first and isinstance(first, str))
            place = next(known_places, len(self._before))
        kept = [text for entry in self._before[place:] if (text := self._repeated(entry))]
        return "\n\n".join([_COMPACTED.format(text_of(line.summary)), *kept])

    def _repeated(self, line: Line) -> str:
        if line.type != "message" or not isinstance(line.message, dict):
            return ""
        parts = listed(line.message.get("content"))
        texts = [_call(part) if _is_call(part) else shown(part, Tally("")) for part in parts if not _is_thought(part)]
        return f"[{text_of(line.message.get('role'))}]\n" + "\n".join(texts) if any(texts) else ""

    def _message(self, ordinal: int, message: Any, time: str) -> bool | str:
        if not isinstance(message, dict):
            return "message missing or malformed"
        role = text_of(message.get("role"))
        if role == "assistant":
            return self._assistant(ordinal, message, time)
        if role == "toolResult":
            return self._result(ordinal, message, time)
        if role == "user":
            return self._user(ordinal, shown_texts(message.get("content"), self._tally), time)
        if role == "bashExecution":
            return self._bash(ordinal, message, time)
        if role in ("branchSummary", "compactionSummary"):
            text = text_of(message.get("summary"))
            self._building.say("harness", text, ordinal, time, "compaction" if role == "compactionSummary" else "")
            return True
        if role in ("custom", "hookMessage", "system"):
            text = joined(message.get("content"), self._tally)
            return self._note(ordinal, text, time, bool(text.strip()))
        return "unknown message role"

    def _user(self, ordinal: int, texts: list[str], time: str) -> bool:
        spoken = False
        for author, text in openclaw.by_author(texts) if self._claw else by_author(texts):
            self._building.say(author, text, ordinal, time)
            spoken = True
        return spoken

    def _bash(self, ordinal: int, message: dict[str, Any], time: str) -> bool:
        """A command that the user ran with `!`: the person's words, then what the harness says came of it."""
        if message.get("excludeFromContext") is True:
            return False
        code = message.get("exitCode")
        self._building.say("user", f"Ran `{text_of(message.get('command'))}`", ordinal, time)
        output = text_of(message.get("output")) or "(no output)"
        if message.get("cancelled") is True:
            output += "\n\n(command cancelled)"
        elif isinstance(code, int) and code:
            output += f"\n\nCommand exited with code {code}"
        self._building.say("harness", output, ordinal, time)
        return True

    def _assistant(self, ordinal: int, message: dict[str, Any], time: str) -> bool:
        parts = [part for part in listed(message.get("content")) if _says(part)]
        if parts:
            turn = self._building.open(text_of(message.get("model")) or self._model, ordinal, time)
            for part in parts:
                if _is_thought(part):
                    self._building.think(turn, text_of(part.get("thinking")), ordinal)
                elif _is_call(part):
                    arguments = part.get("arguments")
                    arguments = {} if arguments is None else arguments
                    self._building.call(turn, known(part.get("id")), text_of(part.get("name")), arguments, ordinal)
                else:
                    self._building.add(turn, shown(part, self._tally), ordinal)
            self._building.measured.began(turn, ordinal, time)
            if isinstance(usage := message.get("usage"), dict):
                self._building.measured.used(turn, [usage.get(name) for name in _READ], usage.get("output"))
        if message.get("stopReason") == "aborted":
            self._building.interrupted()
        return bool(parts)

    def _result(self, ordinal: int, message: dict[str, Any], time: str) -> bool | str:
        text = joined(message.get("content"), self._tally)
        source, flag = known(message.get("toolCallId")), message.get("isError")
        call = self._building.caller(source)
        code = _EXIT.search(text[-60:]) if call is not None and call.tool_class == "shell" else None
        result = self._building.result(source, text, flag if isinstance(flag, bool) else None, ordinal, int(code[1]) if code else None)
        self._building.measured.ended(result, time)
        if result is None:
            return "second result for one call"
        if flag is True and _ABORTED.search(text[-60:]):
            self._building.never_ran(result, "interrupted")
        return True


_READ = ("input", "cacheRead", "cacheWrite")


def _is_call(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "toolCall"


def _is_thought(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "thinking"


def _says(part: object) -> bool:
    """Whether a part holds anything: a thought may be signed and empty."""
    if isinstance(part, dict) and part.get("type") in ("text", "thinking"):
        return bool(text_of(part.get(str(part["type"]))).strip())
    return part != ""


def _call(part: dict[str, Any]) -> str:
    return f"[call {text_of(part.get('name'))}] {canonical(part.get('arguments'))}"


SOURCE = Source("pi", recognises, read)
