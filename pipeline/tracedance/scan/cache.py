"""Results of earlier scans: a family is run on a shard once, until its anchor, its parameters or our own readers change."""

import json
from collections.abc import Mapping
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tracedance.scan.outcome import FamilyResult
from tracedance.schema import Record
from tracedance.store.durable import write_durably

PACKAGE = Path(__file__).resolve().parent.parent
READERS = ("kit", "schema", "scan", "synthesis/plain.py", "store/views.py", "store/events.py", "store/store.py", "store/parquet.py")
"""What, apart from the anchor, a result depends on."""
SESSIONS, RESULTS = "sessions", "results.json"
KEPT = 256
"""Results of a shard at most: those of former anchors go."""

Kind = TypeVar("Kind", bound=Record)
Default = TypeVar("Default")


class Sessions(Record):
    """The sessions of a shard when it was scanned."""

    digests: Mapping[str, str] = {}
    """Id -> digest of what the session held."""


class ScanCache:
    """One file for each shard under `<store>/cache`: a line for each (family, parameters) with its key, its seal and the result.

    A line that does not agree with its seal is found anew, never an error. Beside them `SESSIONS` says which sessions the results are of
    and what each held then: so results outlive the shard they were found in.
    """

    def __init__(self, store: Path, shard: str) -> None:
        self._folder = store / "cache" / "scan" / shard[:32]

    @property
    def there(self) -> bool:
        """Whether anything is known of the shard."""
        return (self._folder / SESSIONS).is_file()

    @cached_property
    def _lines(self) -> dict[str, bytes]:
        """Key -> seal and result, as they stand in the file, the oldest first."""
        try:
            lines = (self._folder / RESULTS).read_bytes().split(b"\n")
        except OSError:
            return {}
        parts = (line.partition(b" ") for line in lines)
        return {key.decode("ascii", "replace"): rest for key, _, rest in parts if rest}

    def keys(self) -> list[str]:
        """Of what there are results."""
        return sorted(self._lines)

    def sessions(self) -> Mapping[str, str]:
        """The sessions that were scanned, by id, with the digest of what each holds; empty where that is not known."""
        try:
            rest = (self._folder / SESSIONS).read_bytes()
        except OSError:
            return {}
        return self._opened(SESSIONS, rest, Sessions, Sessions()).digests

    def remember(self, digests: Mapping[str, str]) -> None:
        """Which sessions the results will be of."""
        self._write(SESSIONS, self._sealed(SESSIONS, Sessions(digests=dict(digests))))

    def get(self, key: str) -> FamilyResult | None:
        """An earlier result."""
        return self._opened(key, self._lines.get(key, b""), FamilyResult, None)

    def put(self, results: Mapping[str, FamilyResult]) -> None:
        """Remember results by their keys; a cache that cannot be written costs time next time and nothing else.

        Two processes that scan one shard at once may lose each other's results, which costs no more. The oldest go when there are many.
        """
        found = {key: self._sealed(key, result) for key, result in results.items()}
        held = {key: rest for key, rest in self._lines.items() if key not in found} | found
        kept = list(held.items())[-KEPT:]
        self._lines = dict(kept)
        self._write(RESULTS, b"\n".join(key.encode() + b" " + rest for key, rest in kept))

    def _opened(self, name: str, rest: bytes, kind: type[Kind], missing: Default) -> Kind | Default:
        seal, _, body = rest.partition(b" ")
        try:
            return kind.model_validate_json(body) if seal == self._seal(name, body) else missing
        except ValidationError:
            return missing

    def _sealed(self, name: str, held: Record) -> bytes:
        body = held.model_dump_json().encode()
        return self._seal(name, body) + b" " + body

    def _write(self, name: str, data: bytes) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._folder / name, data)
        except OSError:
            return

    def _seal(self, name: str, body: bytes) -> bytes:
        """What the result is of enters, so that one result does not pass for another."""
        return sha256(f"{self._folder.name}/{name}\n".encode() + body).hexdigest().encode()


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
