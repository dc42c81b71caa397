"""Logs of calls of Anthropic's Messages interface, as applications built on its SDK write them: requests with or without their responses.

System prompt and tool definitions stand in every request, so these sessions can be replayed.
"""

from typing import Any

from tracedance.ingest.api_logs import opened, read_log
from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, answered, messages_of
from tracedance.ingest.exchanges import Exchange, exchange
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import Message, definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_OTHERS = ("tool", "function", "developer")
_FOREIGN = frozenset(("type", "tool_calls", "tool_call_id"))
_BLOCKS = frozenset(("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"))


class Anthropic:
    """The form of the Messages interface."""

    def is_request(self, value: dict[str, Any]) -> bool:
        """A list of messages with something that only this interface has."""
        messages = value.get("messages")
        if not isinstance(messages, list) or not messages:
            return False
        if any(isinstance(item, dict) and (item.get("role") in _OTHERS or not _FOREIGN.isdisjoint(item)) for item in messages):
            return False
        marked = isinstance(value.get("system"), str | list) or "anthropic_version" in value or "stop_sequences" in value
        return (marked and "max_tokens" in value) or _own_tools(value.get("tools")) or any(_own_blocks(item) for item in messages)

    def is_response(self, value: dict[str, Any]) -> bool:
        """A message of the assistant's that says why it stopped."""
        return value.get("type") == "message" and value.get("role") == "assistant" and "stop_reason" in value

    def call(self, found: Exchange) -> Call:
        """The call of a request, a response or both."""
        request, response = found.request or {}, found.response or {}
        about = About("anthropic_messages", harness="anthropic_messages", setting="general_tool_use", source_id=found.thread)
        about.tools = definitions(request.get("tools"))
        if "model" in request:  # A whole request: what it leaves out, the model was not given.
            about.tools, about.system = about.tools or [], ""
        system = Message("system", [text for said in messages_of(_as_message(request.get("system"))) for text in said.texts])
        messages = [*([system] if system.texts else []), *messages_of(request.get("messages"))]
        model = text_of(response.get("model")) or text_of(request.get("model"))
        answer = answered(response, model, moment(found.time)) if response else []
        return Call(about, messages, answer, thread=found.thread)

    def is_loose(self, value: dict[str, Any]) -> bool:
        """A message that stands by itself."""
        return value.get("role") in ("user", "assistant") and "content" in value


def _as_message(system: Any) -> Any:
    return {"role": "system", "content": system} if isinstance(system, str | list) else None


def _own_tools(tools: Any) -> bool:
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool and "name" in tool for tool in tools)


def _own_blocks(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(isinstance(part, dict) and text_of(part.get("type")) in _BLOCKS for part in content)


_FORM = Anthropic()


def recognises(opening: Opening) -> bool:
    """One of the first records is a request or a response of this interface."""
    return any(exchange(record, _FORM) is not None for record in opened(opening))


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file."""
    return read_log(_FORM, lines, tally, redactor)


SOURCE = Source("anthropic_messages", recognises, read)
