"""The reasoning that models write into their answers: what was only thought is neither done nor said, and judges are swayed by it."""

import re
from itertools import islice

TAGS = (
    (r"<(?:antml:|seed:)?(think|thinking|thought|thoughts|reasoning|scratchpad|antthinking)>", r"</(?:antml:|seed:)?{}>"),
    (r"\[(think|thinking)\]", r"\[/{}\]"),
    (r"\u25c1(think)\u25b7", r"\u25c1/{}\u25b7"),
    (r"<\|begin_of_(thought)\|>", r"<\|end_of_{}\|>"),
    (r"(?:<\|start\|>assistant)?<\|channel\|>(analysis)(?:<\|[a-z_]+\|>[^<]{{0,40}})?<\|message\|>", r"<\|(?:end|return)\|>"),
    (r"<\|channel>(thought)\n", r"<channel\|>"),
)
"""What opens reasoning and what closes it, as chat templates spell it: of DeepSeek, Qwen and others, Magistral, Kimi, Sky-T1, gpt-oss and
Gemma. `{}` is the word of the opening tag."""
OPENED = tuple(re.compile(rf"\s*{start.format()}", re.IGNORECASE) for start, _ in TAGS)
CLOSED = re.compile(
    r"</(?:antml:|seed:)?(?:think|thinking|thought|thoughts|reasoning|antthinking)>|\[/think(?:ing)?\]|\u25c1/think\u25b7|<\|end_of_thought\|>"
    r"|(?<=<\|end\|>)<\|start\|>assistant<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
FINAL = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>final(?: [^<]{0,40})?<\|message\|>")
"""What gpt-oss writes before the words that it says."""
MOST = 20
"""Closing tags that are looked at."""
ENDED = re.compile(r"<\|(?:return|end|call)\|>\s*\Z")


def without_reasoning(text: str) -> tuple[str, int]:
    """The text without the reasoning in front of it, and how many characters that was.

    A closing tag without an opening one counts too, since chat templates put the opening tag into the prompt; not one that is spoken of: in
    quotes or code, or amid a sentence.
    """
    said, removed = opened(text)
    if removed:
        return said, removed
    closings = [found.span() for found in islice(CLOSED.finditer(text), MOST)]
    end = next((end for start, end in closings if not is_spoken_of(text, start, end)), 0)
    said = text[end:].lstrip() if end else text
    return said, len(text) - len(said)


def opened(text: str) -> tuple[str, int]:
    """The text without the reasoning in front of it that is marked by an opening tag; all of it where the tag is never closed."""
    place, whole = 0, len(text)
    while (after := _behind(text, place)) > place:
        place = after
    final = FINAL.match(text, place)
    if final:
        place, text = final.end(), ENDED.sub("", text)
    return text[place:], whole - len(text[place:])


def _behind(text: str, place: int) -> int:
    """Where the reasoning ends that begins at a place; the place itself where none does."""
    for (_, end), start in zip(TAGS, OPENED, strict=True):
        if found := start.match(text, place):
            closing = re.compile(rf"{end.format(found.group(1))}\s*", re.IGNORECASE).search(text, found.end())
            return closing.end() if closing else len(text)
    return place


def is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether a closing tag is a word of what is said: quoted, in code, after its opening tag, or amid a sentence."""
    before, after = text[:start], text[end:]
    line = before.rpartition("\n")[2]
    if before.count("```") % 2 or line.count("`") % 2 or line[-1:] in ('"', "'", "(", "\u201c") or re.match(r"[\"'`)\u201d,.;?]", after):
        return True
    if re.search(r"(?i)[<\[](?:antml:|seed:)?(?:think|thinking|thought|thoughts|reasoning)[>\]]", before):
        return True
    return bool(line.strip()) and bool(re.match(r"[ \t]+[a-z]", after))
