"""OpenAI chat messages: a list of them, `{"messages": [...], "tools": [...]}`, tau-bench's list of runs, and JSONL of any of these.

A record is a message. Call ids repeat in such files, so a result belongs to the nearest earlier call with its id.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.documents import decode, values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, ToolDefinition, Turn

_MESSAGES = ("messages", "traj")

_OTHERS = frozenset(("pipeline_name", "epoch"))
"""Fields of runs whose messages look the same and whose importers know more of them."""

_ROLES = frozenset(("system", "user", "assistant", "tool", "developer", "function"))


def recognises(opening: Opening) -> bool:
    """The file, or one of its first lines, is a chat message, a conversation of them, or a run that holds one."""
    value = opening.value
    first = value[0] if isinstance(value, list) and value else value
    return is_chat(first) or any(is_chat(record) for record in opening.records)


def is_chat(record: Any) -> bool:
    """A chat message, a conversation of them, or a run that holds one."""
    if not isinstance(record, dict) or not _OTHERS.isdisjoint(record):
        return False
    for field in _MESSAGES:
        inner = record.get(field)
        if isinstance(inner, list):
            return bool(inner) and isinstance(inner[0], dict) and is_message(inner[0])
    return is_message(record)


def is_message(record: dict[str, Any]) -> bool:
    """A chat message. Items of the Responses form and of old Codex files look much the same but carry a type."""
    content, role = record.get("content"), record.get("role")
    named = isinstance(role, str) and role in _ROLES
    return named and "type" not in record and (isinstance(content, str | list) or "tool_calls" in record or "function_call" in record)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file. Lines that are whole JSON values are read one by one; else the file is one value over many lines."""
    sessions: list[Session] = []
    loose: list[tuple[int, Any]] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in messages, not in lines.
        if isinstance(value, dict) and "role" in value:
            loose.append((ordinal, value))
            continue
        for conversation in value if _is_list_of_runs(value) else (value,):
            sessions += _conversation(conversation, ordinal, tally, redactor)
    if loose:
        sessions += _session(About("openai_chat"), loose, tally, redactor)
    return sessions


def _is_list_of_runs(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) and any(field in item for field in _MESSAGES) for item in value)


def _conversation(value: Any, ordinal: int, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one conversation, in whichever of its forms."""
    about = About("openai_chat", harness="openai_chat")
    messages = value
    if isinstance(value, dict):
        messages = next((value[field] for field in _MESSAGES if isinstance(value.get(field), list)), None)
        about = _about(value)
    if not isinstance(messages, list):
        tally.seen += 1
        tally.lose("no messages in it", ordinal)
        return []
    return _session(about, list(enumerate(messages)), tally, redactor)


def _about(value: dict[str, Any]) -> About:
    source = next(
        (str(value[key]) for key in ("id", "session_id", "conversation_id", "trace_id") if isinstance(value.get(key), str | int)), ""
    )
    about = About("openai_chat", source_id=source, harness=text_of(value.get("harness")) or "openai_chat", tools=_tools(value.get("tools")))
    about.version = text_of(value.get("version"))
    about.parent = text_of(value.get("parent_id"))
    if isinstance(value.get("traj"), list) and "task_id" in value:
        digest = sha256(canonical(value["traj"]).encode()).hexdigest()[:8]
        about.id = f"task{value['task_id']}-trial{value.get('trial', 0)}-{digest}"
        about.source_id = about.source_id or str(value["task_id"])
        about.harness = "tau-bench"
    return about


def _tools(value: Any) -> list[ToolDefinition] | None:
    """Recorded tool definitions, in OpenAI's or Anthropic's form; None where there are none."""
    if not isinstance(value, list):
        return None
    tools = []
    for item in value:
        inner = item.get("function", item) if isinstance(item, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            parameters = inner.get("parameters", inner.get("input_schema"))
            tools.append(
                ToolDefinition(inner["name"], text_of(inner.get("description")), parameters if isinstance(parameters, dict) else {})
            )
    return tools


def _session(about: About, messages: Iterable[tuple[int, Any]], tally: Tally, redactor: Redactor) -> list[Session]:
    about.setting = "general_tool_use"
    building = Building(redactor)
    for ordinal, message in messages:
        tally.seen += 1
        used = _message(building, about, ordinal, message)
        if used is True:
            tally.keep()
        elif used is False:
            tally.ignore()
        else:
            tally.lose(used, ordinal)
    session = building.finish(about)
    return [] if session is None else [session]


def _message(building: Building, about: About, ordinal: int, message: Any) -> bool | str:
    """Read one message: True when its content went in, False when it holds none, else the reason why it is lost."""
    if not isinstance(message, dict):
        return "not a JSON object"
    role = message.get("role")
    text = _text(message.get("content"))
    if role in ("system", "developer"):
        return _system(building, about, ordinal, text)
    if role == "assistant":
        return _assistant(building, ordinal, message, text)
    if role == "user":
        for author, part in by_author([text]):
            building.say(author, part, ordinal, _time(message))
        return bool(text.strip())
    if role in ("tool", "function"):
        source = text_of(message.get("tool_call_id")) or text_of(message.get("name"))
        error = text_of(message.get("error"))
        result = building.result(source, text or error, True if error else None, ordinal)
        return "second result for one call" if result is None else True
    return "unknown message role"


def _system(building: Building, about: About, ordinal: int, text: str) -> bool:
    if about.system is None and building.last is None:
        about.system = text
        return True
    if text.strip():
        building.say("harness", text, ordinal)
    return bool(text.strip())


def _assistant(building: Building, ordinal: int, message: dict[str, Any], text: str) -> bool:
    calls = (
        [call for call in message.get("tool_calls") or () if isinstance(call, dict)] if isinstance(message.get("tool_calls"), list) else []
    )
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        calls.append({"id": text_of(legacy.get("name")), "function": legacy})
    thought = text_of(message.get("reasoning_content")) or text_of(message.get("reasoning"))
    if not text.strip() and not calls and not thought:
        return False
    turn = building.open(text_of(message.get("model")), ordinal, _time(message))
    if text.strip():
        building.add(turn, text, ordinal)
    if thought:
        building.think(turn, thought, ordinal)
    for call in calls:
        _call(building, turn, call, ordinal)
    return True


def _call(building: Building, turn: Turn, call: dict[str, Any], ordinal: int) -> None:
    function = call.get("function")
    if isinstance(function, dict):
        name, arguments = text_of(function.get("name")), function.get("arguments")
    else:
        name, arguments = text_of(function) or text_of(call.get("name")), call.get("args", call.get("arguments"))
    if isinstance(arguments, str):
        parsed, reason = decode(arguments.encode("utf-8", "replace"))
        arguments = parsed if not reason and isinstance(parsed, dict) else arguments
    building.call(turn, text_of(call.get("id")), name, {} if arguments is None else arguments, ordinal)


def _text(content: Any) -> str:
    """The text of a message: a text, or the texts of its parts; pictures are named, not kept."""
    if isinstance(content, str) or content is None:
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = []
    for part in parts:
        if isinstance(part, dict):
            inner = part.get("text", part.get("content"))
            texts.append(inner if isinstance(inner, str) else "[image]" if "image" in text_of(part.get("type")) else canonical(part))
        else:
            texts.append(part if isinstance(part, str) else canonical(part))
    return "\n".join(texts)


def _time(message: dict[str, Any]) -> str:
    return text_of(message.get("timestamp"))


SOURCE = Source("openai_chat", recognises, read)
