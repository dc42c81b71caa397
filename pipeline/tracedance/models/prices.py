"""What calls cost. Prices are US dollars per million tokens; amounts are whole picodollars (10^-12), rounded up, so that they add up.

A price comes from the profile's own `prices`, else from configs/prices.yaml, else from LiteLLM's table. One that none of them has is
unknown, which is not 0: nothing is capped or added up with it in silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from tracedance import yamlfile
from tracedance.resources import data
from tracedance.schema import ModelRequest, Usage
from tracedance.schema.record import Record

if TYPE_CHECKING:
    from tracedance.models.config import Endpoint

DOLLAR = 10**12
"""Picodollars in a dollar."""
MILLION = 1_000_000
FRAME = 1000
"""Tokens that a provider may add to a request: roles, and its own words about tools."""
A_MESSAGE = 16
UNCAPPED = 131_072
"""Tokens that an answer may take where the request sets no limit: the largest that providers give."""
FEWEST = 16
"""More bytes than this to a token have not been seen in text."""


class Price(Record):
    """US dollars per million tokens, by kind. What is not given costs as much as the kind that it is part of."""

    input: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Of input that the provider had read before."""
    output: float = Field(ge=0, allow_inf_nan=False)
    reasoning: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Of output that is thought and not said."""


class PricesFile(Record):
    """configs/prices.yaml."""

    schema_: Literal["tracedance.prices/v1"] = Field(alias="schema")
    prices: Mapping[str, Price]
    """By LiteLLM id."""


@cache
def shipped() -> Mapping[str, Price]:
    """The prices of configs/prices.yaml."""
    found = yamlfile.read(data("configs") / "prices.yaml", "Install tracedance again.")
    return found.record(PricesFile, "A price takes input and output, and may take cached and reasoning: dollars per million tokens.").prices


def listed(endpoint: Endpoint) -> Price | None:
    """The price in LiteLLM's table, for a model at its usual address: at another, the same name may be anything."""
    if endpoint.api_base:
        return None
    from tracedance.models.live import sdk

    try:
        row: Mapping[str, Any] = sdk().get_model_info(endpoint.model)
        per_token = [row.get(f"{kind}_cost_per_token") for kind in ("input", "output")]
        if not all(isinstance(price, int | float) and price > 0 for price in per_token):
            return None  # its table holds 0 where nobody knew
        cached, reasoning = row.get("cache_read_input_token_cost"), row.get("output_cost_per_reasoning_token")
        values = {"input": per_token[0], "output": per_token[1], "cached": cached, "reasoning": reasoning}
        return Price(**{kind: value * MILLION for kind, value in values.items() if value is not None})
    except Exception:
        return None  # an id that it has not heard of


def cost(price: Price, usage: Usage) -> int:
    """What known counts of input and output cost, in picodollars."""
    given, said = usage.input or 0, usage.output or 0
    cached, thought = min(usage.cached or 0, given), min(usage.reasoning or 0, said)
    return (
        (given - cached) * _a_token(price.input)
        + cached * _a_token(price.input if price.cached is None else price.cached)
        + (said - thought) * _a_token(price.output)
        + thought * _a_token(price.output if price.reasoning is None else price.reasoning)
    )


def most(price: Price, given: int, said: int) -> int:
    """The most that so many tokens can cost, in picodollars, whatever kinds they turn out to be."""
    dearest = max(price.input, price.cached or 0), max(price.output, price.reasoning or 0)
    return given * _a_token(dearest[0]) + said * _a_token(dearest[1])


def _a_token(dollars: float) -> int:
    return int((Decimal(str(dollars)) * DOLLAR / MILLION).to_integral_value(ROUND_CEILING))


def largest(request: ModelRequest, parameters: Mapping[str, Any]) -> tuple[int, int]:
    """The most tokens that a call can take in and give out: a token is at least one byte, and an answer ends at its limit."""
    text = json.dumps([list(map(dict, request.messages)), list(map(dict, request.tools))], ensure_ascii=False)
    given = len(text.encode("utf-8", "surrogatepass")) + FRAME + A_MESSAGE * len(request.messages)
    limit = parameters.get("max_completion_tokens") or parameters.get("max_tokens") or UNCAPPED
    return given, int(limit) * int(parameters.get("n") or 1)


def believable(usage: Usage, most_tokens: tuple[int, int], said: int) -> bool:
    """Whether stated counts can be true of a call that could take `most_tokens` and whose answer has `said` bytes to read."""
    given, out = usage.input, usage.output
    if given is None or out is None:
        return False
    fewest = (most_tokens[0] - FRAME) // FEWEST // 2, said // FEWEST
    within = fewest[0] <= given <= most_tokens[0] and fewest[1] <= out <= most_tokens[1]
    return within and 0 <= (usage.cached or 0) <= given and 0 <= (usage.reasoning or 0) <= out


def dollars(amount: int | None) -> float | None:
    """Picodollars as dollars, for people and JSON."""
    return None if amount is None else round(amount / DOLLAR, 9)


def told(amount: int | None) -> str:
    """An amount for people: cents where there are any, else as many digits as say something."""
    if amount is None:
        return "unknown"
    value = amount / DOLLAR
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}" if value >= 0.001 else f"${value:.7f}"


def enough(amount: int) -> str:
    """An amount as digits for `--max-cost`, rounded up: what is advised must do."""
    step = DOLLAR // 10**4 if amount >= DOLLAR // 1000 else DOLLAR // 10**7
    return f"{Decimal(-(-amount // step) * step) / DOLLAR:f}"
