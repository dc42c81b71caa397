"""Foreign text made safe to look at: what a terminal or a browser would obey or hide is shown as its code."""

import unicodedata

JOINERS = "\u200c\u200d"
"""Zero-width joiners: scripts and emoji need them, and they neither reorder nor hide anything."""


def visible(text: str) -> str:
    """`text` with control, bidi, format and separator characters and lone surrogates written as \\uXXXX; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(code(char) if hidden(char) else char for char in text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 200) -> str:
    """`visible`, on one line and at most `limit` characters."""
    shown = " ".join(visible(text[: 4 * limit]).split())
    return shown if len(shown) <= limit and len(text) <= 4 * limit else f"{shown[: limit - 1]}\u2026"


def hidden(char: str) -> bool:
    """Whether a reader would not see this character as what it is."""
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t" + JOINERS


def code(char: str) -> str:
    """The character's code as in JSON."""
    return f"\\u{ord(char):04x}"
