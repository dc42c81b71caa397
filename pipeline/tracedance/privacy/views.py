"""A text as a reader would see it: escapes decoded at any depth, colour codes and invisible characters gone.

Secrets are looked for in these views and replaced in the text itself. A run of backslashes counts as one, so that a text and the JSON in
which it lies, however deep, have the same view: what cleaning the parts has missed, no look at the whole can find.
"""

import re
from bisect import bisect_right
from collections.abc import Callable

import re2

from tracedance.privacy.spans import Found, joined

_ESCAPE = re.compile(r"\\+(?:([nrtbf\"'/])|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(033|e(?=\[)))?")
_PERCENT = re.compile(r"%(0[aAdD9]|[2-7][0-9A-Fa-f])")
_PERCENTS = {
    f"{high}{low}": chr(int(high + low, 16)).replace("\\", "/")
    for high in "0234567"
    for low in "0123456789abcdefABCDEF"
    if high != "0" or low in "9aAdD"
}
_NUMBERS = re.compile(r"(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(033|e(?=\[)))")
_NUMBERED = re.compile(r"\\" + _NUMBERS.pattern)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "/": "/"}
_SPARSE = 20
"""Characters a mark from which on looking at each mark costs less than replacing each kind of it in turn."""
_INVISIBLE = "\x00\u00ad\u034f\u180e\ufe00-\ufe0f\U000e0000-\U000e01ef\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
_NOISE = re.compile(rf"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]{{0,300}}(?:\x07|\x1b\\?)|[@-Z\\^_])?|[{_INVISIBLE}]")

_ENTITY = re.compile("&#(?:0{0,4}(3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])|[xX]0{0,4}([2-7][0-9A-Fa-f]));")
_WIDE = re.compile("[\uff01-\uff5e]")
_STRANGE = re2.compile(f"[{_INVISIBLE}\uff01-\uff5e]".encode())


def views(text: str) -> list[str]:
    """What to look at: one text; two where there are colour codes, which part words (a space) or lie inside them (nothing)."""
    plain = _decoded(text) if "\\" in text else text
    if "%" in plain:
        plain = _spliced(plain, "%", 2, _PERCENTS)
    if "&" in plain and "&#" in plain:
        plain = _ENTITY.sub(_entity, plain)
    strange = "\x00" in plain or (not plain.isascii() and _STRANGE.search(plain.encode("utf-8", "replace")) is not None)
    if "\x1b" not in plain and not strange:
        return [plain]
    plain = _WIDE.sub(_narrow, plain) if strange else plain
    parted = _NOISE.sub("", plain)
    return [_NOISE.sub(_parting, plain), parted] if "\x1b" in plain else [parted]


def is_plain(text: str) -> bool:
    """Whether a text is certainly its own only view."""
    if not text.isascii() or "\\" in text or "%" in text or "\x1b" in text or "\x00" in text:
        return False
    return "&" not in text or "&#" not in text  # Most texts have none, and one letter is found faster than two.


def spans(text: str, look: Callable[[str], list[Found]]) -> list[Found]:
    """What `look` finds in the views, as places in `text`, in order, overlapping ones joined."""
    if is_plain(text):
        return look(text)
    shown = views(text)
    found = [look(view) for view in shown]
    if not any(found) or shown == [text]:
        return found[0]
    steps: list[Callable[..., int]] = []
    plain = text
    for mark, pattern, into in (("\\", _ESCAPE, _letter), ("%", _PERCENT, _percent), ("&#", _ENTITY, _entity)):
        if mark in plain:
            plain, back = _replaced(plain, pattern, into)
            steps.append(back)
    placed: list[Found] = []
    for items, fill in zip(found, (_parting, _nothing) if len(shown) == 2 else (_nothing,), strict=True):
        way = steps
        if items and shown != [plain]:
            way = [*steps, _replaced(plain, _NOISE, fill)[1]]
        placed += [item._replace(start=_back(way, item.start), end=_back(way, item.end - 1, True)) for item in items]
    return joined(placed)


def _back(steps: list[Callable[..., int]], place: int, after: bool = False) -> int:
    """The place in the text that lies behind a place in the last view: of a character's start, or, `after`, of its end."""
    for number, step in enumerate(reversed(steps)):
        place = step(place, after) - (1 if after and number < len(steps) - 1 else 0)
    return place if steps else place + after


def _decoded(text: str) -> str:
    """The same as replacing every `_ESCAPE`, at the speed of `str.replace`."""
    while "\\\\" in text:
        text = text.replace("\\\\", "\\")
    if text.count("\\") * _SPARSE < len(text):
        return _spliced(text, "\\", 1, _LETTERS, _NUMBERS)
    held = _NUMBERED.sub(_number, text) if any(mark in text for mark in ("\\u", "\\x", "\\033", "\\e[")) else text
    for letter, char in _LETTERS.items():
        held = held.replace(f"\\{letter}", char)
    return held


def _spliced(text: str, mark: str, width: int, into: dict[str, str], longer: re.Pattern[str] | None = None) -> str:
    """`text` with each mark and the `width` characters behind it replaced where `into` has them; `longer` finds numbers."""
    first, *rest = text.split(mark)
    parts = [first]
    for part in rest:
        head = part[:width]
        if (char := into.get(head)) is not None:
            parts += (char, part[width:])
        elif longer and head in "ux0e" and (match := longer.match(part)):
            parts += (_number(match), part[match.end() :])
        else:
            parts += (mark, part)
    return "".join(parts)


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


def _percent(match: re.Match[str]) -> str:
    return _coded(match[1])


def _entity(match: re.Match[str]) -> str:
    return chr(int(match[1])) if match[1] else _coded(match[2])


def _narrow(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - 0xFEE0)


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
