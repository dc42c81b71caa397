"""A question whose answer must become a record: asked, read, repaired once, or an error. Never a guess."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from tracedance.models.call import call
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.schema import ModelAnswer, ModelRequest

T = TypeVar("T")
R = TypeVar("R", bound=BaseModel)

REPAIR = "Your answer could not be used: {problem}. Answer the same question again, in full, in exactly the form asked for."


class Unreadable(ValueError):
    """An answer is not in the form asked for; the text says how, in words fit for the model. `partial` is what could be read."""

    def __init__(self, problem: str, partial: Any = None) -> None:
        super().__init__(problem)
        self.partial = partial


@dataclass(frozen=True)
class Asked(Generic[T]):
    """What came of a question."""

    value: T | None
    """None when no usable answer could be had; `error` then says why."""
    error: str
    failed: bool
    """The call itself failed: no model ever answered."""
    calls: int
    partial: Any = None
    """The readable part of an unusable answer, where the reader could tell."""


def ask(request: ModelRequest, read: Callable[[str], T], models: Models, ledger: Ledger | None) -> Asked[T]:
    """Calls the model and reads its answer with `read`, which raises Unreadable for what it cannot use.

    One second attempt: a cut-off answer gets twice the room, an unreadable one is told what was wrong with it.
    """
    answer = call(request, models, ledger)
    try:
        return Asked(readable(answer, read), "", False, 1)
    except Unreadable as problem:
        if answer.status == "failed":
            return Asked(None, answer.error, True, 1)
        second = call(again(request, answer, str(problem)), models, ledger)
    try:
        return Asked(readable(second, read), "", False, 2)
    except Unreadable as problem:
        return Asked(None, second.error or str(problem), second.status == "failed", 2, problem.partial)


def readable(answer: ModelAnswer, read: Callable[[str], T]) -> T:
    """The value in an answer; Unreadable when the answer is not whole."""
    if answer.status != "ok":
        raise Unreadable(f"it was {answer.status}")
    return read(answer.text)


def again(request: ModelRequest, answer: ModelAnswer, problem: str) -> ModelRequest:
    """The second attempt at a request."""
    if answer.status == "truncated" and "max_tokens" in request.parameters:  # else it had all the room that there is
        room = int(request.parameters["max_tokens"]) * 2
        return request.model_copy(update={"parameters": {**request.parameters, "max_tokens": room}})
    said = {"role": "assistant", "content": answer.text or "(nothing)"}
    repair = {"role": "user", "content": REPAIR.format(problem=problem)}
    return request.model_copy(update={"messages": (*request.messages, said, repair)})


def json_in(text: str, kind: type[R]) -> tuple[R, str]:
    """The one JSON object of an answer as a record, and the text after it. Unreadable when there is none, or it does not fit.

    Words or a code fence may stand before it. A key given twice is refused: which one counts would be a guess.
    """
    start = text.find("{")
    if start < 0:
        raise Unreadable("it holds no JSON object")
    try:
        value, end = json.JSONDecoder(object_pairs_hook=once).raw_decode(text[start:])
        return kind.model_validate(value), text[start + end :]
    except json.JSONDecodeError as error:
        raise Unreadable(f"its JSON cannot be read ({error.msg})") from error
    except RecursionError as error:
        raise Unreadable("its JSON is nested too deep") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise Unreadable(f"{'.'.join(map(str, first['loc'])) or 'the object'}: {first['msg']}") from error
    except Unreadable:
        raise
    except ValueError as error:  # Python reads no number of more than 4,300 digits
        raise Unreadable("a number in its JSON is too long") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a key is given twice in its JSON")
    return found
