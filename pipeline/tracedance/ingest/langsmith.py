"""Runs exported from LangSmith: one a line, in a list, or nested in their parents by `child_runs`.

The `llm` runs hold the messages; chains, prompts and parsers around them repeat these. A `tool` run knows its result where the trace ended
before the model saw it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tracedance.ingest.building import About, text_of
from tracedance.ingest.calls import Call, Growing, answered, messages_of, sessions
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.messages import Message, definitions, moment
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.spans import Ran, by_tools, complete, plain, shown
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_QUIET = frozenset(("chain", "prompt", "parser", "retriever", "embedding"))
_PLACES = frozenset(("trace_id", "dotted_order", "parent_run_id", "session_id", "session_name", "child_runs"))
_THREADS = ("thread_id", "session_id", "conversation_id")
_DEEPEST = 50


@dataclass
class _Trace:
    runs: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    thread: str = ""


def recognises(opening: Opening) -> bool:
    """One of the first records is a run."""
    return any(_is_run(record) for value in (opening.value, *opening.records) for record in _spread(value))


def _is_run(record: Any) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("run_type"), str):
        return False
    return "inputs" in record and not _PLACES.isdisjoint(record)


def _spread(value: Any) -> Iterator[Any]:
    """The runs of one value."""
    if isinstance(value, dict) and isinstance(value.get("runs"), list) and "run_type" not in value:
        value = value["runs"]
    for record in value if isinstance(value, list) else (value,):
        yield from _below(record, 0)


def _below(record: Any, depth: int) -> Iterator[Any]:
    yield record
    children = record.get("child_runs") if isinstance(record, dict) else None
    if isinstance(children, list) and depth < _DEEPEST:
        for child in children:
            yield from _below(child, depth + 1)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file: one for each conversation of a trace, or of a thread of traces."""
    traces: dict[str, _Trace] = {}
    for ordinal, value in values(lines, tally):
        tally.seen -= 1
        above = ""
        for record in _spread(value):
            tally.seen += 1
            if not isinstance(record, dict):
                tally.lose("not a JSON object", ordinal)
                continue
            identity = text_of(record.get("trace_id")) or (above if record.get("parent_run_id") else "") or text_of(record.get("id"))
            above = identity
            trace = traces.setdefault(identity, _Trace())
            trace.thread = trace.thread or _thread(record)
            trace.runs.append((ordinal, record))
    for identity, trace in traces.items():
        trace.thread = trace.thread or identity
        trace.runs.sort(key=lambda entry: _when(entry[1]))
    return _sessions(traces, tally, redactor)


def _sessions(traces: dict[str, _Trace], tally: Tally, redactor: Redactor) -> list[Session]:
    growing = Growing()
    ran: dict[str, list[Ran]] = {}
    for trace in sorted(traces.values(), key=lambda trace: _when(trace.runs[0][1])):
        tools: list[Ran] = []
        calls = list(_calls(trace, tools, tally))
        silent = [] if calls else _without_model(trace, tools)
        if silent and not tools:
            tally.ignore(-1)  # The root, which stands for its model here, was taken for a repetition.
            tally.keep()
        for call in calls or silent:
            call.thread = call.about.source_id = trace.thread
            growing.add(call)
        ran.setdefault(trace.thread, []).extend(tools)
    for call in growing.leaves:
        complete(call, list(ran.get(call.thread, ())))
    return sessions(growing.leaves, tally, redactor)


def _thread(record: dict[str, Any]) -> str:
    metadata = _at(record, "extra", "metadata")
    return next((text_of(metadata[key]) for key in _THREADS if isinstance(metadata, dict) and text_of(metadata.get(key))), "")


def _at(record: dict[str, Any], *path: str) -> Any:
    value: Any = record
    for key in path:
        value = plain(value.get(key)) if isinstance(value, dict) else None
    return value


def _when(record: dict[str, Any]) -> str:
    return moment(record.get("start_time"), record.get("dotted_order"))


def _calls(trace: _Trace, tools: list[Ran], tally: Tally) -> Iterator[Call]:
    """Calls of the model, in order; every run is counted here, and those of tools are collected."""
    for ordinal, run in trace.runs:
        kind = text_of(run.get("run_type"))
        if kind in ("llm", "chat_model"):
            call = _call(run, ordinal)
            if call.messages or call.answer:
                tally.keep()
                yield call
            else:
                tally.lose("run without messages", ordinal)
        elif kind == "tool":
            tally.keep()
            tools.append(_ran(run))
        elif kind in _QUIET:
            tally.ignore()
        else:
            tally.settle(f"unknown run {kind or 'without a type'}", ordinal)


def _call(run: dict[str, Any], ordinal: int) -> Call:
    inputs, outputs = _at(run, "inputs"), _at(run, "outputs")
    sent = inputs if isinstance(inputs, dict) else {}
    parameters = _at(run, "extra", "invocation_params")
    parameters = parameters if isinstance(parameters, dict) else {}
    about = _about(run)
    about.tools = definitions(sent.get("tools", parameters.get("tools")))
    if about.tools is None and parameters:
        about.tools = []  # All parameters of the call are recorded, and tools are not among them.
    for system in (sent.get("system"), sent.get("instructions")):
        if isinstance(system, str | list):
            said = messages_of([{"role": "system", "content": system}])
            about.system = "\n\n".join(text for message in said for text in message.texts)
    before = next((sent[key] for key in ("messages", "input", "prompts", "prompt") if sent.get(key) is not None), None)
    named = _at(run, "extra", "metadata", "ls_model_name")
    model = next((text for text in (named, parameters.get("model"), sent.get("model")) if isinstance(text, str) and text), "")
    said = answered(_answer(outputs), model, moment(run.get("end_time"), run.get("start_time")))
    return Call(about, _user(before), said, ordinal)


def _about(run: dict[str, Any]) -> About:
    about = About("langsmith", harness="langsmith", setting="general_tool_use")
    versions = _at(run, "extra", "metadata", "lc_versions")
    about.version = text_of(versions.get("langchain-core")) if isinstance(versions, dict) else ""
    return about


def _user(sent: Any) -> list[Message]:
    """Messages as sent; bare texts are prompts of the user's."""
    if isinstance(sent, list) and all(isinstance(text, str) for text in sent):
        return [Message("user", [text]) for text in sent]
    return messages_of(sent)


def _answer(outputs: Any) -> Any:
    """The message in what a model's run returned: LangChain's generations, or a provider's response as the wrapped client gave it."""
    if not isinstance(outputs, dict):
        return None
    first = outputs.get("generations")
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, dict):
        text = first.get("text")
        return first.get("message") or ({"role": "assistant", "content": text} if text else None)
    choices = outputs.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0].get("message")
    if "role" in outputs or outputs.get("type") == "message":
        return outputs
    found = next((outputs[key] for key in ("message", "messages", "output", "content") if outputs.get(key) is not None), None)
    return {"role": "assistant", "content": found} if isinstance(found, str) else found


def _ran(run: dict[str, Any]) -> Ran:
    inputs, outputs = _at(run, "inputs"), _at(run, "outputs")
    arguments = plain(inputs.get("input")) if isinstance(inputs, dict) and set(inputs) == {"input"} else inputs
    identity = text_of(_at(run, "extra", "tool_call_id"))
    error = text_of(run.get("error"))
    return Ran(text_of(run.get("name")), arguments, shown(outputs or None) or error, True if error else None, identity, _when(run))


def _without_model(trace: _Trace, tools: list[Ran]) -> list[Call]:
    """Where no run of a model was exported: what its tools tell, else the messages that the trace's root returned."""
    ordinal, root = trace.runs[0]
    if tools:
        return [Call(_about(root), list(by_tools(tools)), [], ordinal)]
    for place in ("outputs", "inputs") if text_of(root.get("run_type")) in _QUIET else ():
        found = _at(root, place, "messages")
        if isinstance(found, list) and found:
            return [Call(_about(root), messages_of(found), [], ordinal)]
    return []


SOURCE = Source("langsmith", recognises, read)
