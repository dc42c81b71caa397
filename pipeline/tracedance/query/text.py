"""Text that people or models gave, on one line."""

import unicodedata


def plain(text: str) -> str:
    """`text` on one line, without control and invisible characters."""
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in text)
    return " ".join(shown.split())
