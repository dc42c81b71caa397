"""Shell texts so plain that no grammar is needed: words and quoted words, joined by `&&`, `||`, `;` and pipes. Most commands are."""

import re

from tracedance.kit.texts import words as words_of

LONGEST = 1_000
_WORD = r"[A-Za-z0-9_./@:,+%-][A-Za-z0-9_./@:,+=%-]*"
_QUOTED = r"\"[^\"$`\\\n]*\"|'[^'\n]*'"
_SIMPLE = rf"{_WORD}(?: +(?:{_WORD}|{_QUOTED})(?=[ ;]|$))*(?: +2>&1(?=[ ;]|$))?"
_TEXT = re.compile(rf"{_SIMPLE}(?:(?: +(?:&&|\|\||\|) +|; +){_SIMPLE})*")
_SIGN = re.compile(rf"2>&1|{_QUOTED}|{_WORD}|&&|\|\||[|;]")
_MERGED = re.compile(r"2>&1 +\|(?!\|)")
_KEYWORDS = words_of(
    """
    if then elif else fi for while until do done case esac in select function time coproc declare typeset export readonly local unset
    unsetenv let eval exec alias
    """
)
"""Words at which a command begins that is more than its words."""


def pipelines(text: str) -> list[list[tuple[str, ...]]] | None:
    """The pipelines of a plain text, each as the words of its commands; None for a text that the grammar has to read."""
    if len(text) > LONGEST or not text.isascii() or "<<" in text or _TEXT.fullmatch(text) is None:
        return None
    made: list[list[list[str]]] = [[[]]]
    for sign in _SIGN.findall(text):
        if sign == "|":
            made[-1].append([])
        elif sign in ("&&", "||", ";"):
            made.append([[]])
        elif sign != "2>&1":
            made[-1][-1].append(sign[1:-1] if sign[0] in "\"'" else sign)
    commands = [words for pipe in made for words in pipe]
    if any("=" in words[0] or words[0] in _KEYWORDS or "-" in words for words in commands):
        return None
    if len(made) > 1 and _MERGED.search(text):
        return None  # The grammar takes the redirection for one of the whole list, and what is known of commands rests on that.
    return [[tuple(words) for words in pipe] for pipe in made]
