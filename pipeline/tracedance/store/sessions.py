"""The sessions table: one row per session, with its digests and counts."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from tracedance.kit.chain import canonical
from tracedance.schema import Figures, Session, ToolDefinition, ToolShape

HEAD_TURNS = 8

TEXTS = (
    "id",
    "given_id",
    "source_id",
    "format",
    "harness",
    "version",
    "setting",
    "cwd",
    "started",
    "ended",
    "parent",
    "path",
    "source_digest",
    "content_digest",
    "redaction_digest",
    "replayability",
    "head",
)
NUMBERS = ("turns", "calls", "errors", "user_turns", "tokens", "group")
LISTS = ("models", "compactions")
LIGHT = (*TEXTS, *NUMBERS, *LISTS)
BULKY = ("system", "tools", "shapes", "labels", "replaced", "figures")
"""System prompt, tool definitions, shapes of calls, labels, what was replaced, what was measured (JSON but the first): for a session that
is looked at."""
COLUMNS = (*LIGHT, *BULKY)
VIEWED = tuple(name for name in TEXTS if name not in ("given_id", "content_digest", "redaction_digest", "replayability", "head"))
VIEWED = (*VIEWED, "compactions", *BULKY)
"""What a view of a session is made from."""
SHARED = ("format", "harness", "version", "setting", "cwd", "redaction_digest", "replayability", *BULKY)
"""Columns whose texts many sessions have in common."""

Row = dict[str, Any]


def row(session: Session, given_id: str, redaction_digest: str) -> Row:
    """The row of one session; `group`, the row group its events lie in, is the shard writer's to set."""
    copied = ("id", "source_id", "format", "harness", "version", "setting", "cwd", "started", "ended", "parent", "path", "source_digest")
    calls = session.calls()
    return {
        **{name: getattr(session, name) for name in copied},
        "given_id": given_id,
        "content_digest": content_digest(session),
        "redaction_digest": redaction_digest,
        "replayability": session.replayability,
        "head": head(session),
        "turns": len(session.turns),
        "calls": len(calls),
        "errors": sum(call.result is not None and call.result.is_error for call in calls),
        "user_turns": sum(turn.author == "user" for turn in session.turns),
        "tokens": characters(session) // 4,
        "models": session.models,
        "compactions": list(session.compactions),
        "system": session.system,
        "tools": None if session.tools is None else msgspec.json.encode(list(session.tools), order="sorted").decode(),
        "shapes": msgspec.json.encode(dict(session.shapes), order="sorted").decode(),
        "labels": canonical(dict(session.labels)) if session.labels else None,
        "replaced": canonical(dict(session.replaced)),
        "figures": msgspec.json.encode(session.figures).decode() if session.figures != Figures() else None,
    }


def characters(session: Session) -> int:
    """Characters of all that was said, called and returned; reasoning left out, as no context holds it."""
    said = sum(len(turn.text) for turn in session.turns) + len(session.system or "")
    called = sum(len(call.arguments_json) for turn in session.turns for call in turn.calls)
    return said + called + sum(len(result.text) for turn in session.turns for result in turn.results)


def head(session: Session) -> str:
    """Chains of the first turns, joined by spaces: what tells a longer copy of a session from another one with the same id."""
    return " ".join(turn.chain for turn in session.turns[:HEAD_TURNS])


def settled(roles: Sequence[str], turns: int) -> int:
    """How many turns of a copy of `turns` turns a longer copy is sure to repeat, given the roles of the turns.

    A checkpoint may have cut the last turn in the middle; where that is a tool turn, the assistant turn before it may have grown too, as
    some harnesses write a call after the results of the calls before it.
    """
    return turns - (2 if roles[turns - 1] == "tool" else 1)


def same_start(one: str, other: str, sure: int) -> bool:
    """Whether two heads are of one session at two lengths, of which `sure` turns cannot have changed; the first is compared at least."""
    a, b = one.split(" "), other.split(" ")
    decisive = max(1, min(len(a), len(b), sure)) - 1
    return a[decisive] == b[decisive]


def content_digest(session: Session) -> str:
    """blake2b-128 of what the session holds after redaction: its turns (by their chain), system prompt and tools."""
    digest = blake2b(digest_size=16)
    tools = None if session.tools is None else [(tool.name, tool.description, tool.parameters) for tool in session.tools]
    said = (session.turns[-1].chain, session.system, tools, len(session.turns))
    digest.update(msgspec.json.encode(said, order="sorted"))
    return digest.hexdigest()


class Shapes(Mapping[str, ToolShape]):
    """Shapes of calls as stored, decoded when first looked at."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoded: dict[str, ToolShape] | None = None

    def _all(self) -> dict[str, ToolShape]:
        if self._decoded is None:
            self._decoded = msgspec.json.decode(self._text, type=dict[str, ToolShape])
        return self._decoded

    def __getitem__(self, name: str) -> ToolShape:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def labels(text: str | None) -> Mapping[str, Any]:
    """Labels as stored; none in shards that were written before there were any."""
    return {} if text is None else msgspec.json.decode(text, type=dict[str, Any])


def figures(text: str | None) -> Figures:
    """Figures as stored; none in shards that were written before there were any."""
    return Figures() if text is None else msgspec.json.decode(text, type=Figures)


@lru_cache(maxsize=64)
def definitions(text: str | None) -> Sequence[ToolDefinition] | None:
    """Recorded tool definitions as stored; sessions that were offered the same tools share them, as decoding is half of a view's price."""
    return None if text is None else msgspec.json.decode(text, type=list[ToolDefinition])
