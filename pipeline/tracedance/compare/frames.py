"""The tables of a comparison as pandas frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tracedance.compare.comparison import Comparison, tables

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """What `tracedance.results` returns. Frames are fresh, so that they may be changed; a rate is a share, 0..1."""

    responses: pd.DataFrame
    """One row a sample of a model on an instance: where that belongs, `word` (valid, or why not), `passed`, the first action."""
    votes: pd.DataFrame
    """One row a judge's score."""
    leaderboard: pd.DataFrame
    """One row a model, best first: rate, low, high, rank, rank_low, rank_high, first (probability of being it), groups."""
    pairs: pd.DataFrame
    """One row a pair of models: difference, low, high, p-values with Holm's correction, wins, losses, ties, detectable, differs."""
    parts: pd.DataFrame
    """One row a facet (frame, group, family, harness, setting, domain), its value and a model: rate, low, high, benchmarks, instances."""
    sensitivity: pd.DataFrame
    """One row a pass rule or judge and a model: rate and rank."""
    first_actions: pd.DataFrame
    """One row a first action (`by` tool or class): rate, rate_of_others, difference, low, high. An association."""
    self_preference: pd.DataFrame
    source_families: pd.DataFrame
    external: pd.DataFrame
    notes: tuple[str, ...]
    """How the figures must not be read."""
    raw: Mapping[str, Any]
    """All of it, as `tracedance compare --json` prints it, with the ids that each analysis used."""


def frames(about: Comparison) -> Results:
    """Every table of a comparison."""
    found = tables(about)
    wide = {"interval": ("low", "high"), "rank_interval": ("rank_low", "rank_high")}
    actions = found["first_actions"]
    return Results(
        responses=_responses(about),
        votes=_votes(about),
        leaderboard=_frame([_flat(row, wide) for row in found["leaderboard"]["rows"]], without=("bootstrap", "corrected")),
        pairs=_frame([_flat(row, wide) for row in found["pairs"]["rows"]]),
        parts=_frame(_parts(found["by"])),
        sensitivity=_frame(
            [
                {"name": one["name"], "kind": one["kind"], "model": model, "rate": rate, "rank": one["ranks"][model]}
                for one in found["sensitivity"]
                for model, rate in one["rates"].items()
            ]
        ),
        first_actions=_frame(
            [{"by": by, **_flat(row, wide)} for by in ("tool", "class") for row in actions[f"by_{by}"]],
            without=("models",),
        ),
        self_preference=_frame(
            [_flat({**row, **(row["preference"] or {})}, wide) for row in found["self_preference"]["rows"]], without=("preference",)
        ),
        source_families=_frame([_flat(row, wide) for row in found["source_families"]["rows"]]),
        external=_frame([{"name": one["name"], **row} for one in found["external"] for row in one["models"]]),
        notes=tuple(found["notes"]),
        raw=found,
    )


def _frame(rows: list[dict[str, Any]], without: tuple[str, ...] = ()) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([{name: value for name, value in row.items() if name not in without} for row in rows])


def _flat(row: Mapping[str, Any], wide: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """The row with each pair of ends as two columns."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if name in wide and value is not None:
            flat |= dict(zip(wide[name], value, strict=True))
        else:
            flat[name] = value
    return flat


def _parts(by: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "facet": facet,
            "value": part["value"],
            "model": model,
            "rate": rate["rate"],
            "low": rate["interval"][0],
            "high": rate["interval"][1],
            "benchmarks": len(part["benchmarks"]),
            "instances": part["instances"],
        }
        for facet, table in by.items()
        for part in table["rows"]
        for model, rate in part["rates"].items()
    ]


def _responses(about: Comparison) -> pd.DataFrame:
    items = {item.key: asdict(item) for item in about.given.items}
    compared = {item.key for item in about.complete.items}
    rows = []
    for reply in about.given.replies:
        if reply.model in about.models:
            key = reply.benchmark, reply.instance
            told = {name: getattr(reply, name) for name in ("model", "sample", "word", "passed", "action", "action_class", "acts")}
            scores = list(reply.scores.values())
            mean = sum(scores) / len(scores) if scores else None
            rows.append({**items[key], **told, "mean": mean, "compared": key in compared and reply.valid})
    return _frame(rows)


def _votes(about: Comparison) -> pd.DataFrame:
    names = ("benchmark", "instance", "model", "sample")
    return _frame(
        [
            {**{name: getattr(reply, name) for name in names}, "judge": judge, "score": score}
            for reply in about.given.replies
            if reply.model in about.models
            for judge, score in reply.scores.items()
        ]
    )
