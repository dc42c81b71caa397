"""Logs of calls of a model: each holds its whole message list, so that one conversation comes many times, longer each time.

A call whose messages and answer begin a later call's messages is part of that one. What remains are the longest lists: the sessions.
Two calls that go on differently from the same beginning are two sessions that share it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracedance.ingest import dialects
from tracedance.ingest.building import About, Building
from tracedance.ingest.messages import Conversation, Message, dated
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


@dataclass(slots=True)
class Call:
    """One call of a model: what was sent and what it answered. System texts are among the messages or in `about`."""

    about: About
    messages: list[Message]
    answer: list[Message]
    ordinal: int = 0
    """Line or place in the file, for the account."""
    thread: str = ""
    """The source's own name of the conversation: calls of different threads are never joined."""


def messages_of(values: Any) -> list[Message]:
    """A list of messages in any known form, or one of them, or a text of the user's. What is no message stays as a named unknown."""
    if isinstance(values, str):
        return [Message("user", [values])]
    if not isinstance(values, list):
        values = [] if values is None else [values]
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]  # LangChain sends batches, mostly of one.
    return [read if isinstance(read := dialects.message(value), Message) else Message("note", unknown=[read]) for value in values]


class Growing:
    """Joins calls of one conversation as they come, mostly in the order of time."""

    def __init__(self) -> None:
        self._leaves: dict[int, Call] = {}
        self._whole: dict[bytes, list[int]] = {}
        """Leaves by the digest of messages and answer."""
        self._sent: dict[bytes, list[int]] = {}
        """Leaves by the digest of their messages alone."""
        self._prefixes: set[bytes] = set()
        """Of every beginning that any call has shown."""
        self._count = 0

    def add(self, call: Call) -> None:
        """Take in a call; it replaces the shorter ones that it goes on from. What it was told first may change from call to call."""
        _take_system(call)
        ends = _rolled(call.thread.encode("utf-8", "replace"), call.messages)
        whole = _rolled(ends[-1], call.answer)[-1]
        if whole in self._prefixes:
            return  # Sent before, or the beginning of what was.
        self._absorb(call, ends)
        self._prefixes.update(ends[1:])
        self._prefixes.add(whole)
        number = self._count
        self._count += 1
        self._leaves[number] = call
        self._whole.setdefault(whole, []).append(number)
        self._sent.setdefault(ends[-1], []).append(number)

    @property
    def leaves(self) -> list[Call]:
        """The calls that no other goes on from, in order."""
        return list(self._leaves.values())

    def _absorb(self, call: Call, ends: Sequence[bytes]) -> None:
        for place in range(len(ends) - 1, 0, -1):
            older = self._pop(self._whole, ends[place])
            if older is not None:
                call.messages[:place] = [*older.messages, *older.answer]
                return
            follows = call.messages[place].role if place < len(call.messages) else ""
            # The answer came back in other words: trimmed, or without what stood before its calls.
            older = self._pop(self._sent, ends[place]) if follows == "assistant" else None
            if older is not None:
                call.messages[:place] = older.messages
                call.messages[place] = _named(call.messages[place], older.answer)
                return

    def _pop(self, index: dict[bytes, list[int]], key: bytes) -> Call | None:
        numbers = index.get(key, [])
        while numbers:
            number = numbers.pop()
            if number in self._leaves:
                return self._leaves.pop(number)
        return None


def _take_system(call: Call) -> None:
    """Move the system messages that a list starts with to where the system prompt belongs."""
    while call.messages and call.messages[0].role == "system" and not call.messages[0].unknown:
        texts = [text for text in call.messages.pop(0).texts if text.strip()]
        call.about.system = "\n\n".join([call.about.system, *texts] if call.about.system else texts)


def _rolled(start: bytes, messages: Iterable[Message]) -> list[bytes]:
    ends = [start]
    for message in messages:
        # What says nothing is left out when a list is sent again.
        ends.append(ends[-1] if message.empty else message.digest(ends[-1]))
    return ends


def _named(message: Message, answer: Sequence[Message]) -> Message:
    first = next((said for said in answer if said.role == "assistant"), None)
    if first is None:
        return message
    thoughts = message.thoughts or first.thoughts
    return replace(message, model=message.model or first.model, time=message.time or first.time, thoughts=thoughts)


def sessions(calls: Iterable[Call], tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of these calls. Of several under one name the longest has it; the others are its children."""
    ordered = sorted(calls, key=lambda call: -len(call.messages) - len(call.answer))
    names: dict[str, int] = {}
    found: list[tuple[int, Session]] = []
    for call in ordered:
        name = call.about.source_id
        if name:
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                call.about.parent = call.about.parent or name
                call.about.source_id = f"{name}.{names[name]}"
        session = _session(call, tally, redactor)
        if session is not None:
            found.append((call.ordinal, session))
    return [session for _, session in sorted(found, key=lambda pair: pair[0])]


def _session(call: Call, tally: Tally, redactor: Redactor) -> Session | None:
    building = Building(redactor)
    conversation = Conversation(building, call.about)
    for place, message in enumerate((*call.messages, *call.answer)):
        used = conversation.take(place, message)
        if isinstance(used, str):
            tally.seen += 1
            tally.settle(used, call.ordinal)
        unknown_parts(tally, message, call.ordinal)
    return building.finish(call.about)


def unknown_parts(tally: Tally, message: Message, ordinal: int) -> None:
    """Name parts that nobody knows; what is no message at all counts as a record of its own, and is lost."""
    for kind in message.unknown:
        if message.role == "note":
            tally.seen += 1
            tally.settle(kind, ordinal)
        else:
            tally.name_unknown(f"part {kind}")


def answered(values: Any, model: str, time: str) -> list[Message]:
    """The answer of a call, with its model and time."""
    return dated(messages_of(values), model, time)
