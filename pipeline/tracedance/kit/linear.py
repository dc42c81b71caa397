"""RE2 with a quick no: what nearly every search of a scan answers.

Stands in for the library's module where patterns are searched for many times. The library's own search makes a generator and counts
characters before it looks; the engine below it, asked directly, says no in half the time. That engine is not part of the library's
public face: where a version has another, the public search answers, more slowly.
"""

from collections.abc import Iterator
from typing import Any

import re2

try:
    _FREE, _NOWHERE = re2._re2.RE2.Anchor.UNANCHORED, (-1, -1)
    _QUICK = re2.compile("b")._regexp.Match(_FREE, b"abc", 0, 3)[0] == (1, 2)
    _QUICK = _QUICK and re2.compile("d")._regexp.Match(_FREE, b"abc", 0, 3)[0] == _NOWHERE
except (AttributeError, TypeError, IndexError):  # pragma: no cover - another version of the library
    _QUICK = False


class Pattern:
    """A compiled pattern; a text may be searched as it is or encoded."""

    __slots__ = ("_encodes", "_engine", "_whole", "match", "pattern")

    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self._whole = re2.compile(pattern)
        self._engine = self._whole._regexp.Match if _QUICK else None
        self.match = self._whole.match

    def holds(self, text: Any) -> bool:
        """Whether a match stands somewhere in the text."""
        if self._engine is None:
            return self._whole.search(text) is not None
        data = text.encode() if isinstance(text, str) else text
        return bool(self._engine(_FREE, data, 0, len(data))[0] != _NOWHERE)

    def search(self, text: Any) -> Any:
        """The first match, or None."""
        return self._whole.search(text) if self.holds(text) else None

    def finditer(self, text: Any) -> Iterator[Any]:
        """Every match."""
        return self._whole.finditer(text) if self.holds(text) else iter(())

    def findall(self, text: Any) -> list[Any]:
        """What every match says."""
        return list(self._whole.findall(text)) if self.holds(text) else []

    def sub(self, by: Any, text: Any) -> Any:
        """The text with every match replaced."""
        return self._whole.sub(by, text) if self.holds(text) else text


def compile(pattern: Any) -> Pattern:
    """The pattern, ready to be searched for; `re2.error` where it is none."""
    return Pattern(pattern)
