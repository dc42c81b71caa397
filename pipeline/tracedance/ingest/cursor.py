"""Cursor's agent transcripts: `{"role", "message": {"content": [...]}}` a line, without ids, times or models, mostly without results.

Cursor names the file after the conversation; nothing inside says which it is.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.parts import joined, known, listed, shown
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Author, Session


class Line(msgspec.Struct):
    """A line. Fields are `Any`: the file is not ours, and a wrong type must not cost the whole line."""

    role: Any = None
    type: Any = None
    message: Any = None
    status: Any = None
    model: Any = None


_OTHERS = frozenset(("uuid", "sessionId", "type", "id", "parentUuid", "timestamp"))
"""Fields that formats with a message inside a record have and Cursor's lines do not."""
_QUERY = ("<user_query>", "</user_query>")
_ADDED = re.compile(r"\s*<[a-z][a-z_]{2,60}>")
"""Cursor puts what it adds (`<external_links>`, `<attached_files>`, `<system_reminder>`, ...) in such elements."""
_CALLS = frozenset(("tool_use", "tool_call"))
_RESULTS = frozenset(("tool_result", "tool-result"))
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def recognises(opening: Opening) -> bool:
    """The first line that can be read is one of Cursor's: a role and a message with parts, and none of the ids that others have."""
    first = next((record for record in opening.records if isinstance(record, dict)), None)
    if first is None or not _OTHERS.isdisjoint(first):
        return False
    message = first.get("message")
    return first.get("role") in ("user", "assistant") and isinstance(message, dict) and isinstance(message.get("content"), list)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The one session of a file."""
    reading = _Reading(tally, redactor)
    for ordinal, line in Reader(Line, lines, tally):
        tally.settle(reading.line(ordinal, line), ordinal)
    stem = tally.file.partition(".")[0]
    about = About("cursor", source_id=stem if _UUID.fullmatch(stem) else "", harness="cursor")
    session = reading.building.finish(about)
    return [] if session is None else [session]


class _Reading:
    def __init__(self, tally: Tally, redactor: Redactor) -> None:
        self.building = Building(redactor)
        self._tally = tally
        self._open: deque[str] = deque()
        """Calls of the last answer that have no result yet, in order."""

    def line(self, ordinal: int, line: Line) -> bool | str:
        """Read one line: True when its content went in, False when it holds none, else the reason why it is lost."""
        if line.role is None and line.type == "turn_ended":
            if line.status in ("aborted", "cancelled", "interrupted"):
                self.building.interrupted()
            return False
        if line.role is None:
            return f"unknown {text_of(line.type) or 'record without a type'}"
        if not isinstance(line.message, dict):
            return "message missing or malformed"
        parts = listed(line.message.get("content"))
        if line.role == "assistant":
            return self._assistant(ordinal, parts, text_of(line.model))
        if line.role in ("user", "tool"):
            return self._user(ordinal, parts)
        if line.role == "system":
            return self._say([("harness", joined(parts, self._tally))], ordinal)
        return "unknown message role"

    def _assistant(self, ordinal: int, parts: list[Any], model: str) -> bool:
        parts = [part for part in parts if not _is_blank(part)]
        if not parts:
            return False
        turn = self.building.open(model, ordinal)
        self._open.clear()
        for number, part in enumerate(parts):
            kind = text_of(part.get("type")) if isinstance(part, dict) else ""
            if kind in ("thinking", "reasoning"):
                self.building.think(turn, text_of(part.get("thinking")) or text_of(part.get("text")), ordinal)
            elif kind in _CALLS:
                source = known(part.get("id")) or f"call-{ordinal}.{number}"
                arguments = part.get("input")
                self.building.call(turn, source, text_of(part.get("name")), {} if arguments is None else arguments, ordinal)
                self._open.append(source)
            else:
                self.building.add(turn, shown(part, self._tally), ordinal)
        return True

    def _user(self, ordinal: int, parts: list[Any]) -> bool | str:
        results = [part for part in parts if isinstance(part, dict) and text_of(part.get("type")) in _RESULTS]
        taken = [self._result(ordinal, part) for part in results]
        texts = [shown(part, self._tally) for part in parts if not (isinstance(part, dict) and text_of(part.get("type")) in _RESULTS)]
        spoken = self._say([said for text in texts for said in _by_author(text)], ordinal)
        return "second result for one call" if taken and not any(taken) and not spoken else bool(taken) or spoken

    def _result(self, ordinal: int, part: dict[str, Any]) -> bool:
        """Ids of results match none of calls, so the first open call is taken to be the one that is answered."""
        source = known(part.get("tool_use_id"))
        if source in self._open:
            self._open.remove(source)
        elif self._open:
            source = self._open.popleft()
        flag = part.get("is_error")
        text = joined(part.get("content"), self._tally)
        return self.building.result(source, text, flag if isinstance(flag, bool) else None, ordinal) is not None

    def _say(self, said: list[tuple[Author, str]], ordinal: int) -> bool:
        spoken = False
        for author, text in said:
            if text.strip():
                self.building.say(author, text, ordinal)
                spoken = True
        return spoken


def _by_author(text: str) -> Iterator[tuple[Author, str]]:
    """The person's words stand in `<user_query>`, or bare; elements around them are Cursor's."""
    opening, closing = _QUERY
    before, found, rest = text.partition(opening)
    if found:
        words, _, after = rest.partition(closing)
        yield "harness", before.strip()
        yield "user", words.strip()
        yield "harness", after.strip()
    elif _ADDED.match(text):
        yield "harness", text
    else:
        yield from by_author([text])


def _is_blank(part: object) -> bool:
    if isinstance(part, dict) and part.get("type") in ("text", "thinking", "reasoning"):
        return not (text_of(part.get("text")) or text_of(part.get("thinking"))).strip()
    return part == ""


SOURCE = Source("cursor", recognises, read)
