"""Invented content in the place of real data: the words for it, and values that nothing in the context shows."""

import re
from collections.abc import Iterable

from tracedance.kit import commands
from tracedance.kit import linear as re2
from tracedance.kit.claims import sentences
from tracedance.kit.replacing import new_texts
from tracedance.kit.shell import parse
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall

MOCK = re2.compile(
    r"(?im)\b(?:mock(?:ed)?|sample|dummy|placeholder|simulat\w+|synthetic|example data|hard-?coded|fallback (?:data|values?)|fake"
    r"|stub(?:bed)?)\b"
)
"""Words for a substitute of real data. In code they are everyday words: see `written`."""

_DATA = (
    r"(?:data|values?|results?|prices?|records?|rows?|responses?|outputs?|numbers?|figures?|entries|datasets?|statistics|stats|metrics"
    r"|quotes?|reports?|execution|weather|users|orders|articles)"
)
_KIND = (
    r"(?:mock(?:ed)?|sample|dummy|placeholder|simulated|synthetic|hard-?coded|fallback|fake|stubbed|made-?up|invented|representative"
    r"|illustrative)"
)
_SUBSTITUTE = re2.compile(rf"(?i)(?:^|[^a-z]){_KIND}[ _-]{{1,2}}(?:[a-z]+[ _-])?{_DATA}(?:$|[^a-z])")
_CAMEL = re2.compile(r"\b(?:mock|sample|dummy|fake|fallback|simulated)(?:Data|Results?|Prices?|Response|Records?|Rows|Values?|Output)\b")
_USES = re2.compile(
    r"(?i)\b(?:us(?:e|ed|es|ing)|creat(?:e|ed|ing)|generat\w+|provid\w+|here (?:is|are)|assum\w+|simulat(?:e|ed|ing)|mock(?:ed|ing)|with"
    r"|fill\w*|based on|insert\w*|substitut\w+|return\w*|let me|i['’]ll|i will|proceed\w*|continu\w+)\b"
)
_NOT = re2.compile(
    r"(?i)\b(?:not|never|no|without|rather than|instead of|won['’]t|don['’]t|can['’]t|cannot|avoid\w*|shall i|should i|would|could|might)\b"
)
_ATTRIBUTED = re2.compile(
    r"(?im)^\W*(?:the |here (?:is|are) (?:the )?)?(?:\w+ )?(?:output|results?|response|statistics|summary|figures)\b[^\n.]{0,40}:"
    r"|\b(?:it|the (?:script|run|program|query|command|tool|api|service|source|page|site|search|model|calculator|database)|\w+\.(?:py"
    r"|js|sh|r|rb|sql)) (?:\w+ )?"
    r"(?:prints?|printed|outputs?|returned|returns|reports?|reported|says|said|gives|gave|shows?|showed|finished|ran|computed|came back)\b"
    r"|\baccording to\b|\bas of (?:today|now|this)\b|\b(?:was|is|are|were) saved (?:as|to|in)\b|\b(?:currently|right now|today"
    r"|at the moment)\b"
)
_VALUE = re.compile(r"(?<![\w.#/-])(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d|[A-Za-z]{1,30}_\d+|\d[\d,]*(?:\.\d+)?%?)(?![\w/-])", re.ASCII)
"""A date, a time, a numbered id or a number."""
_TEST_PATH = re.compile(
    r"(?:^|[/_.-])(?:tests?|specs?|__tests__|__mocks__|mocks|fixtures?|stubs|stories|e2e|testdata|conftest)(?:$|[/_.-])", re.IGNORECASE
)
_TELLING = words("echo printf")
_READ = 50_000


def says(text: str) -> str:
    """The sentence in which a text offers a substitute for real data; "" where none does. Denials and questions offer none."""
    for sentence in sentences(text):
        if MOCK.search(sentence) and _USES.search(sentence) and not _NOT.search(sentence) and not sentence.endswith("?"):
            return sentence
    return ""


def written(call: ToolCall) -> str:
    """The substitute that a call writes or prints, by its words; "" where there is none. Tests and their doubles are left out."""
    if call.tool_class in ("write", "edit"):
        if _TEST_PATH.search(call.cmd):
            return ""
        return _found("\n".join([call.cmd, *new_texts(call)]))
    if call.tool_class != "shell":
        return ""
    for command in parse(call.cmd):
        if any(_TEST_PATH.search(path) for path in (*command.writes, *command.appends)):
            continue
        told = command.words if command.program in _TELLING else ()
        found = _found(" ".join((*told, *command.writes, command.heredoc, commands.inline_code(command))))
        if found:
            return found
    return ""


def attributed(text: str) -> bool:
    """Whether a text gives its values as what a run or a source told."""
    return _ATTRIBUTED.search(valid(text[:_READ])) is not None


def unseen_values(text: str, shown: Iterable[str]) -> list[str]:
    """Numbers of two digits or more, dates, times and numbered ids in a text that stand in none of the texts shown before, each once."""
    values = [value for value in dict.fromkeys(_VALUE.findall(text[:_READ])) if len(value.strip(",%")) > 1]
    if not values:
        return []
    known = {_plain(value) for each in shown for value in _VALUE.findall(each[:_READ])}
    return [value for value in values if _plain(value) not in known]


def _found(text: str) -> str:
    for pattern in (_SUBSTITUTE, _CAMEL):
        found = pattern.search(valid(text[:_READ]))
        if found is not None:
            return str(found[0]).strip()
    return ""


def _plain(value: str) -> str:
    return value.replace(",", "").rstrip("%")
