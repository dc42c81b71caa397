"""Taking a session out of a store so that nothing of it is left in its files, and remembering that it must not come back."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from hashlib import blake2b

import polars as pl

from tracedance.errors import InputError
from tracedance.store import reserve
from tracedance.store.lineage import FACTS, lineage
from tracedance.store.manifest import Forgotten, Part, PartFile, StoreManifest, write_manifest
from tracedance.store.parquet import FILES, PartWriter, columns_of
from tracedance.store.rewriting import rewrite
from tracedance.store.sessions import same_start
from tracedance.store.store import Store


def related(store: Store, session_id: str) -> list[str]:
    """Sessions that repeat a part of this one's history or work for it, sorted. InputError when the store has no such session."""
    leaders = lineage(store.live(FACTS))
    if session_id not in leaders:
        raise InputError(f"The store {str(store.path)!r} has no session {session_id!r}. 'tracedance scan --json' names those with places.")
    return sorted(name for name, leader in leaders.items() if leader == leaders[session_id] and name != session_id)


def forget(store: Store, ids: Collection[str]) -> StoreManifest:
    """Write every shard that holds one of `ids`, shorter copies included, without them, and commit. To be called under the store's lock.

    The old files are still there when this returns: `sweep` removes them.
    """
    gone = sorted(ids)
    parts: list[Part] = []
    touched: list[str] = []
    sources: set[tuple[str, str]] = set()
    for part in store.manifest.parts:
        mine = store.table(part.sessions, ("id", "source_digest")).filter(pl.col("id").is_in(gone))
        fresh = part if mine.is_empty() else rewrite(store, [part], ids)
        if fresh is not None:
            parts.append(fresh)
        if not mine.is_empty():
            touched.append(part.events.digest)
            sources |= set(mine.iter_rows())
    rows = store.live(("id", "given_id", "head", "redaction_digest")).filter(pl.col("id").is_in(gone)).drop("id", "shard")
    marks = {*store.manifest.forgotten, *(marked(store.key, *row) for row in rows.iter_rows())}
    manifest = replace(
        store.manifest,
        parts=tuple(parts),
        dead=tuple(pair for pair in store.manifest.dead if pair[0] not in touched),
        files=(*store.manifest.files, *_recounted(store, Counter(digest for _, digest in sources))),
        reserved=reserve.written(store, {name: setting for name, setting in store.reserved().items() if name not in ids}),
    ).with_forgotten(marks)
    write_manifest(store.path, manifest)
    return manifest


def marked(key: bytes, given_id: str, head: str, redaction: str) -> Forgotten:
    """What is remembered of a forgotten session."""
    return Forgotten(_digest(key, given_id), " ".join(_digest(key, chain) for chain in head.split(" ")), redaction)


def is_same(known: Forgotten, mark: Forgotten) -> bool:
    """Whether both are of one session, at whatever length it comes back."""
    return known.given == mark.given and (known.redaction != mark.redaction or same_start(known.head, mark.head, _sure(known, mark)))


def _sure(known: Forgotten, mark: Forgotten) -> int:
    """The roles of what was forgotten are not kept, so as few turns as can be are taken for sure: better one too many kept out."""
    return min(len(known.head.split(" ")), len(mark.head.split(" "))) - 2


def _digest(key: bytes, text: str) -> str:
    return blake2b(text.encode(), key=key, digest_size=8).hexdigest()


def _recounted(store: Store, gone: Mapping[str, int]) -> list[PartFile]:
    """A later word on the source files: so many sessions of each (by its sha256) are no longer there, and an import must not say so."""
    rows = [row for row in store.source_files().to_dicts() if row["sha256"] in gone]
    for row in rows:
        fewer = min(row["sessions"], gone[row["sha256"]])
        row["sessions"], row["skipped"] = row["sessions"] - fewer, row["skipped"] + fewer
    if not rows:
        return []
    writer = PartWriter(store.path / "shards", ".files.parquet", FILES)
    writer.add(columns_of(rows, FILES.names))
    return [writer.finish()]
