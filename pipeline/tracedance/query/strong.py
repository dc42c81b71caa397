"""Questions to the model that plays `strong`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from tracedance.errors import InputError
from tracedance.models import prompts, spending
from tracedance.models.ask import Asked, ask, json_in
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.schema import ModelRequest, Outcome

LEDGER = "ledger.sqlite"
"""The store's ledger, that of its builds too."""
R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Written:
    """A family that was written for one request."""

    id: str
    catalogue: Path
    """The catalogue folder that holds it."""


Writer = Callable[[str, tuple[str, ...], Mapping[str, Any]], Written | Outcome]
"""Writes a family for a behaviour, given families that are related to it and not the same and the values that its parameters shall have;
or says why there is none."""


@dataclass(frozen=True, slots=True)
class Strong:
    """Who reads and matches: the profile's models, one of which plays `strong`, and the ledger that its calls go through."""

    models: Models
    ledger: Ledger | None = None
    write: Writer | None = None
    """What writes families that there are none of; None where nothing does."""

    @property
    def name(self) -> str:
        """The model's id."""
        return self.models.role("strong")[0]


@contextmanager
def reading(models: Models, store: Path, sentence: str | None) -> Iterator[Strong | None]:
    """Who reads a sentence: the model that plays `strong`, by way of the store's ledger and under the budget; None where none plays it or
    there is no sentence. Where there is no store yet its folder holds nothing but the ledger.
    """
    if sentence is None or not models.role("strong"):
        yield None
        return
    store.mkdir(parents=True, exist_ok=True)
    with Ledger(store / LEDGER) as ledger:
        run = f"read-{hashlib.sha256(sentence.encode('utf-8', 'replace')).hexdigest()[:20]}"
        yield Strong(spending.opened(ledger, models, run, models.role("strong")), ledger)


def put(strong: Strong, prompt_name: str, kind: type[R], values: dict[str, str], sample: int = 0) -> Asked[R]:
    """One question and at most one repair. InputError (5) where no answer could be had; ItemError where a value holds the fence."""
    prompt = prompts.load(prompt_name, answer=kind)
    request = ModelRequest(
        model=strong.name,
        messages=prompt.render(**values),
        parameters=strong.models.parameters("interpret"),
        purpose="interpret",
        sample=sample,
        template=prompt.digest,
    )
    answer = ask(request, lambda text: json_in(text, kind)[0], strong.models, strong.ledger)
    if answer.value is None and answer.failed:
        raise InputError(
            f"The model {strong.name!r}, which reads requests, could not be "
            f"reached: {answer.error}. Try again, or name a family with --family.",
            5,
        )
    return answer
