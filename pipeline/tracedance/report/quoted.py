"""What judges quoted, marked where it stands in a response."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup, escape

from tracedance.report.excerpts import Clip
from tracedance.report.visible import visible

MOST = 24
"""Quotes looked for in one response."""
CALLS = "calls "
"""How a call begins in what judges are shown; see `evaluate.rendering`."""
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


def shown_as(quote: str) -> Iterator[str]:
    """A judge's quote in the forms that a page shows it in: judges read calls as `calls NAME {JSON}`, a page shows their values apart."""
    if quote.startswith(CALLS):
        name, _, quote = quote.removeprefix(CALLS).partition(" ")
        yield CALLS + name
    if len(quote.strip()) > 2:
        yield quote
    if '"' in quote:
        values = [_decoded(text) for text, key in TEXT.findall(quote) if not key]
        yield from (value for value in values if len(value.strip()) > 2)


def _decoded(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return ""


def named(name: str, quotes: Sequence[str] = ()) -> Markup:
    """A called tool's name, marked where a judge quoted the call."""
    return marked(name, [name] if CALLS + name in quotes else [])


def quoted(text: Clip, quotes: Sequence[str] = ()) -> Markup:
    """A cut text as HTML with the quotes in it marked. Quotes reach over line breaks, as the judge's answer is read."""
    if not text.elided:
        return marked(text.head, quotes)
    gap = Markup('<span class="cut">{:,} characters left out</span>').format(text.elided)
    return marked(text.head, quotes) + gap + marked(text.end, quotes)


def marked(text: str, quotes: Iterable[str]) -> Markup:
    """The text, safe, with `<mark>` around each quote that stands in it; overlapping quotes become one."""
    parts, place = [], 0
    for start, end in spans(text, quotes):
        parts += [escape(visible(text[place:start])), Markup("<mark>"), escape(visible(text[start:end])), Markup("</mark>")]
        place = end
    return Markup("").join([*parts, escape(visible(text[place:]))])


def spans(text: str, quotes: Iterable[str]) -> list[tuple[int, int]]:
    """Where the quotes stand, in order and joined where they touch. White space in a quote matches any white space."""
    found = []
    for quote in list(quotes)[:MOST]:
        words = [] if quote.startswith(CALLS) else quote.split()
        if words and (at := re.search(r"\s+".join(map(re.escape, words)), text)):
            found.append(at.span())
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
