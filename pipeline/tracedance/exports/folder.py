"""Exported folders: written whole through the export door, sealed, and checked again by `tracedance verify`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.exports import rows
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Benchmark
from tracedance.store import beside
from tracedance.store.benchmarks import rubric_path
from tracedance.store.card import card
from tracedance.store.export import MANIFEST, publish, published

SCHEMA = "tracedance.export/v1"
SEALED = "export.json"
CURE = "Export the benchmark again."


@dataclass(frozen=True)
class Exported:
    """An export: where it is, how many instances it holds, and why others are not in it."""

    path: Path
    instances: int
    left_out: Mapping[str, str]


Made = tuple[str, bytes, Mapping[str, str]]
"""(file, its bytes, reasons by instance that is not in it)."""


def _openai(benchmark: Benchmark) -> Made:
    made, left = rows.chat(benchmark)
    return "data/test.jsonl", rows.lines(made), left


def _parquet(benchmark: Benchmark) -> Made:
    return "data/test.parquet", rows.parquet(benchmark), {}


FORMS: Mapping[str, Callable[[Benchmark], Made]] = {"openai": _openai, "parquet": _parquet}


def export(benchmark: Benchmark, form: str, out: Path) -> Exported:
    """Writes a benchmark as `form` to the folder `out`: the data, its rubrics, a dataset card and `export.json`.

    The same benchmark gives the same bytes. InputError where `out` is something else's, or a secret is found.
    """
    source = published(Path(benchmark.path))
    place, data, left = FORMS[form](benchmark)
    files = {rubric_path(family): read_regular(source / rubric_path(family)) for family in benchmark.rubrics}
    files |= {place: data, "README.md": card(benchmark.manifest, benchmark.instances, data, place, True).encode("utf-8", "replace")}
    about = {
        "schema": SCHEMA,
        "form": form,
        "benchmark": benchmark.manifest.name,
        "digest": sha256(read_regular(source / MANIFEST)).hexdigest(),
        "instances": len(benchmark.instances) - len(left),
        "left_out": dict(left),
        "canary": benchmark.manifest.canary,
        "files": {name: sha256(content).hexdigest() for name, content in sorted(files.items())},
    }
    files[SEALED] = (json.dumps({**about, "seal": seal(about)}, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
    return Exported(publish(files, out.parent, out.name), len(benchmark.instances) - len(left), left)


def seal(about: Mapping[str, Any]) -> str:
    """The digest of all that `export.json` says."""
    return sha256(json.dumps({name: value for name, value in about.items() if name != "seal"}, sort_keys=True).encode()).hexdigest()


def verify(folder: Path) -> dict[str, Any]:
    """What `export.json` says, once every file is what it names. InputError (6) where one is missing, added or edited."""
    folder = published(folder)
    try:
        about: dict[str, Any] = json.loads(read_regular(folder / SEALED))
        expected = {str(name): str(digest) for name, digest in about["files"].items()}
        whole = about["seal"] == seal(about)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        whole, expected = False, {}
    if not whole:
        raise InputError(f"{str(folder / SEALED)!r} is not what was exported. {CURE}", 6)
    beside.differences(folder, expected, (SEALED,)).refuse(folder, CURE)
    for name in sorted(expected):
        content = read_regular(folder / name, TABLE)
        if about["canary"].encode() not in content:
            raise InputError(f"{str(folder / name)!r} does not hold the canary of its benchmark. {CURE}", 6)
    return about
