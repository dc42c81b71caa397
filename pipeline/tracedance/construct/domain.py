"""Whether a session is about the field that a request is limited to: one call summarises the session, another judges the summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from tracedance.models import prompts
from tracedance.models.ask import Asked, ask, json_in
from tracedance.models.config import Models
from tracedance.models.ledger import Ledger
from tracedance.schema import ModelRequest, Record

SUMMARY: Literal["summary"] = "summary"
DOMAIN: Literal["domain"] = "domain"
"""The prompts, and the purposes of their calls: both without reasoning."""

R = TypeVar("R", bound=BaseModel)


class Summary(Record):
    """What the summary prompt asks for."""

    summary: str = Field(min_length=1, max_length=4000)


class DomainVerdict(Record):
    """What the domain prompt asks for."""

    answer: Literal["yes", "no", "cannot_tell"]
    why: str = Field(max_length=1000)


def verdict(outline: str, domain: str, models: Models, ledger: Ledger | None) -> Asked[DomainVerdict]:
    """Two calls to the model that plays `fast`; both answers are kept in the ledger, so a session is summarised once for all families.

    ItemError where the outline cannot be fenced.
    """
    told = _asked(SUMMARY, Summary, models, ledger, {"session": outline})
    if told.value is None:
        return Asked(None, told.error, told.failed, told.calls)
    return _asked(DOMAIN, DomainVerdict, models, ledger, {"domain": domain, "summary": told.value.summary})


def _asked(name: Literal["summary", "domain"], kind: type[R], models: Models, ledger: Ledger | None, values: dict[str, str]) -> Asked[R]:
    prompt = prompts.load(name, answer=kind)
    (model,) = models.role("fast")
    request = ModelRequest(
        model=model, messages=prompt.render(**values), parameters=models.parameters(name), purpose=name, template=prompt.digest
    )
    return ask(request, _reader(kind), models, ledger)


def _reader(kind: type[R]) -> Callable[[str], R]:
    return lambda text: json_in(text, kind)[0]
