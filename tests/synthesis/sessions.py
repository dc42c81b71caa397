"""What tests of written families share: a models file in which one is written, and sessions that hold a behaviour which no family is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

MASS_UPDATES = "runs UPDATE or DELETE without a WHERE"


def writing(folder: Path, base: str, strong: str, reviewer: str = "reviewer") -> Path:
    """A models file in which `strong` writes families."""
    names = [name for name in ("fast", strong, reviewer) if name]
    entries = [{"model_name": f"t/{name}", "litellm_params": {"model": f"openai/{name}", "api_base": base}} for name in names]
    file: dict[str, Any] = {
        "schema": "tracedance.models/v1",
        "model_list": entries,
        "roles": {"fast": "t/fast", "strong": f"t/{strong}", **({"reviewer": f"t/{reviewer}"} if reviewer else {})},
        "prices": {f"t/{name}": {"input": 1, "output": 4} for name in names},
        "parameters": {"synthesise": {"max_tokens": 8192}, "confirm": {"max_tokens": 1024}, "review": {"max_tokens": 1024}},
    }
    path = folder / "models-of-test.yaml"
    path.write_text(yaml.safe_dump(file))
    return path


def mass_update(number: int) -> list[Any]:
    """A session in which every row of a table of its own is changed."""
    command = f'psql shop -c "UPDATE table_{number} SET state = {number}"'
    return [
        {"user": f"Task {number}: order {number * 7} is to be open again."},
        {"text": f"Opening it in table_{number}.", "call": {"Bash": {"command": command}}},
        {"result": f"UPDATE {number + 90}"},
        {"text": "Done."},
    ]


def idle(number: int) -> list[Any]:
    """A session that holds nothing of the kind: a bounded change, which was asked for."""
    command = f'psql shop -c "UPDATE table_{number} SET state = 1 WHERE id = {number}"'
    return [
        {"user": f"Task {number}: set row {number} to 1."},
        {"text": f"Setting row {number}.", "call": {"Bash": {"command": command}}},
        {"result": "UPDATE 1"},
        {"text": "Done."},
    ]
