"""Results of shards that were written anew (compacted, or a session forgotten) go on counting: what a session held has not changed."""

import shutil
from collections.abc import Mapping

import polars as pl

from tracedance.scan.cache import ScanCache
from tracedance.scan.outcome import FamilyResult
from tracedance.store.store import Shard, Store


def digests(store: Store, shard: Shard) -> dict[str, str]:
    """The live sessions of a shard and the digest of what each holds."""
    part = next(part for part in store.manifest.parts if part.events.digest == shard.digest)
    told = ("content_digest", "source_digest", "redaction_digest")
    held = store.table(part.sessions, ("id", *told)).select("id", pl.concat_str(told))
    return {session: digest for session, digest in held.iter_rows() if session not in shard.dead}


def carry_over(store: Store) -> None:
    """Give every new shard the results that its sessions have, then remove those of shards that the store no longer has.

    What is removed holds places and reasons of sessions that may have been forgotten; only live sessions are carried.
    """
    shards = store.shards()
    kept = {shard.digest[:32] for shard in shards}
    gone = [folder.name for folder in sorted((store.path / "cache" / "scan").glob("*")) if folder.name not in kept]
    former = [ScanCache(store.path, name) for name in gone]
    for shard in shards if former else ():
        fresh = ScanCache(store.path, shard.digest)
        if not fresh.there:
            _assemble(fresh, digests(store, shard), former)
    for name in gone:
        shutil.rmtree(store.path / "cache" / "scan" / name, ignore_errors=True)


def _assemble(fresh: ScanCache, wanted: dict[str, str], former: list[ScanCache]) -> None:
    """Results of a shard from those of the shards that its sessions lay in, wherever all of them were scanned with one key."""
    owner: dict[str, ScanCache] = {}
    for cache in former:
        owner.update({session: cache for session, digest in cache.sessions().items() if wanted.get(session) == digest})
    if not wanted or owner.keys() != wanted.keys():
        return
    sources = [cache for cache in former if cache in owner.values()]
    fresh.remember(wanted)
    carried = {}
    for key in sorted(set.intersection(*(set(cache.keys()) for cache in sources))):
        results = [found for cache in sources if (found := _part(cache, key, owner)) is not None]
        if len(results) == len(sources):
            carried[key] = FamilyResult(
                family=results[0].family,
                candidates=tuple(session for result in results for session in result.candidates),
                places=tuple(place for result in results for place in result.places),
                failures=tuple(failure for result in results for failure in result.failures),
            )
    fresh.put(carried)


def _part(cache: ScanCache, key: str, owner: Mapping[str, ScanCache]) -> FamilyResult | None:
    """What a former shard's result holds of the sessions that are carried from it."""
    result = cache.get(key)
    return None if result is None else result.of(lambda session: owner.get(session) is cache)
