"""The table of the last scan, as it was: where neither the store nor the families have changed, nothing is read again but the index."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracedance.scan import cache
from tracedance.scan.engine import Progress, parameters, scan
from tracedance.scan.table import By, table
from tracedance.store.collector import uncollected
from tracedance.store.durable import write_durably
from tracedance.store.store import Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family

FOLDER = "tables"
"""Beside the results of shards; whatever forgets, compacts or redacts removes it with those of shards that are gone (`carrying`)."""


def told(
    store: Store, families: Sequence["Family"], by: Sequence[By] = (), progress: Progress | None = None, jobs: int = 1
) -> dict[str, Any]:
    """`table` of a scan of all these families. A table that does not agree with its seal is made anew, never an error."""
    path = _place(store, families, by)
    known = _read(path)
    if known is not None:
        return known
    with uncollected():  # as long as all places are new: awake, it would begin with a walk through every one
        result = scan(store, families, progress=progress, jobs=jobs)
        made = table(result, families, by, store.sessions() if by else None)
    _write(path, made)
    return made


def _place(store: Store, families: Sequence["Family"], by: Sequence[By]) -> Path:
    """Its name says of which state of the store, and of which families (anchors, parameters, cards, our own readers) and groupings."""
    state = sha256(repr(store.manifest).encode()).hexdigest()[:32]
    asked = sorted((cache.key(family, parameters(family, None)), family.card.model_dump_json()) for family in families)
    return store.path / "cache" / "scan" / FOLDER / f"{state}-{sha256(repr((asked, list(by))).encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        seal, _, body = path.read_bytes().partition(b" ")
        return msgspec.json.decode(body, type=dict[str, Any]) if seal == _seal(path, body) else None
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, made: dict[str, Any]) -> None:
    """A table that cannot be kept costs time next time and nothing else. Tables of former states of the store go."""
    try:
        body = msgspec.json.encode(made)
        path.parent.mkdir(parents=True, exist_ok=True)
        for other in path.parent.iterdir():
            if other.name[:32] != path.name[:32]:
                other.unlink()
        write_durably(path, _seal(path, body) + b" " + body)
    except (OSError, UnicodeError):
        return


def _seal(path: Path, body: bytes) -> bytes:
    """What the table is of enters, so that one table does not pass for another."""
    return sha256(f"{path.name}\n".encode() + body).hexdigest().encode()
