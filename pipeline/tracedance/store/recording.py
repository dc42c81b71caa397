"""How much of what a model saw the sessions of a store recorded, harness by harness, and what would record the rest."""

from typing import Any

import polars as pl

from tracedance.kit.exporters import advice
from tracedance.kit.replay import why
from tracedance.store.store import Store


def recording(store: Store) -> list[dict[str, Any]]:
    """One row for each harness, format, grade and reason: how many sessions, why they have the grade, and how to better it ("" if best)."""
    table = store.live(("harness", "format", "replayability", "calls", "system", "tools"))
    keys = [
        "harness",
        "format",
        "replayability",
        pl.col("system").is_not_null().alias("system"),
        pl.col("tools").is_not_null().alias("tools"),
        (pl.col("calls") > 0).alias("called"),
    ]
    counted = table.select(keys).group_by(pl.all()).len("sessions")
    return [
        {
            "harness": row["harness"],
            "format": row["format"],
            "grade": row["replayability"],
            "sessions": row["sessions"],
            "why": why(row["system"], row["tools"], row["called"]),
            "switch": "" if row["replayability"] == "replayable" else advice(row["format"]),
        }
        for row in counted.sort("harness", "format", "replayability", "system", "tools", "called").to_dicts()
    ]
