"""The texts that edits replace and write, and whether a shown text holds them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tracedance.kit import paths
from tracedance.kit.tools import patch_text
from tracedance.schema import ToolCall

_OLD = ("old_string", "old_str", "oldString", "oldText", "old_text", "search", "find", "target")
_NEW = ("new_string", "new_str", "newString", "newText", "new_text", "replace", "content", "contents", "file_text", "text")
_LINE = 6
"""A shorter line (a brace, a keyword) tells nothing about where it stands."""
_LINES = 400


def old_texts(call: ToolCall, path: str = "") -> list[str]:
    """Texts that the call expects to find: old strings, and the context and removed lines of a patch (of `path` alone where given)."""
    patch = patch_text(call.arguments)
    if patch:
        return ["\n".join(line[1:] for line in _hunk_lines(patch, path) if line[:1] in (" ", "-"))]
    return [text for text in _texts(call.arguments, _OLD) if text]


def new_texts(call: ToolCall, path: str = "") -> list[str]:
    """Texts that the call writes."""
    patch = patch_text(call.arguments)
    if patch:
        return ["\n".join(line[1:] for line in _hunk_lines(patch, path) if line[:1] == "+")]
    return [text for text in _texts(call.arguments, _NEW) if text]


def added_lines(call: ToolCall) -> list[str]:
    """Lines that an edit writes and that did not stand in what it replaces."""
    old = set(_split(old_texts(call)))
    return [line for line in _split(new_texts(call)) if line not in old]


def replaced_lines(call: ToolCall) -> list[str]:
    """Lines that an edit takes away or changes, without the context that it only quotes."""
    patch = patch_text(call.arguments)
    if patch:
        return [line[1:].strip() for line in _hunk_lines(patch, "") if line[:1] == "-"]
    new = set(_split(new_texts(call)))
    return [line for line in _split(old_texts(call)) if line not in new]


def shares_line(texts: Iterable[str], shown: str) -> bool:
    """Whether a telling line of one of the texts stands in what was shown, whatever its indentation."""
    return any(line in shown for line in telling_lines(texts))


def mostly_stands_in(texts: Iterable[str], shown: str) -> bool:
    """Whether at least half of the telling lines of one of the texts stand in what was shown: the region, give or take a slip."""
    for text in texts:
        lines = list(telling_lines([text]))
        if lines and 2 * sum(line in shown for line in lines) >= len(lines):
            return True
    return False


def telling_lines(texts: Iterable[str]) -> Iterator[str]:
    """Lines long enough to tell where they stand, without indentation."""
    lines = (line.strip() for text in texts for line in text.split("\n")[:_LINES])
    return (line for line in lines if len(line) >= _LINE and any(sign.isalnum() for sign in line))


def _split(texts: Iterable[str]) -> Iterator[str]:
    return (line.strip() for text in texts for line in text[:100_000].split("\n"))


def stands_in(text: str, shown: str) -> bool:
    """Whether the text stands in what was shown exactly, line for line; line numbers before the lines do not matter."""
    if not text.strip("\n"):
        return False
    if text in shown:
        return True
    bare = "\n".join(_unnumbered(line) for line in shown.split("\n"))
    return text in bare


def _unnumbered(line: str) -> str:
    """A line without the number that read tools and `cat -n` put before it (`   12→`, `12:`, a tab after digits)."""
    head = line.lstrip(" ")
    digits = len(head) - len(head.lstrip("0123456789"))
    return head[digits + 1 :] if digits and head[digits : digits + 1] in ("→", "\t", ":", "|") else line


def _texts(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    found = [arguments[key] for key in keys if isinstance(arguments.get(key), str)]
    edits = arguments.get("edits")
    if isinstance(edits, list):
        found += [text for edit in edits if isinstance(edit, dict) for text in _texts(edit, keys)]
    return found


def _hunk_lines(patch: str, path: str) -> Iterator[str]:
    inside = not path
    for line in patch.split("\n"):
        if line.startswith("*** ") and " File: " in line:
            inside = not path or paths.same(line.partition(" File: ")[2], path)
        elif inside and not line.startswith(("***", "@@")):
            yield line
