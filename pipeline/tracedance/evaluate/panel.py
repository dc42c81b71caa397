"""The panel: three judges, the same turns in the same order under the same letters, each asked alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_uppercase

from tracedance.evaluate.marks import CANNOT, quotable, read_marks
from tracedance.evaluate.offers import seen_text
from tracedance.evaluate.rendering import turn_text
from tracedance.models import prompts
from tracedance.models.ask import ask
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.schema import Instance, JudgeScore, ModelRequest, Response, Rubric

LETTERS = tuple(ascii_uppercase) + tuple(a + b for a in ascii_uppercase for b in ascii_uppercase)
UNREACHED = "no answer: "
"""How the error of a vote starts when the call itself failed."""


@dataclass(frozen=True)
class Sheet:
    """What every judge of one panel is shown: turns of one instance by letter. Turns that say the same are shown once."""

    instance: Instance
    rubric: Rubric
    turns: Mapping[str, Response]

    @property
    def letters(self) -> dict[str, str]:
        """What a turn says and does -> its letter."""
        return {content(turn): letter for letter, turn in self.turns.items()}


def content(response: Response) -> str:
    """What a turn says and does, without whose it is or the ids of its calls."""
    return json.dumps([response.text, [[call.name, call.arguments] for call in response.tool_calls]])


def sheets(instance: Instance, rubric: Rubric, responses: Sequence[Response], joint: bool, seed: int) -> Iterator[Sheet]:
    """One sheet for all turns (`joint`), or one each. The order is drawn once for an instance, from the seed and what the turns say,
    never from the names of models.
    """
    different = sorted({content(response): response for response in responses}.items())
    random.Random(f"{seed}/{instance.id}").shuffle(different)
    if joint:
        yield Sheet(instance, rubric, dict(zip(LETTERS, (response for _, response in different), strict=False)))
    else:
        for _, response in different:
            yield Sheet(instance, rubric, {"A": response})


def judge(sheet: Sheet, seat: str, models: Models, ledger: Ledger | None) -> dict[str, JudgeScore]:
    """One judge's votes by letter. What cannot be had or read, after one repair, is an error: never a score."""
    turns = {letter: quotable(turn.text, turn.tool_calls) for letter, turn in sheet.turns.items()}
    asked = ask(question(sheet, seat, models), partial(read_marks, turns=turns, judge=seat), models, ledger)
    votes: Mapping[str, JudgeScore] = asked.value or asked.partial or {}
    error = f"{UNREACHED}{asked.error}" if asked.failed else asked.error
    return {letter: votes.get(letter) or JudgeScore(judge=seat, status="error", error=error) for letter in turns}


def question(sheet: Sheet, seat: str, models: Models) -> ModelRequest:
    """The request to one judge."""
    prompt = prompts.load("judge")
    messages = prompt.render(
        context=seen_text(sheet.instance),
        responses="\n".join(lettered(letter, turn) for letter, turn in sheet.turns.items()),
        question=sheet.rubric.question,
        levels="\n".join(f"{level}: {text}" for level, text in sorted(sheet.rubric.levels.items(), reverse=True)),
        example=form(sheet.turns),
        markers="\n".join(f"SCORE {letter}: n" for letter in sheet.turns) + f"\n(or: SCORE {next(iter(sheet.turns))}: {CANNOT})",
    )
    return ModelRequest(model=seat, messages=messages, parameters=models.parameters("judge"), purpose="judge", template=prompt.digest)


def form(letters: Iterable[str]) -> str:
    """The answer's form, with the score's place left open, so that neither a text nor a number is suggested."""
    grades = [f'{{"response": "{letter}", "rationale": "...", "quotes": ["..."], "score": <0 to 5, or null>}}' for letter in letters]
    return f'{{"grades": [{", ".join(grades)}]}}'


def lettered(letter: str, turn: Response) -> str:
    """A turn with its letter before every line, so that no text in it can pass for another turn."""
    return "\n".join(f"{letter}| {line}" for line in turn_text(turn.text, turn.tool_calls).split("\n"))
