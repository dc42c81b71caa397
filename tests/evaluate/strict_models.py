"""Models of every provider on the strict server, reached through LiteLLM as the real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.servers.strict import Strict

GEMINI, CLAUDE, OPENAI = "gemini-3.8-flash", "claude-opus-5-5", "gpt-6.1-sol"
MODELS = {
    "gpt-4o": "openai/gpt-4o",
    OPENAI: f"openai/{OPENAI}",
    "mistral-large-latest": "mistral/mistral-large-latest",
    CLAUDE: f"anthropic/{CLAUDE}",
    "claude-opus-4-5": "anthropic/claude-opus-4-5",
    GEMINI: f"gemini/{GEMINI}",
    "gemini-2.5-flash": "gemini/gemini-2.5-flash",
}


def profile(folder: Path, server: Strict, also: dict[str, dict[str, Any]] | None = None) -> Path:
    """A models file with all of them, and with entries of one's own: name -> entry without its name and address."""
    entries: list[dict[str, Any]] = [{"model_name": name, "litellm_params": {"model": model}} for name, model in MODELS.items()]
    entries += [{"model_name": name, **entry} for name, entry in (also or {}).items()]
    for entry in entries:
        params = entry["litellm_params"]
        base = server.openai if params["model"].startswith(("openai", "mistral")) else server.base
        entry["litellm_params"] = {"api_base": base, "timeout": 20, **params}
    path = folder / "strict.yaml"
    path.write_text(yaml.safe_dump({"schema": "tracedance.models/v1", "model_list": entries}))
    return path
