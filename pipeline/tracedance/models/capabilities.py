"""What a model can do: what its entry says, else what LiteLLM's bundled table says, else nothing is assumed.

The table is read as a file: importing LiteLLM for it would cost seconds, and `doctor` and `--estimate` want it at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tracedance.models.entries import Flags

OUTPUT_CAP = 32_768
"""Tokens of one answer, where neither the entry nor the model sets a lower bound."""
TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Capabilities:
    """What a model can do. None: nobody has said."""

    tools: bool | None
    reasoning_effort: bool | None
    temperature: bool | None
    context_window: int | None
    """Tokens of a request and its answer together."""
    output_cap: int
    """Most tokens of one answer that are ever asked for."""
    always_reasons: bool = False
    adaptive: bool = False
    """It decides itself how long it thinks, and takes turns of other models that come without their thoughts."""
    listed: bool = False
    """LiteLLM's table has it."""
    idempotency_key: bool = False
    """Its provider bills requests with the same Idempotency-Key header once."""

    def room(self) -> int | None:
        """Tokens that a request may have; None where the window is unknown."""
        return None if self.context_window is None else self.context_window - min(self.output_cap, self.context_window // 2)


def capabilities(model: str, info: Mapping[str, Any], flags: Flags) -> Capabilities:
    """Of a model by its LiteLLM id, its entry's `model_info` and our flags."""
    row = table_row(str(info.get("base_model") or model))
    said = {**row, **info}
    most = number(said.get("max_output_tokens"))
    cap = flags.output_cap or min(OUTPUT_CAP, most or OUTPUT_CAP)
    return Capabilities(
        tools=first(flags.tools, said.get("supports_function_calling")),
        reasoning_effort=first(flags.reasoning_effort, said.get("supports_reasoning")),
        temperature=first(flags.temperature, said.get("supports_sampling_params")),
        context_window=flags.context_window or number(said.get("max_input_tokens")),
        output_cap=cap,
        always_reasons=said.get("thinking_always_on") is True,
        adaptive=said.get("supports_adaptive_thinking") is True,
        listed=bool(row),
        idempotency_key=flags.idempotency_key,
    )


def first(*said: Any) -> bool | None:
    """The first that is a yes or a no."""
    return next((value for value in said if isinstance(value, bool)), None)


def number(value: Any) -> int | None:
    """A count of tokens; LiteLLM's table and files of people have texts there too."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def table_row(model: str) -> Mapping[str, Any]:
    """What LiteLLM's table says of a model; {} for one that it does not have."""
    provider, _, name = model.partition("/")
    rows = table()
    bare = rows.get(name, {})
    found = rows.get(model) or (bare if str(bare.get("litellm_provider", "")).startswith(provider) else {})
    return found if isinstance(found, Mapping) else {}


def provider_of(name: str) -> str:
    """Whose a bare model name is by LiteLLM's table; "" where it does not say."""
    return str(table().get(name, {}).get("litellm_provider", "")).partition("-")[0]


@cache
def table() -> Mapping[str, Any]:
    """LiteLLM's table of models as it was shipped; {} where it lies no longer where it lay."""
    spec = find_spec("litellm")
    try:
        rows: Mapping[str, Any] = json.loads((Path(str(spec and spec.origin)).parent / TABLE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return rows
