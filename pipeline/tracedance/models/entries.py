"""Entries of `model_list`, as LiteLLM's own config files have them, and the flags that we put beside them.

What LiteLLM takes, we take: any name under `litellm_params`, rpm and tpm, `model_info`, and names of its router. Names that only its router
or proxy acts on are known here, so that a run can say that they were not acted on. A secret is never in a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tracedance.schema.record import Record

VARIABLE = "os.environ/"
SECRETS = {
    "api_key",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_web_identity_token",
    "azure_ad_token",
    "azure_password",
    "client_secret",
    "gcs_bucket_service_account_credentials",
    "oci_key",
    "password",
    "s3_aws_secret_access_key",
    "token",
    "vertex_ai_credentials",
    "watsonx_token",
    "watsonx_zen_api_key",
}
"""Names under `litellm_params` whose value is a secret: always a reference to the environment. `vertex_credentials` may be a path."""
HEADERS = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie"}
"""Headers whose value is a secret, in lower case."""

OURS = "the ledger alone retries, limits and stores"
LEFT = "nothing is left out without being listed: see the parameters of the run"
UNSENT = {
    **dict.fromkeys(
        ("num_retries", "max_retries", "max_parallel_requests", "cooldown_time", "caching", "cache", "cache_responses", "fallbacks"), OURS
    ),
    **dict.fromkeys(("context_window_fallbacks", "context_window_fallback_dict", "content_policy_fallbacks", "mock_response"), OURS),
    **dict.fromkeys(("drop_params", "modify_params", "additional_drop_params"), LEFT),
    **dict.fromkeys(("weight", "order", "tags", "region_name", "max_budget", "budget_duration"), "there is no router here"),
    **dict.fromkeys(("use_in_pass_through", "merge_reasoning_content_in_choices", "litellm_credential_name"), "there is no proxy here"),
    **dict.fromkeys(
        ("callbacks", "success_callback", "failure_callback", "guardrails", "litellm_trace_id"), "nothing is reported elsewhere"
    ),
    **dict.fromkeys(("stream", "stream_options", "stream_timeout", "n"), "one whole answer is asked for at a time"),
}
"""Names that LiteLLM takes and that are not acted on here, with the reason."""


class Parameters(BaseModel):
    """`litellm_params` of one entry: those that we read ourselves, and any other that LiteLLM takes."""

    model_config = ConfigDict(frozen=True, extra="allow")

    model: str = Field(pattern=r"^[^/\s]+(/\S+)?$")
    """LiteLLM id, `provider/model`; a bare name where LiteLLM's table knows whose it is."""
    custom_llm_provider: str = ""
    api_base: str = ""
    api_key: str = ""
    api_version: str = ""
    timeout: float = Field(default=120.0, gt=0)
    """Seconds for one call."""
    rpm: int | None = Field(default=None, gt=0)
    """Requests a minute that the provider allows."""
    tpm: int | None = Field(default=None, gt=0)
    """Tokens a minute that the provider allows."""

    @model_validator(mode="before")
    @classmethod
    def no_secret_in_a_file(cls, given: Any) -> Any:
        for name, value in stated(given if isinstance(given, Mapping) else {}):
            secret = name in SECRETS or (name == "vertex_credentials" and "{" in value)
            if secret and value and not value.startswith(VARIABLE):
                raise ValueError(f"{name}: a key does not belong in a file: write {VARIABLE}NAME and set NAME in the environment")
        return given

    @property
    def others(self) -> Mapping[str, Any]:
        """All that the entry gives for LiteLLM, and that it is to be sent, by name. References to the environment stay references."""
        return {name: value for name, value in (self.model_extra or {}).items() if name not in UNSENT and value is not None}

    @property
    def unsent(self) -> Mapping[str, str]:
        """What the entry gives and nobody acts on, with the reason."""
        return {name: UNSENT[name] for name in self.model_extra or {} if name in UNSENT}


class Flags(Record):
    """What a model can do, in our words, under `tracedance:` of an entry. They win over `model_info`, and that over LiteLLM's table."""

    tools: bool | None = None
    """Whether it takes tool calls."""
    reasoning_effort: bool | None = None
    """Whether it takes a reasoning effort."""
    temperature: bool | None = None
    """Whether it takes a temperature and its like (top_p)."""
    idempotency_key: bool = False
    """Whether its provider bills two requests with one Idempotency-Key header once. None of the large ones documents that it does."""
    context_window: int | None = Field(default=None, gt=0)
    """Tokens of a request and its answer together."""
    output_cap: int | None = Field(default=None, gt=0)
    """Most tokens of one answer that are ever asked for."""


class Entry(BaseModel):
    """One entry of `model_list`: a name of the user's, what LiteLLM needs to reach the model, and what the model can do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_name: str = Field(min_length=1)
    litellm_params: Parameters
    model_info: Mapping[str, Any] = {}
    tracedance: Flags = Flags()
    rpm: int | None = Field(default=None, gt=0)
    tpm: int | None = Field(default=None, gt=0)
    access_groups: tuple[str, ...] = ()
    """LiteLLM's proxy reads it; nobody here does."""

    @field_validator("model_info", mode="before")
    @classmethod
    def nothing_is_empty(cls, value: Any) -> Any:
        return value or {}


def stated(given: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """The texts of an entry by name, those of its headers too: a header that carries a key counts as `api_key`."""
    for name, value in given.items():
        if isinstance(value, Mapping) and name in ("extra_headers", "headers"):
            yield from (("api_key" if str(header).lower() in HEADERS else "header", str(said)) for header, said in value.items())
        elif isinstance(value, str):
            yield str(name), value


def references(value: Any) -> Iterator[str]:
    """Names of the environment variables that a value refers to."""
    if isinstance(value, str) and value.startswith(VARIABLE):
        yield value.removeprefix(VARIABLE)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from references(item)


def revealed(value: Any) -> Any:
    """The value with what its references stand for; only what is about to be sent is ever revealed."""
    if isinstance(value, str) and value.startswith(VARIABLE):
        return os.environ.get(value.removeprefix(VARIABLE), "")
    if isinstance(value, Mapping):
        return {name: revealed(item) for name, item in value.items()}
    return value
