"""A text as a reader would see it: escapes decoded at any depth, colour codes and invisible characters gone.

Secrets are looked for in these views and replaced in the text itself. A run of backslashes counts as one, so that a text and the JSON in
which it lies, however deep, have the same view: what cleaning the parts has missed, no look at the whole can find.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

_ESCAPE = re.compile(r"\\+(?:([nrtbf\"'/])|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(033|e(?=\[)))?")
_NUMBERED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(033|e(?=\[)))")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "/": "/"}
_INVISIBLE = "\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
_NOISE = re.compile(rf"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{{0,300}}(?:\x07|\x1b\\?)|[@-Z\\^_])?|[{_INVISIBLE}]")

Spans = list[tuple[str, int, int]]


def views(text: str) -> list[str]:
    """What to look at: one text; two where there are colour codes, which part words (a space) or lie inside them (nothing)."""
    plain = _decoded(text) if "\\" in text else text
    if "\x1b" not in plain and (plain.isascii() or not _NOISE.search(plain)):
        return [plain]
    joined = _NOISE.sub("", plain)
    return [_NOISE.sub(_parting, plain), joined] if "\x1b" in plain else [joined]


def seen(text: str) -> str:
    """The text without escapes and noise: one spelling of a secret for all its forms."""
    return views(text)[-1]


def spans(text: str, look: Callable[[str], Spans]) -> Spans:
    """What `look` finds in the views, as places in `text`, in order, overlapping ones joined."""
    if "\\" not in text and "\x1b" not in text and text.isascii():
        return look(text)
    shown = views(text)
    if shown == [text]:
        return look(text)
    if not any(look(view) for view in shown):
        return []
    plain, back = _replaced(text, _ESCAPE, _letter)
    fills = (_parting, _nothing) if len(shown) == 2 else (_nothing,)
    found: Spans = []
    for fill in fills:
        view, further = _replaced(plain, _NOISE, fill)
        found += [(rule, back(further(start)), back(further(end - 1), True)) for rule, start, end in look(view)]
    return _joined(sorted(found, key=lambda item: item[1]))


def _joined(found: Spans) -> Spans:
    kept: Spans = []
    for rule, start, end in found:
        if kept and start < kept[-1][2]:
            kept[-1] = (kept[-1][0], kept[-1][1], max(kept[-1][2], end))
        else:
            kept.append((rule, start, end))
    return kept


def _decoded(text: str) -> str:
    """The same as replacing every `_ESCAPE`, at the speed of `str.replace`."""
    while "\\\\" in text:
        text = text.replace("\\\\", "\\")
    held = _NUMBERED.sub(_number, text) if any(mark in text for mark in ("\\u", "\\x", "\\033", "\\e[")) else text
    for letter, char in _LETTERS.items():
        held = held.replace(f"\\{letter}", char)
    return held


def _number(match: re.Match[str]) -> str:
    return _coded(match[1] or match[2] or "1b")


def _coded(digits: str) -> str:
    """The character of a numbered escape; a backslash would start an escape of its own and counts as a slash."""
    code = int(digits, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else "/" if code == 0x5C else chr(code)


def _letter(match: re.Match[str]) -> str:
    letter, four, two, escape = match.groups()
    if letter:
        return _LETTERS[letter]
    if not (four or two or escape):
        return "\\"
    return _coded(four or two or "1b")


def _parting(match: re.Match[str]) -> str:
    return " " if match[0][0] == "\x1b" else ""


def _nothing(_: re.Match[str]) -> str:
    return ""


def _replaced(text: str, pattern: re.Pattern[str], into: Callable[[re.Match[str]], str]) -> tuple[str, Callable[..., int]]:
    """The text with each match replaced by at most one character, and the way back from a place in it."""
    parts: list[str] = []
    places, origins = [0], [0]
    ends: dict[int, int] = {}
    length = position = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if start == end:
            continue
        put = into(match)
        parts += (text[position:start], put)
        length += start - position
        if put:
            places.append(length)
            origins.append(start)
            ends[length] = end
        length += len(put)
        places.append(length)
        origins.append(end)
        position = end
    view = "".join([*parts, text[position:]])

    def back(place: int, after: bool = False) -> int:
        """Where the character at `place` starts, or, `after`, where it ends."""
        if after and place in ends:
            return ends[place]
        index = bisect_right(places, place) - 1
        return origins[index] + place - places[index] + after

    return view, back
