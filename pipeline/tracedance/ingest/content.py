"""The parts of one message's content: texts, marks of what is no text, reasoning, calls and results.

Pictures and other binary parts become a short mark such as `[image]`. Parts of an unknown type are named, and kept as JSON.
"""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.documents import decode
from tracedance.ingest.messages import Answered, Asked, Message
from tracedance.kit.chain import canonical

_MARKS = {
    "image": "image",
    "file": "file",
    "document": "document",
    "audio": "audio",
    "video": "video",
    "media": "media",
    "container": "file",
}
_TEXTS = frozenset(("text", "input_text", "output_text", "summary_text", "reasoning_text", "text-plain", "plain_text", ""))
_SILENT = frozenset(("redacted_thinking", "cachePoint", "cache_point", "tool_call_chunk", "non_standard", "invalid_tool_call", "fallback"))


def parsed(arguments: Any) -> Any:
    """Arguments as an object where they are JSON text of one, else as they are."""
    if isinstance(arguments, str):
        value, reason = decode(arguments.encode("utf-8", "replace"))
        return value if not reason and isinstance(value, dict) else arguments
    return {} if arguments is None else arguments


def parts(content: Any, said: Message) -> None:
    """The parts of a content: texts, marks of what is no text, reasoning, calls and results."""
    if content is None:
        return
    for part in content if isinstance(content, list) else (content,):
        if isinstance(part, str):
            said.texts.append(part)
        elif isinstance(part, dict):
            _part(part, said)
        else:
            said.texts.append(canonical(part))


def _part(part: dict[str, Any], said: Message) -> None:
    kind = text_of(part.get("type"))
    text = part.get("text", part.get("content") if kind == "text" else None)
    if kind in _TEXTS and isinstance(text, str):
        said.texts.append(text)
    elif kind in ("thinking", "reasoning", "thought"):
        thought = text_of(part.get("thinking")) or text_of(part.get("reasoning")) or text_of(part.get("text"))
        said.thoughts += [thought] if thought else summaries(part)
    elif kind == "refusal":
        said.texts.append(text_of(part.get("refusal")))
    elif kind in ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "server_tool_call", "function_call"):
        arguments: Any = next((part[key] for key in ("input", "args", "arguments") if part.get(key) is not None), {})
        said.calls.append(Asked(text_of(part.get("call_id")) or text_of(part.get("id")), text_of(part.get("name")), parsed(arguments)))
    elif kind in ("tool_result", "tool_call_response") or kind.endswith("_tool_result"):
        said.results.append(_block_result(part, said))
    elif kind not in _SILENT:
        _marked(part, kind, said)


def _block_result(part: dict[str, Any], said: Message) -> Answered:
    content = next((part[key] for key in ("content", "output", "response", "result") if part.get(key) is not None), None)
    if isinstance(content, dict) or (isinstance(content, list) and part.get("type") not in ("tool_result", "tool_call_response")):
        text = canonical(content)
        failed = True if isinstance(content, dict) and text_of(content.get("type")).endswith("_error") else None
    else:
        inner = Message("tool")
        parts(content, inner)
        said.unknown += inner.unknown
        text, failed = "\n".join(inner.texts), None
    flag = part.get("is_error")
    identity = text_of(part.get("tool_use_id")) or text_of(part.get("tool_call_id")) or text_of(part.get("id"))
    return Answered(identity, text, flag if isinstance(flag, bool) else failed)


def _marked(part: dict[str, Any], kind: str, said: Message) -> None:
    """A part that is no text: the text inside where there is one, else its mark; an unknown type is named."""
    source = part.get("source")
    if isinstance(source, dict) and source.get("type") == "text" and isinstance(source.get("data"), str):
        said.texts.append(source["data"])
        return
    if kind == "search_result" or (isinstance(source, dict) and source.get("type") == "content"):
        parts(part.get("content") if kind == "search_result" else source.get("content") if isinstance(source, dict) else None, said)
        return
    if not kind and not part:
        return
    mark = next((mark for word, mark in _MARKS.items() if word in kind), "")
    if mark:
        said.texts.append(f"[{mark}]")
    elif isinstance(part.get("text"), str):
        said.texts.append(part["text"])
    elif kind in ("json", "") or kind == "tool_reference":
        said.texts.append(canonical(part))
    else:
        said.unknown.append(kind)
        said.texts.append(f"[{kind[:40]}] {canonical(part)}")


def summaries(value: dict[str, Any]) -> list[str]:
    return [
        part["text"]
        for field in ("summary", "content")
        for part in (value[field] if isinstance(value.get(field), list) else ())
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
