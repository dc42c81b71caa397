"""Responses, votes, grades and rates."""

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
    passed: bool | None
    """mean >= 4; None unless scored."""
    judged_by: Literal["panel", "rule"]
    mode: Literal["joint", "independent", "rule"]
    votes: tuple[JudgeScore, ...] = ()
    check: Literal["violates", "satisfies", "undecided"] | None = None
    """The deterministic check's word, also beside a live panel."""
    contradiction: bool = False
    """The check contradicts a live panel's pass or fail: for a person to look at, never averaged in."""
    reason: str = ""


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
