"""Chat histories of AutoGen 0.2: `{role, name, content}`, written from the view of one agent, so that roles say only whose view it is.

Who opened the chat speaks for the user; what follows from that side without a person is the harness's.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.dialects import message
from tracedance.ingest.messages import Message

_FAILED = "Error: "
"""How the library begins the result of a function that raised."""
_ROLES = ("user", "assistant", "tool", "function", "system")
_EXECUTED = re.compile(r"\s*exitcode: -?\d{1,5} \(execution (?:succeeded|failed)\)")


def is_result(value: Any) -> bool:
    """A `ChatResult`."""
    return (
        isinstance(value, dict) and isinstance(value.get("chat_history"), list) and bool({"chat_id", "cost", "human_input"} & value.keys())
    )


def is_history(value: Any) -> bool:
    """A list of chat messages as no chat interface would take them: tools answer in groups, or two and more speakers are named."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    shown = value[:20]
    if not all(isinstance(item, dict) and item.get("role") in _ROLES and "content" in item and "type" not in item for item in shown):
        return False
    if any(isinstance(item.get("tool_responses"), list) for item in shown):
        return True
    speakers = {item["name"] for item in shown if isinstance(item.get("name"), str) and item["role"] in ("user", "assistant")}
    return len(speakers) > 1 and all(isinstance(item.get("name"), str) for item in shown)


def histories(value: Any) -> Iterator[tuple[str, list[Any], str]]:
    """The histories in a value, each with its name and its model."""
    if is_history(value):
        yield "", value, ""
    for item in value if isinstance(value, list) else (value,):
        if is_result(item):
            identity = item.get("chat_id")
            name = str(identity) if isinstance(identity, str | int) and not isinstance(identity, bool) else ""
            yield name, item["chat_history"], model(item)


def model(result: Any) -> str:
    """The model of a `ChatResult`, from what it cost; "" where there were several or none."""
    cost = result.get("cost") if isinstance(result, dict) else None
    usage = cost.get("usage_including_cached_inference") if isinstance(cost, dict) else None
    names = [name for name in usage if name != "total_cost"] if isinstance(usage, dict) else []
    return names[0] if len(names) == 1 else ""


def messages(history: Sequence[Any], ordinal: int, model: str = "") -> Iterator[tuple[int, Message | str]]:
    """The messages of a history with the roles that a model would see."""
    opener = text_of(history[0].get("name")) if history and isinstance(history[0], dict) else ""
    for place, value in enumerate(history):
        if not isinstance(value, dict):
            yield ordinal, "not a JSON object"
        elif isinstance(value.get("tool_responses"), list):
            yield ordinal, _responses(value["tool_responses"])
        else:
            yield ordinal, _spoken({**value, "model": model}, opener, place)


def _responses(responses: list[Any]) -> Message:
    said = Message("tool")
    for response in responses:
        read = message({**response, "role": "tool"}) if isinstance(response, dict) else None
        if isinstance(read, Message):
            for result in read.results:
                result.failed = True if result.text.startswith(_FAILED) else None
            said.results += read.results
            said.unknown += read.unknown
    return said


def _spoken(value: dict[str, Any], opener: str, place: int) -> Message | str:
    role = text_of(value.get("role"))
    mine = text_of(value.get("name")) == opener and not value.get("tool_calls") and not value.get("function_call")
    if role in ("user", "assistant"):
        role = "user" if mine else "assistant"
    read = message({**value, "role": role})
    if isinstance(read, Message) and role == "user" and place:
        text = text_of(value.get("content"))
        # An empty reply is what a proxy sends by itself.
        read.author = "harness" if _EXECUTED.match(text) else None
    return read
