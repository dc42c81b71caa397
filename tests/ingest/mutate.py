"""Structure-aware mutations of every format's fixture, read one after the other: `python -m tests.ingest.mutate COUNT SEED`.

A process of its own, so that its memory can be measured. Prints `{"mutations", "sessions", "lost", "peak_mb"}`; dies on the first mutant
that raises or whose records are not all accounted for, and names its number N: `python -m tests.ingest.mutate 1 N` repeats it alone.
"""

import gzip
import io
import json
import random
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.ingest.test_read import SHAPES, mutilated, reading
from tests.memory import peak_mb
from tracedance.privacy.rules import RULES_DIGEST
from tracedance.schema import Session
from tracedance.store import sessions
from tracedance.store.columns import event_columns

HOSTILE: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        2**31,
        2**63,
        2**64,
        1e308,
        "",
        "x",
        [],
        {},
        [[]],
        [None],
        {"type": None},
        "\ud800",
        "\u0000",
        "a\u202eb",
        "../../etc",
    ),
    *({"type": "text"}, {"type": "tool_result", "tool_use_id": []}, [{"type": ["x"]}], "9" * 400, "x" * 5000, {"": ""}, {"__proto__": {}}),
]


def mutant(rng: random.Random) -> tuple[str, bytes]:
    """A file name and the bytes of one mutant."""
    shape = rng.choice(sorted(SHAPES))
    lines = list(SHAPES[shape])
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        lines = _restructured(lines, rng)
    lines = [_mutilated(line, rng) if line and rng.random() < 0.3 else line for line in lines]
    data = rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n")).join(lines) + rng.choice((b"", b"\n", b"\0" * 40))
    if rng.random() < 0.2:
        data = data[: rng.randrange(len(data) + 1)]
    if rng.random() < 0.03:
        data = rng.choice((b"\xef\xbb\xbf" + data, data.decode("utf-8", "replace").encode("utf-16")))
    return _packed(data, rng) if rng.random() < 0.15 else ("file.jsonl", data)


def _mutilated(line: bytes, rng: random.Random) -> bytes:
    try:
        return mutilated(line, rng)
    except (ValueError, RecursionError):
        return line  # Another mutation has made it no JSON already.


def _restructured(lines: list[bytes], rng: random.Random) -> list[bytes]:
    """The lines with some repeated, dropped, exchanged, taken from another format, or with values moved and replaced."""
    at = rng.randrange(len(lines)) if lines else 0
    kind = rng.randrange(8) if lines else 7
    if kind == 0:
        return lines[:at] + lines[at : at + 1] * rng.choice((2, 3, 50)) + lines[at + 1 :]
    if kind == 1:
        return lines[:at] + lines[at + 1 :]
    if kind == 2:
        return rng.sample(lines, len(lines))
    if kind == 3:
        other = rng.choice(list(SHAPES.values()))
        return [*lines[:at], *rng.sample(other, min(len(other), 3)), *lines[at:]]
    if kind == 4:
        return [
            *lines[:at],
            rng.choice((b"[" * 3000, b'{"a":' * 100_000, b"{}", b"null", b'"x"', b"\xff\xfe", b"}{", lines[at] * 2)),
            *lines[at:],
        ]
    if kind in (5, 6):
        try:
            value = json.loads(lines[at])
            return [
                *lines[:at],
                json.dumps(_replaced(value, rng), ensure_ascii=rng.random() < 0.9).encode("utf-8", "surrogatepass"),
                *lines[at + 1 :],
            ]
        except (ValueError, RecursionError):
            return lines
    return lines


def _replaced(value: Any, rng: random.Random) -> Any:
    """The value with one of its parts replaced, moved under another name, or repeated deeply."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {**value, rng.choice(list(value)): value[key]}
        return {**value, key: _replaced(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:place] + [value[place]] * rng.choice((0, 2, 20)) + value[place + 1 :]
        return [*value[:place], _replaced(value[place], rng), *value[place + 1 :]]
    return rng.choice(HOSTILE)


def _packed(data: bytes, rng: random.Random) -> tuple[str, bytes]:
    """The same in an archive, whole or with a few bytes wrong."""
    made = io.BytesIO()
    kind = rng.choice(("zip", "tar", "tar.gz", "gz", "zst"))
    if kind == "zip":
        with zipfile.ZipFile(made, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))) as archive:
            archive.writestr("../a.jsonl", data)
            archive.writestr("b.jsonl", data[: len(data) // 2])
    elif kind.startswith("tar"):
        with tarfile.open(
            fileobj=made, mode="w:gz" if kind == "tar.gz" else "w", format=rng.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
        ) as tar:
            entry = tarfile.TarInfo("long/" * rng.choice((1, 60)) + "a.jsonl")
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    else:
        made.write(gzip.compress(data, 1) if kind == "gz" else bytes(pa.compress(data, codec="zstd", asbytes=True)) if data else b"")
    packed = bytearray(made.getvalue())
    for _ in range(rng.choice((0, 0, 1, 3)) if packed else 0):
        packed[rng.randrange(len(packed))] = rng.randrange(256)
    return f"file.{kind}", bytes(packed[: rng.randrange(len(packed) + 1)] if rng.random() < 0.2 else packed)


def main(count: int, seed: int) -> dict[str, float]:
    """Read so many mutants; what is kept must also fit into the columns of a store."""
    seen = lost = 0
    waiting: list[Session] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            name, data = mutant(random.Random(number))
            try:
                found = reading(data, Path(folder), name)
                waiting += found.sessions
                if len(waiting) >= 50 or number == seed + count - 1:
                    event_columns(waiting)
                    waiting = []
                for session in found.sessions:
                    sessions.row(session, session.id, RULES_DIGEST)
            except BaseException:
                print(f"mutant {number} of {name} fails", file=sys.stderr)
                raise
            seen += len(found.sessions)
            lost += found.counts.lost
    return {"mutations": count, "sessions": seen, "lost": lost, "peak_mb": round(peak_mb())}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
