"""A request that no family fits, built with a family written for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tracedance.construct.build import LEDGER
from tracedance.models import spending
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.query import wording
from tracedance.query.request import understand
from tracedance.schema import Outcome, Request
from tracedance.store.store import Store
from tracedance.synthesis.loop import Progress, synthesise
from tracedance.synthesis.wanted import Desk, Refusal, SynthesisedFamily, Wanted, able

PICO = 10**12


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it: the request with the new family, or the rejection; and what it cost."""

    request: Request | Outcome
    told: Mapping[str, Any]
    """For the JSON of `build`: run, rounds, family and spend."""
    models: Models
    """The models with what is left of the budget."""


def wanted_here(understood: Request | Outcome, options: Mapping[str, Any], models: Models) -> bool:
    """Whether a family is to be written: none matched, something is to be built, and each of the roles is played."""
    if isinstance(understood, Request) or understood.reason != "no_family_matches":
        return False
    return able(models) and not options.get("dry_run") and not options.get("estimate")


def written(query: str, options: Mapping[str, Any], store: Store, models: Models, progress: Progress | None = None) -> Written:
    """Write a family for the sentence and ask for it. InputError as `synthesise`."""
    told = wording.read(query)
    minimum = options.get("minimum") if options.get("minimum") is not None else told.minimum
    maximum = options.get("maximum") if options.get("maximum") is not None else told.maximum
    sized = {**options, "minimum": minimum, "maximum": maximum}
    wanted = Wanted(query=query, seed=int(options.get("seed") or 0))
    with Ledger(store.path / LEDGER) as ledger:
        made = synthesise(wanted, store, Desk(models, ledger), progress)
    account = spending.read(made.run)
    said = {"run": str(made.run), "rounds": made.rounds, "spend": account}
    if isinstance(made, Refusal):
        outcome = Outcome(outcome="rejected", reason=made.reason, message=made.message, request={"query": query, "families": []})
        return Written(outcome, {**said, "family": None}, models)
    marked = {**said, "family": made.id, "reviewed_by_people": False}
    return Written(_request(query, sized, made), marked, _left(models, account))


def _request(query: str, options: Mapping[str, Any], made: SynthesisedFamily) -> Request | Outcome:
    given = {**options, "catalogues": [*(options.get("catalogues") or ()), str(made.folder)]}
    understood = understand(None, (made.id,), given)
    return understood.model_copy(update={"query": query, "matched_by": "synthesised"}) if isinstance(understood, Request) else understood


def _left(models: Models, account: Mapping[str, Any]) -> Models:
    """What the writing cost is gone from the budget of the build."""
    limit, spent = models.terms.max_cost, account["total"]["usd_most"]
    if limit is None or spent is None:
        return models
    return replace(models, terms=replace(models.terms, max_cost=max(0, limit - round(spent * PICO))))
