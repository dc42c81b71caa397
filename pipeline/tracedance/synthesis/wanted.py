"""What goes into the loop and what comes out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tracedance.errors import InputError
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.schema import Record

SEATS: tuple[Literal["strong", "reviewer", "fast"], ...] = ("strong", "reviewer", "fast")


class Wanted(Record):
    """One behaviour that no family describes."""

    query: str
    """The behaviour in the user's words; one behaviour, without size, field or trace conditions."""
    related: tuple[str, ...] = ()
    """Ids of families that are related to it and not the same: material for the draft."""
    parameters: Mapping[str, Any] = {}
    """Values that the request gives: the card must name each as a parameter, and what is found is found under them."""
    taken: tuple[str, ...] = ()
    """Ids of families that are not shipped and stand beside the one to be written: its name must be another."""
    seed: int = 0

    @property
    def told(self) -> str:
        """The behaviour and the values that go with it, as writer and reviewers are told."""
        given = "\n".join(f"- {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in sorted(self.parameters.items()))
        return f"{self.query}\n\nParameters of the card that the request gives these values:\n{given}" if given else self.query


@dataclass(frozen=True, slots=True)
class Desk:
    """Who is asked: the models that play strong, reviewer and fast, and the ledger that their calls go through."""

    models: Models
    ledger: Ledger | None
    catalogues: tuple[Path, ...] = ()
    """Folders of the user's own, which may hold related families."""

    def seat(self, role: Literal["strong", "reviewer", "fast"]) -> str:
        """The model that plays a role. InputError where none does."""
        seats = self.models.role(role)
        if not seats:
            raise InputError(f"No model plays {role!r}, and writing a family needs one. 'tracedance doctor' names the key that it lacks.")
        return seats[0]


def able(models: Models) -> bool:
    """Whether a family can be written: somebody plays each of the three roles."""
    return all(models.role(role) for role in SEATS)


@dataclass(frozen=True, slots=True)
class SynthesisedFamily:
    """A family that was accepted. Nobody has read it yet: it is marked so in all that is made with it."""

    id: str
    folder: Path
    """A catalogue folder with the one family: one of `Request.catalogues`."""
    run: Path
    """The run folder, with the record of each round."""
    rounds: int
    figures: Mapping[str, Any]
    """What the last round's probe said."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """No family came of it."""

    reason: Literal["unsafe_or_unsound_anchor"]
    message: str
    """What stood in the way, and the next command."""
    run: Path
    rounds: int
    counts: Mapping[str, int] = field(default_factory=dict)
    """Over all drafts: sessions run on, places found, places asked about and confirmed."""
