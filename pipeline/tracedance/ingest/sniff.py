"""Which format a file is in, by its content: names and labels beside a file can be wrong."""

import re
from pathlib import Path
from typing import Any

import msgspec

HEAD = 256 * 1024
"""Bytes of a file that are looked at."""

_CLAUDE_TYPES = frozenset(("user", "assistant", "attachment", "system", "progress", "summary", "file-history-snapshot", "queue-operation"))
_CLAUDE_NOTES = frozenset(("permission-mode", "ai-title", "last-prompt", "custom-title", "mode"))
_CODEX_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"))
_ROLES = frozenset(("system", "user", "assistant", "tool", "developer", "function"))
_CUT_LINE = (
    (
        "codex",
        re.compile(
            rb'\{"timestamp":\s?"[^"]{1,40}",\s?"type":\s?"(?:session_meta|response_item|event_msg|turn_context|compacted)",\s?"payload":'
        ),
    ),
    ("claude_code", re.compile(rb'\{(?:"[^"]{1,60}":\s?(?:"[^"]{0,200}"|null|true|false),\s?){1,12}"sessionId":\s?"[^"]{0,200}"')),
)
_CHAT = re.compile(rb'"role"\s*:\s*"(?:system|user|assistant|tool|developer)"')
_CHAT_LIST = re.compile(
    rb'^(?:\{(?s:.{0,4000}?)"(?:messages|traj)"\s*:\s*|\[\s*\{(?s:.{0,200000}?)"traj"\s*:\s*)?\[\s*\{\s*"(?:role|content|name|tool_calls)"'
)
_MOST_LINES = 50


def sniff(path: Path, head: bytes) -> str | None:
    """The importer's name for a file that begins with `head`, None when no importer knows it. The path is no evidence."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    lines = [line.strip() for line in head.split(b"\n", _MOST_LINES)[:_MOST_LINES]]
    records = [_decoded(line) for line in lines]
    named = next(filter(None, map(_of_record, records)), None)
    if named:
        return named
    # A line longer than the head is cut off; then only its beginning can tell.
    cut = [line for line, record in zip(lines, records, strict=True) if record is None][-1:]
    for name, pattern in _CUT_LINE:
        if any(pattern.match(line) for line in cut):
            return name
    return "openai_chat" if _CHAT_LIST.match(head) and _CHAT.search(head) else None


def _decoded(line: bytes) -> Any:
    """The JSON value of a line, None where it is none."""
    if line[:1] not in (b"{", b"["):
        return None
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _of_record(record: Any) -> str | None:
    if isinstance(record, list):
        return "openai_chat" if record and _is_chat(record[0]) else None
    if not isinstance(record, dict):
        return None
    kind = record.get("type")
    if isinstance(kind, str) and kind in _CODEX_TYPES and isinstance(record.get("payload"), dict):
        return "codex"
    if isinstance(kind, str) and _is_claude(kind, record):
        return "claude_code"
    return "openai_chat" if _is_chat(record) else None


def _is_claude(kind: str, record: dict[str, Any]) -> bool:
    if kind in ("user", "assistant"):
        message = record.get("message")
        return isinstance(message, dict) and "content" in message and ("uuid" in record or "sessionId" in record)
    if kind == "summary":
        return "leafUuid" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record and "messageId" in record
    if kind in _CLAUDE_NOTES:
        return isinstance(record.get("sessionId"), str)
    if kind == "queue-operation":
        return "operation" in record and "sessionId" in record
    return kind in _CLAUDE_TYPES and "sessionId" in record and "uuid" in record and ("isSidechain" in record or "userType" in record)


def _is_chat(record: Any) -> bool:
    """A chat message, a conversation of them, or a run that holds one."""
    if not isinstance(record, dict):
        return False
    for field in ("messages", "traj"):
        inner = record.get(field)
        if isinstance(inner, list):
            return bool(inner) and isinstance(inner[0], dict) and _is_message(inner[0])
    return _is_message(record)


def _is_message(record: dict[str, Any]) -> bool:
    if "type" in record:
        return False  # An item of the Responses form or of an old Codex file, which look much the same.
    content = record.get("content")
    role = record.get("role")
    return (
        isinstance(role, str)
        and role in _ROLES
        and (isinstance(content, str | list) or "tool_calls" in record or "function_call" in record)
    )
