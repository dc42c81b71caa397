"""What `build` hands to the reading of a request: a writer of families for behaviours that none is the same as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tracedance.models import spending
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.query.strong import Written
from tracedance.schema import Outcome
from tracedance.store.store import Store
from tracedance.synthesis.loop import Progress, synthesise
from tracedance.synthesis.wanted import Desk, Refusal, Wanted

PICO = 10**12


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
    """Picodollars, at most."""

    def __call__(self, behaviour: str, related: tuple[str, ...]) -> Written | Outcome:
        """A family for the behaviour, or the rejection. InputError as `synthesise`."""
        wanted = Wanted(query=behaviour, related=related, seed=int(self.options.get("seed") or 0))
        made = synthesise(wanted, Store.open(self.store), Desk(self.left, self.ledger), self.progress)
        account = spending.read(made.run)
        self.spent += round((account["total"]["usd_most"] or 0) * PICO)
        said = {"run": str(made.run), "behaviour": behaviour, "rounds": made.rounds, "spend": account}
        if isinstance(made, Refusal):
            self.told.append({**said, "family": None})
            return Outcome(outcome="rejected", reason=made.reason, message=made.message, request={"query": behaviour, "families": []})
        self.told.append({**said, "family": made.id, "reviewed_by_people": False})
        return Written(made.id, made.folder)

    @property
    def left(self) -> Models:
        """The models with what is left of the budget."""
        limit = self.models.terms.max_cost
        if limit is None:
            return self.models
        return replace(self.models, terms=replace(self.models.terms, max_cost=max(0, limit - self.spent)))
