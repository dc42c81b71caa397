"""What judges quoted, marked where it stands in a response."""

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from tracedance.report.excerpts import Clip
from tracedance.report.visible import visible

MOST = 12
"""Quotes looked for in one response."""


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
        words = quote.split()
        if words and (at := re.search(r"\s+".join(map(re.escape, words)), text)):
            found.append(at.span())
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
