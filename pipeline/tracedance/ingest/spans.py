"""What the tracing platforms share: a tool's own span knows results that no later call of the model sent on."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tracedance.ingest.calls import Call, messages_of
from tracedance.ingest.documents import decode
from tracedance.ingest.messages import Answered, Asked, Message
from tracedance.kit.chain import canonical


@dataclass(slots=True)
class Ran:
    """A tool that ran, as its own span says."""

    name: str
    arguments: Any
    text: str
    failed: bool | None = None
    id: str = ""
    """Of the call; "" where the span does not name it."""
    time: str = ""
    key: str = field(init=False)
    """Equal for equal arguments."""

    def __post_init__(self) -> None:
        self.key = canonical(self.arguments)


def complete(call: Call, ran: list[Ran]) -> None:
    """Add results that are missing in a call's messages, and the failures that their spans know. Each span serves once.

    Calls of parallel branches look alike, so a span is matched by id, else by name and arguments, in order.
    """
    said = [*call.messages, *call.answer]
    results = {result.id: result for message in said for result in message.results}
    missing: list[Answered] = []
    for asked in (asked for message in said for asked in message.calls):
        span = _of(asked, ran)
        if span is None:
            continue
        ran.remove(span)
        known = results.get(asked.id)
        if known is None:
            missing.append(Answered(asked.id, span.text, span.failed))
        elif span.failed and known.failed is None:
            known.failed = True
    if missing:
        call.answer = [*call.answer, Message("tool", results=missing)]


def _of(asked: Asked, ran: list[Ran]) -> Ran | None:
    named = next((span for span in ran if span.id and span.id == asked.id), None)
    if named is not None:
        return named
    key = canonical(asked.arguments)
    return next((span for span in ran if not span.id and span.name == asked.name and span.key == key), None)


def by_tools(ran: list[Ran]) -> Iterator[Message]:
    """The turns that tools' spans alone tell of, where no answer of the model was recorded."""
    for number, span in enumerate(ran):
        identity = span.id or f"span-{number}"
        yield Message("assistant", calls=[Asked(identity, span.name, span.arguments)], time=span.time)
        yield Message("tool", results=[Answered(identity, span.text, span.failed)])


def plain(value: Any) -> Any:
    """A value, opened where it is JSON text of an object or a list: platforms store both."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        inner, reason = decode(value.encode("utf-8", "replace"))
        return value if reason else inner
    return value


def shown(value: Any) -> str:
    """What a tool's span returned, as a text."""
    if isinstance(value, dict) and set(value) == {"output"}:
        value = value["output"]
    if isinstance(value, dict | list):
        said = messages_of(value)
        texts = [result.text for message in said for result in message.results]
        return "\n".join(texts) if texts else canonical(value)
    return value if isinstance(value, str) else "" if value is None else canonical(value)
