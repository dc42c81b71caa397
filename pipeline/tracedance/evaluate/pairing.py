"""A recorded conversation as any provider takes it: who speaks, in turns, and every call answered right behind it, under ids of our own.

What is missing or out of place is put right and written down. What cannot be put right without inventing what happened is Unrenderable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tracedance.schema import CallMade, Message

NO_TEXT = "[no text]"
"""Stands for a message without any text (an image, say): providers refuse empty ones."""
NO_RESULT = "[no result was recorded]"
ORPHAN = "[result of an earlier tool call]\n"
BEFORE = "[the conversation began before this point]"
THOUGHTS = re.compile(r"\s*<(think|thinking)>.*?</\1>\s*", re.DOTALL)
"""Reasoning that open models write into their text; another model would take it for its own."""


class Unrenderable(Exception):
    """A context that no request can be made of; the text is the reason, one word of `REASONS`."""


REASONS = {
    "no_messages": "the context holds nothing but a system prompt",
    "ends_with_the_agent": "the context ends with an assistant turn, and providers answer users and tools only",
    "open_call": "a call at the end of the context has no result: what the agent knew is not known",
    "too_many_tools": "more than 128 tools are offered",
    "too_long": "the context is longer than a model's window",
}


@dataclass(frozen=True)
class Repair:
    """One thing that was put right."""

    what: str
    message: int
    """Index of the recorded message; -1 for a tool definition."""
    detail: str = ""


@dataclass
class Log:
    """The repairs of one context."""

    repairs: list[Repair] = field(default_factory=list)

    def note(self, what: str, message: int, detail: str = "") -> None:
        self.repairs.append(Repair(what, message, detail[:80]))


def paired(messages: Sequence[Message], log: Log) -> list[Message]:
    """The messages after the system prompt, in turns, each call answered. Raises Unrenderable."""
    spoken = [(place, cleaned(message, place, log)) for place, message in enumerate(messages) if message.role != "system"]
    if not spoken:
        raise Unrenderable("no_messages")
    made = list(joined(answered(spoken, log), log))
    if made[0][1].role == "assistant":
        log.note("opening_added", made[0][0])
        made.insert(0, (made[0][0], Message(role="user", author="harness", content=BEFORE)))
    if made[-1][1].role == "assistant":
        raise Unrenderable("ends_with_the_agent")
    return [message for _, message in made]


def cleaned(message: Message, place: int, log: Log) -> Message:
    """A message without another model's reasoning, and without characters that no request can hold."""
    content = message.content
    if message.role == "assistant" and (found := THOUGHTS.match(content)):
        log.note("reasoning_removed", place)
        content = content[found.end() :]
    sound = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if sound != content:
        log.note("characters_replaced", place)
    if message.role in ("user", "assistant") and not sound.strip() and not message.tool_calls:
        log.note("text_supplied", place)
        sound = NO_TEXT
    return message.model_copy(update={"content": sound})


def answered(spoken: Sequence[tuple[int, Message]], log: Log) -> Iterator[tuple[int, Message]]:
    """Every call with its result right behind its turn, under new ids. A result without a call becomes what a user tells."""
    taken: set[int] = set()
    number = 0
    for at, (place, message) in enumerate(spoken):
        if message.role == "tool":
            if at not in taken:
                log.note("result_without_call", place, message.tool_call_id)
                yield place, Message(role="user", author="tool", content=ORPHAN + message.content, turn=message.turn)
        elif not message.tool_calls:
            yield place, message
        else:
            ids = {call: f"call{number + n:05d}" for n, call in enumerate(range(len(message.tool_calls)), 1)}
            number += len(ids)
            calls = tuple(call.model_copy(update={"id": ids[n]}) for n, call in enumerate(message.tool_calls))
            yield place, message.model_copy(update={"tool_calls": calls})
            for n, call in enumerate(message.tool_calls):
                yield place, result_of(call, ids[n], Rest(spoken, at, taken), log)


@dataclass(frozen=True)
class Rest:
    """What follows an assistant turn, and which results there already have their call."""

    spoken: Sequence[tuple[int, Message]]
    at: int
    taken: set[int]


def result_of(call: CallMade, name: str, rest: Rest, log: Log) -> Message:
    """The result of a call under the call's new id; supplied where none was recorded and the agent went on all the same."""
    moved, place = False, rest.spoken[rest.at][0]
    for later in range(rest.at + 1, len(rest.spoken)):
        message = rest.spoken[later][1]
        if message.role == "tool" and message.tool_call_id == call.id and later not in rest.taken:
            rest.taken.add(later)
            if moved:
                log.note("result_moved", rest.spoken[later][0], call.id)
            return message.model_copy(update={"tool_call_id": name})
        if any(other.id == call.id for other in message.tool_calls):
            break
        moved = moved or message.role != "tool"
    if not any(message.role == "assistant" for _, message in rest.spoken[rest.at + 1 :]):
        raise Unrenderable("open_call")
    log.note("result_supplied", place, call.id)
    return Message(role="tool", author="tool", content=NO_RESULT, tool_call_id=name)


def joined(spoken: Iterator[tuple[int, Message]], log: Log) -> Iterator[tuple[int, Message]]:
    """The messages with neighbours of one role as one, as Claude and Gemini read them anyway and strict chat templates demand."""
    waiting: tuple[int, Message] | None = None
    for place, message in spoken:
        if waiting and waiting[1].role == message.role != "tool" and not waiting[1].tool_calls:
            log.note("turns_joined", place)
            text = "\n\n".join(part for part in (waiting[1].content, message.content) if part.strip())
            waiting = waiting[0], message.model_copy(update={"content": text})
            continue
        if waiting:
            yield waiting
        waiting = place, message
    if waiting:
        yield waiting
