"""Results of earlier scans: a family is run on a shard once, until its anchor, its parameters or our own readers change."""

import json
import shutil
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tracedance.scan.outcome import FamilyResult
from tracedance.store.durable import write_durably

PACKAGE = Path(__file__).resolve().parent.parent
READERS = ("kit", "schema", "scan", "store/views.py", "store/events.py", "store/store.py")
"""What, apart from the anchor, a result depends on."""


class ScanCache:
    """One file for each (shard, family, parameters) under `<store>/cache`. A file that cannot be read is made again, never an error."""

    def __init__(self, store: Path, shard: str) -> None:
        self._folder = store / "cache" / "scan" / shard[:32]

    def get(self, key: str) -> FamilyResult | None:
        """An earlier result."""
        try:
            digest, _, body = (self._folder / f"{key}.json").read_bytes().partition(b"\n")
            return FamilyResult.model_validate_json(body) if digest.decode() == self._seal(key, body) else None
        except (OSError, ValidationError, UnicodeDecodeError):
            return None

    def _seal(self, key: str, body: bytes) -> str:
        """What the result is of enters, so that one file does not pass for another."""
        return sha256(f"{self._folder.name}/{key}\n".encode() + body).hexdigest()

    def put(self, key: str, result: FamilyResult) -> None:
        """Remember a result; a cache that cannot be written costs time next time and nothing else."""
        body = result.model_dump_json().encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._folder / f"{key}.json", self._seal(key, body).encode() + b"\n" + body)
        except OSError:
            return


def forget_shards_but(store: Path, shards: Iterable[str]) -> None:
    """Remove the results of every shard that the store no longer has: they hold places and reasons of sessions that may be forgotten."""
    kept = {shard[:32] for shard in shards}
    for folder in (store / "cache" / "scan").glob("*"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def key(family: Any, params: Mapping[str, Any], dead: Iterable[str]) -> str:
    """What a result depends on besides the shard's bytes; `dead` are the sessions in it that no longer count."""
    guards = [question.guards for question in family.card.confirm]
    parts = [family.id, family.digests["anchor"], readers_digest(), params, guards, sorted(dead)]
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


@cache
def readers_digest() -> str:
    """Digest of our own code that anchors see sessions through: nobody has to bump a version when it changes."""
    digest = sha256()
    for name in READERS:
        place = PACKAGE / name
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.read_bytes())
    return digest.hexdigest()
