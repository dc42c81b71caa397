"""What the strong model and the reviewer are asked in a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from tracedance.errors import InputError
from tracedance.models import probe, prompts
from tracedance.models.ask import Asked, ask, json_in
from tracedance.schema import ModelRequest, Record
from tracedance.synthesis import material
from tracedance.synthesis.wanted import Desk, Wanted
from tracedance.synthesis.written import FamilyDraft

R = TypeVar("R", bound=BaseModel)
PROMPTS = ("draft", "revise", "review_code", "review_fit", "confirm")
"""Every prompt that decides what comes of a loop."""
Said = Literal["yes", "no"]
GIVEN = {"grammar": material.GRAMMAR, "format": material.FORMAT}
"""What every writer of a family is told, in a draft and in each revision."""


class Review(Record):
    """What the code review's prompt asks for."""

    approved: bool
    problems: tuple[str, ...] = Field(default=(), max_length=40)


class FitReview(Record):
    """What the last review's prompt asks for."""

    query_fit: Said
    examples: Said
    rubric: Said
    problems: tuple[str, ...] = Field(default=(), max_length=40)

    @property
    def against(self) -> list[str]:
        """What the reviewer will not have; [] where everything will do."""
        asked = {"the query's fit": self.query_fit, "the examples": self.examples, "the rubric": self.rubric}
        refused = [name for name, said in asked.items() if said == "no"]
        return [f"the reviewer refuses {', '.join(refused)}", *self.problems] if refused else []


def draft(wanted: Wanted, desk: Desk) -> Asked[FamilyDraft]:
    """The first draft."""
    values = {"query": wanted.told, "related": material.related(wanted.related, desk.catalogues), "example": material.example()}
    return _asked("draft", FamilyDraft, desk, {**values, **GIVEN, "kit": material.kit()})


def revise(wanted: Wanted, files: str, rejection: str, desk: Desk) -> Asked[FamilyDraft]:
    """A better draft than the one that was rejected."""
    values = {"query": wanted.told, "files": files, "rejection": rejection}
    return _asked("revise", FamilyDraft, desk, {**values, **GIVEN, "kit": material.kit()})


def review_code(wanted: Wanted, files: str, desk: Desk) -> Asked[Review]:
    """Whether the code may run."""
    return _asked("review_code", Review, desk, {"query": wanted.told, "files": files})


def review_fit(wanted: Wanted, files: str, figures: str, desk: Desk) -> Asked[FitReview]:
    """Whether the family is what was asked for."""
    return _asked("review_fit", FitReview, desk, {"query": wanted.told, "files": files, "figures": figures})


def _asked(name: str, kind: type[R], desk: Desk, values: Mapping[str, str]) -> Asked[R]:
    """InputError (5): no answer could be had at all."""
    prompt = prompts.load(name, answer=kind)
    role: Literal["strong", "reviewer"] = "strong" if prompt.role == "strong" else "reviewer"
    purpose: Literal["synthesise", "review"] = "synthesise" if role == "strong" else "review"
    request = ModelRequest(
        model=desk.seat(role),
        messages=prompt.render(**values),
        parameters=desk.models.parameters(purpose),
        purpose=purpose,
        template=prompt.digest,
    )
    answer = ask(request, lambda text: json_in(text, kind)[0], desk.models, desk.ledger)
    if answer.failed:
        raise InputError(
            f"The model that plays {role!r} could not be reached: {answer.error}. {probe.cure(answer.error)} "
            "Then run the same build again: answers had are kept.",
            5,
        )
    return answer
