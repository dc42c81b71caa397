"""What the calls of one run have in common, and what is known of a call before it is made."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from tracedance.errors import InputError
from tracedance.models import live, meter
from tracedance.models.budget import Budget, Terms
from tracedance.models.config import Endpoint, Models
from tracedance.models.ledger import Intent, Ledger, canonical, key_of
from tracedance.models.limits import Gate, Limits
from tracedance.models.pace import Pace, Sending
from tracedance.models.prices import Price, largest, most
from tracedance.schema import ModelRequest

BYTES_A_TOKEN = 3
"""For limits a minute: fewer than most texts have, so that too much is counted rather than too little. Money is reserved at one."""


@dataclass
class Desk:
    """What the calls of one run have in common."""

    ledger: Ledger
    terms: Terms
    limits: Limits
    budget: Budget
    gates: dict[tuple[str, ...], Gate] = field(default_factory=dict)
    paces: dict[str, Pace] = field(default_factory=dict)
    under_way: dict[str, asyncio.Lock] = field(default_factory=dict)
    settled: asyncio.Condition = field(default_factory=asyncio.Condition)
    seen: set[str] = field(default_factory=set)
    """Keys of calls that the ledger may know something of; of any other it is not asked."""

    def gate(self, endpoint: Endpoint) -> Gate:
        """The gate of a provider: one for each address and key."""
        provider = endpoint.model.partition("/")[0]
        name = endpoint.api_base or provider
        return self.gates.setdefault((provider, endpoint.api_base, endpoint.api_key), Gate(name, self.limits, say))

    def paced(self, endpoint: Endpoint, tokens: tuple[int, int], now: float) -> Sending | float:
        """Enters a call of at most so many tokens, in and out, into what its model's entry allows in a minute, or says how many seconds it
        has to wait.
        """
        pace = self.paces.setdefault(endpoint.name, Pace(endpoint.rpm, endpoint.tpm))
        entered = pace.take(tokens[0] // BYTES_A_TOKEN + tokens[1], now)
        if isinstance(entered, float) and not pace.told:
            pace.told = True
            say(f"{endpoint.name} is held to what its entry allows: {pace}")
        return entered


@dataclass(frozen=True, slots=True)
class Call:
    """One call to be had."""

    desk: Desk
    endpoint: Endpoint
    request: ModelRequest
    key: str
    price: Price | None
    tokens: tuple[int, int]
    """The most that it can take in and give out."""
    intent: Intent

    @property
    def reserved(self) -> int:
        """Picodollars that it can cost at most; 0 where the price is unknown."""
        return self.intent.reserved or 0


_making = threading.Lock()
_desks: WeakKeyDictionary[Ledger, dict[Terms, Desk]] = WeakKeyDictionary()


def say(text: str) -> None:
    """One line for a person about how the calls go."""
    meter.note(text)
    print(live.printable(text), file=sys.stderr, flush=True)


def desk_of(ledger: Ledger, models: Models) -> Desk:
    """The desk of a run; made at its first call, with what earlier processes of the run spent."""
    with _making:
        mine = _desks.setdefault(ledger, {})
        if models.terms not in mine:
            (row,) = ledger.ask("SELECT sum(coalesce(cost, reserved, 0)) FROM attempt WHERE run = ?", models.terms.run)
            seen = {key for (key,) in ledger.ask("SELECT DISTINCT key FROM attempt")}
            budget = Budget(models.terms.max_cost, int(row[0] or 0))
            mine[models.terms] = Desk(ledger, models.terms, models.file.limits, budget, seen=seen)
        return mine[models.terms]


def prepared(ledger: Ledger, endpoint: Endpoint, request: ModelRequest, models: Models, subject: Mapping[str, Any]) -> Call:
    """All that is known of a call before it is made. InputError for one that a budget cannot bound."""
    desk = desk_of(ledger, models)
    price = models.price(request.model)
    tokens = largest(request, subject["parameters"])
    if price is None and desk.terms.max_cost is not None:
        raise InputError(unpriced([request.model]))
    intent = Intent(
        key=key_of(subject),
        request=canonical(subject),
        model=endpoint.model,
        name=request.model,
        purpose=request.purpose,
        run=desk.terms.run,
        reserved=None if price is None else most(price, *tokens),
        skip_unknown=desk.terms.on_unknown == "skip",
    )
    return Call(desk, endpoint, request, intent.key, price, tokens, intent)


def unpriced(names: list[str]) -> str:
    """What is said where a budget meets models without a price."""
    listed = ", ".join(map(repr, names))
    return f"--max-cost cannot be kept with {listed}: no price is known. Give one under 'prices' in the profile or in configs/prices.yaml."
