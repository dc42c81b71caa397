"""Reads the log of an application's calls of a model, whichever vendor's; what `anthropic_messages` and `openai_responses` share.

A record is one line, or one element of a list: a call, or one half of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from tracedance.ingest import dialects
from tracedance.ingest.building import Building
from tracedance.ingest.calls import Call, Growing, sessions, unknown_parts
from tracedance.ingest.documents import values
from tracedance.ingest.exchanges import Exchange, Form, exchange
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import Conversation, Message
from tracedance.ingest.sources import Opening
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

LISTS = ("calls", "requests", "entries", "records", "logs", "data")


class Vendor(Form, Protocol):
    """How a vendor's calls are read."""

    def call(self, found: Exchange) -> Call:
        """The call of an exchange that has at least one half."""

    def is_loose(self, value: dict[str, Any]) -> bool:
        """Whether this is a message or item by itself."""


@dataclass
class _Log:
    vendor: Vendor
    growing: Growing = field(default_factory=Growing)
    waiting: dict[str, Call] = field(default_factory=dict)
    """Requests without their response, by what pairs them; "" is the last one."""
    by_response: dict[str, Call] = field(default_factory=dict)
    """Calls by the id of their response, for those that go on from it."""


def opened(opening: Opening) -> Iterator[Any]:
    """The records that the head of a file shows."""
    yield from (record for value in (opening.value, *opening.records) for record in spread(value))


def spread(value: Any) -> Iterator[Any]:
    """The records of one JSON value: itself, or the elements of a list in it."""
    if isinstance(value, dict):
        inner = next((value[key] for key in LISTS if isinstance(value.get(key), list) and _are_records(value[key])), None)
        yield from inner if inner is not None and "messages" not in value and "input" not in value else (value,)
    elif isinstance(value, list):
        yield from value


def _are_records(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "role" not in item for item in items[:3])


def read_log(vendor: Vendor, lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of a log. Messages that stand by themselves are one more: those of a list, or of all lines."""
    log = _Log(vendor)
    loose: list[tuple[int, Any]] = []
    found: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1
        own: list[tuple[int, Any]] = []
        for record in spread(value) if isinstance(value, list | dict) else (value,):
            tally.seen += 1
            half = exchange(record, vendor)
            if half is not None:
                _record(log, half, ordinal, tally)
            elif isinstance(record, dict) and vendor.is_loose(record):
                own.append((ordinal, record))
            else:
                tally.settle("not a JSON object" if not isinstance(record, dict) else "neither request nor response", ordinal)
        if isinstance(value, list):
            found += _loose(vendor, own, tally, redactor)
        else:
            loose += own
    for call in log.waiting.values():
        log.growing.add(call)
    return [*found, *_loose(vendor, loose, tally, redactor), *sessions(log.growing.leaves, tally, redactor)]


def _loose(vendor: Vendor, records: list[tuple[int, Any]], tally: Tally, redactor: Redactor) -> list[Session]:
    about = vendor.call(Exchange(None, None)).about
    building = Building(redactor)
    conversation = Conversation(building, about)
    for place, (ordinal, record) in enumerate(records):
        message = dialects.message(record)
        used = conversation.take(place, message) if isinstance(message, Message) else message
        tally.settle(used, ordinal)
        if isinstance(message, Message):
            unknown_parts(tally, message, ordinal)
    session = building.finish(about)
    return [] if session is None else [session]


def _record(log: _Log, found: Exchange, ordinal: int, tally: Tally) -> None:
    if found.request is None and found.response is not None:
        call = log.waiting.pop(found.pair, None) or (log.waiting.pop("", None) if found.pair else None)
        if call is None:
            tally.settle("response without its request", ordinal)
            return
        answering = log.vendor.call(Exchange(None, found.response, time=found.time))
        call.answer, call.about.version = answering.answer, answering.about.version or call.about.version
    else:
        call = log.vendor.call(found)
        call.ordinal = ordinal
        _go_on(log, found, call)
    if not call.messages and not call.answer and not call.about.system:
        tally.settle("no messages in it", ordinal)
        return
    tally.keep()
    if found.response is None:
        before = log.waiting.pop(found.pair, None)
        if before is not None:
            log.growing.add(before)
        log.waiting[found.pair] = call
        return
    identity = found.response.get("id")
    if isinstance(identity, str):
        log.by_response[identity] = call
    log.growing.add(call)


def _go_on(log: _Log, found: Exchange, call: Call) -> None:
    """A request may name the response it goes on from instead of sending it again."""
    before = (found.request or {}).get("previous_response_id")
    older = log.by_response.get(before) if isinstance(before, str) else None
    if older is not None:
        call.messages = [*older.messages, *older.answer, *call.messages]
        call.thread = call.thread or older.thread
        if call.about.tools is None:
            call.about.tools = older.about.tools
