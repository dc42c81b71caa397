"""The transcript of an Inspect sample: which model wrote what and when, which tools it was offered, and who called it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tracedance.ingest.building import text_of
from tracedance.ingest.chat_messages import Answer, Asked, Message, chat, definitions, shown
from tracedance.ingest.figures import Tokens
from tracedance.ingest.model_calls import Key, Work, key_of

_REFERENCE = "attachment://"
_DEPTH = 64
_READ = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


def _tokens(usage: Any) -> Tokens | None:
    return Tokens([usage.get(name) for name in _READ], usage.get("output_tokens")) if isinstance(usage, dict) else None


class Made(NamedTuple):
    """Who wrote a message, and when."""

    model: str
    time: str
    tokens: Tokens | None = None


class Transcript:
    """The events of one sample, read once."""

    def __init__(self, sample: dict[str, Any]) -> None:
        older = sample.get("transcript")
        older = older if isinstance(older, dict) else {}
        attachments = sample.get("attachments", older.get("content"))
        self._attachments: dict[str, Any] = attachments if isinstance(attachments, dict) else {}
        data = sample.get("events_data")
        pool = data.get("messages") if isinstance(data, dict) else sample.get("message_pool")
        self._pool = pool if isinstance(pool, list) else []
        self.count = 0
        """Events, nested ones included."""
        self.works: list[tuple[Work, str]] = []
        """Calls of models outside scorers, each with the id of the message that came of it."""
        self.runs: list[Work] = []
        """Runs of tools."""
        self.times: dict[str, str] = {}
        """When tools ran, by call id."""
        self._made: dict[str | Key, Made] = {}
        self._spans: dict[str, tuple[str, str, str]] = {}
        """Parent, type and name by span id."""
        self._steps: list[str] = []
        """Types of the steps that are open, in logs from before there were spans."""
        for event, around in _flat(sample.get("events", older.get("events"))):
            self.count += 1
            self._event(event, around)

    def made(self, identity: str, message: Message) -> Made | None:
        """Who wrote this message of an assistant's, by its id, or by what it says in logs without ids."""
        if message.role != "assistant":
            return None
        return self._made.get(identity) or self._made.get(key_of(message))

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """`value` with references to attachments replaced by what they stand for."""
        if isinstance(value, str):
            return self._attachments.get(value[len(_REFERENCE) :], value) if value.startswith(_REFERENCE) else value
        if depth > _DEPTH:
            return value
        if isinstance(value, dict):
            return {key: self.resolved(item, depth + 1) for key, item in value.items()}
        return [self.resolved(item, depth + 1) for item in value] if isinstance(value, list) else value

    def _event(self, event: Any, around: str) -> None:
        if not isinstance(event, dict):
            return
        kind = event.get("event")
        if kind == "span_begin":
            self._spans[text_of(event.get("id"))] = (
                text_of(event.get("parent_id")),
                text_of(event.get("type")),
                text_of(event.get("name")),
            )
        elif kind == "step":
            if event.get("action") == "begin":
                self._steps.append(text_of(event.get("type")))
            elif self._steps:
                self._steps.pop()
        elif kind == "tool":
            self._tool(event, around)
        elif kind == "model":
            self._model(event, around)

    def _model(self, event: dict[str, Any], around: str) -> None:
        spans = list(self._around(text_of(event.get("span_id"))))
        if "scorer" in self._steps or any(kind in ("scorer", "scorers") for _, kind, _ in spans):
            return
        output = event.get("output")
        output = output if isinstance(output, dict) else {}
        work = Work("model", ordinal=self.count, time=text_of(event.get("timestamp")))
        work.model = text_of(output.get("model")) or text_of(event.get("model"))
        work.scope, work.agent = _agent(spans, around)
        work.inputs = [chat(self.resolved(entry)) for entry in self._input(event) if isinstance(entry, dict)]
        work.tools = definitions(self.resolved(event.get("tools"))) or []
        choices = output.get("choices")
        messages = [choice.get("message") for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        entries: list[dict[str, Any]] = [message for message in messages if isinstance(message, dict)]
        work.outputs = [chat(self.resolved(entry), "assistant") for entry in entries[:1]]
        identity = text_of(entries[0].get("id")) if entries else ""
        work.tokens = _tokens(output.get("usage"))
        made = Made(work.model, work.time, work.tokens)
        for message in work.outputs:
            self._made.setdefault(key_of(message), made)
        if identity:
            self._made.setdefault(identity, made)
        self.works.append((work, identity))

    def _tool(self, event: dict[str, Any], around: str) -> None:
        identity, error = text_of(event.get("id")), event.get("error")
        self.times[identity] = text_of(event.get("timestamp"))
        work = Work(
            "tool",
            ordinal=self.count,
            time=self.times[identity],
            asked=Asked(identity, text_of(event.get("function")), event.get("arguments")),
        )
        work.scope, work.agent = _agent(list(self._around(text_of(event.get("span_id")))), around)
        said = text_of(error.get("message")) if isinstance(error, dict) else ""
        work.answer = Answer(identity, shown(self.resolved(event.get("result"))) or said, True if error else None)
        self.runs.append(work)

    def _input(self, event: dict[str, Any]) -> list[Any]:
        """The messages that were sent: as they are, or as ranges of the sample's pool."""
        references = event.get("input_refs")
        entries = event.get("input")
        if isinstance(references, list) and self._pool:
            ranges = [
                pair for pair in references if isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, int) for end in pair)
            ]
            return [entry for start, end in ranges for entry in self._pool[max(start, 0) : max(end, 0)]]
        return entries if isinstance(entries, list) else []

    def _around(self, identity: str) -> Iterator[tuple[str, str, str]]:
        """Id, type and name of a span and of those around it, the innermost first."""
        for _ in range(_DEPTH):
            if identity not in self._spans:
                return
            parent, kind, name = self._spans[identity]
            yield identity, kind, name
            identity = parent


def _agent(spans: list[tuple[str, str, str]], around: str) -> tuple[str, str]:
    """Id and name of the innermost agent around an event; in older logs, the subtask that it lies in."""
    return next(((identity, name) for identity, kind, name in spans if kind == "agent"), (around, around))


def _flat(events: Any, around: str = "", depth: int = 0) -> Iterator[tuple[Any, str]]:
    """Events in order, each with the name of the subtask that it lies in."""
    for event in events if isinstance(events, list) else ():
        yield event, around
        inner = event.get("events") if isinstance(event, dict) and depth < _DEPTH else None
        if isinstance(inner, list):
            yield from _flat(inner, text_of(event.get("name")) or text_of(event.get("function")) or around, depth + 1)
