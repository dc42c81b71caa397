"""Setting sessions aside: a split for discovering behaviours that no benchmark is ever cut from.

Drawn by rank of a keyed hash, so that nobody chose them and the same store draws the same. Once drawn a session stays drawn however the
store grows; only places that are free are filled. Forks, sub-agents and copies of one history go together, or a benchmark could be cut
from the history that was looked at.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import polars as pl

from tracedance.store.durable import locked
from tracedance.store.lineage import FACTS, lineage
from tracedance.store.manifest import PartFile, StoreManifest, sweep, write_manifest
from tracedance.store.parquet import RESERVED, PartWriter
from tracedance.store.store import Store

DEFAULT = 10_000
"""Sessions of each setting that discovery is meant to have."""


def reserve(path: Path, wanted: int) -> dict[str, int]:
    """Set `wanted` sessions of each setting aside in the store at `path`; 0 releases all. Returns how many are, by setting."""
    Store.open(path)
    with locked(path):
        set_aside(path, wanted)
    return counted(Store.open(path))


def set_aside(path: Path, wanted: int | None) -> None:
    """Draw what is missing and commit. To be called under the store's lock; None keeps the number that the store was told."""
    store = Store.open(path)
    manifest = drawn(store, store.manifest.reserve if wanted is None else wanted)
    if manifest != store.manifest:
        write_manifest(path, manifest)
        sweep(path, manifest)


def counted(store: Store) -> dict[str, int]:
    """Sessions set aside, by setting."""
    return dict(sorted(Counter(store.reserved().values()).items()))


def drawn(store: Store, wanted: int) -> StoreManifest:
    """The store's state with `wanted` sessions of each setting set aside."""
    before = store.reserved()
    if not wanted and not before:
        return replace(store.manifest, reserve=0)
    held = draw(store.live((*FACTS, "setting")), store.key, wanted, before)
    table = store.manifest.reserved if held == before else written(store, held)
    return replace(store.manifest, reserve=wanted, reserved=table)


def written(store: Store, held: dict[str, str]) -> PartFile | None:
    """The table of these sessions and their settings, None where there are none."""
    if not held:
        return None
    writer = PartWriter(store.path / "shards", ".reserved.parquet", RESERVED)
    writer.add({"session": sorted(held), "setting": [held[name] for name in sorted(held)]})
    return writer.finish()


def draw(table: pl.DataFrame, key: bytes, wanted: int, held: dict[str, str]) -> dict[str, str]:
    """The sessions to set aside and their settings: what is held first, then the lowest hashes, whole lineages at a time.

    A lineage that would make more than `wanted` in its setting is passed over for the next; one that is held and has grown stays.
    """
    leaders = lineage(table)
    setting = dict(table.select("id", "setting").iter_rows())
    members: dict[str, list[str]] = defaultdict(list)
    for name, leader in leaders.items():
        members[leader].append(name)

    def order(leader: str) -> tuple[bool, bytes]:
        mine = members[leader]
        return held.keys().isdisjoint(mine), min(blake2b(name.encode(), key=key, digest_size=16).digest() for name in mine)

    chosen: dict[str, str] = {}
    filled: Counter[str] = Counter()
    for leader in sorted(members, key=order):
        more = Counter(setting[name] for name in members[leader])
        stays = not held.keys().isdisjoint(members[leader]) and all(filled[name] < wanted for name in more)
        if stays or all(filled[name] + count <= wanted for name, count in more.items()):
            chosen.update({name: setting[name] for name in members[leader]})
            filled += more
    return chosen
