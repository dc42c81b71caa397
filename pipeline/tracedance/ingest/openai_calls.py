"""Logs of calls of OpenAI's chat interface: requests with their responses (`choices`). Lists of chat messages alone are `openai_chat`'s."""

from typing import Any

from tracedance.ingest.api_logs import opened, read_log
from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, answered, messages_of
from tracedance.ingest.exchanges import Exchange, exchange
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


class Completions:
    """The form of the chat interface, which many other providers speak."""

    def is_request(self, value: dict[str, Any]) -> bool:
        """Messages for a model."""
        messages = value.get("messages")
        return isinstance(messages, list) and bool(messages) and all(isinstance(item, dict) and "role" in item for item in messages[:3])

    def is_response(self, value: dict[str, Any]) -> bool:
        """Choices, each with a message."""
        choices = value.get("choices")
        return isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict) and isinstance(choices[0].get("message"), dict)

    def call(self, found: Exchange) -> Call:
        """The call of a request, a response or both. Of several choices the first is the one that a conversation goes on from."""
        request, response = found.request or {}, found.response or {}
        about = About("openai_calls", harness="openai_calls", setting="general_tool_use", source_id=found.thread)
        about.tools = definitions(request.get("tools", request.get("functions")))
        if "model" in request:  # A whole request: what it leaves out, the model was not given.
            about.tools, about.system = about.tools or [], ""
        model = text_of(response.get("model")) or text_of(request.get("model"))
        said = response["choices"][0]["message"] if response else None
        answer = answered(said, model, moment(found.time, response.get("created")))
        return Call(about, messages_of(request.get("messages")), answer, thread=found.thread)

    def is_loose(self, value: dict[str, Any]) -> bool:
        """A message that stands by itself."""
        return isinstance(value.get("role"), str) and "content" in value


_FORM = Completions()


def recognises(opening: Opening) -> bool:
    """One of the first records holds a response of this interface beside its request."""
    halves = [half for record in opened(opening) if (half := exchange(record, _FORM)) is not None]
    return any(half.response is not None for half in halves) and any(half.request is not None for half in halves)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file."""
    return read_log(_FORM, lines, tally, redactor)


SOURCE = Source("openai_calls", recognises, read)
