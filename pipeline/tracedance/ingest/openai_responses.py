"""OpenAI's Responses form: logs of calls (request and response), and plain lists of items, as a JSON list, in an object, or one a line.

An item of a plain list is a record; in a log of calls the call is.
"""

from typing import Any

from tracedance.ingest.api_logs import opened, read_log
from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, answered, messages_of
from tracedance.ingest.exchanges import Exchange, exchange
from tracedance.ingest.items import ITEMS
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_SETTINGS = frozenset(("instructions", "previous_response_id", "max_output_tokens", "parallel_tool_calls", "store", "include"))
_CONTENT = frozenset(("input_text", "output_text", "input_image", "input_file"))
_OF_CODEX = frozenset(("record_type", "payload", "git"))


class Responses:
    """The form of the Responses interface."""

    def is_request(self, value: dict[str, Any]) -> bool:
        """An input with something that only this interface has; an embedding's request has an input and a model too."""
        sent = value.get("input", value.get("items"))
        if not isinstance(sent, str | list) or "object" in value:
            return False
        listed = isinstance(sent, list) and any(is_item(item) for item in sent)
        return listed or ("model" in value and not _SETTINGS.isdisjoint(value))

    def is_response(self, value: dict[str, Any]) -> bool:
        """The object as the interface returns it."""
        return value.get("object") == "response" and isinstance(value.get("output"), list)

    def call(self, found: Exchange) -> Call:
        """The call of a request, a response or both; a response repeats instructions and tools."""
        request, response = found.request or {}, found.response or {}
        about = About("openai_responses", harness="openai_responses", setting="general_tool_use", source_id=found.thread)
        about.tools = definitions(request.get("tools", response.get("tools")))
        instructions = request.get("instructions", response.get("instructions"))
        about.system = instructions if isinstance(instructions, str) else None
        if "model" in request:  # A whole request: what it leaves out, the model was not given.
            about.tools, about.system = about.tools or [], about.system or ""
        before = messages_of(instructions) if isinstance(instructions, list) else []
        time = moment(response.get("created_at"), found.time)
        model = text_of(response.get("model")) or text_of(request.get("model"))
        answer = answered(response["output"], model, time) if response else []
        return Call(about, [*before, *messages_of(request.get("input", request.get("items")))], answer, thread=found.thread)

    def is_loose(self, value: dict[str, Any]) -> bool:
        """An item, known or not, or a message in its short form."""
        return isinstance(value.get("type"), str) or isinstance(value.get("role"), str)


_FORM = Responses()


def is_item(value: Any) -> bool:
    """An item that only this form has: a call, a result, reasoning, or a message with typed texts."""
    if not isinstance(value, dict) or "message" in value or "sessionId" in value:
        return False
    kind = value.get("type")
    if kind == "message":
        content = value.get("content")
        parts = content if isinstance(content, list) else ()
        return "role" in value and any(isinstance(part, dict) and text_of(part.get("type")) in _CONTENT for part in parts)
    if kind == "reasoning":
        return isinstance(value.get("summary"), list) and ("encrypted_content" in value or "id" in value)
    return isinstance(kind, str) and kind in ITEMS and kind.endswith(("_call", "_output")) and bool({"call_id", "id"} & value.keys())


def _is_foreign(record: dict[str, Any]) -> bool:
    """A record of a harness that writes items of its own kind beside these: Codex's old files, Grok's history."""
    return not _OF_CODEX.isdisjoint(record) or text_of(record.get("type")) in ("system", "user", "assistant")


def recognises(opening: Opening) -> bool:
    """One of the first records is an item, a request or a response of this form."""
    if any(isinstance(record, dict) and _is_foreign(record) for record in opening.records):
        return False
    return any(is_item(record) or exchange(record, _FORM) is not None for record in opened(opening))


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file."""
    return read_log(_FORM, lines, tally, redactor)


SOURCE = Source("openai_responses", recognises, read)
