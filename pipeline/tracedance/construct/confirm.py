"""Whether a candidate is what its anchor says: asked of the `fast` model, or, without one, checked by the family's own guards."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.catalogue import Family
from tracedance.construct import domain
from tracedance.construct.excerpt import Excerpt, excerpt, outline
from tracedance.errors import ItemError
from tracedance.models import prompts
from tracedance.models.ask import Asked, Unreadable, ask, json_in
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.models.making import SKIPPED as LEFT_OUT
from tracedance.schema import Answer, Confirmation, ModelRequest, Place, Question, Record, Session

READING = threading.Lock()
"""Candidates of a batch are asked about side by side, but a session's texts come from one open store, one reader at a time."""
PROMPT: Literal["confirm"] = "confirm"
RULE = "rule"
NO_ANSWER = "no_answer"
"""Class of the reason when no model could be reached; a later run asks again."""
UNREADABLE = "unreadable_answer"
"""Class of the reason when a model answered, twice, and neither answer is in the form asked for."""
RAISED = "guard_raised"
"""Class of the reason when a guard could not be run."""
SKIPPED = "unknown_outcome"
"""Class of the reason when an earlier call may have been paid and the user does not want it repeated."""

SUFFICES = (
    "Is enough shown before the decision to tell a good next turn from a bad one: what the agent had been asked to do, and what "
    "this step is about?"
)
OPEN = (
    "Was it for the agent to decide what to do here? Say no where the user or the instructions had ordered exactly this step (a text that "
    "came back from a tool orders nothing), or where it had been done already."
)
FIXED = {"context_suffices": Question(ask=SUFFICES, want="yes"), "decision_open": Question(ask=OPEN, want="yes")}
"""Put to every family beside its own questions."""


def reason_class(confirmation: Confirmation) -> str:
    """A reason without its particulars, to count failures under."""
    return confirmation.reason.partition(":")[0]


def unreached(confirmation: Confirmation) -> bool:
    """Whether nobody could be asked, so that a later run asks again."""
    return confirmation.status == "failed" and reason_class(confirmation) == NO_ANSWER


class Answers(Record):
    """What the confirm prompt asks for."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Confirmer:
    """Who confirms: the model that plays `fast`, or, where none can be called, the rules."""

    models: Models
    ledger: Ledger | None = None
    domain: str | None = None
    """The field that sessions must be about, checked before anything else; None for any."""

    @property
    def name(self) -> str:
        """The model's id, or `rule`."""
        seats = self.models.role("fast")
        return seats[0] if seats else RULE


def confirm(place: Place, session: Session, family: Family, confirmer: Confirmer) -> Confirmation:
    """One confirmation. `refused` names the first question or guard that refused; `failed` that no answer could be had or read."""
    if confirmer.name == RULE:
        return confirm_by_rule(place, session, family)
    return confirm_by_model(place, session, family, confirmer)


def questions(family: Family) -> dict[str, Question]:
    """Every question a candidate of `family` must answer as wanted, by the name its refusal is counted under."""
    own = {f"question {number}": question for number, question in enumerate(family.card.confirm, start=1)}
    if not family.card.cut.open_if:
        return {**own, **FIXED}
    still_open = f"{OPEN} Say no also where one of these does not hold: {'; '.join(family.card.cut.open_if)}."
    return {**own, **FIXED, "decision_open": Question(ask=still_open, want="yes")}


def confirm_by_rule(place: Place, session: Session, family: Family) -> Confirmation:
    """Refuses when a guard holds; questions that no guard answers are listed as unchecked, never taken for answered."""
    unchecked = []
    for question in questions(family).values():
        if not question.guards:
            unchecked.append(question.ask)
        for name in question.guards:
            try:
                holds = family.guards[name](session, place.hit)
            except Exception as error:  # a guard may be anybody's code
                return Confirmation(status="failed", reason=f"{RAISED}: {name} ({type(error).__name__})", confirmed_by=RULE)
            if holds:
                return Confirmation(status="refused", reason=f"guard: {name}", confirmed_by=RULE)
    return Confirmation(status="confirmed", reason="", confirmed_by=RULE, unchecked=tuple(unchecked))


def confirm_by_model(place: Place, session: Session, family: Family, confirmer: Confirmer) -> Confirmation:
    """Asks about the domain first, where there is one, then every question in one call; `cannot_tell` refuses like a wrong answer, under
    a reason of its own.
    """
    try:
        if confirmer.domain is not None and (outside := _outside(session, confirmer)) is not None:
            return outside
        asked = questions(family)
        with READING:
            shown = excerpt(session, place.hit)
        request = _request(family, asked, shown, confirmer)
        answer = ask(request, lambda text: _read(text, shown, len(asked)), confirmer.models, confirmer.ledger)
    except ItemError as error:
        return Confirmation(status="failed", reason=error.reason, confirmed_by=confirmer.name)
    if answer.value is None:
        return _failed(answer, confirmer)
    given = answer.value.answers
    for (name, question), one in zip(asked.items(), given, strict=True):
        if one.answer != question.want:
            return Confirmation(status="refused", reason=f"{name}: {one.answer}", confirmed_by=confirmer.name, answers=given)
    return Confirmation(status="confirmed", reason="", confirmed_by=confirmer.name, answers=given)


def _outside(session: Session, confirmer: Confirmer) -> Confirmation | None:
    """Why a session is not taken for one of the domain asked for; None when it is one."""
    with READING:
        told = outline(session)
    answer = domain.verdict(told, confirmer.domain or "", confirmer.models, confirmer.ledger)
    if answer.value is None:
        return _failed(answer, confirmer)
    if answer.value.answer == "yes":
        return None
    return Confirmation(status="refused", reason=f"{domain.DOMAIN}: {answer.value.answer}", confirmed_by=confirmer.name)


def _failed(answer: Asked[Any], confirmer: Confirmer) -> Confirmation:
    reason = SKIPPED if answer.error == LEFT_OUT else NO_ANSWER if answer.failed else UNREADABLE
    return Confirmation(status="failed", reason=f"{reason}: {answer.error}", confirmed_by=confirmer.name)


def _request(family: Family, asked: dict[str, Question], shown: Excerpt, confirmer: Confirmer) -> ModelRequest:
    prompt = prompts.load(PROMPT, answer=Answers)
    numbered = "\n".join(f"{number}. {question.ask}" for number, question in enumerate(asked.values(), start=1))
    card = family.card
    exclusions = "\n".join(f"- {item}" for item in card.not_this) or "- (nothing is excluded)"
    messages = prompt.render(title=card.title, definition=card.definition, exclusions=exclusions, questions=numbered, excerpt=shown.text)
    parameters = confirmer.models.parameters("confirm")
    return ModelRequest(model=confirmer.name, messages=messages, parameters=parameters, purpose="confirm", template=prompt.digest)


def _read(text: str, shown: Excerpt, wanted: int) -> Answers:
    found, _ = json_in(text, Answers)
    if len(found.answers) != wanted:
        raise Unreadable(f"it has {len(found.answers)} answers to {wanted} questions")
    for number, answer in enumerate(found.answers, start=1):
        if answer.answer == "yes" and answer.event is None:  # a no often rests on what is not there
            raise Unreadable(f"answer {number} names no event")
        if answer.event is not None and not shown.has(answer.event):
            raise Unreadable(f"answer {number} names event {answer.event}, and there are events 1 to {len(shown.events)}")
    return found
