"""The one door to a model, whichever backend is behind it.

`offline/careful` is a scripted policy, `replay/<folder>` gives recorded answers, everything else is live through LiteLLM. Live calls go
through the ledger: written down before they leave, answered from it when they have been answered before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracedance.errors import InputError
from tracedance.models import live, offline, reach, replay, wire
from tracedance.models.answers import parse
from tracedance.models.config import Endpoint, Models
from tracedance.models.desk import prepared
from tracedance.models.fitting import fit
from tracedance.models.ledger import Ledger
from tracedance.models.making import Stopped, make
from tracedance.schema import ModelAnswer, ModelRequest


def call(request: ModelRequest, models: Models, ledger: Ledger | None) -> ModelAnswer:
    """One answer to one request. An infrastructure failure is an answer with status `failed`. Without a ledger there is one try.

    Raises InputError for a model that cannot exist, a key that is not set, a request that a replay folder does not hold, and where the next
    call could go beyond the budget (4).
    """
    if request.model.startswith(offline.PREFIX):
        return offline.answer(request)
    if request.model.startswith(replay.PREFIX):
        return parse(replay.answer(request))
    endpoint, request = fit(reachable(request.model, models), request)
    if why := reach.withheld(endpoint, request, models):
        return ModelAnswer(status="failed", error=why)
    if ledger is None:
        try:
            return parse(live.send(endpoint, request))
        except live.CallFailed as failure:
            return ModelAnswer(status="failed", error=str(failure))
    return through(ledger, endpoint, request, models)


def through(ledger: Ledger, endpoint: Endpoint, request: ModelRequest, models: Models) -> ModelAnswer:
    """A live call by way of the ledger. KeyboardInterrupt when the user asked to stop before it left."""
    live.sdk()
    try:
        return wire.wait(make(prepared(ledger, endpoint, request, models, subject_of(endpoint, request))))
    except Stopped:
        raise KeyboardInterrupt from None


def reachable(name: str, models: Models) -> Endpoint:
    """The endpoint of a model that can be called; InputError when its key is not set."""
    endpoint = models.endpoint(name)
    if endpoint.missing:
        raise InputError(f"No key for {name!r}. Set {endpoint.missing} in the environment, or give --profile.")
    return endpoint


def check(name: str, models: Models) -> None:
    """Raises InputError when a model can be known beforehand to be out of reach. Makes no call."""
    if name.startswith(offline.PREFIX):
        offline.check(name)
    elif name.startswith(replay.PREFIX):
        replay.answers_in(name.removeprefix(replay.PREFIX))
    elif not live.knows(reachable(name, models)):
        raise InputError(f"LiteLLM knows no provider for the model {name!r}. {models.hint(name)}")


def subject_of(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    """Everything that changes the answer: where it goes, what is sent, which of several samples it is, and the prompt's digest."""
    parameters: Mapping[str, Any] = {**request.parameters, **endpoint.parameters}
    return {
        "model": endpoint.model,
        "api_base": endpoint.api_base,
        "api_version": endpoint.api_version,
        "parameters": dict(parameters),
        **replay.content_of(request),
    }
