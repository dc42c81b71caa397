"""Texts inside a text in base64 or hexadecimal form: found by what the form of plain text looks like, and decoded."""

import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

import re2

START_PATTERN = rb"(?:[A-Zabcdef][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]){4,}|(?:[2-7][0-9a-fA-F]|0[9aAdD]){12,}"
"""Base64 of text in ASCII has few letters in three of four places, and its hexadecimal form few first digits."""
_START = re2.compile(START_PATTERN)
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]+(?:\r?\n[A-Za-z0-9+/_-]{16,})*(?:\r?\n[A-Za-z0-9+/_-]{1,75}(?=[=\s\"']|\Z))?={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2})+(?:\r?\n(?:[0-9a-fA-F]{2})+)*")
_PURE_HEX = re.compile(rb"[0-9a-fA-F]+\Z")
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_UNTEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_PROBE = 96
_LARGEST = 4_000_000


class Blob(NamedTuple):
    """One encoded text and where it stands, in bytes."""

    start: int
    end: int
    text: str
    form: str


def blobs(data: bytes) -> Iterator[Blob]:
    """The encoded texts of `data`."""
    done = 0
    for hit in _START.finditer(data):
        start = hit.start()
        if start < done:
            continue
        blob = _hex(data, start) if _PURE_HEX.match(hit.group()) else _base64(data, start)
        if blob:
            done = blob.end
            yield blob


def encode(text: str, form: str) -> str:
    """`text` in a form that `blobs` finds."""
    raw = text.encode("utf-16-le" if form == "base64-wide" else "utf-8", "replace")
    if form == "hex":
        return raw.hex()
    coded = binascii.b2a_base64(raw, newline=False).decode()
    return coded.replace("+", "-").replace("/", "_").rstrip("=") if form == "base64url" else coded


def _base64(data: bytes, start: int) -> Blob | None:
    match = _BASE64.match(data, start, min(len(data), start + _LARGEST))
    if match is None:
        return None
    run = match.group()
    form = "base64url" if b"-" in run or b"_" in run else "base64"
    plain = b"".join(run.split()).rstrip(b"=").translate(_TO_STANDARD)
    probe = _unpacked(plain[:_PROBE])
    if _is_wide(probe):
        return Blob(start, match.end(), _unpacked(plain).decode("utf-16-le", "replace"), "base64-wide")
    if not _is_text(probe):
        return None
    return Blob(start, match.end(), _unpacked(plain).decode("utf-8", "replace"), form)


def _unpacked(plain: bytes) -> bytes:
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    return binascii.a2b_base64(plain + b"=" * (-len(plain) % 4))


def _hex(data: bytes, start: int) -> Blob | None:
    match = _HEX.match(data, start, min(len(data), start + _LARGEST))
    if match is None:
        return None
    raw = binascii.unhexlify(b"".join(match.group().split()))
    return Blob(start, match.end(), raw.decode("utf-8", "replace"), "hex") if _is_text(raw[:_PROBE]) else None


def _is_text(raw: bytes) -> bool:
    text = raw.decode("utf-8", "replace").rstrip("\ufffd")
    return len(text) > 8 and len(_UNTEXT.findall(text)) * 10 <= len(text)


def _is_wide(raw: bytes) -> bool:
    """Letters of two bytes each (UTF-16), as PowerShell takes a command: every second byte is zero, and no other."""
    high = raw[1::2]
    return len(raw) >= 12 and high.count(0) == len(high) and _is_text(raw[::2])
