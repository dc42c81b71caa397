"""What is sensitive is replaced before anything is stored: secrets by `[[SECRET:rule:hmac8]]`, personal data by pseudonyms of its shape.

Both are equal for equal values under one store key. What stands round a value (`password=`) stays, so that a reader still sees what was
there. Texts are looked at as a reader sees them (`views`), and what lies in them encoded is decoded first. Replacing is idempotent: what
was put in place of something is never replaced again. All of it takes time in proportion to the text.
"""

import hmac
import re
from collections import Counter, OrderedDict
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from tracedance.kit.chain import canonical
from tracedance.privacy.checks import FIELD, named_value
from tracedance.privacy.encoded import encode
from tracedance.privacy.looking import find, find_personal, sensitive
from tracedance.privacy.names import Names
from tracedance.privacy.personal import KINDS
from tracedance.privacy.pseudonyms import Pseudonyms
from tracedance.privacy.secrets import PLACEHOLDER
from tracedance.privacy.spans import Found

__all__ = ["Redactor", "find", "find_personal"]

_REMEMBERED, _SHORT = 8192, 512
_REMEMBERED_LONG, _LONG = 64, 32_768
"""How many cleaned texts are kept for their repetition, and how long one may be: many short ones, and a few of those that cost more."""

_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?")
"""A time, of which each turn has another, and in which no rule finds anything."""


@lru_cache(maxsize=4096)
def _may_be_field(key: str) -> bool:
    return FIELD.search(key) is not None


class _Cleaned(NamedTuple):
    text: str
    kinds: tuple[str, ...] = ()
    """One for each replacement."""
    names: tuple[tuple[str, str, str], ...] = ()
    """Names that the text tells: kind, name and pseudonym."""


class Redactor:
    """Replaces under one key; `found` counts replacements by kind. Names are remembered for one session: see `session`."""

    def __init__(self, key: bytes, active: bool = True) -> None:
        """`active=False` leaves every text as it is (for measuring)."""
        self.found: Counter[str] = Counter()
        self._key = key
        self._active = active
        self._pseudonyms = Pseudonyms(key)
        self._marks: dict[tuple[str, str], str] = {}
        self._known: OrderedDict[str, _Cleaned] = OrderedDict()
        self._known_long: OrderedDict[str, _Cleaned] = OrderedDict()
        self._names = Names()

    def session(self) -> "Redactor":
        """A redactor for the texts of one session, which share the names that they tell; counts and memory are this one's."""
        child = type(self).__new__(type(self))
        child.__dict__.update(self.__dict__)
        child._names = Names()
        return child

    @property
    def names(self) -> int:
        """How many names the session's texts have told so far."""
        return len(self._names.known)

    def text(self, text: str) -> str:
        """`text` with all that is sensitive replaced."""
        if not self._active or not text or (text[:2] == "20" and _TIME.fullmatch(text)):
            return text
        known = self._known if len(text) <= _SHORT else self._known_long
        cleaned = known.get(text)
        if cleaned is None:
            cleaned = self._cleaned(text)
            if len(text) <= _LONG:
                known[text] = cleaned
                if len(known) > (_REMEMBERED if known is self._known else _REMEMBERED_LONG):
                    known.popitem(last=False)
        if cleaned.kinds:
            self.found.update(cleaned.kinds)
            for kind, name, pseudonym in cleaned.names:
                {"owner": self._names.learn_owner, "host": self._names.learn_host}.get(kind, self._names.learn)(name, pseudonym)
        return self.named(cleaned.text) if self._names.known else cleaned.text

    def named(self, text: str) -> str:
        """`text`, clean already, with the session's names replaced that its own places did not show."""
        replaced, count = self._names.replaced(text)
        if count:
            self.found["user"] += count
        return replaced

    def value(self, value: Any) -> Any:
        """A decoded JSON value, however deep, with every string and key replaced; a text that is JSON is read as text."""
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
        """JSON text with all that is sensitive replaced leaf by leaf, canonical again; text that is no JSON is treated as text.

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
        if not key or len(key) >= 80 or not item or len(item) > 20_000 or not _may_be_field(key):
            return cleaned
        if cleaned == item and FIELD.fullmatch(key) and named_value(item):
            self.found["named-field"] += 1
            return self._mark("named-field", item)
        front = len(key) + 4
        found = [item._replace(start=item.start - front, end=item.end - front) for item in sensitive(f'"{key}":"{cleaned}')]
        return self._without(cleaned, [item for item in found if item.start >= 0]).text

    def _cleaned(self, text: str) -> _Cleaned:
        found = sensitive(text)
        return self._without(text, found) if found else _Cleaned(text)

    def _without(self, text: str, found: list[Found]) -> _Cleaned:
        parts: list[str] = []
        names: list[tuple[str, str, str]] = []
        kinds: list[str] = []
        position = 0
        for item in found:
            parts += (text[position : item.start], self._replacement(item, text[item.start : item.end], kinds, names))
            position = item.end
        return _Cleaned("".join([*parts, text[position:]]), tuple(kinds), tuple(names))

    def _replacement(self, item: Found, written: str, kinds: list[str], names: list[tuple[str, str, str]]) -> str:
        if item.form:
            inner = self._cleaned(item.value)
            kinds += inner.kinds
            names += inner.names
            return encode(inner.text, item.form)
        kinds.append(item.rule)
        if item.rule not in KINDS:
            return self._mark(item.rule, item.value)
        pseudonym = self._pseudonyms.replacement(item.rule, item.value, written)
        if item.rule in ("user", "name", "owner", "host"):
            names.append((item.rule, item.value, pseudonym))
        return pseudonym

    def _mark(self, rule: str, secret: str) -> str:
        mark = self._marks.get((rule, secret))
        if mark is None:
            code = hmac.new(self._key, secret.encode("utf-8", "replace"), sha256).hexdigest()[:8]
            mark = self._marks[rule, secret] = f"{PLACEHOLDER}{rule}:{code}]]"
            if len(self._marks) > _REMEMBERED:
                self._marks.clear()
        return mark
