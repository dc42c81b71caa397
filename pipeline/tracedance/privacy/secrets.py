"""Finds secrets in one text as it stands: at each word that a rule begins with, and nowhere else, so that the time grows with the text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import re2

from tracedance.privacy.checks import dense, documented
from tracedance.privacy.rules import TRIGGER, Rule, word_of
from tracedance.privacy.spans import Found
from tracedance.privacy.trials import REACH, REACHES, WINDOW, trial

PLACEHOLDER = "[[SECRET:"
_PLACEHOLDERS = re2.compile(rb"\[\[SECRET:[a-z-]{1,40}:[0-9a-f]{8}\]\]")
_CROWD, _NEAR, _CROWDED_REACH = 64, 24, 160
"""After so many words in a row that were so near to each other and showed nothing, no rule looks further than this: else one line of
nothing but words of rules, each with its own window over the next ones, takes minutes."""
_WORD = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_LETTERS = _WORD - frozenset(b"_")
"""What a token that stands next to it is a part of: an underscore joins a token to a name, and does not make it one."""
_MORE = re.compile(rb"[A-Za-z0-9+/=_-]*")
_NEXT_LINE = rb"\r?\n[ \t]{0,8}(?=([A-Za-z0-9+/_.-][A-Za-z0-9+/_.!#$%^*~-]*={0,2})(?:[\s\"'`,;)}\]&@<\\]|\Z))"
_BREAK = re.compile(rb"[ \t]*\\?" + _NEXT_LINE)
_BREAK_END = re.compile(_NEXT_LINE)
_EXTENSION = re.compile(r"\.(?:[a-z]{1,5}\d?|\d+)$")
_INNER_DIGIT = re.compile(r"[^\W\d_]\d+[^\W\d_]")
_BODY_THEN_BREAK = re.compile(rb"[A-Za-z0-9+/=_.-]*[ \t]*\\?\r?\n[ \t]{0,8}[A-Za-z0-9+/_.-]{3}")
_VALUE_THEN_BREAK = re.compile(
    rb"[\w.-]*[\"']?(?:\s?[=:]\s?(?:\w{3,8}\s)?|(?:\s-\w{1,9}\s[^\s\"'`]{1,64}){0,5}\s(?:-\w{1,9}\s)?)[\"']?"
    rb"(?:[^\s\"'`;]{1,64};\s)*[^\s\"'`]{2,256}[ \t]*\\?\r?\n[ \t]{0,8}[A-Za-z0-9+/_.-][^\s\"'`]"
)
_COOKIES = re.compile(r"([^\s=;,]{1,128})=([^;,\s\"']{6,})")
_ATTRIBUTES = frozenset(["path", "domain", "max-age", "expires", "samesite", "version", "priority", "lang", "locale", "theme"])
_TAIL = re.compile(rb"(?:[A-Za-z0-9+/]{16,76}=*[\s\\nr|>]{1,12})+(?:[A-Za-z0-9+/]{1,76}=*[\s\\nr|>]{1,12})?\Z")


def secrets(data: bytes) -> list[Found]:
    """Every secret of `data`, places in bytes, in order; placeholders are none."""
    found: list[Found] = []
    done = 0
    taken = [match.span() for match in _PLACEHOLDERS.finditer(data)] if b"[[SECRET:" in data else []
    crowd = _Crowd(data)
    for hit in TRIGGER.finditer(data):
        start, end = hit.span()
        if start < done or (taken and _inside(taken, start)):
            continue
        reach = crowd.reach(start)
        if not reach:
            continue
        word, broken = word_of(data[start:end])
        here = _wrapped(data, start, word) if broken else _at(data, start, word, taken, reach)
        crowd.met(start, bool(here))
        for item in here:
            found.append(item)
            done = max(done, item.end)
    return found


class _Crowd:
    """How near to each other words of rules stand that showed nothing: what bounds the time for any text."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._count, self._last = 0, -_NEAR
        self._barren: set[bytes] = set()

    def reach(self, start: int) -> int:
        """How far from its word a rule may look; 0 where the same stretch has shown nothing before."""
        self._count = self._count + 1 if start - self._last <= _NEAR else 0
        self._last = start
        if self._count < _CROWD:
            return REACH
        return 0 if self._data[start - 1 : start + _CROWDED_REACH] in self._barren else _CROWDED_REACH

    def met(self, start: int, found: bool) -> None:
        """What was found at `start`, or nothing."""
        if found:
            self._count = 0
        elif self._count >= _CROWD and start + REACH < len(self._data):
            stretch = self._data[start - 1 : start + _CROWDED_REACH]
            if b"\n" not in stretch and len(self._barren) < 4096:
                self._barren.add(stretch)


def _inside(taken: list[tuple[int, int]], place: int) -> bool:
    index = bisect_right(taken, (place, 1 << 62)) - 1
    return index >= 0 and place < taken[index][1]


def _at(data: bytes, start: int, word: bytes, taken: list[tuple[int, int]], reach: int) -> list[Found]:
    """What begins with the word at `start`: the first rule that finds something has it."""
    tried = trial(word)
    if tried.hopeless(data, start):
        return []
    for rule, offset in tried.at(data, start, reach):
        place = start + offset
        match = rule.regex.match(data, place, min(len(data), place + (REACHES.get(rule.name, reach) if reach == REACH else reach)))
        found = list(_values(rule, match, data, place, reach)) if match else []
        if not found and rule.cut:
            found = _cut_short(rule, data, place)
        if taken:
            found = [item for item in found if not _inside(taken, item.start) and not _inside(taken, item.end - 1)]
        if found:
            found = [_specific(item) for item in found] if rule.kind != "token" else found
            return _continued(rule, data, start, found, word)
    end = start + len(word)
    broken = data.find(b"\n", end, end + 160) >= 0
    goes_on = broken and (_BODY_THEN_BREAK.match(data, end) or _VALUE_THEN_BREAK.match(data, end))
    return _wrapped(data, start, word) if goes_on else []


def _values(rule: Rule, match: Any, data: bytes, place: int, reach: int = REACH) -> Iterator[Found]:
    """The secrets in one match; none where the value fails the rule's test."""
    group = next((number for number in range(1, match.re.groups + 1) if match.start(number) >= 0), 0)
    start, end = match.span(group)
    if rule.check == "tail":
        yield from _tail(rule, data, place)
        return
    value = data[start:end].decode("utf-8", "replace")
    if rule.check == "cookie":
        yield from _cookies(rule, value, start)
        return
    while value and value[-1] in ".,;:!?)" and rule.kind == "named" and rule.check != "password":
        value, end = value[:-1], end - 1
    if value.endswith(("...", "…")) and len(value) >= 9:  # cut short
        short = value.rstrip(".…")
        value, end = short, end - len(value[len(short) :].encode())
    value = "".join(value.split()) if rule.check != "phrase" else value
    if not rule.holds(value[:256]):
        return
    if end - place >= reach - 1:
        further = _more(data, end)
        value, end = value + data[end:further].decode("utf-8", "replace"), further
    within = (place and data[place - 1] in _LETTERS) or (end < len(data) and data[end] in _LETTERS)
    if not (within and rule.kind == "token" and not group) or dense(value) or value.isupper():
        yield Found(rule.name, start, end, value)


def _specific(item: Found) -> Found:
    """The same under the name of the token that it is: what stands before a token does not change its placeholder."""
    data = item.value.encode("utf-8", "replace")
    hit = TRIGGER.match(data)
    for rule, offset in trial(word_of(hit.group())[0]).pairs if hit else ():
        if rule.kind == "token" and not offset and (match := rule.regex.match(data)) and match.end() == len(data):
            return item._replace(rule=rule.name)
    return item


def _more(data: bytes, end: int) -> int:
    match = _MORE.match(data, end)
    return match.end() if match else end


def _cookies(rule: Rule, value: str, start: int) -> Iterator[Found]:
    for match in _COOKIES.finditer(value):
        name, cookie = match.groups()
        if name.lower() not in _ATTRIBUTES and not documented(cookie) and not cookie.startswith(("$", "{", "<", "[[", "...")):
            first = start + len(value[: match.start(2)].encode("utf-8", "replace"))
            yield Found(rule.name, first, first + len(cookie.encode("utf-8", "replace")), cookie)


def _tail(rule: Rule, data: bytes, place: int) -> Iterator[Found]:
    """The end of a private key whose beginning was cut off."""
    head = max(0, place - 8192)
    before = data[head:place]
    if b"PRIVATE KEY" in before or b"[[SECRET:" in before[-64:]:
        return
    match = _TAIL.search(before)
    if match:
        end = head + len(before.rstrip(b" \r\n\t\\"))
        yield Found(rule.name, head + match.start(), end, b"".join(data[head + match.start() : end].split()).decode("utf-8", "replace"))


def _cut_short(rule: Rule, data: bytes, place: int) -> list[Found]:
    """A token that the text ends in the middle of."""
    match = rule.cut_regex.match(data, place, min(len(data), place + 300)) if rule.cut_regex else None
    if not match or (match.end() == place + 300 and match.end() < len(data)) or (place and data[place - 1] in _WORD):
        return []
    value = match.group(1).decode("utf-8", "replace").rstrip(".")
    body = value[max(len(word) for word in rule.words if value.startswith(word)) :]
    if len(body) < 6 or not any(char.isdigit() for char in body) or not any(char.isalpha() for char in body) or documented(value):
        return []
    return [Found(rule.name, place, place + len(value), value)]


def _continued(rule: Rule, data: bytes, start: int, found: list[Found], word: bytes) -> list[Found]:
    """The same, or the longer value where it goes on in the next line."""
    last = found[-1]
    if rule.check == "tail" or data[last.end : last.end + 12].lstrip(b" \t\\\r")[:1] != b"\n":
        return found
    token = TRIGGER.match(data, last.start) if rule.kind != "token" else None
    broken = _wrapped(data, last.start, word_of(token.group())[0]) if token else []
    longer = [item for item in broken or _wrapped(data, start, word) if item.start <= last.start and item.end > last.end]
    if longer or rule.kind == "token":
        return longer or found
    match = _BREAK.match(data, last.end)
    if match and _goes_on(match.group(1), data[match.end(1) : match.end(1) + 1]):
        more = match.group(1).decode("utf-8", "replace")
        return [*found[:-1], last._replace(end=match.end(1), value=last.value + more)]
    return found


def _goes_on(piece: bytes, after: bytes) -> bool:
    """Whether the first piece of a line looks like the rest of a value that began in the line before."""
    text = piece.decode("utf-8", "replace")
    digits = sum(char.isdigit() for char in text)
    cases = any(char.islower() for char in text) and any(char.isupper() for char in text)
    drawn = digits > 0 and cases and "/" not in text and not _EXTENSION.search(text)
    if ("." in text or "/" in text) and not drawn and (len(text) < 12 or (text[0] == "/" and text.count("/") > 2)):
        return False  # a path or a number
    if after in (b" ", b"\t"):
        return digits > 0 and ((cases and (len(text) >= 8 or _INNER_DIGIT.search(text) is not None)) or _turns(text) > 2)
    return (len(text) >= 4 and digits > 0 and digits < len(text)) or (len(text) >= 8 and cases)


def _turns(text: str) -> int:
    """How often small letters, capitals and digits change in a text; twice at most in what people write (`IPv4`, `sha256sum`)."""
    kinds = ["digit" if char.isdigit() else "small" if char.islower() else "capital" for char in text if char.isalnum()]
    return sum(a != b and (a, b) != ("capital", "small") for a, b in pairwise(kinds))


def _wrapped(data: bytes, start: int, word: bytes) -> list[Found]:
    """What begins at `start` and is broken over the ends of lines: as many of them as there are, else the first few alone."""
    window = data[start : start + WINDOW]
    breaks = list(_breaks(window))
    for count in dict.fromkeys((len(breaks), *range(min(3, len(breaks)), 0, -1))):
        found = _joined(window, start, word, breaks[:count]) if count else []
        if found:
            return found
    return []


def _breaks(window: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Start, end and what follows of every `_BREAK`, looked for at its line's end, which is several times as fast."""
    last = 0
    for match in _BREAK_END.finditer(window):
        start = match.start()
        if window[last:start].endswith(b"\\"):
            start -= 1
        start = last + len(window[last:start].rstrip(b" \t"))
        last = match.end()
        yield start, last, match.group(1)


def _joined(window: bytes, start: int, word: bytes, breaks: Sequence[tuple[int, int, bytes]]) -> list[Found]:
    """What begins a window whose lines are joined at some of their ends."""
    parts: list[bytes] = []
    places, origins = [0], [0]
    length = position = 0
    pieces: list[tuple[int, bytes]] = []
    for first, last, piece in breaks:
        parts.append(window[position:first])
        length += first - position
        position = last
        places.append(length)
        origins.append(position)
        pieces.append((length, piece))
    whole = b"".join([*parts, window[position:]])

    def back(place: int) -> int:
        index = bisect_right(places, place) - 1
        return start + origins[index] + place - places[index]

    for rule, offset in trial(word).at(whole, 0, len(whole)):
        match = rule.regex.match(whole, offset, len(whole))
        for item in _values(rule, match, whole, offset) if match and rule.check != "tail" else ():
            end = _true_end(rule, item, pieces, whole)
            if end > 0:
                value = whole[item.start : end].decode("utf-8", "replace")
                return [Found(rule.name, back(item.start), back(end - 1) + 1, "".join(value.split()))]
    return []


def _true_end(rule: Rule, item: Found, pieces: list[tuple[int, bytes]], whole: bytes) -> int:
    """Where a value ends that seems to go on in further lines; 0 where it does not."""
    if rule.name == "url-credential" or (rule.name == "aws-secret" and len(item.value) == 40):
        return item.end  # What follows it shows its end, or its length does.
    end = 0
    for place, piece in pieces:
        if place >= item.end or (place <= item.start and rule.kind != "token"):
            continue
        last = place + len(piece)
        likely = _goes_on(piece, whole[last : last + 1])
        inside = item.end < last - len(piece) + len(
            piece.rstrip(b".!")
        )  # it would take the beginning of a word, perhaps another secret's name
        if not likely and (rule.kind != "token" or inside or end):
            break
        end = min(item.end, last)
    return end
