"""A run's pass rates as graded, beside what people's labels make of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.compare.comparison import Options, compare
from tracedance.store import labels as stored

COLUMNS = ("model", "rate", "interval", "corrected")
ACCOUNT = ("instances", "of", "reasons", "by_model", "samples_lost")


@dataclass(frozen=True)
class Rated:
    """Rows of a leaderboard with `corrected`, and the account of the instances that are in none of its rates."""

    rows: list[dict[str, Any]]
    excluded: dict[str, Any]


def corrected_rates(run: Path, models: Sequence[str] = ()) -> Rated | None:
    """The rates of these models (all, unless any are named), as `tracedance compare` has them; None where no response is labelled.

    InputError for a model that the run does not hold.
    """
    if not any(label.kind == "response" for label in stored.held(run)):
        return None
    found = compare([run], Options(models=tuple(models)))
    rows = [{name: row[name] for name in COLUMNS} for row in found["leaderboard"]["rows"]]
    return Rated(rows, {name: found["excluded"][name] for name in ACCOUNT})
