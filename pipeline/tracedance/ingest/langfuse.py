"""Traces and observations exported from Langfuse: a trace with its observations, a list of traces, or observations one a line or in a list.

Generations hold the messages, in the form of whatever integration wrote them; inputs and outputs may be JSON inside a text. What lies
around them repeats these; an observation of a tool knows its result where the trace ended before the model saw it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, Growing, answered, messages_of, sessions
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.spans import Ran, by_tools, complete, plain, shown
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, ToolDefinition

_KINDS = frozenset(["GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"])
_OWN = frozenset(("projectId", "htmlPath", "sessionId", "bookmarked", "userId", "release", "scores"))
_WRAPPERS = ("data", "traces", "observations")


@dataclass
class _Trace:
    observations: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    session: str = ""
    said: tuple[int, Any, Any] | None = None
    """Line, input and output of the trace itself."""
    records: int = 0
    """How often the trace itself was found."""


def recognises(opening: Opening) -> bool:
    """One of the first records is a trace with observations, or an observation."""
    return any(_is_trace(record) or _is_observation(record) for value in (opening.value, *opening.records) for record in _spread(value))


def _is_trace(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("observations"), list) and "id" in record and not _OWN.isdisjoint(record)


def _is_observation(record: Any) -> bool:
    if not isinstance(record, dict) or text_of(record.get("type")).upper() not in _KINDS:
        return False
    return ("traceId" in record or "trace_id" in record) and ("startTime" in record or "start_time" in record) and "span_data" not in record


def _spread(value: Any) -> Iterator[Any]:
    """The traces and observations of one value, a trace's observations after it."""
    if isinstance(value, dict) and "id" not in value:
        value = next((value[key] for key in _WRAPPERS if isinstance(value.get(key), list)), value)
    if isinstance(value, dict) and isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list):
        value = {**value["trace"], "observations": value["observations"]}
    for record in value if isinstance(value, list) else (value,):
        yield record
        if isinstance(record, dict) and isinstance(record.get("observations"), list):
            for observation in record["observations"]:
                yield {"traceId": record.get("id"), **observation} if isinstance(observation, dict) else observation


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file: one for each conversation of a trace, or of a session of traces."""
    traces: dict[str, _Trace] = {}
    for ordinal, value in values(lines, tally):
        tally.seen -= 1
        for record in _spread(value):
            tally.seen += 1
            if isinstance(record, dict):
                _file(traces, record, ordinal)
            else:
                tally.lose("not a JSON object", ordinal)
    growing = Growing()
    ran: dict[str, list[Ran]] = {}
    for trace in traces.values():
        trace.observations.sort(key=lambda entry: _time(entry[1], "start"))
    for identity, trace in sorted(traces.items(), key=lambda item: _began(item[1])):
        thread = trace.session or identity
        tools: list[Ran] = []
        calls = list(_calls(trace, tools, tally))
        silent = [] if calls else _without_model(trace, tools)
        spoke = min(trace.records, 1) if silent else 0
        tally.keep(spoke)
        tally.ignore(trace.records - spoke)
        for call in calls or silent:
            call.thread = call.about.source_id = thread
            growing.add(call)
        ran.setdefault(thread, []).extend(tools)
    for call in growing.leaves:
        complete(call, list(ran.get(call.thread, ())))
    return sessions(growing.leaves, tally, redactor)


def _file(traces: dict[str, _Trace], record: dict[str, Any], ordinal: int) -> None:
    if "traceId" in record or "trace_id" in record:
        trace = traces.setdefault(text_of(record.get("traceId")) or text_of(record.get("trace_id")), _Trace())
        trace.observations.append((ordinal, record))
    else:
        trace = traces.setdefault(text_of(record.get("id")), _Trace())
        trace.records += 1
        trace.said = (ordinal, plain(record.get("input")), plain(record.get("output")))
    trace.session = trace.session or text_of(record.get("sessionId")) or text_of(record.get("session_id"))


def _began(trace: _Trace) -> str:
    return _time(trace.observations[0][1], "start") if trace.observations else ""


def _time(record: dict[str, Any], which: str) -> str:
    return moment(record.get(f"{which}Time"), record.get(f"{which}_time"))


def _calls(trace: _Trace, tools: list[Ran], tally: Tally) -> Iterator[Call]:
    """Calls of the model, in order; every observation is counted here, and those of tools are collected."""
    for ordinal, record in trace.observations:
        kind = text_of(record.get("type")).upper()
        if kind == "GENERATION":
            call = _generation(record, ordinal)
            if call.messages or call.answer:
                tally.keep()
                yield call
            else:
                tally.lose("generation without messages", ordinal)
        elif kind == "TOOL":
            tally.keep()
            tools.append(_ran(record))
        elif kind in _KINDS:
            tally.ignore()
        else:
            tally.settle(f"unknown observation {kind or 'without a type'}", ordinal)


def _generation(record: dict[str, Any], ordinal: int) -> Call:
    about = _about()
    messages, about.tools, system = _sent(plain(record.get("input")))
    about.system = system
    output = plain(record.get("output"))
    if isinstance(output, dict) and isinstance(output.get("choices"), list):
        output = next((choice.get("message") for choice in output["choices"] if isinstance(choice, dict)), None)
    if isinstance(output, str) or (isinstance(output, dict) and "role" not in output and "type" not in output and "lc" not in output):
        output = {"role": "assistant", **(output if isinstance(output, dict) and "content" in output else {"content": output})}
    model = text_of(record.get("model")) or text_of(record.get("providedModelName"))
    time = _time(record, "end") or _time(record, "start")
    return Call(about, messages_of(messages), answered(output, model, time), ordinal)


def _about() -> About:
    # The version of the user's own application, where they set one, is no harness's.
    return About("langfuse", harness="langfuse", setting="general_tool_use")


def _sent(sent: Any) -> tuple[Any, list[ToolDefinition] | None, str | None]:
    """Messages, tools and system prompt of an input."""
    tools: Any = None
    system: str | None = None
    if isinstance(sent, dict) and "role" not in sent:
        tools = sent.get("tools", sent.get("functions"))
        system = next((sent[key] for key in ("instructions", "system") if isinstance(sent.get(key), str)), None)
        inner = next((sent[key] for key in ("messages", "input", "prompt", "prompts") if sent.get(key) is not None), None)
        sent = inner if inner is not None or tools is not None or system is not None else {"role": "user", "content": sent}
    if isinstance(sent, list):
        offered = [item["content"] for item in sent if _is_offer(item)]
        # The integration of LangChain writes the tools behind the messages, as messages of the role `tool`.
        sent = [item for item in sent if not _is_offer(item)]
        tools = offered or tools
    return sent, definitions(tools), system


def _is_offer(item: Any) -> bool:
    content = item.get("content") if isinstance(item, dict) and item.get("role") == "tool" and "tool_call_id" not in item else None
    return isinstance(content, dict) and (isinstance(content.get("function"), dict) or "input_schema" in content)


def _ran(record: dict[str, Any]) -> Ran:
    failed = True if text_of(record.get("level")).upper() == "ERROR" else None
    text = shown(plain(record.get("output"))) or text_of(record.get("statusMessage")) or text_of(record.get("status_message"))
    return Ran(text_of(record.get("name")), plain(record.get("input")), text, failed, time=_time(record, "start"))


def _without_model(trace: _Trace, tools: list[Ran]) -> list[Call]:
    """Where no generation was exported: what the trace itself was given and returned, else what its tools tell."""
    if trace.said is not None:
        ordinal, sent, returned = trace.said
        call = _generation({"input": sent, "output": returned}, ordinal) if sent is not None or returned is not None else None
        if call is not None and (call.messages or call.answer):
            return [call]
    return [Call(_about(), list(by_tools(tools)), [], trace.observations[0][0])] if tools else []


SOURCE = Source("langfuse", recognises, read)
