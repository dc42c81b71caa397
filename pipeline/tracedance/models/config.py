"""Which model plays which role, from `configs/models.yaml` or the profile asked for.

A profile is a name (`local` reads configs/models.local.yaml) or the path of a YAML file. Entries of `model_list` are written as LiteLLM's
users write them; a key is never in the file, only the name of the environment variable that holds it.
"""

from __future__ import annotations

import hashlib
import os
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
from tracedance.models.limits import Limits
from tracedance.models.prices import Price
from tracedance.resources import data
from tracedance.schema.record import Record

Role = Literal["strong", "fast", "reviewer", "judge", "embed"]
SEATS = 3
VARIABLE = "os.environ/"
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


class Parameters(Record):
    """`litellm_params` of one entry."""

    model: str = Field(pattern=r"^[^/\s]+/\S+$")
    """LiteLLM id, `provider/model`."""
    api_base: str = ""
    api_key: str = ""
    api_version: str = ""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds for one call."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: str | None = None

    @field_validator("api_key")
    @classmethod
    def no_key_in_a_file(cls, value: str) -> str:
        if value and not value.startswith(VARIABLE):
            raise ValueError(f"a key does not belong in a file: write {VARIABLE}NAME and set NAME in the environment")
        return value


class Entry(Record):
    """One entry of `model_list`: a name of the user's and what LiteLLM needs to reach the model."""

    model_name: str = Field(min_length=1)
    litellm_params: Parameters
    model_info: Mapping[str, Any] = {}


class Roles(Record):
    """Who plays each role: a LiteLLM id or a `model_name`; absent means offline."""

    strong: str | None = None
    fast: str | None = None
    reviewer: str | None = None
    embed: str | None = None
    judge: tuple[str, ...] = ()
    """Three seats."""

    @field_validator("judge")
    @classmethod
    def three_seats(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and (len(value) != SEATS or len(set(value)) != SEATS):
            raise ValueError(f"a panel has {SEATS} different seats")
        return value


class Settings(Record):
    """Parameters sent with every call for one purpose, unless the model's entry says otherwise."""

    confirm: Mapping[str, Any] = {"max_tokens": 2048}
    respond: Mapping[str, Any] = {"max_tokens": 8192}
    judge: Mapping[str, Any] = {"max_tokens": 4096}
    interpret: Mapping[str, Any] = {"max_tokens": 4096}


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
    missing: str
    """Environment variable of the key that is not set; "" when the model can be called."""
    api_key: str = field(default="", repr=False)


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
        for entry in self.file.model_list:
            if entry.model_name == name:
                return self._endpoint(name, entry.litellm_params)
        try:
            return self._endpoint(name, Parameters(model=name))
        except ValidationError:
            raise InputError(f"No model is named {name!r}. {self.hint(name)}") from None

    def hint(self, name: str) -> str:
        """What may have been meant by a name that is none, and how names are written."""
        known = [entry.model_name for entry in self.file.model_list] + ["offline/source", "offline/careful"]
        near = get_close_matches(name, known, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        return f"{meant}Write provider/model as LiteLLM does (openai/gpt-6.1-sol), or a name of the profile."

    def _endpoint(self, name: str, given: Parameters) -> Endpoint:
        base = self._value(given.api_base)
        variable = _variable(given)
        key = os.environ.get(variable, "") if variable else ""
        local = bool(base) and urlsplit(base).hostname in LOOPBACK
        sent = given.model_dump(include={"temperature", "top_p", "max_tokens", "seed", "reasoning_effort"}, exclude_none=True)
        return Endpoint(
            name=name,
            model=given.model,
            api_base=base,
            api_version=given.api_version,
            timeout=given.timeout,
            parameters=sent,
            missing=variable if variable and not key and not local else "",
            api_key=key or ("none" if local else ""),
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
        given = next((entry.litellm_params for entry in self.file.model_list if entry.model_name == name), None)
        return _variable(given or Parameters(model=name))

    def missing(self, role: Role) -> tuple[str, ...]:
        """Environment variables that a role still needs."""
        return tuple(sorted({self.endpoint(name).missing for name in self.seats(role)} - {""}))

    def role(self, role: Role) -> tuple[str, ...]:
        """The models that play a role; () when it is offline. A panel with a seat that cannot be called is offline as a whole."""
        seats = self.seats(role)
        return seats if seats and not self.missing(role) else ()

    def parameters(self, purpose: Literal["confirm", "respond", "judge", "interpret"]) -> Mapping[str, Any]:
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


def _variable(given: Parameters) -> str:
    return given.api_key.removeprefix(VARIABLE) or KEYS.get(given.model.partition("/")[0], "")


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
