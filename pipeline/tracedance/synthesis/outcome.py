"""What is put into the sandbox and what comes out of it, as records."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tracedance.kit.needs import Needs
from tracedance.schema import Hit
from tracedance.synthesis.gate import Problem

Code = Literal[
    "gate",
    "does_not_load",
    "forged",
    "too_much_output",
    "forbidden_call",
    "two_strikes",
    "too_slow",
    "not_deterministic",
    "looks_ahead",
    "selects_too_much",
]
"""Why an anchor must not be used: it is not written in the allowed grammar (`gate`); its source does not execute or defines no anchor;
it answered what a worker never says; it said too much; it made a system call that is not allowed; it was killed twice; it takes too long
over all; it depends on the order of sessions or on chance; it decides by what came later; it finds the behaviour in more than a stated
share of sessions."""

Loss = Literal["raised", "bad_hit", "time", "memory", "crashed", "too_large"]
"""Why a session gave no hits: the anchor raised; a hit is no decision of the session; the worker was killed by the clock, ran out of memory
or crashed; the session is larger than a worker is shown."""


@dataclass(frozen=True)
class Draft:
    """An anchor as source, with what it is given."""

    name: str
    source: str
    params: Mapping[str, Any] = field(default_factory=dict)
    """Every parameter of the family with its value."""
    guards: tuple[str, ...] = ()
    """Functions of the source that are asked of each offending hit."""
    gated: bool = True
    """Whether it must be written in the grammar for synthesised anchors. What people write need not; the boundary is the same."""


@dataclass(frozen=True)
class Refusal:
    """Why the anchor must not be used."""

    code: Code
    message: str
    session: str = ""
    """The session in which it showed; "" where it is not about one."""
    problems: tuple[Problem, ...] = ()
    """Of the code `gate`: everything that is wrong."""


@dataclass(frozen=True)
class Lost:
    """A session in which the anchor's hits are not known."""

    session: str
    code: Loss
    reason: str
    """Names and numbers; never content."""


@dataclass(frozen=True)
class Found:
    """A hit, and the guards that are true of it."""

    hit: Hit
    refused_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a run: sessions = len(found) + len(lost) + unused."""

    found: Mapping[str, tuple[Found, ...]]
    """By session, for every session that was answered, with or without hits. Empty with a refusal."""
    lost: tuple[Lost, ...]
    unused: int
    """With a refusal: sessions that were not shown, or whose answers do not count."""
    refusal: Refusal | None
    needs: "Needs | None"
    """The anchor's NEEDS; None where it did not load."""
    killed: int
    """Workers that had to be killed."""
    slowest: float
    """Seconds from a session to its answer, or to the worker's end, at worst."""
    checked: tuple[str, ...]
    """Of the soundness checks, those that were made: order, prefix, share."""

    @property
    def hits(self) -> dict[str, tuple[Hit, ...]]:
        """The hits alone."""
        return {session: tuple(each.hit for each in found) for session, found in self.found.items()}

    @property
    def by_code(self) -> dict[str, int]:
        """How many sessions were lost to what."""
        return dict(sorted(Counter(each.code for each in self.lost).items()))
