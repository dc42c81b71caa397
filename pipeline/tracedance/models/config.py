"""Which model plays which role, from `configs/models.yaml` or the profile asked for.

A profile is a name (`local` reads configs/models.local.yaml) or the path of a YAML file. Entries of `model_list` are written as LiteLLM's
users write them; a key is never in the file, only the name of the environment variable that holds it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.models import prices
from tracedance.models.budget import Terms
from tracedance.models.capabilities import Capabilities, capabilities, provider_of
from tracedance.models.entries import VARIABLE, Entry, Flags, Parameters, references, revealed
from tracedance.models.limits import Limits
from tracedance.models.prices import Price
from tracedance.resources import data
from tracedance.schema.record import Record

Purpose = Literal["confirm", "respond", "judge", "interpret", "domain", "summary", "synthesise", "review"]
Role = Literal["strong", "fast", "reviewer", "judge", "embed"]
SEATS = 3
ID = re.compile(r"[^/\s]+/\S+")
"""A LiteLLM id."""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}

KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure": "AZURE_API_KEY",
    "cerebras": "CEREBRAS_API_KEY",
    "cohere": "COHERE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks_ai": "FIREWORKS_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "xai": "XAI_API_KEY",
}
"""Where LiteLLM looks for a provider's key when the entry names none. Other providers are taken to be ready; their calls will tell."""


class Roles(Record):
    """Who plays each role: a LiteLLM id or a `model_name`; absent means offline."""

    strong: str | None = None
    fast: str | None = None
    reviewer: str | None = None
    embed: str | None = None
    judge: tuple[str, ...] = ()
    """Three seats."""

    @field_validator("strong", "fast", "reviewer", "embed", "judge")
    @classmethod
    def no_script(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        """The scripts that answer as `offline/...` take an agent's next turn, and can play no role."""
        if any(name.startswith("offline/") for name in ((value,) if isinstance(value, str) else value or ())):
            raise ValueError("offline/... plays no role: leave the role out, and rules decide")
        return value

    @field_validator("judge")
    @classmethod
    def three_seats(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and (len(value) != SEATS or len(set(value)) != SEATS):
            raise ValueError(f"a panel has {SEATS} different seats")
        return value


class Settings(Record):
    """Parameters wanted with every call for one purpose, unless the model's entry says otherwise. Beside them every call has a length, at
    most the model's output cap, and a reasoning effort: see `fitting`.
    """

    confirm: Mapping[str, Any] = {}
    respond: Mapping[str, Any] = {}
    judge: Mapping[str, Any] = {}
    interpret: Mapping[str, Any] = {}
    domain: Mapping[str, Any] = {}
    summary: Mapping[str, Any] = {}
    synthesise: Mapping[str, Any] = {}
    review: Mapping[str, Any] = {}


class ModelsFile(Record):
    """A whole models file."""

    schema_: Literal["tracedance.models/v1"] = Field(alias="schema")
    model_list: tuple[Entry, ...] = ()
    roles: Roles = Roles()
    prices: Mapping[str, Price] = {}
    """By model_name or LiteLLM id; they win over configs/prices.yaml. A model without any has an unknown price, not a price of 0."""
    limits: Limits = Limits()
    """How calls are repeated and held back."""
    parameters: Settings = Settings()
    local_only: bool = False
    """Refuse every model that is not on loopback, as --local-only does."""
    environment: Mapping[str, str] = {}
    """Values of environment variables that are not set; for addresses, not for keys."""


@dataclass(frozen=True)
class Endpoint:
    """All that is needed to call one model."""

    name: str
    model: str
    api_base: str
    api_version: str
    timeout: float
    parameters: Mapping[str, Any]
    """What the model's entry gives for LiteLLM, under any name. References to the environment are still references."""
    missing: str
    """Environment variable of the key that is not set; "" when the model can be called."""
    api_key: str = field(default="", repr=False)
    capabilities: Capabilities = field(default_factory=lambda: capabilities("", {}, Flags()))
    unsent: Mapping[str, str] = field(default_factory=dict)
    """What the entry gives and nobody acts on, with the reason."""
    rpm: int | None = None
    tpm: int | None = None
    """Requests and tokens a minute that the entry allows; None where it does not say."""


@dataclass(frozen=True)
class Models:
    """The models of one profile."""

    profile: str
    file: ModelsFile
    digest: str
    """sha256 of what decides answers: models, roles and parameters, not prices, comments or addresses."""
    terms: Terms = field(default_factory=Terms)
    """What a run may spend on them."""

    def endpoint(self, name: str) -> Endpoint:
        """How to reach the model a user calls `name`: a `model_name` of the profile, or a LiteLLM id. InputError for neither."""
        return self._endpoint(self.entry(name))

    def entry(self, name: str) -> Entry:
        """The profile's entry of that name, or one made up for a LiteLLM id. InputError for neither."""
        found = next((entry for entry in self.file.model_list if entry.model_name == name), None)
        if found is None and not ID.fullmatch(name):
            raise InputError(f"No model is named {name!r}. {self.hint(name)}")
        return found or Entry(model_name=name, litellm_params=Parameters(model=name))

    def hint(self, name: str) -> str:
        """What may have been meant by a name that is none, and how names are written."""
        known = [entry.model_name for entry in self.file.model_list] + ["offline/source", "offline/careful"]
        near = get_close_matches(name, known, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        return f"{meant}Write provider/model as LiteLLM does (openai/gpt-6.1-sol), or a name of the profile."

    def _endpoint(self, entry: Entry) -> Endpoint:
        given, model = entry.litellm_params, litellm_id(entry)
        base = self._value(given.api_base)
        variable = _variable(given, model)
        key = os.environ.get(variable, "") if variable else ""
        local = bool(base) and urlsplit(base).hostname in LOOPBACK
        needed = ([variable] if variable and not local else []) + list(references(given.others))
        return Endpoint(
            name=entry.model_name,
            model=model,
            api_base=base,
            api_version=revealed(given.api_version),
            timeout=given.timeout,
            parameters=given.others,
            missing=next((name for name in needed if not os.environ.get(name)), ""),
            api_key=key or ("none" if local else ""),
            capabilities=capabilities(model, entry.model_info, entry.tracedance),
            unsent=given.unsent,
            rpm=given.rpm or entry.rpm,
            tpm=given.tpm or entry.tpm,
        )

    def _value(self, text: str) -> str:
        if not text.startswith(VARIABLE):
            return text
        name = text.removeprefix(VARIABLE)
        return os.environ.get(name) or self.file.environment.get(name, "")

    def seats(self, role: Role) -> tuple[str, ...]:
        """The names written under a role, whether or not they can be called."""
        value: str | tuple[str, ...] | None = getattr(self.file.roles, role)
        return value if isinstance(value, tuple) else (value,) if value else ()

    def variable(self, name: str) -> str:
        """The environment variable that holds a model's key; "" where none is known to be needed."""
        entry = self.entry(name)
        return _variable(entry.litellm_params, litellm_id(entry))

    def missing(self, role: Role) -> tuple[str, ...]:
        """Environment variables that a role still needs."""
        return tuple(sorted({self.endpoint(name).missing for name in self.seats(role)} - {""}))

    def role(self, role: Role) -> tuple[str, ...]:
        """The models that play a role; () when it is offline. A panel with a seat that cannot be called is offline as a whole."""
        seats = self.seats(role)
        return seats if seats and not self.missing(role) else ()

    def parameters(self, purpose: Purpose) -> Mapping[str, Any]:
        """The parameters of every call for a purpose."""
        value: Mapping[str, Any] = getattr(self.file.parameters, purpose)
        return value

    def price(self, name: str) -> Price | None:
        """The price of a model; None where none is known."""
        endpoint = self.endpoint(name)
        ours = self.file.prices.get(name) or self.file.prices.get(endpoint.model)
        if ours is None and not endpoint.api_base:
            ours = prices.shipped().get(endpoint.model)
        return ours or prices.listed(endpoint)


def litellm_id(entry: Entry) -> str:
    """`provider/model` of an entry. LiteLLM's users also write a bare name, whose provider its table knows or the entry says."""
    given = entry.litellm_params
    name = str(revealed(given.model))
    provider = given.custom_llm_provider or ("" if "/" in name else provider_of(name))
    if not provider and "/" not in name:
        raise InputError(f"model_list: {entry.model_name!r} has the model {name!r}, and nothing says whose that is. Write provider/model.")
    return name if not provider or name.startswith(f"{provider}/") else f"{provider}/{name}"


def _variable(given: Parameters, model: str) -> str:
    return given.api_key.removeprefix(VARIABLE) or KEYS.get(model.partition("/")[0], "")


def load(profile: str | None = None) -> Models:
    """Reads a profile: None for configs/models.yaml, a name for configs/models.NAME.yaml, or the path of a .yaml file.

    Raises InputError for one that does not exist or holds anything unknown.
    """
    found = yamlfile.read(profile_path(profile), "Check --profile; configs/models.yaml shows what a models file takes.")
    try:
        file = found.strictly(ModelsFile)
    except ValidationError as error:
        place = found.at(error.errors()[0]["loc"])
        raise InputError(f"{place}: {told(error)}. configs/models.yaml shows what a models file takes.") from None
    decisive = file.model_dump_json(include={"model_list", "roles", "parameters"})
    return Models(profile or "default", file, hashlib.sha256(decisive.encode()).hexdigest())


def profile_path(profile: str | None) -> Path:
    """The file of a profile."""
    if profile is None:
        return data("configs") / "models.yaml"
    if profile.endswith((".yaml", ".yml")):
        return Path(profile)
    known = sorted(path.name.split(".")[1] for path in data("configs").glob("models.*.yaml"))
    if profile not in known:
        raise InputError(f"No profile is named {profile!r}. There are {', '.join(known)}; the path of a .yaml file will do as well.")
    return data("configs") / f"models.{profile}.yaml"


def told(error: ValidationError) -> str:
    """The first things wrong with a file, in one line, without the values that stand there."""
    found: Sequence[Any] = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'the file'}: {item['msg']}" for item in found[:3])
