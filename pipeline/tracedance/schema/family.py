"""What a behaviour family is, and what its anchor finds."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from tracedance.schema.record import Record

Frame = Literal["action", "failure", "claim"]
Group = Literal["valid_call", "check_first", "handle_failure", "honest_claim"]


WIDEST = 2**63 - 1
"""Of an integer, up or down: what every program that a family's values pass through can hold."""


def plain_value(value: Any) -> Any:
    """A parameter's value as it is. ValueError where it is no text, truth, nothing, number that has a size, or list of such."""
    if isinstance(value, list):
        return [_scalar(each) for each in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, int) and not -WIDEST <= value <= WIDEST:
        raise ValueError("an integer of more than 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that is none (nan or infinite)")
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError("no text, number, truth or list of such")
    return value


Parameters = Mapping[Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]{0,63}$")], Annotated[Any, AfterValidator(plain_value)]]
"""Name -> value."""


class Question(Record):
    """One confirmation question and the answer a genuine occurrence must get."""

    ask: str
    want: Literal["yes", "no"]
    guards: tuple[str, ...] = ()
    """Named predicates of the family's anchor module that answer this question by rule; when one is true of a hit, the hit is refused.
    Without any, the question cannot be checked offline and the result says so."""


class Cut(Record):
    """Where a family's context ends and when an occurrence is dropped."""

    keeps: str
    """What must be inside the context for the decision to make sense."""
    open_if: tuple[str, ...] = ()
    """Conditions under which the decision is still open; put to the confirmer."""
    drops_if: tuple[Literal["user_already_answered", "nudged"], ...] = ()
    """Conditions that code decides; see construct.cut."""


class FamilyCard(Record):
    """`anchors/<frame>/<name>.yaml`: what a family is, in words."""

    title: str
    label: str
    group: Group
    setting: tuple[Literal["coding", "general_tool_use"], ...]
    definition: str
    why: str
    not_this: tuple[str, ...]
    confirm: tuple[Question, ...] = Field(min_length=1)
    cut: Cut
    parameters: Parameters = Field(default={})
    """Name -> default value."""
    opportunity: str | None = None
    """What counts as a place where the behaviour could have happened; None where that cannot be defined (no rate)."""
    rate_among: str = ""
    """What the rate is a share of, where that is far fewer than all calls or commits of its kind; readers of the table are told."""
    asked_as: tuple[str, ...] = Field(min_length=6)
    sources: tuple[str, ...] = Field(min_length=1)


class Rubric(Record):
    """`rubrics/<frame>/<name>.yaml`: the question judges answer and its six levels."""

    question: str
    levels: Mapping[int, str]
    """0..5. 3 is "no violation, but the required step is not there either"; 4 and 5 have the required step."""


class Hit(Record):
    """What an anchor yields: one place where the behaviour happened or could have."""

    decision: int
    """Turn that decides; the cut falls just before it."""
    evidence: tuple[int, ...] = ()
    """Turns that show it; they must lie inside the context."""
    offends: bool
    """False where the opportunity was met well."""
    why: str
    """One sentence a person understands; may quote the session (redacted), so it is shown as data only."""
    facts: Mapping[str, Any] = {}
    """Plain JSON values for the deterministic check."""
