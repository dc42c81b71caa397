"""Models files for tests: the local server's models under names of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tracedance.models.config import Models, load


def profile(folder: Path, base: str, judges: tuple[str, ...] = (), **seats: str) -> Path:
    """A models file in `folder`: every `NAME` of the server as `t/NAME`, the judges given, and `t/NAME` moved to another address by
    `NAME=address` (dashes as underscores). One whose name begins with `strong` plays that role.
    """
    names = {"good", "bad", "fast", *judges, *(name.replace("_", "-") for name in seats)}
    strong = next((name for name in sorted(names) if name.startswith("strong")), "")
    entries = []
    for name in sorted(names):
        parameters: dict[str, Any] = {"model": f"openai/{name}", "api_base": seats.get(name.replace("-", "_")) or base, "timeout": 20}
        entries.append({"model_name": f"t/{name}", "litellm_params": parameters})
    file = {
        "schema": "tracedance.models/v1",
        "model_list": entries,
        "roles": {**({"strong": f"t/{strong}"} if strong else {}), "fast": "t/fast", "judge": [f"t/{name}" for name in judges]},
        "limits": {"first_wait": 0.01, "longest_wait": 0.02, "breaker_rest": 0.02},
    }
    path = folder / "models-of-test.yaml"
    path.write_text(yaml.safe_dump(file))
    return path


def models(folder: Path, base: str, judges: tuple[str, ...] = (), **seats: str) -> Models:
    """The same, loaded."""
    return load(str(profile(folder, base, judges, **seats)))
