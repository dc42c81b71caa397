"""Results of earlier scans: a family is run on a shard once, until its anchor, its parameters or our own readers change."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tracedance.scan.outcome import FamilyResult
from tracedance.schema import Record
from tracedance.store.durable import write_durably

PACKAGE = Path(__file__).resolve().parent.parent
READERS = ("kit", "schema", "scan", "store/views.py", "store/events.py", "store/store.py")
"""What, apart from the anchor, a result depends on."""
SESSIONS = "sessions"

Kind = TypeVar("Kind", bound=Record)
Default = TypeVar("Default")


class Sessions(Record):
    """The sessions of a shard when it was scanned."""

    digests: Mapping[str, str] = {}
    """Id -> digest of what the session held."""


class ScanCache:
    """One file for each (shard, family, parameters) under `<store>/cache`. A file that cannot be read is made again, never an error.

    Beside them `SESSIONS` says which sessions the results are of and what each held then: so results outlive the shard they were found in.
    """

    def __init__(self, store: Path, shard: str) -> None:
        self._folder = store / "cache" / "scan" / shard[:32]

    @property
    def there(self) -> bool:
        """Whether anything is known of the shard."""
        return (self._folder / SESSIONS).is_file()

    def keys(self) -> list[str]:
        """Of what there are results."""
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def sessions(self) -> Mapping[str, str]:
        """The sessions that were scanned, by id, with the digest of what each holds; empty where that is not known."""
        return self._read(SESSIONS, Sessions, Sessions()).digests

    def remember(self, digests: Mapping[str, str]) -> None:
        """Which sessions the results will be of."""
        self._write(SESSIONS, Sessions(digests=dict(digests)))

    def get(self, key: str) -> FamilyResult | None:
        """An earlier result."""
        return self._read(f"{key}.json", FamilyResult, None)

    def put(self, key: str, result: FamilyResult) -> None:
        """Remember a result; a cache that cannot be written costs time next time and nothing else."""
        self._write(f"{key}.json", result)

    def _read(self, name: str, kind: type[Kind], missing: Default) -> Kind | Default:
        try:
            digest, _, body = (self._folder / name).read_bytes().partition(b"\n")
            return kind.model_validate_json(body) if digest.decode() == self._seal(name, body) else missing
        except (OSError, ValidationError, UnicodeDecodeError):
            return missing

    def _write(self, name: str, held: Record) -> None:
        body = held.model_dump_json().encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._folder / name, self._seal(name, body).encode() + b"\n" + body)
        except OSError:
            return

    def _seal(self, name: str, body: bytes) -> str:
        """What the result is of enters, so that one file does not pass for another."""
        return sha256(f"{self._folder.name}/{name}\n".encode() + body).hexdigest()


def key(family: Any, params: Mapping[str, Any]) -> str:
    """What a result depends on besides the sessions themselves."""
    guards = [question.guards for question in family.card.confirm]
    parts = [family.id, family.digests["anchor"], readers_digest(), params, guards]
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
