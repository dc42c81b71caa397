"""Message dumps of LangChain (constructor forms, `{type, data}`, plain `{type, content}`) and states of LangGraph that hold them.

A record is a message. A graph's history holds its state many times, longer each time; the longest is the session.
"""

from collections.abc import Iterator
from typing import Any

from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, Growing, messages_of, sessions
from tracedance.ingest.dialects import LANGCHAIN, unwrapped
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import definitions
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_STATES = ("values", "channel_values", "checkpoint", "state", "kwargs")
_OTHERS = frozenset(("role", "uuid", "sessionId", "message", "timestamp", "step_index"))
"""Fields of other formats' records with the same types."""


def recognises(opening: Opening) -> bool:
    """The file, or one of its first lines, is a message of LangChain's, a list of them, or a state that holds one."""
    return any(is_dump(value) for value in (opening.value, *opening.records))


def is_dump(value: Any) -> bool:
    """A message, a list of messages or of states, or a state."""
    if isinstance(value, list):
        return any(is_message(item) or (isinstance(item, dict) and is_dump(item)) for item in value[:20])
    if is_message(value):
        return True
    found = _messages(value)
    return found is not None and any(is_message(item) for item in found)


def is_message(value: Any) -> bool:
    """A message that can be of no other format: `system` and `tool` alone are common words."""
    if not isinstance(value, dict):
        return False
    if value.get("type") == "constructor" and isinstance(value.get("id"), list):
        return "messages" in value["id"] and isinstance(value.get("kwargs"), dict)
    inner = unwrapped(value)
    if inner.get("type") not in ("human", "ai") or "content" not in inner:
        return False
    return inner is not value or _OTHERS.isdisjoint(value)


def _messages(value: Any, depth: int = 0) -> list[Any] | None:
    """The message list of a state, a checkpoint or a snapshot."""
    if not isinstance(value, dict) or depth > 3:
        return None
    listed = value.get("messages")
    if isinstance(listed, list):
        return listed
    return next((found for key in _STATES if (found := _messages(value.get(key), depth + 1)) is not None), None)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file."""
    loose: list[Any] = []
    growing = Growing()
    calls: list[Call] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1
        for state in _states(value):
            found = _messages(state) if isinstance(state, dict) else state if isinstance(state, list) else None
            if found is not None:
                calls.append(_call(state, found, ordinal, tally))
            elif isinstance(state, dict) and text_of(unwrapped(state).get("type")) in LANGCHAIN:
                loose.append(state)
            else:
                tally.seen += 1
                tally.lose("no messages in it" if isinstance(state, dict) else "not a JSON object", ordinal)
    if loose:
        calls.append(_call(None, loose, 0, tally))
    for call in sorted(calls, key=lambda call: len(call.messages)):
        growing.add(call)
    return sessions(growing.leaves, tally, redactor)


def _states(value: Any) -> Iterator[Any]:
    """The states of a history, or the value itself."""
    if isinstance(value, list) and any(_messages(item) is not None and not is_message(item) for item in value):
        yield from value
    else:
        yield value


def _call(state: Any, found: list[Any], ordinal: int, tally: Tally) -> Call:
    messages = messages_of(found)
    for message in messages:
        # What nobody knows is accounted for when the session is built.
        if message.role != "note" or not message.unknown:
            tally.seen += 1
            tally.ignore() if message.empty else tally.keep()
    about = About("langchain", harness="langchain", setting="general_tool_use")
    if isinstance(state, dict):
        thread = _thread(state)
        about.source_id = thread
        about.tools = definitions(state.get("tools"))
        return Call(about, messages, [], ordinal, thread)
    return Call(about, messages, [], ordinal)


def _thread(state: dict[str, Any]) -> str:
    """The thread's id, from a snapshot's configuration or beside the messages."""
    config = state.get("config")
    configurable = config.get("configurable") if isinstance(config, dict) else None
    checkpoint = state.get("checkpoint")
    places = (configurable, checkpoint, state, state.get("metadata"))
    return next((text_of(place["thread_id"]) for place in places if isinstance(place, dict) and text_of(place.get("thread_id"))), "")


SOURCE = Source("langchain", recognises, read)
