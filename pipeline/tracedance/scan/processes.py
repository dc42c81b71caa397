"""Shards shared out among processes. Each opens the store and loads the families itself, so that only results travel."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from tracedance.resources import home
from tracedance.scan.outcome import FamilyResult
from tracedance.store.store import Shard, Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family
    from tracedance.scan.engine import Params

_STATE: dict[str, object] = {}
"""What a worker holds between two shards."""


def scan_shards(
    store: Store, shards: Sequence[Shard], families: Sequence["Family"], params: "Params | None", jobs: int
) -> Iterator[tuple[Shard, list[FamilyResult]]]:
    """Each shard with what the families find in it, in the order given. A worker that dies takes the scan with it."""
    from tracedance.catalogue import confined

    extra = sorted({family.folder for family in families} - {home()})
    told = (store.path, [family.id for family in families], extra, params, confined.trusted())
    # A fresh process each: a forked one would inherit the engine's threads and their locks.
    with one_thread(), get_context("spawn").Pool(min(jobs, len(shards)), begin, told) as pool:
        yield from zip(shards, pool.imap(work, [shard.digest for shard in shards]), strict=True)


@contextmanager
def one_thread() -> Iterator[None]:
    """Workers share the cores by number, so each of them keeps to one."""
    before = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["POLARS_MAX_THREADS"]
        else:
            os.environ["POLARS_MAX_THREADS"] = before


def begin(path: Path, names: list[str], extra: list[Path], params: "Params | None", trusted: bool) -> None:
    """What a worker does first. `trusted` is the user's word on the folders `extra`."""
    from tracedance.catalogue import confined, families

    confined.trust(trusted)
    known = families(extra)
    store = Store.open(path)
    _STATE.update(store=store, families=[known[name] for name in names], params=params)
    _STATE["shards"] = {shard.digest: shard for shard in store.shards()}


def work(digest: str) -> list[FamilyResult]:
    """One shard."""
    from tracedance.scan.engine import scan_shard

    return scan_shard(_STATE["store"], _STATE["shards"][digest], _STATE["families"], _STATE["params"])  # type: ignore[arg-type, index]
