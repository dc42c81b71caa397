"""From a hit to a confirmed occurrence."""

from typing import Literal

from tracedance.schema.family import Hit
from tracedance.schema.record import Record


class Place(Record):
    """A hit as a scan reports it: with its family and session."""

    family: str
    """Canonical id, `frame/name`."""
    session: str
    chain: str
    """Digest of the turns up to and with the decision: equal for the same place in two forks."""
    hit: Hit
    parts: tuple[Hit, ...] = ()
    """Of a place of two families at once: each family's own hit, in the order of the request."""
    model: str = ""
    """Who decided there; "" where it is not recorded."""
    refused_by: str = ""
    """The first guard of the family that says of an offending hit that it is none; "" where it stands by rule."""

    @property
    def stands(self) -> bool:
        """Whether it offends and no guard refuses it. A model has not been asked."""
        return self.hit.offends and not self.refused_by


class Answer(Record):
    """One answered confirmation question."""

    answer: Literal["yes", "no", "cannot_tell"]
    event: int | None = None
    """Number of the excerpt's event that shows it."""


class Confirmation(Record):
    """The outcome of confirming one candidate (a `Place` whose hit offends)."""

    status: Literal["confirmed", "refused", "failed", "unasked"]
    """`failed`: the confirmer's answer could not be had or read; never counted as a refusal. `unasked`: the benchmark was full, or the
    session had given its instance, before its turn came."""
    reason: str
    """"" when confirmed; else the question or guard that refused it, or what failed."""
    confirmed_by: str
    """A model's id, or `rule`."""
    answers: tuple[Answer, ...] = ()
    unchecked: tuple[str, ...] = ()
    """Questions that no guard could check (by rule only)."""


class Candidate(Record):
    """One row of `candidates.jsonl`: a place, what became of it and why."""

    place: Place
    confirmation: Confirmation
    dropped: str = ""
    """Reason code of a failed cut check, a cap or a duplicate; "" when it became an instance."""
    instance: str = ""
    """Id of the instance it became; "" if none."""
