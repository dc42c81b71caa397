"""Texts cut to what a page can hold, with every cut counted."""

import json
from dataclasses import dataclass
from html import escape

from tracedance.report.visible import visible
from tracedance.schema import CallMade


@dataclass(frozen=True)
class Clip:
    """The beginning and, after `elided` characters, the end of a text."""

    head: str
    elided: int = 0
    end: str = ""


@dataclass(frozen=True)
class Call:
    """A tool call with its arguments in a form that is easy to read."""

    name: str
    arguments: tuple[tuple[str, Clip], ...]


def called(call: CallMade, budget: int) -> Call:
    """A call cut to `budget` bytes; text arguments as text, others as JSON, and as it stands what is no JSON object."""
    try:
        parsed = json.loads(call.arguments)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        return Call(call.name, (("", clip(call.arguments, budget)),))
    share = max(80, budget // max(1, len(parsed)))
    texts = [(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) for name, value in parsed.items()]
    kept = texts[: max(1, budget // 80)]
    rows = [(name, clip(text, share)) for name, text in kept]
    if len(texts) > len(kept):
        rows.append((f"{len(texts) - len(kept)} more arguments", clip("", share)))
    return Call(call.name, tuple(rows))


def clip(text: str, budget: int) -> Clip:
    """A text cut to about `budget` bytes of HTML: two thirds from its beginning, the rest from its end."""
    keep = min(len(text), budget)
    while keep > 0 and keep > (fit := fitting(text, keep, budget)):
        keep = fit
    if keep >= len(text):
        return Clip(text)
    head = keep * 2 // 3
    return Clip(text[:head], len(text) - keep, text[len(text) - (keep - head) :] if keep > head else "")


def fitting(text: str, keep: int, budget: int) -> int:
    """A number of characters up to `keep` that comes nearer to costing `budget`."""
    head = keep * 2 // 3
    sample = text if keep == len(text) else text[:head] + text[len(text) - (keep - head) :]
    size = cost(sample)
    return keep if size <= budget else min(keep - 1, keep * budget // size)


def cost(text: str) -> int:
    """Bytes of the text as HTML."""
    return len(escape(visible(text)).encode())
