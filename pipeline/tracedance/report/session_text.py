"""A stored session as text for the terminal: who said, called and got back what, turn by turn."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracedance.report.excerpts import Clip, clip
from tracedance.report.text import said
from tracedance.report.visible import visible
from tracedance.schema import Session, Turn

WHOLE = 1 << 40
SHORT = 600
"""Bytes kept of each text where not all is wanted."""


def turns_told(session: Session, first: int, last: int) -> list[dict[str, Any]]:
    """Turns `first` to `last` (both told, as far as there are any) as plain values, every text whole."""
    return [_told(turn) for turn in session.turns if first <= turn.index <= last]


def _told(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.index,
        "role": turn.role,
        "author": turn.author,
        "mark": turn.mark,
        "model": turn.model,
        "time": turn.time,
        "text": turn.text,
        "calls": [{"id": call.id, "name": call.name, "class": call.tool_class, "arguments": call.arguments_json} for call in turn.calls],
        "results": [
            {"call": result.call_id, "status": result.status, "error_class": result.error_class, "text": result.text}
            for result in turn.results
        ],
    }


def session_table(shown: Mapping[str, Any], full: bool) -> RenderableType:
    """What `store show --json` says, for people; long texts lose their middle unless `full`, and each cut says how much."""
    budget = WHOLE if full else SHORT
    head = f"{shown['session']}: {shown['turns']} turns, {shown['harness'] or 'unknown harness'}, {shown['replayability']}"
    parts: list[RenderableType] = [said(head, 300)]
    for turn in shown["shown"]:
        parts.append(said(_title(turn), 200))
        for kind, text in _texts(turn):
            parts.append(Padding(Text(f"{kind}{_clipped(clip(text, budget))}"), (0, 0, 0, 2)))
    return Group(*parts)


def _title(turn: Mapping[str, Any]) -> str:
    who = turn["role"] if turn["role"] == turn["author"] else f"{turn['role']} ({turn['author']})"
    return "  ".join(str(part) for part in (f"--- turn {turn['turn']}", who, turn["mark"], turn["model"], turn["time"]) if part)


def _texts(turn: Mapping[str, Any]) -> list[tuple[str, str]]:
    texts = [("", turn["text"])] if turn["text"].strip() else []
    texts += [(f"call {visible(call['name'])} ", call["arguments"]) for call in turn["calls"]]
    texts += [(f"result ({result['status']}) ", result["text"]) for result in turn["results"]]
    return texts


def _clipped(text: Clip) -> str:
    gap = f" [... {text.elided:,} characters, all with --full ...] " if text.elided else ""
    return f"{visible(text.head)}{gap}{visible(text.end)}"
