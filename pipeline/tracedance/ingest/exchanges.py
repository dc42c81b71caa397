"""Request and response of one call in the layouts that applications log: side by side, one in the other, batches, or line after line."""

from dataclasses import dataclass
from typing import Any, Protocol

from tracedance.ingest.building import text_of
from tracedance.ingest.documents import decode

_REQUESTS = ("request", "request_body", "requestBody", "req", "params", "body", "kwargs", "input", "data")
_RESPONSES = ("response", "response_body", "responseBody", "res", "result", "completion", "output", "message")
_HALVES = ("response", "response_body", "responseBody", "result")
_FOREIGN = frozenset(
    ("run_type", "observations", "traceId", "traceID", "span_data", "spans", "resourceSpans", "span_id", "attributes", "lc", "agent_id")
)
"""Fields of the records of tracing platforms, which hold such calls inside and have importers of their own."""
_INNER = ("body", "message", "json", "data", "kwargs")
_THREADS = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "threadId", "conversation")
_TIMES = ("timestamp", "time", "created_at", "createdAt", "start_time", "startTime", "ts", "datetime", "date")


class Form(Protocol):
    """What a vendor's requests and responses look like."""

    def is_request(self, value: dict[str, Any]) -> bool:
        """Whether this is the body of a request."""

    def is_response(self, value: dict[str, Any]) -> bool:
        """Whether this is the body of a response."""


@dataclass(slots=True)
class Exchange:
    """One record of a log."""

    request: dict[str, Any] | None
    response: dict[str, Any] | None
    thread: str = ""
    time: Any = None
    pair: str = ""
    """What its other half is found by, where request and response are two records."""


def exchange(record: Any, form: Form) -> Exchange | None:
    """Request and response in a record, None where it holds neither."""
    if not isinstance(record, dict) or not _FOREIGN.isdisjoint(record):
        return None
    if form.is_response(record):
        found = Exchange(None, record)
    else:
        request = record if form.is_request(record) else _body(record, _REQUESTS, form.is_request)
        found = Exchange(request, _body(record, _RESPONSES, form.is_response))
    if found.request is None and found.response is not record and (found.response is None or all(key not in record for key in _HALVES)):
        return None
    places = [place for place in (record, record.get("metadata"), found.request) if isinstance(place, dict)]
    found.thread = next((name for place in places for key in _THREADS if (name := _name(place.get(key)))), "")
    found.time = next((record[key] for key in _TIMES if record.get(key) is not None), None)
    found.pair = next((text_of(record[key]) for key in ("custom_id", "request_id", "requestId") if isinstance(record.get(key), str)), "")
    return found


def _name(value: Any) -> str:
    return text_of(value.get("id")) if isinstance(value, dict) else str(value) if isinstance(value, str | int) and value else ""


def _body(record: dict[str, Any], keys: tuple[str, ...], fits: Any) -> dict[str, Any] | None:
    """The first value under these keys, or one level inside it, that fits; JSON text is opened."""
    for key in keys:
        value = _opened(record.get(key))
        if not isinstance(value, dict):
            continue
        if fits(value):
            return value
        for inner in _INNER:
            body = _opened(value.get(inner))
            if isinstance(body, dict) and fits(body):
                return body
    return None


def _opened(value: Any) -> Any:
    if isinstance(value, str) and value[:1] == "{":
        return decode(value.encode("utf-8", "replace"))[0]
    return value
