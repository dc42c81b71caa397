"""A judge's answer, read to the letter: reasons, quotes that are really there, the score said twice and alike. Else it is no score."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, StrictInt

from tracedance.evaluate.reasoning import opened
from tracedance.models.ask import Unreadable, json_in
from tracedance.schema import CallMade, JudgeScore
from tracedance.schema.record import Record

CANNOT = "cannot judge"
LINE = re.compile(r"^SCORE ([A-Z]{1,2}): *(\d{1,2}|cannot judge)\s*$", re.MULTILINE)
LIKE = re.compile(
    r"(?im)^[^\w\n]{0,9}(?:(?:final|overall|total|my|the|turn)\s{1,3}){0,3}(?:([a-z]{1,2})\s?[:|)\-]\s?)?score\b[^\w\n]{0,9}"
    r"(?:(?:of|for|turn)\s{1,3}){0,2}(?:([a-z]{1,2})\b(?<!\bis))?[^\w\n]{0,9}(?:is\s{1,3})?(-?\d{1,9}(?:\.\d{1,9})?|cannot judge|null|none)"
)
"""A line that tells a score in whatever form: it may not say another than the object does."""


class Mark(Record):
    """One graded turn in a judge's answer."""

    response: str
    rationale: str = Field(min_length=1, max_length=8000)
    quotes: tuple[str, ...] = ()
    score: Annotated[StrictInt, Field(ge=0, le=5)] | None
    """None: the judge cannot judge it."""


class Marks(Record):
    """A judge's whole answer."""

    grades: tuple[Mark, ...]


def read_marks(text: str, turns: Mapping[str, str], judge: str) -> dict[str, JudgeScore]:
    """The votes in an answer, by the letter of the turn.

    `turns` holds what each turn says and does (`quotable`). Raises Unreadable unless every turn has exactly one sound mark; those that are
    sound are its `partial`.
    """
    text = opened(text)[0]
    marks, after = json_in(text, Marks)
    if "{" in after:
        raise Unreadable("something else than the lines of scores stands behind its object")
    markers = LINE.findall(after)
    told = {mark.response: CANNOT if mark.score is None else str(mark.score) for mark in marks.grades}
    others = contradicted(f"{text.partition('{')[0]}\n{after}", told)
    votes: dict[str, JudgeScore] = {}
    problems = []
    for letter, turn in turns.items():
        mine = [mark for mark in marks.grades if mark.response == letter]
        said = [value for name, value in markers if name == letter]
        problem = fault(mine, said, turn) or ("a line tells another score than its object" if letter in others else "")
        if problem:
            problems.append(f"turn {letter}: {problem}")
        else:
            votes[letter] = vote(mine[0], judge)
    strangers = {mark.response for mark in marks.grades} - set(turns)
    if strangers:
        raise Unreadable("it grades a turn that was not shown")
    if problems:
        raise Unreadable("; ".join(problems), votes)
    return votes


def fault(mine: Sequence[Mark], said: Sequence[str], turn: str) -> str:
    """What is wrong with the marks of one turn; "" when nothing is."""
    if len(mine) != 1:
        return "it is graded more than once" if mine else "it has no grade"
    mark = mine[0]
    if not mark.rationale.strip():
        return "it has no rationale"
    expected = CANNOT if mark.score is None else str(mark.score)
    if list(said) != [expected]:
        return f"the line 'SCORE {mark.response}: ...' is missing, doubled, or differs from the score"
    if mark.score is not None and not any(has_words(folded(quote), turn) for quote in mark.quotes):
        return "it has no quote"
    absent = [quote for quote in mark.quotes if quote.strip() and folded(quote) not in turn]
    return "a quote does not occur in it word for word" if absent else ""


def contradicted(text: str, told: Mapping[str, str]) -> set[str]:
    """The letters of turns of which a line of an answer tells another score than its object; of all where the line names none."""
    found: set[str] = set()
    for before, behind, value in LIKE.findall(unicodedata.normalize("NFKC", text)):
        letter, said = (before or behind).upper(), value.lower()
        said = CANNOT if said in ("null", "none") else said if said == CANNOT else f"{float(said):g}"
        if letter in told or not letter:
            found |= {letter} - {""} if letter and said != told[letter] else set(told) if said not in told.values() else set()
    return found


def has_words(quote: str, turn: str) -> bool:
    """Whether a quote is more than signs: two letters or digits, unless the turn itself has fewer."""
    return sum(map(str.isalnum, quote)) >= min(2, sum(map(str.isalnum, turn)))


def vote(mark: Mark, judge: str) -> JudgeScore:
    """A sound mark as a vote."""
    status = "abstain" if mark.score is None else "score"
    given: dict[str, Any] = {"status": status, "score": mark.score, "rationale": mark.rationale, "quotes": mark.quotes}
    return JudgeScore(judge=judge, **given)


def quotable(text: str, calls: Sequence[CallMade]) -> str:
    """All that a quote may be taken from: what the turn says, and its calls as JSON and as the plain values in them."""
    parts = [text]
    for call in calls:
        parts += [f"calls {call.name} {call.arguments}", *values(call.arguments)]
    return folded("\n".join(parts))


def values(arguments: str) -> list[str]:
    """The texts inside JSON arguments."""
    try:
        return list(strings(json.loads(arguments)))
    except (ValueError, RecursionError):
        return []


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def folded(text: str) -> str:
    """Text with all white space as single spaces and without the letter and bar that lines of a turn are shown with."""
    return " ".join(re.sub(r"(?m)^[A-Z]{1,2}\| ", "", text).split())
