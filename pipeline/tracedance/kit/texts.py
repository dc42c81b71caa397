"""Small things about texts."""

import re
from collections.abc import Callable

from tracedance.kit import linear as re2

LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
ANSI = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
INDENT = "\n    "


def words(text: str) -> frozenset[str]:
    """The words of a text as a set; for word lists written as one readable text."""
    return frozenset(text.split())


def valid(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON may carry and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def finder(pattern: str) -> Callable[[str], bool]:
    """Whether a text holds a match of `pattern`, in time linear in the text whatever stands in it (RE2's dialect: no look-around)."""
    holds = re2.compile(pattern).holds
    return lambda text: holds(text if text.isascii() else valid(text))


def indented(text: str) -> str:
    """The text with every line but the first indented, whatever kind of line break it has: no part of it can look like a heading."""
    return INDENT.join(LINE_BREAK.split(text))
