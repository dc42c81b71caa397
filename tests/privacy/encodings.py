"""The eight ways in which a planted text may stand in a session."""

import base64
import json
from collections.abc import Callable
from random import Random
from urllib.parse import quote

ZERO_WIDTH = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")


def plain(text: str, value: str, rng: Random) -> str:
    return text


def json_in_json(text: str, value: str, rng: Random) -> str:
    """A JSON document in a string of a JSON document."""
    return json.dumps({"ok": True, "body": json.dumps({"output": text, "code": 0})})


def as_base64(text: str, value: str, rng: Random) -> str:
    return base64.b64encode(text.encode()).decode()


def as_hex(text: str, value: str, rng: Random) -> str:
    return text.encode().hex()


def percent(text: str, value: str, rng: Random) -> str:
    """As a browser does it, or every character."""
    return quote(text, safe="") if rng.random() < 0.5 else "".join(f"%{byte:02X}" for byte in text.encode())


def ansi(text: str, value: str, rng: Random) -> str:
    """Coloured as a search that matched a part of the value does it."""
    start, end = _span(text, value)
    cut = rng.randint(start + 2, start + max(3, (end - start) // 2))
    reset = rng.choice(("\x1b[0m", "\x1b[m\x1b[K", "\x1b[39;49m"))
    return f"{text[:start]}\x1b[01;31m\x1b[K{text[start:cut]}{reset}{text[cut:end]}\x1b[1;32m{text[end:]}\x1b[0m"


def zero_width(text: str, value: str, rng: Random) -> str:
    start, end = _span(text, value)
    pieces = [char + (rng.choice(ZERO_WIDTH) if rng.random() < 0.2 or number == 3 else "") for number, char in enumerate(text[start:end])]
    return text[:start] + "".join(pieces) + text[end:]


def wrapped(text: str, value: str, rng: Random) -> str:
    """Broken by a narrow terminal, a mail or a shell's continuation, so that the value goes on in the next line."""
    start, end = _span(text, value)
    middle = start + rng.randint(4, max(5, min(end - start, 60) - 4))
    brk = rng.choice(("\n", "\n", "\r\n", "\\\n"))
    return text[:middle] + brk + text[middle:]


def _span(text: str, value: str) -> tuple[int, int]:
    """Where the value's first line stands."""
    start = text.index(value)
    return start, start + len(value.split("\n")[0])


Encoding = Callable[[str, str, Random], str]
ENCODINGS: dict[str, Encoding] = {
    "plain": plain,
    "json": json_in_json,
    "base64": as_base64,
    "hex": as_hex,
    "percent": percent,
    "ansi": ansi,
    "zero_width": zero_width,
    "wrapped": wrapped,
}
