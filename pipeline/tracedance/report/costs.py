"""What each model came to, with its part of the judging: from the accounts that runs keep of their calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.evaluate.grade import is_gradable
from tracedance.gate.runs import EvaluationRun
from tracedance.models.spending import FILE
from tracedance.regular import read_regular


@dataclass(frozen=True)
class Cost:
    """What one model of one run came to, in US dollars; None where no price is known."""

    model: str
    calls: int
    """Calls that were answered. Repeated and lost ones stand in spend.json alone: a report is the same whatever was interrupted."""
    answering: float | None
    judging: float | None
    """The run's judging, shared among its models by how many of their responses were for judges: one call is about several of them."""
    responses: int

    @property
    def total(self) -> float | None:
        return None if self.answering is None or self.judging is None else self.answering + self.judging

    @property
    def each(self) -> float | None:
        """Dollars a response."""
        return None if self.total is None or not self.responses else self.total / self.responses


def costs(runs: Sequence[EvaluationRun], names: Sequence[str], called: Mapping[tuple[str, str], str]) -> list[Cost]:
    """A row for each model of each run that keeps an account, in the order of the runs. Runs without calls of models have none."""
    found = []
    for run, name in zip(runs, names, strict=True):
        by = account(run.folder)
        judged = Counter(row.model for row in run.responses if is_gradable(row))
        judging = together(row for row in by if row["stage"] == "judge")
        for model in run.manifest.models:
            mine = [row for row in by if row["stage"] == "respond" and row["model"] == model]
            if not mine:
                continue
            share = None if judging is None else judging * judged[model] / max(1, sum(judged.values()))
            calls = sum(row["answered"] for row in mine)
            found.append(Cost(called[name, model], calls, together(mine), share, sum(row.model == model for row in run.responses)))
    return found


def account(folder: Path) -> list[dict[str, Any]]:
    """The rows of a run's account, [] where it keeps none. InputError (6) where it cannot be read."""
    try:
        rows = json.loads(read_regular(folder / FILE))["by"]
        return [dict(row) for row in rows if {"stage", "model", "answered", "usd"} <= row.keys()]
    except OSError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{str(folder / FILE)!r} is damaged. Run the same 'tracedance evaluate' again: it writes it anew.", 6) from error


def together(rows: Any) -> float | None:
    """The sum of amounts; None where one of them is not known."""
    amounts = [row["usd"] for row in rows]
    return None if any(amount is None for amount in amounts) else float(sum(amounts))
