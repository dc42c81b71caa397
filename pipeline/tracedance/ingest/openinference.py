"""OpenInference spans: `openinference.span.kind` says what ran, numbered attributes hold the messages one by one."""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.chat_messages import Answer, Asked, Message, definitions, parsed, shown
from tracedance.ingest.figures import Tokens
from tracedance.ingest.model_calls import Work
from tracedance.ingest.otlp import Span, Tree, listed, look

_KINDS = {"LLM": "model", "TOOL": "tool", "AGENT": "agent"}
_OTHERS = frozenset(("CHAIN", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT", "UNKNOWN"))


def kind_of(span: Span) -> str:
    """The span's kind in these conventions, "" for none."""
    return text_of(look(span.attributes, "openinference", "span", "kind")).upper()


def is_known(span: Span) -> bool:
    """Whether the kind is one of the conventions'."""
    return kind_of(span) in _KINDS or kind_of(span) in _OTHERS


def work(span: Span) -> Work:
    """What a span says."""
    attributes = span.attributes
    found = Work("", group=text_of(look(attributes, "session", "id")), model=text_of(look(attributes, "llm", "model_name")))
    found.agent = text_of(look(attributes, "agent", "name"))
    kind = _KINDS.get(kind_of(span), "")
    if kind == "model":
        found.kind = "model"
        _model(attributes, found)
    elif kind == "tool":
        _tool(span, found)
    elif kind == "agent":
        found.kind = "agent"
        found.agent = found.agent or span.name
        _plain(attributes, found)
    return found


def _model(attributes: Tree, found: Work) -> None:
    counts = look(attributes, "llm", "token_count", "prompt"), look(attributes, "llm", "token_count", "completion")
    found.tokens = Tokens(counts[:1], counts[1])
    found.inputs = [_message(item, "user") for item in listed(look(attributes, "llm", "input_messages"))]
    found.outputs = [_message(item, "assistant") for item in listed(look(attributes, "llm", "output_messages"))]
    system = look(attributes, "llm", "system")
    if isinstance(system, str) and " " in system and not any(message.role == "system" for message in found.inputs):
        found.system = system
    for tool in listed(look(attributes, "llm", "tools")):
        schema = look(tool, "tool", "json_schema")
        found.tools += definitions([schema if schema is not None else tool]) or []
    if not found.tools:
        parameters = parsed(look(attributes, "llm", "invocation_parameters"))
        found.tools = (definitions(parameters.get("tools")) if isinstance(parameters, dict) else None) or []
    if not found.inputs and not found.outputs:
        _plain(attributes, found)
    elif not found.outputs:
        found.outputs = _text(look(attributes, "output", "value"), "assistant")


def _message(item: Any, role: str) -> Message:
    """One numbered message; `message.content`, or `message.contents` with a part each."""
    entry = look(item, "message")
    entry = entry if isinstance(entry, dict) else item if isinstance(item, dict) else {}
    message = Message(text_of(entry.get("role")) or role)
    message.role = {"model": "assistant", "function": "tool"}.get(message.role, message.role)
    message.take(look(entry, "content"))
    for content in listed(entry.get("contents")):
        _part(message, look(content, "message_content"))
    for call in listed(entry.get("tool_calls")):
        call = look(call, "tool_call")
        message.call(look(call, "id"), look(call, "function", "name"), look(call, "function", "arguments"))
    name = entry.get("function_call_name")
    if isinstance(name, str):
        message.call(name, name, entry.get("function_call_arguments_json"))
    if message.role == "tool":
        identity = text_of(entry.get("tool_call_id")) or text_of(entry.get("name"))
        message.answers.append(Answer(identity, message.text))
        message.texts = []
    return message


def _part(message: Message, part: Any) -> None:
    if not isinstance(part, dict):
        message.take(part)
    elif text_of(part.get("type")) in ("image", "audio") or "image" in part or "audio" in part:
        message.take({"type": "audio" if "audio" in part else "image"})
    else:
        message.take(part)


def _tool(span: Span, found: Work) -> None:
    attributes = span.attributes
    name = text_of(look(attributes, "tool", "name")) or text_of(look(attributes, "tool_call", "function", "name")) or span.name
    identity = text_of(look(attributes, "tool_call", "id")) or text_of(look(attributes, "tool", "id"))
    asked = look(attributes, "tool_call", "function", "arguments") or look(attributes, "input", "value")
    result = look(attributes, "output", "value")
    found.kind = "tool"
    if asked is not None:
        found.asked = Asked(identity, name, parsed(asked))
    if result is not None or span.failed:
        found.asked = found.asked or Asked(identity, name, {})
        found.answer = Answer(identity, shown(result) if result is not None else span.said, True if span.failed else None)


def _plain(attributes: Tree, found: Work) -> None:
    """What went in and came out as plain values, where there are no messages."""
    found.inputs = _text(look(attributes, "input", "value"), "user")
    found.outputs = _text(look(attributes, "output", "value"), "assistant")


def _text(value: Any, role: str) -> list[Message]:
    text = shown(value)
    return [Message(role, [text])] if text.strip() else []
