"""A run's pass rates as graded, beside what people's labels make of them."""

from pathlib import Path
from typing import Any

from tracedance.compare.comparison import compare
from tracedance.store import labels as stored

COLUMNS = ("model", "rate", "interval", "corrected")


def corrected_rates(run: Path) -> list[dict[str, Any]] | None:
    """Rows of the run's leaderboard with `corrected`, as `tracedance compare` has them; None where no response is labelled."""
    if not any(label.kind == "response" for label in stored.held(run)):
        return None
    return [{name: row[name] for name in COLUMNS} for row in compare([run])["leaderboard"]["rows"]]
