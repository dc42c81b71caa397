"""OpenTelemetry's conventions for generative AI, all three generations of them.

Since 1.37 a span holds whole messages (`gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions`,
`gen_ai.tool.definitions`); from 1.28 to 1.36 there was a log record, or an event of the span, for each message (`gen_ai.user.message`,
`gen_ai.choice`, ...); before, events of the span held them as JSON text (`gen_ai.content.prompt`), or attributes one by one
(`gen_ai.prompt.0.content`).
"""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.chat_messages import Answer, Asked, Message, chat, definitions, parsed, shown
from tracedance.ingest.figures import Tokens
from tracedance.ingest.model_calls import Work
from tracedance.ingest.otlp import Event, Span, Tree, listed, look

_MESSAGES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_DETAILS = "gen_ai.client.inference.operation.details"
_KNOWN = frozenset(
    (*_MESSAGES, "gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion", _DETAILS, "gen_ai.evaluation.result")
)
_AGENTS = ("invoke_agent", "create_agent", "invoke_workflow")


def is_work(span: Span) -> bool:
    """Whether a span follows these conventions."""
    return isinstance(span.attributes.get("gen_ai"), dict) or any(event.name.startswith("gen_ai.") for event in span.events)


def is_known(event: Event) -> bool:
    """Whether an event's name is one of these conventions, or none of their business."""
    return event.name in _KNOWN or not event.name.startswith("gen_ai.")


def work(span: Span) -> Work:
    """What a span says."""
    attributes = span.attributes
    operation = text_of(look(attributes, "gen_ai", "operation", "name"))
    found = Work("")
    found.group = text_of(look(attributes, "gen_ai", "conversation", "id")) or text_of(look(attributes, "session", "id"))
    found.agent = text_of(look(attributes, "gen_ai", "agent", "name"))
    found.model = text_of(look(attributes, "gen_ai", "response", "model")) or text_of(look(attributes, "gen_ai", "request", "model"))
    if operation == "execute_tool" or (not operation and text_of(look(attributes, "gen_ai", "tool", "name"))):
        _tool(span, found)
        return found
    found.kind = "agent" if operation in _AGENTS else "model" if operation not in ("embeddings", "retrieval", "rerank") else ""
    counts = look(attributes, "gen_ai", "usage", "input_tokens"), look(attributes, "gen_ai", "usage", "output_tokens")
    found.tokens = Tokens(counts[:1], counts[1])
    _attributes(attributes, found)
    for event in span.events:
        hear(event, found)
    return found


def hear(event: Event, found: Work) -> bool:
    """Add what an event, or a log record, says to the work it belongs to; whether that was anything."""
    before = len(found.inputs) + len(found.outputs)
    if event.name == _DETAILS:
        _attributes(event.attributes, found)
    elif event.name in _MESSAGES:
        found.inputs.append(_message(event, _MESSAGES[event.name]))
    elif event.name == "gen_ai.choice":
        found.outputs.append(_choice(event))
    elif event.name == "gen_ai.content.prompt":
        found.inputs += _all(look(event.attributes, "gen_ai", "prompt"), "user")
    elif event.name == "gen_ai.content.completion":
        found.outputs += _all(look(event.attributes, "gen_ai", "completion"), "assistant")
    return len(found.inputs) + len(found.outputs) > before


def _attributes(attributes: Tree, found: Work) -> None:
    """Messages, instructions and tools that attributes hold."""
    instructions = parsed(look(attributes, "gen_ai", "system_instructions"))
    if instructions:
        message = Message("system")
        message.take(instructions)
        found.system = message.text
    found.inputs += _all(look(attributes, "gen_ai", "input", "messages") or _numbered(attributes, "prompt"), "user")
    found.outputs += _all(look(attributes, "gen_ai", "output", "messages") or _numbered(attributes, "completion"), "assistant")
    for offered in (look(attributes, "gen_ai", "tool", "definitions"), look(attributes, "gen_ai", "request", "tools")):
        found.tools += definitions(offered) or []
    found.tools += definitions(listed(look(attributes, "llm", "request", "functions"))) or []


def _numbered(attributes: Tree, name: str) -> Any:
    """The messages at `gen_ai.prompt.0`, `gen_ai.prompt.1`, ..., or the text at `gen_ai.prompt` itself."""
    value = look(attributes, "gen_ai", name)
    return [_untree(item) for item in listed(value)] or (value if isinstance(value, str) else None)


def _untree(item: Any) -> Any:
    return (
        {**item, "tool_calls": listed(item.get("tool_calls")), "content": parsed(item.get("content"))} if isinstance(item, dict) else item
    )


def _all(value: Any, role: str) -> list[Message]:
    """Messages as recorded: a list of them, JSON text of one, a single one, or bare text."""
    value = parsed(value)
    if value in (None, "", []):
        return []
    entries = value if isinstance(value, list) else [value]
    return [_entry(parsed(entry), role) for entry in entries]


def _entry(entry: Any, role: str) -> Message:
    if isinstance(entry, dict) and isinstance(entry.get("message"), dict):
        entry = entry["message"]
    if isinstance(entry, dict) and ("role" in entry or "content" in entry or "parts" in entry):
        return chat(entry, role)
    message = Message(role)
    message.take(entry)
    return message


def _body(event: Event) -> dict[str, Any]:
    """What an event says: its body, or the attributes that older and some present instrumentations put in its place."""
    body = parsed(event.body)
    if body in (None, "", {}):
        inner = look(event.attributes, "gen_ai", "event", "content")
        body = parsed(inner) if inner is not None else event.attributes
    return body if isinstance(body, dict) else {"content": body}


def _message(event: Event, role: str) -> Message:
    body = _body(event)
    message = chat({**body, "content": parsed(body.get("content")), "tool_calls": parsed(body.get("tool_calls"))}, role)
    return message


def _choice(event: Event) -> Message:
    body = _body(event)
    inner = parsed(body.get("message", body))
    if not isinstance(inner, dict):
        inner = {"content": inner}
    calls = parsed(inner.get("tool_calls", body.get("tool_calls")))
    message = chat({**inner, "content": parsed(inner.get("content")), "tool_calls": calls}, "assistant")
    message.role = "assistant"
    return message


def _tool(span: Span, found: Work) -> None:
    """The run of a tool: what was asked, what came back, and whether it failed."""
    attributes = span.attributes
    name = text_of(look(attributes, "gen_ai", "tool", "name")) or span.name.removeprefix("execute_tool ")
    identity = text_of(look(attributes, "gen_ai", "tool", "call", "id"))
    arguments = look(attributes, "gen_ai", "tool", "call", "arguments")
    result = look(attributes, "gen_ai", "tool", "call", "result")
    for event in span.events:
        if event.name == "gen_ai.tool.message" and arguments is None:
            arguments = _body(event).get("content")
        elif event.name == "gen_ai.choice" and result is None:
            result = _body(event).get("message")
    failed = span.failed or look(attributes, "error", "type") is not None
    found.kind = "tool"
    if arguments is not None or identity:
        found.asked = Asked(identity, name, parsed(arguments) if arguments is not None else {})
    if result is not None or failed:
        found.asked = found.asked or Asked(identity, name, {})
        said = span.said or text_of(look(attributes, "error", "type"))
        found.answer = Answer(identity, shown(parsed(result)) if result is not None else said, True if failed else None)
