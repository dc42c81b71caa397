"""Spans and log records of OpenTelemetry, in each of the forms that exporters write them as JSON.

OTLP (`resourceSpans`, `resourceLogs`), one document or one a line; the spans that the JavaScript and the Python console exporters print,
one a line or in lists; Phoenix's rows with dotted columns. Attributes become a tree, in which `llm.tools.0` lies at `llm`, `tools`, `0`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical

Tree = dict[str, Any]

_SPANS = ("resourceSpans", "resource_spans")
_LOGS = ("resourceLogs", "resource_logs")
_METRICS = ("resourceMetrics", "resource_metrics")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs", "scope_logs")
_DEPTH = 32
"""Nesting of attribute values beyond which they are left as JSON text."""


@dataclass(slots=True)
class Event:
    """A log record, or an event of a span."""

    name: str
    body: Any
    attributes: Tree
    time: int = 0
    trace: str = ""
    span: str = ""
    resource: Tree = field(default_factory=dict)


@dataclass(slots=True)
class Span:
    """A span, its attributes as a tree."""

    name: str
    trace: str
    id: str
    parent: str
    start: int
    """Nanoseconds since 1970, 0 where unknown."""
    attributes: Tree
    events: list[Event]
    failed: bool
    said: str
    """The message of a failed status."""
    scope: str
    resource: Tree


def is_telemetry(opening: Opening) -> bool:
    """Whether the file holds spans or log records of OpenTelemetry in a form that is read here."""
    return any(_is_container(value) for value in (opening.value, *opening.records[:5]))


def _is_container(value: Any, depth: int = 0) -> bool:
    if isinstance(value, list):
        return bool(value) and depth < 2 and _is_container(value[0], depth + 1)
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(key), list) for key in (*_SPANS, *_LOGS, *_METRICS)) or _is_span(value) or _is_log(value):
        return True
    return bool(value) and depth == 0 and all(isinstance(item, list) and _is_container(item, 1) for item in value.values())


def _is_span(value: dict[str, Any]) -> bool:
    context = value.get("spanContext", value.get("context"))
    known = isinstance(context, dict) and any(isinstance(context.get(key), str) for key in ("traceId", "trace_id"))
    return isinstance(value.get("name"), str) and (known or isinstance(value.get("context.trace_id"), str))


def _is_log(value: dict[str, Any]) -> bool:
    return "body" in value and "trace_id" in value and ("severity_number" in value or "observed_timestamp" in value)


def records(lines: Lines, tally: Tally) -> Iterator[tuple[int, Span | Event]]:
    """Every span and log record with its ordinal in the file. Each is counted as seen; metrics are ignored, what is neither is lost."""
    count = 0
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in spans and log records.
        for record in _walk(value):
            tally.seen += 1
            if record == "metric":
                tally.ignore()
            elif isinstance(record, str):
                tally.lose(record, ordinal)
            else:
                yield count, record
            count += 1


def _walk(value: Any, depth: int = 0) -> Iterator[Span | Event | str]:
    """The records of one JSON value; a text says why something is none."""
    if isinstance(value, list) and depth < 2:
        for item in value:
            yield from _walk(item, depth + 1)
    elif not isinstance(value, dict):
        yield "not a JSON object"
    elif any(key in value for key in (*_SPANS, *_LOGS, *_METRICS)):
        yield from _resources(value)
    elif _is_span(value):
        yield _span(value, _tree(_under(value, "resource")), "")
    elif _is_log(value):
        yield _event(value, _tree(_under(value, "resource")))
    elif value and depth == 0 and all(isinstance(item, list) for item in value.values()):
        for item in value.values():
            yield from _walk(item, 1)
    else:
        yield "neither span nor log record"


def _resources(value: dict[str, Any]) -> Iterator[Span | Event | str]:
    for kind in (*_SPANS, *_LOGS, *_METRICS):
        for holder in _dicts(value.get(kind)):
            resource = _tree(_under(holder, "resource"))
            if kind in _METRICS:
                yield "metric"
            for scoped in (scoped for key in _SCOPES for scoped in _dicts(holder.get(key))):
                scope = text_of(scoped["scope"].get("name")) if isinstance(scoped.get("scope"), dict) else ""
                for item in _items(scoped.get("spans")):
                    yield _span(item, resource, scope) if isinstance(item, dict) else "not a JSON object"
                for item in _items(scoped.get("logRecords", scoped.get("log_records"))):
                    yield _event(item, resource) if isinstance(item, dict) else "not a JSON object"


def _span(value: dict[str, Any], resource: Tree, scope: str) -> Span:
    context = value.get("spanContext", value.get("context"))
    context = context if isinstance(context, dict) else value
    attributes = value.get("attributes")
    if not isinstance(attributes, list | dict):
        attributes = {key[11:]: item for key, item in value.items() if key.startswith("attributes.")}
    status = value.get("status")
    status = status if isinstance(status, dict) else {"code": value.get("status_code"), "message": value.get("status_message")}
    code = status.get("code", status.get("status_code"))
    return Span(
        name=text_of(value.get("name")),
        trace=_named(context, "traceId", "trace_id", "context.trace_id"),
        id=_named(context, "spanId", "span_id", "context.span_id"),
        parent=_named(value, "parentSpanId", "parent_span_id", "parent_id", "parentId") or _above(value),
        start=_nanoseconds(
            next((value[key] for key in ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time") if key in value), 0)
        ),
        attributes=_tree(attributes),
        events=[_event(event, resource) for event in _dicts(value.get("events"))],
        failed=code in (2, "STATUS_CODE_ERROR", "ERROR"),
        said=_named(status, "message", "description"),
        scope=scope or _scope(value),
        resource=resource,
    )


def _above(value: dict[str, Any]) -> str:
    above = value.get("parentSpanContext")
    return text_of(above.get("spanId")) if isinstance(above, dict) else ""


def _scope(value: dict[str, Any]) -> str:
    scope = value.get("instrumentationScope", value.get("scope"))
    return text_of(scope.get("name")) if isinstance(scope, dict) else ""


def _event(value: dict[str, Any], resource: Tree) -> Event:
    attributes = _tree(value.get("attributes"))
    time = next((value[key] for key in ("timeUnixNano", "time_unix_nano", "time", "timestamp") if value.get(key)), 0)
    return Event(
        name=_named(value, "eventName", "event_name", "name") or text_of(look(attributes, "event", "name")),
        body=_plain(value.get("body")),
        attributes=attributes,
        time=_nanoseconds(time),
        trace=_named(value, "traceId", "trace_id"),
        span=_named(value, "spanId", "span_id"),
        resource=resource,
    )


def look(tree: Any, *path: str) -> Any:
    """What lies at a path of the tree, None where nothing does; of a name that has a value and names below it, the value lies at ""."""
    for step in path:
        tree = tree.get(step) if isinstance(tree, dict) else None
    return tree.get("", tree) if isinstance(tree, dict) else tree


def listed(value: Any) -> list[Any]:
    """A list, or what lies at `0`, `1`, ... of a tree, in order."""
    if isinstance(value, dict):
        numbers = sorted((int(key), key) for key in value if key.isascii() and key.isdecimal() and len(key) < 9)
        return [value[key] for _, key in numbers]
    return value if isinstance(value, list) else []


def iso(nanoseconds: int) -> str:
    """A time as ISO 8601 in UTC, "" where unknown."""
    try:
        return datetime.fromtimestamp(nanoseconds // 1000 / 1e6, UTC).isoformat() if nanoseconds > 0 else ""
    except (OverflowError, ValueError, OSError):
        return ""


def _nanoseconds(value: Any) -> int:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) and part < 2**62 for part in value):
        return int(value[0] * 10**9 + value[1])
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 25:
        return int(value)
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return 0
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 10**6) * 1000
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**80:
        # Phoenix writes milliseconds.
        return value if value > 10**15 else value * 10**6
    return 0


def _tree(attributes: Any) -> Tree:
    tree: Tree = {}
    if isinstance(attributes, list):
        pairs = [(text_of(item.get("key")), _plain(item.get("value"))) for item in attributes if isinstance(item, dict)]
    else:
        pairs = list(attributes.items()) if isinstance(attributes, dict) else []
    for key, value in pairs:
        steps = key.split(".", _DEPTH)
        node = tree
        for step in steps[:-1]:
            below = node.get(step)
            if not isinstance(below, dict):
                below = node[step] = {} if below is None else {"": below}
            node = below
        held = node.get(steps[-1])
        if isinstance(held, dict):
            held.update(value if isinstance(value, dict) else {"": value})
        else:
            node[steps[-1]] = dict(value) if isinstance(value, dict) else value
    return tree


def _plain(value: Any, depth: int = 0) -> Any:
    """The value of an OTLP `AnyValue`; anything else as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, inner), *_ = value.items()
    kind = kind.replace("_value", "Value")
    if depth > _DEPTH:
        return canonical(inner)
    if kind == "arrayValue" and isinstance(inner, dict):
        return [_plain(item, depth + 1) for item in _items(inner.get("values"))]
    if kind == "kvlistValue" and isinstance(inner, dict):
        return {text_of(item.get("key")): _plain(item.get("value"), depth + 1) for item in _dicts(inner.get("values"))}
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdecimal() and len(inner) < 25:
        return int(inner)
    return inner if kind in ("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue") else value


def _under(value: dict[str, Any], key: str) -> Any:
    inner = value.get(key)
    return inner.get("attributes", inner.get("_attributes")) if isinstance(inner, dict) else None


def _named(value: Mapping[str, Any], *keys: str) -> str:
    return next((text for key in keys if (text := text_of(value.get(key)))), "")


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in _items(value) if isinstance(item, dict)]


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
