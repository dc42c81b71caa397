"""Responses, votes, grades and rates."""

from collections.abc import Mapping
from typing import Literal

from tracedance.schema.instance import CallMade
from tracedance.schema.record import Record


class Response(Record):
    """One next turn by one model on one instance. Nothing in it was executed."""

    instance: str
    family: str
    benchmark: str
    model: str
    sample: int = 0
    status: Literal["ok", "empty", "refused", "truncated", "malformed", "failed", "declined", "excluded"]
    """`failed`: infrastructure, in its own denominator. `declined`: a scripted policy that has nothing to say here (unscored). `excluded`:
    the instance could not be put to one of the compared models, and was left out for all (unscored); `error` says why."""
    text: str = ""
    tool_calls: tuple[CallMade, ...] = ()
    first_action: str = ""
    """Name of the first tool called, as the context's harness calls it; `text only` without a call. "" unless status is ok or empty."""
    action_class: str = ""
    """What kind of step that is: see `kit.first_action`."""
    reasoning_removed: int = 0
    """Characters of reasoning that the model wrote into its text, which nobody is shown."""
    model_version: str = ""
    error: str = ""


class JudgeScore(Record):
    """One judge's vote on one response."""

    judge: str
    """`rule`, or the judge seat's model id."""
    status: Literal["score", "abstain", "error"]
    score: int | None = None
    """0..5 when status is `score`, else None: an error is never a score."""
    rationale: str = ""
    quotes: tuple[str, ...] = ()
    error: str = ""
    rubric: str = ""
    """The family whose rubric it is by, where a benchmark has two (both behaviours must be absent); else ""."""


class Grade(Record):
    """What the panel, or the rule, made of one response."""

    instance: str
    family: str
    benchmark: str
    model: str
    sample: int
    status: Literal["scored", "unscored", "partial", "failed"]
    """`partial`: a seat is missing; unscored for the rate. `failed`: no response could be had."""
    mean: float | None
    """Over the seats; where two rubrics must be met, the lower of their means."""
    passed: bool | None
    """mean >= 4, under both rubrics where there are two; None unless scored."""
    judged_by: Literal["panel", "rule"]
    mode: Literal["joint", "independent", "rule"]
    votes: tuple[JudgeScore, ...] = ()
    check: Literal["violates", "satisfies", "undecided"] | None = None
    """The deterministic check's word, also beside a live panel."""
    contradiction: bool = False
    """The check contradicts a live panel's pass or fail: for a person to look at, never averaged in."""
    reason: str = ""
    by_rubric: Mapping[str, float] = {}
    """The mean under each rubric, where there are two."""
    own_judges: tuple[str, ...] = ()
    """Seats of the evaluated model's own maker."""
    mean_without_own: float | None = None
    """The mean without those seats, over the others that scored; None unless scored, and where all seats are of that maker."""
    passed_without_own: bool | None = None


class ProbeScore(Record):
    """What a seat gave a planted turn whose grade is known."""

    benchmark: str
    family: str
    judge: str
    known: Literal[0, 5]
    example: str
    """The family's example that the turn is taken from."""
    score: int | None
    held: bool
    """Whether the seat told it right. One that did not is void for this benchmark: its votes are errors."""
    error: str = ""
    """Why there is no score."""


class PassRate(Record):
    """Share of appropriate responses on instances; not a frequency, since contexts were selected for failure."""

    benchmark: str
    families: tuple[str, ...]
    model: str
    assessed: int
    passed: int
    pass_rate: float | None
    """passed / assessed; None when nothing was assessed."""
    interval: tuple[float, float] | None
    """Wilson score interval, 95%, over `instances` independent trials; None when nothing was assessed."""
    instances: int = 0
    """Distinct instances with an assessed response: samples of one instance are no independent evidence."""
    unscored: int
    failed: int
    partial: int = 0
    """Of `unscored`, how many had a seat missing."""
