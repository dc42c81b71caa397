"""Secrets are replaced before anything is stored: `[[SECRET:rule:hmac8]]`, equal for equal secrets under one store key.

What stands round a secret (`password=`) stays, so that a reader still sees what was there. Texts are looked at as a reader sees them
(`views`), and JSON inside a text is read as text: its escapes are no hindrance, so nothing is decoded. Replacing is idempotent: a
placeholder is never replaced again. All of it takes time in proportion to the text.
"""

import hmac
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec
import re2

from tracedance.kit.chain import canonical
from tracedance.privacy.rules import CHECKS, FIELD, RULES, Rule, literal, words
from tracedance.privacy.views import Spans, seen, spans, views

_PLACEHOLDER = "[[SECRET:"
_PLACEHOLDERS = re2.compile(rb"\[\[SECRET:[a-z-]{1,40}:[0-9a-f]{8}\]\]")
_ANY = words("|".join([*(rule.near for rule in RULES), "privatekey", "accesskey", "passwd"]))
_COMPILED = tuple((rule, tuple(rule.near.lower().encode().split(b"|")), re2.compile(rule.pattern.encode())) for rule in RULES)


def find(text: str) -> Spans:
    """(rule, start, end) of every secret in `text`, in order of position; placeholders are none."""
    return spans(text, _look)


def _look(text: str) -> Spans:
    """The secrets of a text that is its own view."""
    data = text.encode("utf-8", "replace")
    if not _ANY.search(data):
        return []
    low = data.lower()
    there: dict[bytes, bool] = {}
    taken = bytearray()
    found: Spans = []
    for rule, near, pattern in _COMPILED:
        for word in near:
            if word not in there:
                there[word] = word in low
        if any(there[word] for word in near):
            for start, end in _matches(rule, pattern, data):
                taken = taken or _placeholders(data)
                if taken.find(1, start, end) < 0:
                    taken[start:end] = b"\1" * (end - start)
                    found.append((rule.name, start, end))
    found.sort(key=lambda item: item[1])
    return found if len(data) == len(text) else _in_chars(data, found)


def _placeholders(data: bytes) -> bytearray:
    """One byte for each of `data`: 1 where a placeholder stands."""
    taken = bytearray(len(data))
    for match in _PLACEHOLDERS.finditer(data):
        start, end = match.span()
        taken[start:end] = b"\1" * (end - start)
    return taken


def _matches(rule: Rule, pattern: Any, data: bytes) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(data):
        start, end = match.span(1)
        if start < 0:
            start, end = match.span(2)
        if CHECKS[rule.check](data[start:end].decode("utf-8", "replace")):
            yield start, end


def _in_chars(data: bytes, found: Spans) -> Spans:
    """Places in bytes as places in characters."""
    counted: Spans = []
    byte = char = 0
    for rule, start, end in found:
        first = char + len(data[byte:start].decode("utf-8", "replace"))
        byte, char = end, first + len(data[start:end].decode("utf-8", "replace"))
        counted.append((rule, first, char))
    return counted


class Redactor:
    """Replaces secrets under one key; `found` counts them by rule."""

    def __init__(self, key: bytes, active: bool = True) -> None:
        """`active=False` leaves every text as it is (for measuring)."""
        self.found: Counter[str] = Counter()
        self._active = active
        self._mark = lru_cache(maxsize=4096)(lambda rule, secret: f"{_PLACEHOLDER}{rule}:{_code(key, secret)}]]")

    def text(self, text: str) -> str:
        """`text` with each secret replaced."""
        if not self._active or not text:
            return text
        found = find(text)
        return self._without(text, found) if found else text

    def suspects(self, text: str) -> bool:
        """Whether `text`, plain or JSON, may hold a secret at all: a quick look for the words that every rule needs."""
        return self._active and any(_ANY.search(view.encode("utf-8", "replace")) is not None for view in views(text))

    def value(self, value: Any) -> Any:
        """A decoded JSON value, however deep, with secrets replaced in every string and key; a text that is JSON is read as text."""
        if not self._active:
            return value
        whole: list[Any] = []
        waiting: list[tuple[Any, Any, str]] = [([value], whole, "")]
        while waiting:
            source, copy, under = waiting.pop()
            for key, item in source.items() if isinstance(source, dict) else enumerate(source):
                name = key if isinstance(source, dict) and isinstance(key, str) else under
                cleaned: Any = item
                if isinstance(item, str):
                    cleaned = self._field(name, item)
                elif isinstance(item, dict | list):
                    cleaned = {} if isinstance(item, dict) else []
                    waiting.append((item, cleaned, name if isinstance(item, list) else ""))
                if isinstance(source, dict):
                    copy[self.text(key) if isinstance(key, str) else key] = cleaned
                else:
                    copy.append(cleaned)
        return whole[0]

    def json(self, text: str) -> str:
        """JSON text with secrets replaced leaf by leaf, canonical again; text that is no JSON is treated as text.

        What only the whole shows (a name in one leaf, its value in the next) is replaced in the text where that leaves it JSON.
        """
        try:
            clean = canonical(self.value(msgspec.json.decode(text)))
            again = self.text(clean)
            if again != clean:
                msgspec.json.decode(again)
            return again
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return self.text(text)

    def _field(self, key: str, item: str) -> str:
        """The text under one key: `{"API_KEY": "..."}` is a secret by its name, and `{"Authorization": "Bearer ..."}` by both together."""
        cleaned = self.text(item)
        if not key or len(key) >= 80 or not item or not _ANY.search(key.encode("utf-8", "replace")):
            return cleaned
        if cleaned == item and len(item) >= 8 and FIELD.search(key) and literal(item) and not any(char.isspace() for char in item):
            return self._replacement("named-field", item)
        front = len(key) + 4
        found = [(rule, start - front, end - front) for rule, start, end in find(f'"{key}":"{cleaned}') if start >= front]
        return self._without(cleaned, found) if found else cleaned

    def _without(self, text: str, found: Spans) -> str:
        parts: list[str] = []
        position = 0
        for rule, start, end in found:
            parts += (text[position:start], self._replacement(rule, "".join(seen(text[start:end]).split())))
            position = end
        return "".join([*parts, text[position:]])

    def _replacement(self, rule: str, secret: str) -> str:
        self.found[rule] += 1
        mark: str = self._mark(rule, secret)
        return mark


def _code(key: bytes, secret: str) -> str:
    """First 8 hex digits of HMAC-SHA256 of the secret alone."""
    return hmac.new(key, secret.encode("utf-8", "replace"), sha256).hexdigest()[:8]
