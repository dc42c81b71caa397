"""Messages in the forms of OpenAI (chat and Responses items), Anthropic and LangChain, told apart by what each holds.

Pictures and other binary parts become a short mark such as `[image]`. Parts of an unknown type are named, never dropped unsaid.
"""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.content import parsed, parts, summaries
from tracedance.ingest.items import ITEMS
from tracedance.ingest.messages import Answered, Asked, Message, Role

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "remove": "note",
}
LANGCHAIN = frozenset(("human", "ai", "system", "tool", "function", "chat", "remove", "developer", "AIMessageChunk", "HumanMessageChunk"))
"""Types of LangChain's messages."""


def message(value: Any) -> Message | str:
    """One message in plain parts, or why it is none; a reason that begins with "unknown " names a type."""
    value = unwrapped(value)
    if not isinstance(value, dict):
        return "not a JSON object"
    kind, role = text_of(value.get("type")), text_of(value.get("role"))
    if kind in ITEMS:
        return ITEMS[kind](value)
    if role and kind in ("", "message", "chat", *LANGCHAIN):
        known = _ROLES.get(role)
        return f"unknown role {role}" if known is None else _spoken(value, known)
    if kind in LANGCHAIN:
        known = _ROLES.get(kind, "user")
        return _spoken(value, known)
    if not kind and not role:
        return "no role"
    return f"unknown item {kind or role}"


def unwrapped(value: Any) -> Any:
    """The message inside LangChain's wrappers: a constructor form, its escaped form, and `{type, data}`."""
    for _ in range(3):
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("__lc_escaped__"), dict):
            value = value["__lc_escaped__"]
        elif "lc" in value and value.get("type") == "constructor" and isinstance(value.get("kwargs"), dict):
            value = {"type": _constructed(value.get("id")), **value["kwargs"]}
        elif isinstance(value.get("data"), dict) and text_of(value.get("type")) in LANGCHAIN and "content" not in value:
            value = {**value["data"], "type": value["type"]}
        else:
            return value
    return value


def _constructed(path: Any) -> str:
    name = text_of(path[-1]) if isinstance(path, list) and path else ""
    stem = name.removesuffix("Chunk").removesuffix("Message").lower()
    return stem if stem in LANGCHAIN else name


def _spoken(value: dict[str, Any], role: Role) -> Message:
    """A message with a role: text or parts, calls and results."""
    said = Message(role, piece=value.get("type") == "message")
    said.model = _model(value)
    said.time = text_of(value.get("timestamp")) or text_of(value.get("created_at"))
    if role == "tool":
        said.results.append(_tool_message(value, said))
        return said
    content = value.get("content")
    parts(content if content is not None else value.get("parts"), said)
    if role == "assistant":
        _thoughts(value, said)
        _calls(value, said)
        if text_of(value.get("refusal")):
            said.texts.append(value["refusal"])
        if isinstance(value.get("audio"), dict):
            said.texts.append(text_of(value["audio"].get("transcript")) or "[audio]")
    kwargs = value.get("additional_kwargs")
    if isinstance(kwargs, dict) and kwargs.get("lc_source") == "summarization":
        said.author, said.mark = "harness", "compaction"
    if role in ("user", "assistant") and said.results and not said.texts and role == "user":
        said.role = "tool"
    return said


def _model(value: dict[str, Any]) -> str:
    """The model that a message names, as Anthropic's, or LangChain's metadata does."""
    metadata = value.get("response_metadata")
    inner = metadata if isinstance(metadata, dict) else {}
    return next((text for text in (value.get("model"), inner.get("model_name"), inner.get("model")) if isinstance(text, str) and text), "")


def _tool_message(value: dict[str, Any], said: Message) -> Answered:
    inner = Message("tool")
    parts(value.get("content"), inner)
    said.unknown += inner.unknown
    error = text_of(value.get("error"))
    status = value.get("status")
    failed = True if error or status == "error" else False if status == "success" else None
    identity = text_of(value.get("tool_call_id")) or text_of(value.get("name"))
    return Answered(identity, "\n".join(inner.texts) or error, failed)


def _thoughts(value: dict[str, Any], said: Message) -> None:
    kwargs = value.get("additional_kwargs")
    for place in (value, kwargs if isinstance(kwargs, dict) else {}):
        thought = place.get("reasoning_content") or place.get("reasoning")
        if isinstance(thought, dict):
            thought = "\n\n".join(summaries(thought))
        if isinstance(thought, str) and thought.strip() and thought not in said.thoughts:
            said.thoughts.append(thought)


def _calls(value: dict[str, Any], said: Message) -> None:
    """Calls beside the content. LangChain repeats there what stands in the content, so an id counts once."""
    known = {call.id for call in said.calls if call.id}
    listed = [
        call
        for field in ("tool_calls", "invalid_tool_calls")
        for call in (value[field] if isinstance(value.get(field), list) else ())
        if isinstance(call, dict)
    ]
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        listed.append({"id": text_of(legacy.get("name")), "function": legacy})
    for call in listed:
        identity = text_of(call.get("id"))
        if identity and identity in known:
            continue
        inner = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), dict)), call)
        arguments: Any = next((inner[key] for key in ("arguments", "args", "input") if inner.get(key) is not None), {})
        said.calls.append(Asked(identity, text_of(inner.get("name")), parsed(arguments)))
