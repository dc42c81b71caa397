"""What a sentence says, as concepts: `edits code it has not read` and `ändert Dateien ungelesen` both say edit, file and the lack of read.

configs/concepts.yaml names the concepts and their words. A negation denies the concept that follows it, so that "never ran the tests" and
"runs the tests" are as far apart as they mean to be. Words of no concept stand for themselves, cut to their stems.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.resources import data

FILE = "concepts.yaml"
WORD = re.compile(r"(?<=\s)-[a-z]{1,2}\b|[^\W_]+(?:_[^\W_]+)*")
ORDER = re.compile(r"^\W*(please\s+)?build\b")
"""The verb of the request itself; elsewhere a build is what an agent builds."""
QUESTION = re.compile(r"^(how|do|does|did|can|could|is|are|will|would|whether|tun|liest|lesen)\b|\?\s*$")
GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|ein|eine|einen|nicht|ohne|und|oder|zu|vorher|wenn|obwohl|nach|hat|wird|werden|bitte|keine?)\b"
)
SUFFIXES = ("ingly", "ments", "ment", "ings", "ing", "tion", "ions", "ies", "ied", "ers", "ed", "es", "er", "ly", "s", "e")
LONGEST = 5
"""Words of the longest entry."""
DENIED = "-"


@dataclass(frozen=True, slots=True)
class _Book:
    words: Mapping[str, str]
    """Concept by word, stem or run of words; the negations, befores and boundaries are concepts here too."""
    beginnings: tuple[tuple[str, str], ...]
    long_beginnings: tuple[tuple[str, str], ...]
    """Beginnings of the last of several words."""
    names: frozenset[str]
    checks: frozenset[str]
    deniable: frozenset[str]
    done_with: Mapping[str, str]
    says_nothing: frozenset[str]
    subjects: frozenset[str]
    light: frozenset[str]
    telling: frozenset[str]
    outcomes: frozenset[str]
    after_a_subject: Mapping[str, str]


NOT, BEFORE, BOUNDARY = "<not>", "<before>", "<boundary>"
CLAIM, ADMITTED, GOOD, BAD = "claim", "admit", ("pass", "fixed", "done"), "fail"
BESIDE = ("without", "ohne", "sin", "sans")
"""What these deny goes beside the claim, not into it."""
NOT_DONE = "nodo"
"""What a denial says that ends its clause: "although it did not"."""


@lru_cache(maxsize=4096)
def concepts(text: str) -> frozenset[str]:
    """The concepts of `text` and the stems of its other content words; a denied one begins with `-`."""
    book = _book()
    told = _told(text, book)
    found: set[str] = set()
    denied, earlier, start = False, False, 0
    for number, (token, written) in enumerate(told):
        if token == NOT and told[number + 1][0] == BOUNDARY:
            found.add(NOT_DONE)
        elif token == NOT:
            denied, start = True, number
        elif token == BOUNDARY:
            denied = False
        elif token == BEFORE:
            denied, earlier = not any(name.startswith(DENIED) for name in found) and not found & book.checks, True
        elif denied and token in book.done_with and told[start][1] == written:
            found |= {token, DENIED + book.done_with[token]}
            denied = False
        elif denied and token in book.deniable:
            found.add(DENIED + token + _of_what(told, start, number, book))
            denied = False
        elif denied and _last_chance(told[number + 1 :], book):
            found |= {token, DENIED + book.done_with[token]} if token in book.done_with else {DENIED + token}
            denied = False
        else:
            found.add(token)
    if CLAIM in found and _admits(told):
        found = found - {CLAIM} | {ADMITTED}
    if (earlier or QUESTION.search(fold(text))) and not any(name.startswith(DENIED) for name in found):
        found = {DENIED + name if name in book.checks else name for name in found}
    return frozenset(found)


def _admits(told: list[tuple[str, str]]) -> bool:
    """Whether what is said is a failure or an omission: "says it did not send it", "reports that the fix failed"."""
    names = [token for token, _ in told]
    start = names.index(CLAIM) + 1
    after = names[start:]
    outcome = next((at for at, name in enumerate(after) if name in (*GOOD, BAD)), None)
    if after[0] == NOT or outcome is None:
        return after[0] == NOT and told[start][1] not in BESIDE
    if after[outcome] == BAD and BOUNDARY not in after[:outcome] and not any(name in GOOD for name in after[: after.index(BOUNDARY)]):
        return True
    return (after[outcome] == BAD and any(name in GOOD for name in after)) or after[outcome : outcome + 2] == ["fixed", BAD]


def is_light(concept: str) -> bool:
    """Whether nearly every sentence has it."""
    return concept.lstrip(DENIED) in _book().light


def telling() -> frozenset[str]:
    """Concepts on which behaviours turn: said of one that does not know them, they make it another, or two."""
    return _book().telling


def is_known(concept: str) -> bool:
    """Whether the word list has it; other names are stems."""
    return concept.lstrip(DENIED).partition(" ")[0] in _book().names


def fold(text: str) -> str:
    """Lower case without accents; `n't`, `ne ... pas` and `re-` spelt so that they are found."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    if len(GERMAN.findall(plain)) > 1:  # umlauts written out
        plain = re.sub(r"(?<![aeiouq])([aou])e(?=[a-z])", r"\1", plain)
    plain = re.sub(r"\b(can)not\b", r"\1 not", plain.replace("’", "'").replace("ß", "ss")).replace("n't", " not")
    plain = re.sub(r"\bn(?:e\s+|')((?:[\w']+\s+){1,3}?)pas\b", r"ne \1", plain)
    return re.sub(r"\bre-(?=[a-z])", "re", plain)


def stem(word: str) -> str:
    """A rough English stem: enough that `edits`, `edited` and `editing` meet."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            cut = word[: -len(suffix)]
            doubled = len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "aeiosl"
            return cut[:-1] if doubled else cut
    return word


def _of_what(told: list[tuple[str, str]], start: int, at: int, book: _Book) -> str:
    """What was not looked at, where that is an outcome: not to read an error is another thing than not to read a file."""
    if told[start][1] == told[at][1] or told[at][0] not in book.checks:
        return ""
    between, following = told[start + 1 : at], told[at + 1 : at + 2]
    thing = (between or following)[0][0] if between or following else BOUNDARY
    if thing == BOUNDARY:
        thing = _subject([token for token, _ in told[:start]], book)
    return f" {thing}" if thing in book.outcomes and told[at][0] == "read" else ""


def _subject(before: list[str], book: _Book) -> str:
    """The outcome that the clause which ends with `before` is about, if it is about nothing else: "the error text is not read"."""
    clause = before[len(before) - before[::-1].index(BOUNDARY) :] if BOUNDARY in before else before
    outcomes = [token for token in clause if token in book.outcomes]
    return outcomes[0] if outcomes and all(token in book.outcomes or token in book.light for token in clause) else ""


def _last_chance(rest: list[tuple[str, str]], book: _Book) -> bool:
    """Whether nothing that a negation could rather deny follows before the clause ends."""
    for token, _ in rest:
        if token in (BOUNDARY, BEFORE, NOT):
            return True
        if token in book.deniable:
            return False
    return True


def _told(text: str, book: _Book) -> list[tuple[str, str]]:
    """Concepts and words of `text` in their order, each with what was written."""
    told: list[tuple[str, str]] = []
    for clause in re.split(r"[,;:.!?]+(?=\s|$)", ORDER.sub("", fold(text))):
        told += [*_clause(WORD.findall(" " + clause), book), (BOUNDARY, ",")]
    return told


def _clause(written: list[str], book: _Book) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(written):
        for length in range(min(LONGEST, len(written) - at), 0, -1):
            run = " ".join(written[at : at + length])
            token = _token(run, book)
            if run in book.after_a_subject and (at == 0 or written[at - 1] in book.subjects):
                token = book.after_a_subject[run]
            if token and token.startswith(DENIED):
                yield from ((NOT, run), (token[1:], run))
            elif token:
                yield token, run
            if token is not None:
                at += length
                break


def _token(run: str, book: _Book) -> str | None:
    """The concept of a run of words; for a single word also its stem, or "" if it says nothing; None if a run is no entry."""
    if run in book.words:
        return book.words[run]
    if " " in run:
        return next(
            (concept for start, concept in book.long_beginnings if run.startswith(start) and run.count(" ") == start.count(" ")), None
        )
    if run in book.says_nothing or (len(run) == 1 and run.isascii()):
        return ""
    for beginning, concept in book.beginnings:
        if run.startswith(beginning):
            return concept
    return book.words.get(stem(run), stem(run))


@cache
def _book() -> _Book:
    path = data("configs") / FILE
    raw = yamlfile.read(path, "Restore the shipped file.").values
    try:
        entries = {NOT: raw["negations"], BEFORE: raw["befores"], BOUNDARY: raw["boundaries"], **raw["concepts"]}
        words: dict[str, str] = {}
        beginnings: dict[str, str] = {}
        for concept, written in entries.items():
            for entry in written:
                run = " ".join(WORD.findall(" " + fold(str(entry))))
                into = beginnings if str(entry).endswith("*") else words
                into.setdefault(run, str(concept))
        checks, acts = frozenset(raw["checks"]), frozenset(raw["acts"])
        light, telling, outcomes = (frozenset(raw[name]) for name in ("light", "telling", "outcomes"))
        said = (frozenset(raw["says_nothing"].split()), frozenset(raw["subjects"].split()))
        meaning = (dict(raw["done_with"]), *said, light, telling, outcomes, dict(raw["after_a_subject"]))
        single = tuple(item for item in beginnings.items() if " " not in item[0])
        several = tuple(item for item in beginnings.items() if " " in item[0])
        return _Book(words, single, several, frozenset(map(str, raw["concepts"])), checks, checks | acts, *meaning)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path} lacks {error} or is no list of words. Restore the shipped file.") from error
