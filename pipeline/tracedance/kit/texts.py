"""Small things about texts."""

from collections.abc import Callable

import re2


def words(text: str) -> frozenset[str]:
    """The words of a text as a set; for word lists written as one readable text."""
    return frozenset(text.split())


def valid(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON may carry and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def finder(pattern: str) -> Callable[[str], bool]:
    """Whether a text holds a match of `pattern`, in time linear in the text whatever stands in it (RE2's dialect: no look-around)."""
    compiled = re2.compile(pattern)
    return lambda text: compiled.search(valid(text)) is not None
