"""The one engine of ordered items: predicates over what happened in a unit (a run, a turn, a job), in its order.

A caller makes `Item`s of its own records, picks with a filter those that a rule speaks of (`pick`), and gets a `Finding`. A filter that
cannot tell says None. A predicate then passes only if it does whatever those items were, fails only if it does whatever they were, and is
UNKNOWN in between: what is not known never passes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """What a predicate says of one unit. Only PASS is a pass; what NOT_APPLICABLE means is the caller's to decide."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


class Why(StrEnum):
    """The reason behind an outcome."""

    HOLDS = "holds"
    ABSENT = "absent"
    PRESENT = "present"
    OUT_OF_ORDER = "out_of_order"
    TOO_FEW = "too_few"
    TOO_MANY = "too_many"
    TRIGGER_ABSENT = "trigger_absent"
    UNSETTLED = "unsettled"
    """It hangs on items of which the record does not say whether they count."""


class Item(NamedTuple):
    """One thing that happened. `place` is its number in the caller's record, by which a finding names it.

    It stands at `start` where it must come after another, and at `end` (when it was complete) where it must come before one, so that
    of two that overlap neither precedes the other. For things without duration both are the place.
    """

    place: int
    start: int
    end: int
    name: str
    status: str = ""

    @classmethod
    def at(cls, place: int, name: str, status: str = "") -> "Item":
        """An item without duration."""
        return cls(place, place, place, name, status)


Items = Sequence[Item]
Filter = Callable[[Item], bool | None]
"""Whether a rule speaks of an item; None where the record does not say."""


@dataclass(frozen=True, slots=True)
class Picked:
    """The items a rule speaks of, in order of their start."""

    sure: tuple[Item, ...]
    all: tuple[Item, ...]
    """Those that may count, too."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a predicate found; `items` are those that broke it, or that leave it open."""

    outcome: Outcome
    why: Why
    items: tuple[Item, ...] = ()


HOLDS = Finding(Outcome.PASS, Why.HOLDS)
_Check = Callable[[Items, Items], tuple[Item, ...] | None]
"""Of two lists of items: those that break a predicate, or None where it holds."""


def pick(items: Items, chosen: Filter) -> Picked:
    """The items of a unit that a filter chooses. `items` stand in the order of their start."""
    told = [(item, chosen(item)) for item in items]
    return Picked(tuple(item for item, word in told if word), tuple(item for item, word in told if word is not False))


def never(hits: Picked) -> Finding:
    """No item is one. Applies to an empty unit, too."""
    return _settled(lambda _, bad: tuple(bad) or None, ((), hits.all), ((), hits.sure), Why.PRESENT)


def eventually(hits: Picked) -> Finding:
    """At least one item is one."""
    return _settled(lambda good, _: None if good else (), (hits.sure, ()), (hits.all, ()), Why.ABSENT)


def before(first: Picked, then: Picked) -> Finding:
    """Some `first` is complete before the earliest `then` starts; not applicable without a `then`.

    As the earliest `then` decides, every later one has that same `first` before it.
    """
    if not then.all:
        return Finding(Outcome.NOT_APPLICABLE, Why.TRIGGER_ABSENT)
    return _settled(_too_early, (first.sure, then.all), (first.all, then.sure), Why.OUT_OF_ORDER)


def each(match: Picked, partner: Picked) -> Finding:
    """Every match has a partner of its own: one that starts after the match before it and is complete before it starts."""
    if not match.all:
        return Finding(Outcome.NOT_APPLICABLE, Why.TRIGGER_ABSENT)
    return _settled(_alone, (partner.sure, match.all), (partner.all, match.sure), Why.OUT_OF_ORDER)


def count(hits: Picked, low: int = 0, high: int | None = None) -> Finding:
    """From `low` to `high` items are one, both included; None is no bound."""
    if len(hits.all) < low:
        return Finding(Outcome.FAIL, Why.TOO_FEW, hits.all)
    if high is not None and len(hits.sure) > high:
        return Finding(Outcome.FAIL, Why.TOO_MANY, hits.sure[high:])
    if len(hits.sure) < low or (high is not None and len(hits.all) > high):
        return Finding(Outcome.UNKNOWN, Why.UNSETTLED, hits.all)
    return HOLDS


def sequence(steps: Sequence[Picked]) -> Finding:
    """Each step has an item that starts after the one of the step before is complete; others may stand between.

    Taking the earliest item for each step finds such a series wherever there is one. No item serves two steps.
    """
    if _series([step.sure for step in steps]) == len(steps):
        return HOLDS
    reached = _series([step.all for step in steps])
    if reached == len(steps):
        return Finding(Outcome.UNKNOWN, Why.UNSETTLED)
    missing = steps[reached].all
    return Finding(Outcome.FAIL, Why.OUT_OF_ORDER if missing else Why.ABSENT, missing)


def within(after: Picked, match: Picked, most: int) -> Finding:
    """A match stands at most `most` places after the first `after`; without an `after` it fails."""
    if after.all[:1] != after.sure[:1]:
        return Finding(Outcome.UNKNOWN, Why.UNSETTLED, after.all[:1])

    def missing(good: Items, starts: Items) -> tuple[Item, ...] | None:
        reached = any(start.place < item.place <= start.place + most for start in starts for item in good)
        return None if reached else tuple(starts)

    return _settled(missing, (match.sure, after.sure[:1]), (match.all, after.sure[:1]), Why.ABSENT)


def _settled(check: _Check, strict: tuple[Items, Items], kind: tuple[Items, Items], why: Why) -> Finding:
    """PASS where the check holds of the strictest reading, FAIL where it does not even of the kindest, else UNKNOWN."""
    broken = check(*strict)
    if broken is None:
        return HOLDS
    surely = check(*kind)
    if surely is None:
        return Finding(Outcome.UNKNOWN, Why.UNSETTLED, broken)
    return Finding(Outcome.FAIL, why, surely)


def _too_early(first: Items, then: Items) -> tuple[Item, ...] | None:
    """The items of `then` with no `first` before them."""
    ready = min((item.end for item in first), default=None)
    return tuple(item for item in then if ready is None or item.start <= ready) or None


def _alone(partners: Items, matches: Items) -> tuple[Item, ...] | None:
    """The matches without a partner between them and the match before."""
    alone, since = [], None
    for match in matches:
        if not any((since is None or each.start > since) and each.end < match.start for each in partners):
            alone.append(match)
        since = match.start
    return tuple(alone) or None


def _series(steps: Sequence[Items]) -> int:
    """How many of the steps, from the first, have an item after the one before."""
    reached: int | None = None
    for done, step in enumerate(steps):
        reached = min((item.end for item in step if reached is None or item.start > reached), default=None)
        if reached is None:
            return done
    return len(steps)
