"""What a store is made of, and what is in it: the figures of `store info` and `store stats`."""

from collections import Counter
from typing import Any

import msgspec
import polars as pl

from tracedance.ingest.shapes import pooled
from tracedance.privacy.rules import RULES_DIGEST
from tracedance.store import reserve
from tracedance.store.checking import benchmarks
from tracedance.store.manifest import SCHEMA
from tracedance.store.sessions import Shapes
from tracedance.store.store import Store

GROUP = ("harness", "setting")


def info(store: Store) -> dict[str, Any]:
    """What `store info --json` prints. Nothing but tables is read."""
    manifest = store.manifest
    table = store.live(("format", "redaction_digest"))
    files = store.source_files()
    read = files.filter(~pl.col("format").is_in(["unknown", "empty"]))
    parts = [file for part in manifest.parts for file in (part.events, part.sessions)]
    raw, stored = int(read["size"].sum()), sum(file.bytes for file in parts)
    left = {path.name for path in (store.path / "shards").iterdir()} - manifest.names() if (store.path / "shards").is_dir() else set()
    return {
        "path": str(store.path),
        "schema": SCHEMA,
        "sessions": len(table),
        "formats": _counts(table["format"].to_list()),
        "shards": len(manifest.parts),
        "bytes": stored,
        "source_files": len(read),
        "source_bytes": raw,
        "unread_files": len(files) - len(read),
        "redaction": {
            "current": RULES_DIGEST,
            "stored": _counts(table["redaction_digest"].to_list()),
            "replaced": _replaced(store),
        },
        "replaced": len(manifest.dead),
        "forgotten": len(manifest.forgotten),
        "reserve": {"wanted": manifest.reserve, "sessions": reserve.counted(store)},
        "benchmarks": len(benchmarks(store.path)),
        "left_over_files": len(left),
    }


def _replaced(store: Store) -> dict[str, int]:
    """The receipts of all sessions together: what redaction replaced, by kind."""
    found: Counter[str] = Counter()
    for text in store.live(("replaced",))["replaced"].drop_nulls().to_list():
        found.update(msgspec.json.decode(text, type=dict[str, int]))
    return dict(sorted(found.items()))


def stats(store: Store) -> dict[str, Any]:
    """What `store stats --json` prints: one row for each harness and setting, and their sum.

    Tokens are characters of all that was said, called and returned, divided by 4; reasoning is left out. An input is a turn of the user's
    role; its author is who really wrote it.
    """
    columns = ("id", *GROUP, "replayability", "turns", "calls", "errors", "tokens")
    held = pl.DataFrame({"id": sorted(store.reserved()), "reserved": 1}, schema={"id": pl.String, "reserved": pl.Int64})
    table = store.live(columns).join(_inputs(store), on="id", how="left").join(held, on="id", how="left").fill_null(0)
    figures = ("turns", "calls", "errors", "tokens", "user", "harness_written", "reserved")
    summed = [pl.len().alias("sessions"), *(pl.col(name).sum() for name in figures), pl.col("replayability")]
    groups = table.group_by(GROUP).agg(summed).sort(GROUP).to_dicts()
    return {
        "groups": [{"harness": row["harness"], "setting": row["setting"], **_figures(row)} for row in groups],
        "total": _figures(table.select(summed[:-1]).to_dicts()[0] | {"replayability": table["replayability"].to_list()}),
        "inferred_tools": inferred_tools(store),
    }


def inferred_tools(store: Store) -> list[dict[str, Any]]:
    """Tools whose definitions are inferred because their harness records none, and what each rests on."""
    table = store.live(("harness", "version", "tools", "shapes")).filter(pl.col("tools").is_null())
    found = []
    for (harness,), rows in sorted(table.partition_by("harness", as_dict=True).items()):
        shapes = [Shapes(text) for text in rows["shapes"].to_list()]
        sessions: Counter[str] = Counter(name for one in shapes for name in one)
        versions = {(name, version) for one, version in zip(shapes, rows["version"].to_list(), strict=True) for name in one}
        spread = Counter(name for name, _ in versions)
        for name, shape in pooled(shapes).items():
            found.append(
                {"harness": harness, "tool": name, "calls": shape.calls, "sessions": sessions[name], "versions": spread[name]},
            )
    return found


def _inputs(store: Store) -> pl.DataFrame:
    """Turns of the user's role of each session, by their author."""
    frames = []
    for shard in store.shards():
        rows = store.read(shard, ("turn", "role", "author"))
        if len(rows):
            said = (
                rows.filter(pl.col("role").cast(pl.String) == "user").select(pl.col("session", "author").cast(pl.String), "turn").unique()
            )
            frames.append(said.group_by("session").agg(_by("user").alias("user"), _by("harness").alias("harness_written")))
    empty = pl.DataFrame(schema={"session": pl.String, "user": pl.UInt32, "harness_written": pl.UInt32})
    return pl.concat([empty, *frames]).rename({"session": "id"})


def _by(author: str) -> pl.Expr:
    return (pl.col("author") == author).sum().cast(pl.UInt32)


def _figures(row: dict[str, Any]) -> dict[str, Any]:
    inputs = row["user"] + row["harness_written"]
    return {
        "sessions": row["sessions"],
        "turns": row["turns"],
        "tool_calls": row["calls"],
        "errors": row["errors"],
        "tokens": row["tokens"],
        "user_inputs": {
            "total": inputs,
            "user": row["user"],
            "harness": row["harness_written"],
            "user_share": row["user"] / inputs if inputs else None,
        },
        "replayability": _counts(row["replayability"]),
        "reserved": row["reserved"],
    }


def _counts(values: list[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
