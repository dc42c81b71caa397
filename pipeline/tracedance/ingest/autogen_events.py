"""Messages and events of AutoGen 0.4 and later, by their type."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.content import parsed, parts
from tracedance.ingest.messages import Answered, Asked, Message, moment
from tracedance.kit.chain import canonical

_PEOPLE = frozenset(("user", "user_proxy", "userproxy", "human", "admin"))
"""Sources that stand for a person, lower case; every other one is an agent."""


def is_agent(source: Any) -> bool:
    """Whether this is the name of an agent."""
    return isinstance(source, str) and source != "" and source.lower() not in _PEOPLE


def is_event(value: Any) -> bool:
    """A message or event that names its type and, but for results, its source."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    kind = value["type"]
    known = kind in _KINDS or kind.startswith("StructuredMessage[")
    return known and "content" in value and ("source" in value or kind in ("FunctionExecutionResultMessage", "SystemMessage"))


def messages(records: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, Message | str]]:
    """Each record as a message, or the reason why it is none."""
    for place, (ordinal, value) in enumerate(records):
        following = records[place + 1][1] if place + 1 < len(records) else None
        yield ordinal, _message(value, following)


def _message(value: Any, following: Any) -> Message | str:
    if not isinstance(value, dict):
        return "not a JSON object"
    kind = text_of(value.get("type"))
    if kind == "ThoughtEvent":
        return _thought(value, following)
    read = _KINDS.get("StructuredMessage" if kind.startswith("StructuredMessage[") else kind)
    if read is None:
        return f"unknown {kind or 'record without a type'}"
    return _stamped(read(value), value)


def _stamped(said: Message, value: dict[str, Any]) -> Message:
    said.time, said.speaker = moment(value.get("created_at")), text_of(value.get("source"))
    return said


def _said(value: dict[str, Any]) -> Message:
    """What a person or an agent says."""
    agent = is_agent(value.get("source"))
    said = Message("assistant" if agent else "user", author=None if agent else "user")
    content = value.get("content")
    if isinstance(content, dict):
        said.texts.append(canonical(content))
        return said
    for part in content if isinstance(content, list) else (content,):
        # A picture of AutoGen's is `{"data": base64}` and has no type.
        picture = isinstance(part, dict) and "type" not in part and "data" in part
        parts("[image]" if picture else part, said)
    return said


def _thought(value: dict[str, Any], following: Any) -> Message:
    """What a model wrote beside its calls is visible text; what came before a plain answer is its reasoning."""
    asked = isinstance(following, dict) and following.get("type") == "ToolCallRequestEvent"
    text = [text_of(value.get("content"))]
    return _stamped(Message("assistant", text if asked else [], [] if asked else text, piece=True), value)


def _requests(value: dict[str, Any]) -> Message:
    said = Message("assistant", piece=True)
    content = value.get("content")
    for call in content if isinstance(content, list) else ():
        if isinstance(call, dict):
            said.calls.append(Asked(text_of(call.get("id")), text_of(call.get("name")), parsed(call.get("arguments"))))
    return said


def _results(value: dict[str, Any]) -> Message:
    said = Message("tool")
    content = value.get("content")
    for result in content if isinstance(content, list) else ():
        if isinstance(result, dict):
            flag = result.get("is_error")
            inner = Message("tool")
            parts(result.get("content"), inner)
            failed = flag if isinstance(flag, bool) else None
            said.results.append(Answered(text_of(result.get("call_id")), "\n".join(inner.texts), failed))
    return said


def _assistant(value: dict[str, Any]) -> Message:
    """A model's message in an agent's saved context: a text, or calls with the text that stood beside them as its `thought`."""
    thought = text_of(value.get("thought"))
    if isinstance(value.get("content"), list):
        said = _requests(value)
        said.piece = False
        said.texts += [thought] if thought else []
        return said
    return Message("assistant", [text_of(value.get("content"))], [thought] if thought else [])


def _told(value: dict[str, Any]) -> Message:
    """What an agent's model is told: by a person, or by another agent in the user's name."""
    said = _said(value)
    said.role = "user"
    said.author = "harness" if is_agent(value.get("source")) else "user"
    return said


def _notice(value: dict[str, Any]) -> Message:
    content = value.get("content")
    return Message("user", [content if isinstance(content, str) else canonical(content)], author="harness")


def _executed(value: dict[str, Any]) -> Message:
    result = value.get("result")
    result = result if isinstance(result, dict) else {}
    return Message("user", [f"exit code: {result.get('exit_code')}\n{text_of(result.get('output'))}"], author="harness")


def _system(value: dict[str, Any]) -> Message:
    return Message("system", [text_of(value.get("content"))])


def _note(value: dict[str, Any]) -> Message:
    return Message("note")


_KINDS: dict[str, Callable[[dict[str, Any]], Message]] = {
    **dict.fromkeys(("TextMessage", "MultiModalMessage", "StructuredMessage", "HandoffMessage", "CodeGenerationEvent"), _said),
    **dict.fromkeys(("StopMessage", "MemoryQueryEvent"), _notice),
    # Summaries repeat the results; the others tell of the harness's own doings, or come again whole.
    **dict.fromkeys(("ToolCallSummaryMessage", "ModelClientStreamingChunkEvent", "UserInputRequestedEvent"), _note),
    **dict.fromkeys(("SelectSpeakerEvent", "SelectorEvent"), _note),
    "ThoughtEvent": _said,
    "ToolCallRequestEvent": _requests,
    "ToolCallExecutionEvent": _results,
    "CodeExecutionEvent": _executed,
    "UserMessage": _told,
    "AssistantMessage": _assistant,
    "FunctionExecutionResultMessage": _results,
    "SystemMessage": _system,
}
