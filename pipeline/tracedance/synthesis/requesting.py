"""The one door from a sentence to a request: it is read, matched, and families are written for behaviours that none is the same as.

Commands and flows go through it alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.models import spending
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.query.request import understand
from tracedance.query.strong import Written, reading
from tracedance.schema import Outcome, Request
from tracedance.store.store import Store
from tracedance.synthesis.loop import Progress, synthesise
from tracedance.synthesis.wanted import Desk, Refusal, Wanted, able

PICO = 10**12


@dataclass(frozen=True, slots=True)
class Understood:
    """What came of a sentence, or of named families."""

    request: Request | Outcome
    models: Models
    """With what reading and writing left of the budget."""
    written: Sequence[Mapping[str, Any]]
    """For the JSON of `build`: run, rounds, family and spend of each behaviour that a family was written for."""
    spend: Mapping[str, Any] | None
    """The account of the reading; None where rules read it."""


def understood(query: str | None, names: Sequence[str], options: Mapping[str, Any], at: tuple[Path, Models, Progress | None]) -> Understood:
    """The request of a sentence, whose families that lacked are written; `options` as `understand` takes them.

    `at` is the store's folder, who is asked, and who is told how far it is. InputError as `understand` and `synthesise`.
    """
    store, models, progress = at
    with reading(models, store, query) as strong:
        writing = Writing(store, models, strong.ledger if strong else None, options, progress)
        if strong is None:
            return Understood(understand(query, names, options), models, (), None)
        writing.reading = strong.models.terms.run
        found = understand(query, names, options, replace(strong, write=writing) if able(models) else strong)
        account = spending.account(strong.ledger, strong.models) if strong.ledger else None
        return Understood(found, writing.left, writing.told, account)


@dataclass(slots=True)
class Writing:
    """Writes families for one request, and keeps what came of each."""

    store: Path
    models: Models
    ledger: Ledger | None
    options: Mapping[str, Any]
    progress: Progress | None = None
    told: list[Mapping[str, Any]] = field(default_factory=list)
    """For the JSON of `build`: run, rounds, family and spend of each behaviour."""
    spent: int = 0
    """Picodollars that families came to, at most."""
    reading: str = ""
    """The run of the reading's own calls."""

    def __call__(self, behaviour: str, related: tuple[str, ...], given: Mapping[str, Any]) -> Written | Outcome:
        """A family for the behaviour, or the rejection. InputError as `synthesise`."""
        own = tuple(Path(folder) for folder in self.options.get("catalogues") or ())
        taken = {*families(own)} - {*families()} | {one["family"] for one in self.told if one["family"]}
        seed = int(self.options.get("seed") or 0)
        wanted = Wanted(query=behaviour, related=related, parameters=given, taken=tuple(sorted(taken)), seed=seed)
        made = synthesise(wanted, Store.open(self.store), Desk(self.left, self.ledger, own), self.progress)
        account = spending.read(made.run)
        self.spent += round((account["total"]["usd_most"] or 0) * PICO)
        said = {"run": str(made.run), "behaviour": behaviour, "rounds": made.rounds, "spend": account}
        if isinstance(made, Refusal):
            self.told.append({**said, "family": None})
            about = {"query": behaviour, "families": [], "related": list(related)}
            return Outcome(outcome="rejected", reason=made.reason, message=made.message, request=about, counts=made.counts)
        self.told.append({**said, "family": made.id, "reviewed_by_people": False})
        return Written(made.id, made.folder)

    @property
    def left(self) -> Models:
        """The models with what is left of the budget."""
        limit = self.models.terms.max_cost
        if limit is None:
            return self.models
        read = spending.spent(self.ledger, self.reading)["total"]["usd_most"] if self.ledger else 0
        spent = self.spent + round((read or 0) * PICO)
        return replace(self.models, terms=replace(self.models.terms, max_cost=max(0, limit - spent)))
