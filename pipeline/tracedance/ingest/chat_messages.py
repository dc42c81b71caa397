"""Chat messages, whichever dialect a log writes them in, as one form that a session is built from.

Every API and every convention has its own names for the same few parts (text, reasoning, a call, a result, a picture). The names are told
apart here, once; what a part of an unknown type holds stays in the text as JSON and is counted by name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tracedance.ingest.authors import by_author, interrupts
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.documents import decode
from tracedance.ingest.figures import Tokens
from tracedance.kit.chain import canonical
from tracedance.kit.tools import tool_class
from tracedance.schema import Setting, ToolDefinition

_TEXT = frozenset(("text", "input_text", "output_text", "refusal"))
_THOUGHT = frozenset(("thinking", "reasoning", "redacted_thinking"))
_CALL = frozenset(("tool_call", "tool_use", "function_call", "toolcall", "server_tool_use", "mcp_tool_use", "server_tool_call"))
_ANSWER = frozenset(
    ("tool_call_response", "tool_result", "function_call_output", "server_tool_call_response", "tool_response", "tool_call_result")
)
_MEDIA = frozenset(
    ("image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file", "document", "blob", "uri", "data", "media")
)
_BEDROCK = {"toolUse": "tool_use", "toolResult": "tool_result", "reasoningContent": "reasoning", "image": "image", "document": "document"}
"""Parts that say what they are by their only key."""


class Asked(NamedTuple):
    """A call."""

    id: str
    name: str
    arguments: Any


class Answer(NamedTuple):
    """A result; `flagged` is the log's own word on whether the call failed, None where it says nothing."""

    id: str
    text: str
    flagged: bool | None = None


@dataclass
class Message:
    """One message, as found."""

    role: str
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[Asked] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """Types of parts that are not known."""
    model: str = ""
    time: str = ""
    tokens: Tokens | None = None

    @property
    def text(self) -> str:
        """All visible text."""
        return "\n".join(text for text in self.texts if text)

    @property
    def empty(self) -> bool:
        """Whether nothing was said in it."""
        return not (self.text.strip() or self.calls or self.answers or any(self.thoughts))

    def take(self, content: Any) -> None:
        """Add content: a text, a part, or a list of parts."""
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self.texts.append(part)
            elif isinstance(part, dict):
                self._part(part)
            elif part is not None:
                self.texts.append(canonical(part))

    def call(self, identity: object, name: object, arguments: Any) -> None:
        """Add a call; arguments that are JSON text are read."""
        self.calls.append(Asked(text_of(identity), text_of(name), parsed(arguments)))

    def _part(self, part: dict[str, Any]) -> None:
        kind, part = _kind(part)
        if kind in _TEXT:
            self.texts.append(_first(part, "text", "content", "refusal", "value"))
        elif kind in _THOUGHT:
            if part.get("redacted") is not True:
                self.thoughts.append(_first(part, "thinking", "reasoning", "text", "content", "summary"))
        elif kind in _CALL:
            name = part.get("name") or part.get("toolName") or part.get("function")
            self.call(_identity(part), name, next((part[key] for key in ("arguments", "input", "args") if key in part), {}))
        elif kind in _ANSWER:
            self.answers.append(_answer(part))
        elif kind in _MEDIA:
            self.texts.append(picture(part))
        else:
            self.unknown.append(kind or "without a type")
            self.texts.append(canonical(part))


def _kind(part: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type of a part, with underscores, and the part; where the only key says it, what stands under that key."""
    kind = text_of(part.get("type")).replace("-", "_").lower()
    if kind:
        return kind, part
    if isinstance(part.get("text"), str):
        return "text", part
    for key, meaning in _BEDROCK.items():
        inner = part.get(key)
        if isinstance(inner, dict):
            return meaning, inner
    return "", part


def _identity(part: dict[str, Any]) -> str:
    keys = ("id", "call_id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
    return next((part[key] for key in keys if isinstance(part.get(key), str)), "")


def _answer(part: dict[str, Any]) -> Answer:
    keys = ("tool_use_id", "tool_call_id", "toolCallId", "toolUseId", "call_id", "id")
    identity = next((part[key] for key in keys if isinstance(part.get(key), str)), "")
    body = next((part[key] for key in ("response", "result", "output", "content") if part.get(key) is not None), None)
    failed = part.get("is_error") is True or part.get("isError") is True or part.get("status") == "error"
    if isinstance(body, dict) and isinstance(body.get("type"), str) and "value" in body:
        failed = failed or body["type"].startswith("error")
        body = body["value"]
    return Answer(identity, shown(body), True if failed else None)


def _first(part: dict[str, Any], *keys: str) -> str:
    """The first field that holds something, as text."""
    return next((shown(part[key]) for key in keys if part.get(key)), "")


def picture(part: dict[str, Any]) -> str:
    """A mark for what is no text: `[image]`, `[audio]`, `[file]`."""
    named = part.get("modality") or part.get("mime_type") or part.get("mediaType") or part.get("type") or "image"
    kind = text_of(named).partition("/")[0].replace("input_", "").replace("_url", "")
    return f"[{kind if kind in ('image', 'audio', 'video', 'document', 'data') else 'file'}]"


def shown(value: Any) -> str:
    """A result as the model was shown it: a text, the texts of a list of parts, or JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and value and all(isinstance(part, dict) and ("type" in part or "text" in part) for part in value):
        message = Message("tool")
        try:
            message.take([{**part, "type": part.get("type", "text")} for part in value])
        except RecursionError:
            return canonical(value)
        return message.text
    return canonical(value)


def parsed(value: Any) -> Any:
    """`value`, read where it is the text of a JSON object or list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        inner, reason = decode(value.encode("utf-8", "replace"))
        return value if reason else inner
    return value


def definitions(value: Any) -> list[ToolDefinition] | None:
    """Recorded tool definitions: OpenAI's and Anthropic's forms, each perhaps as JSON text; None where there are none to read."""
    value = parsed(value)
    if not isinstance(value, list):
        return None
    tools = {}
    for item in map(parsed, value):
        inner = item.get("function", item) if isinstance(item, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            schema = next((inner[key] for key in ("parameters", "input_schema", "inputSchema") if key in inner), None)
            schema = parsed(schema)
            tools[inner["name"]] = ToolDefinition(
                inner["name"], text_of(inner.get("description")), schema if isinstance(schema, dict) else {}
            )
    return list(tools.values()) if tools or not value else None


def chat(entry: Mapping[str, Any], role: str = "") -> Message:
    """A message of any of the chat dialects: content or parts, calls beside them, a tool's failure in `error`."""
    message = Message(text_of(entry.get("role")) or role, model=text_of(entry.get("model")), time=text_of(entry.get("timestamp")))
    message.take(entry["parts"] if isinstance(entry.get("parts"), list) else entry.get("content"))
    message.thoughts.append(text_of(entry.get("reasoning_content")))
    calls = entry.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            _chat_call(message, call)
    if message.role in ("tool", "function") and not message.answers:
        error = entry.get("error")
        said = shown(error.get("message")) if isinstance(error, dict) else shown(error)
        identity = text_of(entry.get("tool_call_id")) or text_of(entry.get("id")) or text_of(entry.get("name"))
        message.answers.append(Answer(identity, message.text or said, True if error else None))
        message.texts = []
    return message


def _chat_call(message: Message, call: dict[str, Any]) -> None:
    function = call.get("function")
    if isinstance(function, dict):
        message.call(_identity(call), function.get("name"), function.get("arguments"))
    else:
        arguments: Any = next((call[key] for key in ("arguments", "args", "input") if key in call), {})
        message.call(_identity(call), function or call.get("name") or call.get("toolName"), arguments)


def tell(building: Building, about: About, message: Message, ordinal: int) -> bool:
    """Put a message into a session; whether it held anything."""
    if message.empty:
        return False
    if message.role in ("system", "developer"):
        _instruct(building, about, message, ordinal)
    elif message.role in ("assistant", "model", "ai"):
        turn = building.open(message.model, ordinal, message.time)
        if message.text.strip():
            building.add(turn, message.text, ordinal)
        if any(message.thoughts):
            building.think(turn, "\n\n".join(filter(None, message.thoughts)), ordinal)
        if message.tokens:
            building.measured.used(turn, *message.tokens)
        for call in message.calls:
            building.call(turn, call.id, call.name, {} if call.arguments is None else call.arguments, ordinal)
    else:
        for author, text in by_author([message.text]):
            building.say(author, text, ordinal, message.time, "interrupt" if interrupts(text) else "")
    for answer in message.answers:
        building.result(answer.id, answer.text, answer.flagged, ordinal)
    return True


def _instruct(building: Building, about: About, message: Message, ordinal: int) -> None:
    if about.system is None and building.last is None:
        about.system = message.text
    elif message.text.strip():
        building.say("harness", message.text, ordinal, message.time)


def setting_of(names: Iterable[str]) -> Setting:
    """`coding` where one of these tools runs commands or changes files, else `general_tool_use`: for logs of any kind of agent."""
    return "coding" if any(tool_class(name, {}) in ("shell", "edit", "write") for name in names) else "general_tool_use"
