"""What tells OpenClaw's sessions from those of Pi, its engine, and who wrote the texts that it sends in the user's name.

A channel's message arrives wrapped: blocks of untrusted metadata in front, the person's words behind. Heartbeats, scheduled jobs,
system events and the greeting of a new session are the harness's own.
"""

import re
from collections.abc import Iterator
from typing import Any

from tracedance.ingest import authors
from tracedance.ingest.building import text_of
from tracedance.schema import Author

_HOME = re.compile(r"[/\\]\.(?:openclaw|clawdbot|moltbot)(?:[/\\]|$)")
_META = re.compile(r"\s*[A-Z][^\n]{0,60} \(untrusted[^)\n]{0,60}\):[ \t]*\n```(?:json)?\n")
_FENCE = "\n```"
_CONTEXT = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
_OWN = re.compile(
    r"\s*(?:Read HEARTBEAT\.md|System: \[|\[cron:|\[Subagent |\[openclaw|OpenClaw runtime |A new session was started via /|"
    r"A scheduled reminder has been triggered|Pre-compaction memory flush|<<<BEGIN_OPENCLAW_)"
)


def wrote(custom: Any, provider: Any, cwd: Any, message: Any) -> bool:
    """Whether an entry with these fields is OpenClaw's: its own entry types, its provider, its folder, or its wrapping of a message."""
    if text_of(custom).startswith("openclaw") or text_of(provider).startswith("openclaw") or _HOME.search(text_of(cwd)[:4096]):
        return True
    if not isinstance(message, dict):
        return False
    if text_of(message.get("provider")).startswith("openclaw"):
        return True
    return message.get("role") == "user" and any(_META.match(text) or _CONTEXT[0] in text[:4096] for text in _texts(message.get("content")))


def by_author(texts: list[str]) -> Iterator[tuple[Author, str]]:
    """Texts of one user message by author: metadata blocks and the harness's own prompts apart from the person's words."""
    for text in texts:
        position = 0
        while (end := _wrapped(text, position)) > position:
            position = end
        if text[:position].strip():
            yield "harness", text[:position].strip()
        rest = text[position:].strip()
        if rest:
            yield from authors.by_author([rest], harness=_OWN.match(rest) is not None)


def _wrapped(text: str, start: int) -> int:
    """Where a block of the harness's that begins here ends; `start` where none does."""
    opening, closing = _CONTEXT
    rest = len(text) - len(text[start:].lstrip())
    if text.startswith(opening, rest):
        end = text.find(closing, rest)
        return end + len(closing) if end >= 0 else start
    head = _META.match(text, start)
    end = text.find(_FENCE, head.end() - 1) if head else -1
    return end + len(_FENCE) if end >= 0 else start


def _texts(content: Any) -> Iterator[str]:
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        yield text_of(part.get("text")) if isinstance(part, dict) else text_of(part)
