"""An instance as the request that every compared model gets: OpenAI chat form, which LiteLLM turns into each provider's own.

All models are sent the same messages and tools, in a form that the strictest of them takes: see `pairing` for turns, calls and results, and
`dialect` for the schemas of tools. Names that a provider could not spell are changed for all, and changed back in what models answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tracedance.evaluate.dialect import plain
from tracedance.evaluate.pairing import NO_TEXT, Log, Repair, Unrenderable, paired
from tracedance.kit import chain
from tracedance.schema import CallMade, Instance, Message, Tool

MOST_TOOLS = 128
SPELT = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
KINDS = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"))


@dataclass(frozen=True)
class Rendered:
    """What is sent of an instance, and what was put right on the way."""

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    names: Mapping[str, str]
    """Names of tools as they are sent -> as they were recorded, where the two differ."""
    repairs: tuple[Repair, ...]

    @property
    def size(self) -> int:
        """Tokens, estimated: the request's JSON at 3.5 bytes each. Code runs at 3.2 to 4 for the tokenizers of 2026."""
        return int(len(json.dumps([self.messages, self.tools], ensure_ascii=False).encode("utf-8", "replace")) / 3.5) + 1


def rendered(instance: Instance) -> Rendered:
    """The request of an instance. Raises Unrenderable where none can be made."""
    return made(instance.messages, instance.tools)


@lru_cache(maxsize=64)
def made(messages: tuple[Message, ...], offers: tuple[Tool, ...]) -> Rendered:
    """The request of a context: every model of an evaluation asks for the same one."""
    log = Log()
    tools = defined(offers, log)
    spoken = paired(messages, log)
    if not tools:
        tools = inferred(spoken, log)
    if len(tools) > MOST_TOOLS:
        raise Unrenderable("too_many_tools")
    names = spelt([tool.name for tool in tools] + [call.name for message in spoken for call in message.tool_calls], log)
    system = [message for message in messages if message.role == "system" and message.content.strip()]
    renamed = [
        message.model_copy(update={"tool_calls": tuple(sound(call, names, log, place) for call in message.tool_calls)})
        for place, message in enumerate(spoken)
    ]
    return Rendered(
        messages=tuple(wire(message) for message in (*system, *renamed)),
        tools=offered([tool.model_copy(update={"name": names[tool.name]}) for tool in tools]),
        names={sent: recorded for recorded, sent in names.items() if sent != recorded},
        repairs=tuple(log.repairs),
    )


def chat(instance: Instance) -> tuple[Mapping[str, Any], ...]:
    """The messages of an instance's request."""
    return rendered(instance).messages


def wire(message: Message) -> Mapping[str, Any]:
    """One message."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content or NO_TEXT}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls
    ]
    return {"role": "assistant", "content": message.content if message.content.strip() else None, "tool_calls": calls}


def offered(tools: Sequence[Tool]) -> tuple[Mapping[str, Any], ...]:
    """The tools on offer, their schemas in the common dialect."""
    return tuple(
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description or tool.name, "parameters": plain(loaded(tool.parameters))},
        }
        for tool in tools
    )


def defined(tools: Sequence[Tool], log: Log) -> list[Tool]:
    """The tools, each name once: Claude refuses a name given twice."""
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in found:
            log.note("tool_repeated", -1, tool.name)
        found.setdefault(tool.name, tool)
    return list(found.values())


def inferred(spoken: Sequence[Message], log: Log) -> list[Tool]:
    """Tools that the calls of a context make certain, where none are defined: providers refuse calls without any."""
    seen: dict[str, dict[str, Any]] = {}
    for message in spoken:
        for call in message.tool_calls:
            given = loaded(call.arguments)
            keys = seen.setdefault(call.name, {})
            keys.update({key: {"type": kind_of(value)} for key, value in (given if isinstance(given, dict) else {}).items()})
    if seen:
        log.note("tools_inferred", -1, ", ".join(sorted(seen)))
    schemas = {name: json.dumps({"type": "object", "properties": keys}) for name, keys in sorted(seen.items())}
    return [Tool(name=name, description="", parameters=schema, inferred_from=1) for name, schema in schemas.items()]


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), "string")


def spelt(names: Sequence[str], log: Log) -> dict[str, str]:
    """Recorded name -> the name that is sent: letters, digits, `_` and `-`, at most 64, no two alike."""
    made = {name: name for name in dict.fromkeys(names) if SPELT.fullmatch(name)}
    for name in dict.fromkeys(names):
        if name in made:
            continue
        base = re.sub(r"[^a-zA-Z0-9_-]", "_", name) or "unnamed"
        base = base if SPELT.match(base) else f"_{base}"
        free, n = base[:64], 2
        while free in made.values():
            free, n = f"{base[: 62 - len(str(n))]}_{n}", n + 1
        made[name] = free
        log.note("tool_renamed", -1, name)
    return made


def sound(call: CallMade, names: Mapping[str, str], log: Log, place: int) -> CallMade:
    """A call under the name that is sent, its arguments an object: text that is none is wrapped in one."""
    given = loaded(call.arguments)
    if isinstance(given, dict):
        arguments = chain.canonical(given)
    else:
        log.note("arguments_wrapped", place, call.name)
        arguments = chain.canonical({"input": call.arguments if given is None else given})
    return call.model_copy(update={"name": names[call.name], "arguments": arguments})


def loaded(text: str) -> Any:
    """JSON text as a value; None where it is none, or holds what no JSON of a provider may (NaN)."""
    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def refuse(word: str) -> Any:
    raise ValueError(word)
