"""Vercel AI SDK's spans: `ai.*.doGenerate` and `.doStream` call a model, `ai.toolCall` runs a tool, `ai.generateText` is around them."""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.chat_messages import Answer, Asked, Message, chat, definitions, parsed, shown
from tracedance.ingest.figures import Tokens
from tracedance.ingest.model_calls import Work
from tracedance.ingest.otlp import Span, Tree, look


def is_work(span: Span) -> bool:
    """Whether the SDK wrote the span."""
    return isinstance(look(span.attributes, "ai", "operationId"), str)


def work(span: Span) -> Work:
    """What a span says."""
    attributes = span.attributes
    operation = text_of(look(attributes, "ai", "operationId"))
    found = Work("")
    found.group = text_of(look(attributes, "ai", "telemetry", "metadata", "sessionId")) or text_of(look(attributes, "session", "id"))
    found.model = text_of(look(attributes, "ai", "response", "model")) or text_of(look(attributes, "ai", "model", "id"))
    if operation == "ai.toolCall":
        _tool(span, found)
    elif "embed" not in operation.lower():
        found.kind = "model" if operation.endswith(("doGenerate", "doStream")) else "agent"
        counts = look(attributes, "ai", "usage", "promptTokens"), look(attributes, "ai", "usage", "completionTokens")
        found.tokens = Tokens(counts[:1], counts[1])
        found.inputs = _prompt(attributes, found)
        found.outputs = _response(attributes)
        found.tools = definitions(look(attributes, "ai", "prompt", "tools")) or []
    return found


def _prompt(attributes: Tree, found: Work) -> list[Message]:
    prompt = parsed(look(attributes, "ai", "prompt", "messages"))
    if not isinstance(prompt, list):
        whole = parsed(look(attributes, "ai", "prompt"))
        if not isinstance(whole, dict):
            return [Message("user", [shown(whole)])] if whole else []
        found.system = text_of(whole.get("system")) or None
        prompt = whole.get("messages", whole.get("prompt"))
    entries = prompt if isinstance(prompt, list) else [prompt]
    return [chat(entry, "user") if isinstance(entry, dict) else Message("user", [shown(entry)]) for entry in entries if entry]


def _response(attributes: Tree) -> list[Message]:
    message = Message("assistant", thoughts=[shown(look(attributes, "ai", "response", "reasoning"))])
    calls = parsed(look(attributes, "ai", "response", "toolCalls"))
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            message.call(call.get("toolCallId"), call.get("toolName"), call.get("input", call.get("args")))
    text: Any = look(attributes, "ai", "response", "text") or look(attributes, "ai", "response", "object")
    message.take(shown(text) or None)
    return [] if message.empty else [message]


def _tool(span: Span, found: Work) -> None:
    call = look(span.attributes, "ai", "toolCall")
    result = look(call, "result")
    identity, name = text_of(look(call, "id")), text_of(look(call, "name"))
    found.kind = "tool"
    found.asked = Asked(identity, name, parsed(look(call, "args")))
    if result is not None or span.failed:
        found.answer = Answer(identity, shown(parsed(result)) if result is not None else span.said, True if span.failed else None)
