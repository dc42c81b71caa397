"""AutoGen: typed events and messages of version 0.4 and later (a run's result, saved state, event logs) and chat histories of version 0.2.

A record is a message or event, in an event log a line. A team's thread is one session; agents whose own view was saved are its sub-agents.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tracedance.ingest import autogen_chat, autogen_events
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.calls import Call, Growing, answered, messages_of, sessions, unknown_parts
from tracedance.ingest.content import parsed
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import Conversation, Message, definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_DEEPEST = 8
_LOGGED = frozenset(("ToolCall", "AgentConstructionException", "MessageHandlerException", "MessageDropped", "Message", "LLMStreamStart"))
"""Lines of the event log that repeat what the calls of the model hold."""


def recognises(opening: Opening) -> bool:
    """The file, or one of its first lines, is an event, a chat history, or something that holds one."""
    return any(_is_ours(value) for value in (opening.value, *opening.records))


def _is_ours(value: Any) -> bool:
    if isinstance(value, list):
        return any(autogen_events.is_event(item) or autogen_chat.is_result(item) for item in value[:20]) or autogen_chat.is_history(value)
    return isinstance(value, dict) and (
        autogen_events.is_event(value) or _is_logged(value) or autogen_chat.is_result(value) or next(_threads(value), None) is not None
    )


def _is_logged(value: dict[str, Any]) -> bool:
    return value.get("type") == "LLMCall" and "messages" in value and "agent_id" in value


def _threads(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """Message lists in a result or a state, each with the name of the agent whose view it is, "" for the team's."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    for key in ("messages", "message_thread"):
        listed = value.get(key)
        if isinstance(listed, list) and any(autogen_events.is_event(item) for item in listed):
            yield ("" if key == "message_thread" else name), listed
    states = value.get("agent_states")
    if isinstance(states, dict):
        for agent, state in states.items():
            yield from _threads(state, agent, depth + 1)
    for key in ("agent_state", "llm_context", "team_state", "result", "state", "inner_team_state"):
        yield from _threads(value.get(key), name, depth + 1)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file."""
    loose: list[tuple[int, Any]] = []
    growing = Growing()
    found: list[Session] = []
    for ordinal, value in values(lines, tally):
        if isinstance(value, dict) and value.get("type") == "LLMCall":
            tally.keep()
            growing.add(_logged(value, ordinal))
        elif isinstance(value, dict) and text_of(value.get("type")) in _LOGGED:
            tally.ignore()
        elif autogen_events.is_event(value):
            tally.seen -= 1
            loose.append((ordinal, value))
        else:
            tally.seen -= 1
            found += _whole(value, ordinal, tally, redactor)
    return [*found, *_session("", "", autogen_events.messages(loose), tally, redactor), *sessions(growing.leaves, tally, redactor)]


def _whole(value: Any, ordinal: int, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of a value that holds message lists."""
    if isinstance(value, list) and any(autogen_events.is_event(item) for item in value):
        return _session("", "", autogen_events.messages([(ordinal, item) for item in value]), tally, redactor)
    histories = list(autogen_chat.histories(value))
    if histories:
        chats = [(name, autogen_chat.messages(history, ordinal, model)) for name, history, model in histories]
        return [session for name, chat in chats for session in _session(name, "", chat, tally, redactor)]
    threads = sorted(_threads(value), key=lambda thread: thread[0] != "")
    if not threads:
        tally.seen += 1
        tally.lose("no messages in it" if isinstance(value, dict | list) else "not a JSON object", ordinal)
    found: list[Session] = []
    for name, listed in threads:
        team = found[0].id if found and name else ""
        read = autogen_events.messages([(ordinal, item) for item in listed])
        found += _session(f"{team}.agent-{name}" if team else name, team, read, tally, redactor)
    return found


def _session(name: str, parent: str, messages: Iterable[tuple[int, Message | str]], tally: Tally, redactor: Redactor) -> list[Session]:
    about = _about(name, parent)
    building = Building(redactor)
    conversation = Conversation(building, about)
    for place, (ordinal, message) in enumerate(messages):
        tally.seen += 1
        tally.settle(conversation.take(place, message) if isinstance(message, Message) else message, ordinal)
        if isinstance(message, Message):
            unknown_parts(tally, message, ordinal)
    session = building.finish(about)
    return [] if session is None else [session]


def _about(name: str = "", parent: str = "") -> About:
    return About("autogen", harness="autogen", setting="general_tool_use", source_id=name, parent=parent)


def _logged(value: dict[str, Any], ordinal: int) -> Call:
    """A call of the model from an event log: all that the agent's model was sent, tools included."""
    about = _about(text_of(value.get("agent_id")))
    about.tools = definitions(value.get("tools"))
    response = value.get("response")
    response = response if isinstance(response, dict) else {}
    choices = response.get("choices")
    said = choices[0].get("message") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    if said is None and response.get("content") is not None:
        said = _created(response["content"])
    model, time = text_of(response.get("model")), moment(response.get("created"), value.get("timestamp"))
    messages = messages_of(value.get("messages"))
    sent = value.get("messages")
    for message, raw in zip(messages, sent if isinstance(sent, list) else (), strict=False):
        if isinstance(raw, dict) and autogen_events.is_agent(raw.get("name")):
            message.author = "harness"
    return Call(about, messages, answered(said, model, time), ordinal, thread=about.source_id)


def _created(content: Any) -> dict[str, Any]:
    """The answer of clients that log AutoGen's own result: a text, or a list of calls."""
    if not isinstance(content, list):
        return {"role": "assistant", "content": content}
    calls = [{**call, "arguments": parsed(call.get("arguments"))} for call in content if isinstance(call, dict)]
    return {"role": "assistant", "content": None, "tool_calls": calls}


SOURCE = Source("autogen", recognises, read)
