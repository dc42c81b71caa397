"""The parameters of a call as its provider takes them. What it cannot take is left out and listed, with the reason.

LiteLLM says what a provider takes: each parameter is put to its mapping alone. One that it refuses, or that leaves no trace in what it
would send, is left out. Our flags and its table decide the reasoning effort: an unknown model is not known to have one.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tracedance.errors import InputError, foreign
from tracedance.models import offline, replay
from tracedance.models.capabilities import Capabilities
from tracedance.models.config import Endpoint, Models, Purpose
from tracedance.models.entries import UNSENT
from tracedance.schema import ModelRequest

EFFORT = "high"
NO_EFFORT = {"summary", "domain", "probe"}
"""Purposes that want an answer without any reasoning; all others get as much as there is."""
SAMPLING = ("temperature", "top_p", "top_k")
LENGTHS = ("max_tokens", "max_completion_tokens")
LEAST = ("none", "minimal", "low")
"""Reasoning efforts from none upwards: the first that a provider takes stands for none."""


@dataclass(frozen=True)
class LeftOut:
    """A parameter that was wanted and is not sent, or not as it was wanted."""

    name: str
    value: Any
    why: str


@dataclass(frozen=True)
class Fitted:
    """What is sent, and what is not."""

    sent: Mapping[str, Any]
    left_out: tuple[LeftOut, ...]

    def listed(self) -> dict[str, Any]:
        """For run.json and `doctor`."""
        return {
            "sent": dict(self.sent),
            "left_out": [{"name": item.name, "value": item.value, "why": item.why} for item in self.left_out],
        }


def live(name: str) -> bool:
    """Whether a model is reached through LiteLLM."""
    return not name.startswith((offline.PREFIX, replay.PREFIX))


def parameters(names: Mapping[Purpose, Sequence[str]], models: Models) -> dict[str, Any]:
    """By purpose and model: which parameters are sent, and which are not, with the reason."""
    listed: dict[str, Any] = {}
    for purpose, asked in names.items():
        for name in filter(live, asked):
            made = fitted(models.endpoint(name), purpose, models.parameters(purpose))
            listed.setdefault(purpose, {})[name] = json.loads(json.dumps(made.listed()))
    return listed


def fit(endpoint: Endpoint, request: ModelRequest) -> tuple[Endpoint, ModelRequest]:
    """The request with the parameters that are sent, all in one place, and the endpoint with none left to add.

    InputError for a request with tools to a model that takes no tool calls.
    """
    if request.tools and endpoint.capabilities.tools is False:
        raise InputError(no_tools(endpoint.name))
    sent = fitted(endpoint, request.purpose, request.parameters).sent
    return replace(endpoint, parameters={}), request.model_copy(update={"parameters": sent})


def no_tools(name: str) -> str:
    """What is said of a model that cannot be given tools."""
    return (
        f"{name!r} takes no tool calls, and the contexts hold some. Leave it out, or, if it does take them, "
        "write 'tracedance: {tools: true}' in its entry of model_list."
    )


def fitted(endpoint: Endpoint, purpose: str, parameters: Mapping[str, Any]) -> Fitted:
    """The parameters of a call for a purpose: the entry's own win over those of the purpose, and both over our defaults."""
    wanted = json.dumps({**parameters, **endpoint.parameters}, sort_keys=True)
    return _fitted(endpoint.model, endpoint.capabilities, purpose, wanted, tuple(sorted(endpoint.unsent.items())))


def longest(endpoint: Endpoint, purpose: str, parameters: Mapping[str, Any]) -> int:
    """The most tokens of one answer, and of the second try at it that a cut-off answer gets twice the room for."""
    sent = fitted(endpoint, purpose, parameters).sent
    limit = int(next(sent[name] for name in LENGTHS if name in sent))
    room = min(2 * limit, endpoint.capabilities.output_cap) if "max_tokens" in parameters else limit
    return max(limit, room) * int(sent.get("n") or 1)


@cache
def _fitted(model: str, able: Capabilities, purpose: str, given: str, unsent: tuple[tuple[str, str], ...]) -> Fitted:
    wanted: dict[str, Any] = json.loads(given)
    left = [LeftOut(name, "", why) for name, why in unsent]
    left += [LeftOut(name, wanted.pop(name), UNSENT[name]) for name in sorted(wanted) if name in UNSENT]
    left += bounded(wanted, able)
    left += reasoning(wanted, model, able, purpose)
    left += [item for name in sorted(wanted) if (item := refused(model, name, wanted, able))]
    gone = {item.name for item in left if item.name in wanted and item.value == wanted[item.name]}
    return Fitted({name: value for name, value in wanted.items() if name not in gone}, tuple(left))


def bounded(wanted: dict[str, Any], able: Capabilities) -> list[LeftOut]:
    """Sets the length of the answer, at most the model's cap; says so where more was wanted."""
    name = next((name for name in LENGTHS if name in wanted), LENGTHS[0])
    asked = wanted.get(name, able.output_cap)
    wanted[name] = min(asked, able.output_cap) if isinstance(asked, int) else able.output_cap
    return [] if wanted[name] == asked else [LeftOut(name, asked, f"{wanted[name]} is sent, the model's output cap")]


def reasoning(wanted: dict[str, Any], model: str, able: Capabilities, purpose: str) -> list[LeftOut]:
    """Sets the reasoning effort; says so where there is none or another than was wanted. `thinking` of an entry's own is left as it is."""
    if "thinking" in wanted:
        return []
    name, own = "reasoning_effort", "reasoning_effort" in wanted
    effort = wanted.pop(name, None) or ("none" if purpose in NO_EFFORT else EFFORT)
    if able.reasoning_effort is not True and not own:
        if effort == "none":
            return []
        known = able.reasoning_effort is False or able.listed
        why = "the model has none" if known else "not known to take one: write 'tracedance: {reasoning_effort: true}' in its entry"
        return [LeftOut(name, effort, why)]
    if able.reasoning_effort is False:
        return [LeftOut(name, effort, "the entry says that the model takes none")]
    if effort == "none":
        return without(wanted, model, able)
    if purpose == "respond" and thinks_by_budget(model, effort):
        return [LeftOut(name, effort, "the model wants its own signed thoughts in every recorded turn, and another agent wrote them")]
    wanted[name] = effort
    return []


def without(wanted: dict[str, Any], model: str, able: Capabilities) -> list[LeftOut]:
    """Switches reasoning off, or to the least that the model can do, and says which."""
    name = "reasoning_effort"
    if able.always_reasons:
        return [LeftOut(name, "none", "the model always reasons")]
    least = next((effort for effort in LEAST if not isinstance(mapped(model, {name: effort}), str)), None)
    if least is None:
        return [LeftOut(name, "none", "the model's reasoning cannot be switched off")]
    left = mapped(model, {name: least})
    if least != "none" or (isinstance(left, Mapping) and "thinkingLevel" in json.dumps(left)):
        wanted[name] = least
        return [LeftOut(name, "none", f"{least!r} is sent, the least that the model takes")] if least != "none" else []
    if left != mapped(model, {}):
        wanted[name] = "none"
    return []


def thinks_by_budget(model: str, effort: str) -> bool:
    """Whether the effort becomes a thinking budget of Claude's older models, which refuse recorded turns without their own thoughts."""
    sent = mapped(model, {"reasoning_effort": effort})
    return isinstance(sent, Mapping) and isinstance(sent.get("thinking"), Mapping) and sent["thinking"].get("type") == "enabled"


def refused(model: str, name: str, wanted: Mapping[str, Any], able: Capabilities) -> LeftOut | None:
    """Why a parameter cannot be sent; None when it can."""
    value = wanted[name]
    if name in SAMPLING and able.temperature is False:
        return LeftOut(name, value, "the model takes no sampling parameters")
    given = {name: value}
    if name in SAMPLING and "reasoning_effort" in wanted:
        given["reasoning_effort"] = wanted["reasoning_effort"]
        sent = mapped(model, given)
        if isinstance(sent, Mapping) and isinstance(sent.get("thinking"), Mapping) and value != 1:
            return LeftOut(name, value, "the model takes none while it reasons")
    else:
        sent = mapped(model, given)
    if isinstance(sent, str):
        return LeftOut(name, value, sent)
    rest = {other: said for other, said in given.items() if other != name}
    if sent == mapped(model, rest) and name != "reasoning_effort":
        return LeftOut(name, value, "LiteLLM leaves it out for this model")
    return None


def mapped(model: str, parameters: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """What LiteLLM would send for parameters, or in one line why it refuses them."""
    return _mapped(model, json.dumps(parameters, sort_keys=True))


@cache
def _mapped(model: str, given: str) -> Mapping[str, Any] | str:
    from tracedance.models.live import sdk

    litellm = sdk()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            name, provider, _, _ = litellm.get_llm_provider(model)
            sent = litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, drop_params=False, **json.loads(given))
    except Exception as error:
        # LiteLLM raises whatever its providers' mappings raise; each says that this cannot be sent.
        said = foreign(error).rpartition("Error: ")[2]
        return said.partition(" To drop ")[0][:200].strip() or type(error).__name__
    return {name: value for name, value in sent.items() if value not in (None, {}) and name != "stream"}
