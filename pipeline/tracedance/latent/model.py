"""Open models on this machine: the hidden state and the next token's distribution at the end of a text."""

import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tracedance.errors import InputError, foreign
from tracedance.latent.geometry import Vectors

PACKAGES = ("torch", "transformers")
OPEN_ONLY = "The lab looks into hidden states, which only a model with open weights on this machine shows"
_HOSTED = re.compile(
    r"(chat)?gpt-?(3|4|5|6|7|8|9)|chatgpt|o[1-9](-|$)|claude|gemini|grok-?[2-9]|command-|nova-(micro|lite|pro|premier)|palm|text-(embedding|davinci)|davinci|codex|sonar",
    re.IGNORECASE,
)
"""Names of models whose weights their makers keep. gpt2, gpt-oss, gpt-neo and gemma are open."""
_PROVIDERS = (
    "anthropic",
    "azure",
    "azure_ai",
    "bedrock",
    "gemini",
    "openrouter",
    "sagemaker",
    "vertex_ai",
    "xai",
    "litellm_proxy",
    "perplexity",
)
"""Prefixes that name a provider and no owner of open weights."""


@dataclass(frozen=True)
class Looked:
    """One text as the model read it."""

    state: Vectors
    """The layer's vector at the last token."""
    entropy: float
    """Of the next token's distribution, in nats."""
    tokens: int


class OpenModel:
    """A causal language model and its tokenizer, loaded once."""

    def __init__(self, name: str, layer: int) -> None:
        """InputError: a hosted model, the extra missing, no such model, no such layer."""
        refuse_hosted(name)
        if missing := [package for package in PACKAGES if importlib.util.find_spec(package) is None]:
            raise InputError(f"{' and '.join(missing)} is not installed. Install the extra: pip install 'tracedance[latent]'.")
        self._model, self._tokenizer = loaded(name)
        config = self._model.config.get_text_config()
        self.name = "local" if Path(name).is_dir() else name
        self.layers = int(config.num_hidden_layers)
        self.layer = checked_layer(layer, self.layers)
        self.window: int | None = getattr(config, "max_position_embeddings", None)
        self.config_hash = hashlib.sha256(json.dumps(config.to_diff_dict(), sort_keys=True, default=str).encode()).hexdigest()

    def look(self, text: str, shown: str) -> Looked:
        """Reads a text, which messages call `shown`. InputError where it has no token, too many, or gives no finite numbers."""
        import torch

        ids = self._tokenizer(text, return_tensors="pt")["input_ids"]
        tokens = int(ids.shape[1])
        if not tokens:
            raise InputError(f"{shown} has no token for this model. Give it words.")
        if self.window is not None and tokens > self.window:
            raise InputError(f"{shown} makes {tokens:,} tokens, and the model reads {self.window:,}. Shorten the steps.")
        with torch.inference_mode():
            out = self._model(input_ids=ids, output_hidden_states=True, use_cache=False)
            chances = torch.log_softmax(out.logits[0, -1].double(), dim=-1)
            entropy = float(torch.special.entr(chances.exp()).sum())
            state = out.hidden_states[self.layer][0, -1].double().numpy()
        if not np.isfinite(state).all() or not np.isfinite(entropy):
            raise InputError(f"The model gives no finite numbers for {shown}. Its weights are damaged; name another model.")
        return Looked(state, max(0.0, entropy), tokens)


def refuse_hosted(name: str) -> None:
    """InputError for the name of a model that is only served: nobody outside sees its hidden states."""
    if Path(name).is_dir():
        return
    owner, _, last = name.rpartition("/")
    if owner.partition("/")[0].lower() in _PROVIDERS or _HOSTED.match(last):
        raise InputError(f"{name!r} is a hosted model. {OPEN_ONLY}: name one, such as Qwen/Qwen2.5-0.5B-Instruct.")


def checked_layer(layer: int, layers: int) -> int:
    """The index among the hidden states: 0 is the embedding, `layers` the last block; negative ones count from the end."""
    if not -layers - 1 <= layer <= layers:
        raise InputError(f"--layer {layer}: the model has 0 (the embedding) to {layers}, or -1 to {-layers - 1} from the end.")
    return layer if layer >= 0 else layers + 1 + layer


def loaded(name: str) -> tuple[Any, Any]:
    """Model and tokenizer, in float32 on the CPU. Weights are read as safetensors alone, and no code that comes with them is run."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    safe = {"trust_remote_code": False, "local_files_only": Path(name).is_dir()}
    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(name, **safe)
            model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32, use_safetensors=True, **safe)
        except Exception as error:
            # What a loader raises is not of one kind; the first line says what it missed.
            said = foreign(error)[:160] or type(error).__name__
            raise InputError(f"The model {name!r} cannot be loaded: {said}. Give a folder with its weights, or go online once.") from None
    model.eval()  # type: ignore[no-untyped-call]
    return model, tokenizer


@contextmanager
def quiet() -> Iterator[None]:
    """No bars, warnings or telemetry of the libraries."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(before)
