"""The instances of a benchmark as OpenAI chat requests in JSON lines, and as Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tracedance.evaluate.messages import rendered
from tracedance.evaluate.pairing import Unrenderable
from tracedance.schema import Benchmark

CALL = pa.struct([("id", pa.string()), ("name", pa.string()), ("arguments", pa.string())])
MESSAGE = pa.struct(
    [
        ("role", pa.string()),
        ("author", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.list_(CALL)),
        ("tool_call_id", pa.string()),
        ("turn", pa.int64()),
    ]
)
TOOL = pa.struct([("name", pa.string()), ("description", pa.string()), ("parameters", pa.string()), ("inferred_from", pa.int64())])
NAMES = ("id", "family", "replayability", "replay_note", "setting", "harness", "source_model", "session", "redaction", "canary")
COLUMNS = pa.schema(
    [
        *((name, pa.string()) for name in NAMES),
        ("tokens", pa.int64()),
        ("replaced", pa.string()),
        ("messages", pa.list_(MESSAGE)),
        ("tools", pa.list_(TOOL)),
    ]
)
"""The fields of `data/test.jsonl`; `replaced` is JSON text, since its keys differ by row."""


def parquet(benchmark: Benchmark) -> bytes:
    """All instances as one Parquet file with page checksums; its footer holds the canary uncompressed."""
    rows = []
    for instance in benchmark.instances:
        row = instance.model_dump(mode="json")
        rows.append({**row, "replaced": json.dumps(row["replaced"], sort_keys=True)})
    table = pa.Table.from_pylist(rows, COLUMNS.with_metadata({"canary": benchmark.manifest.canary}))
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue()


def chat(benchmark: Benchmark) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """A chat request an instance, exactly as evaluated models get it, and the reasons of instances that no request can be made of.

    `messages` and `tools` go into `client.chat.completions.create`; the canary stands beside them, in no prompt.
    """
    rows, left = [], {}
    for instance in benchmark.instances:
        try:
            made = rendered(instance)
        except Unrenderable as error:
            left[instance.id] = str(error)
            continue
        about = {name: getattr(instance, name) for name in ("family", "setting", "harness", "replayability", "source_model")}
        metadata = {"benchmark": benchmark.manifest.name, **about, "recorded_names": dict(made.names), "canary": instance.canary}
        rows.append({"custom_id": instance.id, "messages": list(made.messages), "tools": list(made.tools), "metadata": metadata})
    return rows, left


def lines(rows: list[dict[str, Any]]) -> bytes:
    """Rows as JSON lines."""
    return b"".join(_lines(rows))


def _lines(rows: list[dict[str, Any]]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, sort_keys=True, allow_nan=False).encode("utf-8", "replace") + b"\n"
