"""Traces of OpenAI's Agents SDK as its exporters write them: a trace and its spans, one a line, in a list, or in the payload that it posts.

Generation spans hold the messages. Response spans hold an id alone, a named loss, unless an exporter adds `input` and `response`.
Tool definitions are recorded in responses only; an agent's span has bare names.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, Growing, answered, messages_of, sessions
from tracedance.ingest.content import parsed
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.spans import Ran, by_tools, complete
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_QUIET = frozenset(("agent", "handoff", "guardrail", "custom", "task", "turn", "mcp_tools", "speech_group", "speech", "transcription"))
"""Spans whose content stands in others, or which have none."""


@dataclass
class _Trace:
    thread: str = ""
    spans: list[tuple[int, dict[str, Any], dict[str, Any]]] = field(default_factory=list)


def recognises(opening: Opening) -> bool:
    """One of the first records is a trace or a span of this SDK."""
    return any(_is_record(record) for value in (opening.value, *opening.records) for record in _spread(value))


def _is_record(record: Any) -> bool:
    if not isinstance(record, dict):
        return False
    if record.get("object") == "trace":
        return "workflow_name" in record or "group_id" in record
    return record.get("object") == "trace.span" and "span_data" in record


def _spread(value: Any) -> Iterator[Any]:
    """Records of one value: a list of them, the payload `{"data": [...]}`, and spans inside their trace."""
    if isinstance(value, dict) and isinstance(value.get("data"), list) and "object" not in value:
        value = value["data"]
    for record in value if isinstance(value, list) else (value,):
        yield record
        if isinstance(record, dict) and isinstance(record.get("spans"), list):
            yield from record["spans"]


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file: one for each conversation of a trace, or of a group of traces."""
    traces: dict[str, _Trace] = {}
    for ordinal, value in values(lines, tally):
        tally.seen -= 1
        for record in _spread(value):
            tally.seen += 1
            if not isinstance(record, dict):
                tally.lose("not a JSON object", ordinal)
            else:
                _file(traces, record, ordinal, tally)
    growing = Growing()
    ordered = sorted(traces.values(), key=lambda trace: min((text_of(span.get("started_at")) for _, span, _ in trace.spans), default=""))
    calls = [call for trace in ordered for call in _calls(trace, tally)]
    for call in calls:
        growing.add(call)
    for call in growing.leaves:
        complete(call, [span for trace in traces.values() if trace.thread == call.thread for span in _ran(trace)])
    return sessions([*growing.leaves, *_silent(traces, calls)], tally, redactor)


def _file(traces: dict[str, _Trace], record: dict[str, Any], ordinal: int, tally: Tally) -> None:
    kind = record.get("object")
    data = record.get("span_data")
    identity = text_of(record.get("id" if kind == "trace" else "trace_id"))
    if kind == "trace":
        trace = traces.setdefault(identity, _Trace())
        trace.thread = text_of(record.get("group_id")) or identity
        tally.ignore()
    elif kind == "trace.span" and isinstance(data, dict):
        trace = traces.setdefault(identity, _Trace(identity))
        trace.spans.append((ordinal, record, data))
    elif kind == "trace.span":
        tally.lose("span without data", ordinal)
    else:
        tally.settle(f"unknown {text_of(kind) or 'record without a type'}", ordinal)


def _calls(trace: _Trace, tally: Tally) -> Iterator[Call]:
    """Calls of the model in a trace, in order of time; every span is counted here."""
    for ordinal, span, data in sorted(trace.spans, key=lambda entry: text_of(entry[1].get("started_at"))):
        kind = text_of(data.get("type"))
        call = _generation(data) if kind == "generation" else _response(data) if kind == "response" else None
        if call is not None and (call.messages or call.answer):
            call.ordinal, call.thread, call.about.source_id = ordinal, trace.thread, trace.thread
            time = moment(span.get("ended_at"), span.get("started_at"))
            for message in call.answer:
                message.time = message.time or time
            tally.keep()
            yield call
        elif kind == "function":
            tally.keep()
        elif kind == "generation":
            tally.ignore()
        elif kind == "response":
            tally.lose("response span without its content", ordinal)
        elif kind in _QUIET:
            tally.ignore()
        else:
            tally.settle(f"unknown span {kind or 'without a type'}", ordinal)


def _about() -> About:
    return About("openai_agents", harness="openai_agents", setting="general_tool_use")


def _generation(data: dict[str, Any]) -> Call:
    model = text_of(data.get("model"))
    return Call(_about(), messages_of(data.get("input")), answered(data.get("output"), model, ""))


def _response(data: dict[str, Any]) -> Call:
    inner = data.get("response")
    response = inner if isinstance(inner, dict) else {}
    about = _about()
    about.tools = definitions(response.get("tools"))
    instructions = response.get("instructions")
    about.system = instructions if isinstance(instructions, str) else None
    answer = answered(response.get("output"), text_of(response.get("model")), moment(response.get("created_at")))
    return Call(about, messages_of(data.get("input")), answer)


def _ran(trace: _Trace) -> Iterator[Ran]:
    for _, span, data in sorted(trace.spans, key=lambda entry: text_of(entry[1].get("started_at"))):
        if data.get("type") == "function":
            error = span.get("error")
            text = text_of(data.get("output")) or (text_of(error.get("message")) if isinstance(error, dict) else "")
            arguments = parsed(data.get("input"))
            yield Ran(text_of(data.get("name")), arguments, text, True if error else None, time=moment(span.get("started_at")))


def _silent(traces: dict[str, _Trace], calls: list[Call]) -> Iterator[Call]:
    """Traces without a word of the model's: what their tools' spans tell."""
    spoken = {call.thread for call in calls}
    for trace in traces.values():
        ran = list(_ran(trace))
        if ran and trace.thread not in spoken:
            about = _about()
            about.source_id = trace.thread
            yield Call(about, list(by_tools(ran)), [], trace.spans[0][0], trace.thread)


SOURCE = Source("openai_agents", recognises, read)
