"""A text and all that lies encoded in it, each as plain text: colours and invisible characters gone, line breaks joined, JSON, base64, hex,
URLs and escapes undone, four deep. Written apart from the views of redaction on purpose: one mistake must not blind both."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

DEEPEST = 4
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)?|.)?")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_BREAK = re.compile(r"\\?\r?\n[ \t>|]*")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(033)|(.)|$)", re.DOTALL)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){12,}(?![0-9a-fA-F])")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "e": "\x1b"}
_LONGEST = 2_000_000
"""Characters of an encoded run that are decoded; a longer one is no text."""

View = tuple[str, bool]
"""The text, and whether lines were joined in it: then only what is evident by itself counts."""


def views(text: str, depth: int = 0) -> Iterator[View]:
    """The text as a reader sees it, and what it holds encoded."""
    seen = _UNSEEN.sub("", _COLOUR.sub("", text)) if not text.isascii() or "\x1b" in text else text
    yield seen, False
    if depth == 0 and "\n" in seen:
        joined = _BREAK.sub("", seen)
        yield joined, True
        yield from ((inner, True) for inner, _ in _within(joined, 1))
    if depth < DEEPEST:
        yield from _within(seen, depth + 1)


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """(place, name of the field, text) of every key and text of a decoded JSON value."""
    waiting = [(place, "", value)]
    while waiting:
        where, name, item = waiting.pop()
        if isinstance(item, str):
            yield where, name, item
        elif isinstance(item, dict):
            for key, inner in item.items():
                yield f"{where}, a key", "", str(key)
                waiting.append((f"{where}.{key}" if key.isidentifier() and len(key) < 40 else f"{where}.*", str(key), inner))
        elif isinstance(item, list):
            waiting += [(f"{where}[{number}]", name, inner) for number, inner in enumerate(item)]


def _within(text: str, depth: int) -> Iterator[View]:
    for inner in _decoded(text):
        if inner != text:
            yield from views(inner, depth)


def _decoded(text: str) -> Iterator[str]:
    if text[:1] in ("{", "[", '"'):
        with suppress(ValueError, RecursionError):
            yield "\n".join(f"{name}={leaf}" if name else leaf for _, name, leaf in leaves(json.loads(text)))
    if "\\" in text:
        yield _ESCAPE.sub(_unescaped, text)
    if "%" in text and _PERCENT.search(text):
        yield unquote(text, errors="replace")
    for match in _BASE64.finditer(text):
        if match.end() - match.start() < _LONGEST:
            yield from _readable(_from_base64(match.group()))
    for match in _HEX.finditer(text):
        if match.end() - match.start() < _LONGEST:
            yield from _readable(bytes.fromhex(match.group()))


def _unescaped(match: re.Match[str]) -> str:
    four, two, escape, letter = match.groups()
    if four or two:
        code = int(four or two, 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    return "\x1b" if escape else _LETTERS.get(letter or "", letter or "")


def _from_base64(run: str) -> bytes:
    core = run.rstrip("=").replace("-", "+").replace("_", "/")
    core = core[: len(core) - (len(core) % 4 == 1)]
    try:
        return base64.b64decode(core + "=" * (-len(core) % 4))
    except (binascii.Error, ValueError):
        return b""


def _readable(data: bytes) -> Iterator[str]:
    """What was decoded, where it reads as text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if len(text) >= 8 and sum(char.isprintable() or char in "\n\r\t\x1b" for char in text) >= 0.97 * len(text):
        yield text
