"""The scan: all families over all sessions in one pass."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tracedance.scan import cache, carrying, conditions, outcome
from tracedance.scan.outcome import Failure, FamilyResult, ScanResult
from tracedance.schema import Place
from tracedance.store import views
from tracedance.store.collector import uncollected
from tracedance.store.store import Shard, Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family

Params = Mapping[str, Any]
Progress = Callable[[int, int, str], None]
"""(sessions done, sessions in all, what is being done)."""


def scan(
    store: Store, families: Iterable["Family"], params: Params | None = None, progress: Progress | None = None, jobs: int = 1
) -> ScanResult:
    """Run every family on every session that meets its condition, and say where it hit.

    A shard is read once for all families; what an earlier scan found in it is taken from the store's cache. `params` override the
    defaults of every family that has a parameter of that name. Anchors that raise are counted failures. With `jobs` above 1 shards are
    shared out among that many processes, which load the families by their names.
    """
    chosen = sorted(families, key=lambda family: family.id)
    shards = store.shards()
    results: list[FamilyResult] = []
    done, total = 0, sum(shard.sessions for shard in shards)
    # Places are many and hold no cycle: looking for some among them takes as long as reading them.
    with uncollected():
        for shard, found in _each(store, shards, chosen, params, jobs):
            results.extend(found)
            done += shard.sessions
            if progress is not None:
                progress(done, total, "scanning sessions")
        return gather(store, results)


def _each(
    store: Store, shards: Sequence[Shard], families: Sequence["Family"], params: Params | None, jobs: int
) -> Iterable[tuple[Shard, list[FamilyResult]]]:
    """What is found in each shard, in the store's order."""
    if jobs > 1 and len(shards) > 1:
        from tracedance.scan import processes

        return processes.scan_shards(store, shards, families, params, jobs)
    return ((shard, scan_shard(store, shard, families, params)) for shard in shards)


def gather(store: Store, results: Sequence[FamilyResult]) -> ScanResult:
    """The results of all shards as one, in the fixed order, with forks counted once."""
    table = store.sessions().select("id", "parent", "started")
    # A fork repeats its parent's places: the session that is nobody's fork keeps them, then the older one.
    order = {row[0]: (row[1] != "", row[2], row[0]) for row in table.iter_rows()}
    places, failures = outcome.merge(results, order)
    candidates: dict[str, int] = {}
    for result in results:
        candidates[result.family] = candidates.get(result.family, 0) + len(result.candidates)
    return ScanResult(places, failures, len(order), dict(sorted(candidates.items())), frozenset(store.reserved()))


def scan_shard(store: Store, shard: Shard, families: Sequence["Family"], params: Params | None = None) -> list[FamilyResult]:
    """What each family finds in one shard: the unit of work of a flow."""
    kept = cache.ScanCache(store.path, shard.digest)
    keys = {family.id: cache.key(family, parameters(family, params)) for family in families}
    known = [kept.get(keys[family.id]) for family in families]
    missing = [family for family, result in zip(families, known, strict=True) if result is None]
    fresh = pass_over(store, shard, missing, params) if missing else []
    if fresh and not kept.there:
        kept.remember(carrying.digests(store, shard))
    if fresh:
        kept.put({keys[result.family]: result for result in fresh})
    found = [result for result in (*known, *fresh) if result is not None]
    # A result is of the sessions that lived when it was found: later copies may have replaced some.
    return [result.of(lambda session: session not in shard.dead) for result in found] if shard.dead else found


def parameters(family: "Family", params: Params | None) -> dict[str, Any]:
    """The family's defaults, overridden where `params` has the name."""
    return {name: (params or {}).get(name, default) for name, default in family.card.parameters.items()}


@dataclass(slots=True)
class Found:
    """What is found of one family in one shard, as it grows."""

    family: "Family"
    given: Params
    candidates: frozenset[str]
    places: list[Place]
    failures: list[Failure]

    def result(self, order: Iterable[str]) -> FamilyResult:
        """The finished result; candidates in stored order."""
        met = tuple(session for session in order if session in self.candidates)
        return FamilyResult(family=self.family.id, candidates=met, places=tuple(self.places), failures=tuple(self.failures))


def pass_over(store: Store, shard: Shard, families: Sequence["Family"], params: Params | None) -> list[FamilyResult]:
    """One pass over a shard for all these families, whatever the cache holds."""
    frame = store.read(shard, sorted({"seq"} | conditions.columns(family.needs for family in families)))
    asked = conditions.Conditions(frame)
    found = []
    for family in families:
        met = frozenset(asked.ids[place] for place in asked.sessions(family.needs).nonzero()[0])
        found.append(Found(family, parameters(family, params), met, [], []))
    candidates = frozenset[str]().union(*(one.candidates for one in found))
    # Each candidate's view is built once, shown to the families whose condition it meets, and dropped: nothing in it holds a cycle.
    with uncollected():
        mine = frame if len(candidates) == len(asked.ids) else frame.filter(pl.col("session").cast(pl.String).is_in(candidates))
        for session in store.views(_viewed(store, shard, mine), sorted(candidates), shard):
            for one in found:
                if session.id in one.candidates:
                    places, failed = outcome.run(one.family, session, one.given)
                    one.places += places
                    one.failures += failed
    store.release(shard)
    return [one.result(asked.ids) for one in found]


def _viewed(store: Store, shard: Shard, mine: pl.DataFrame) -> pl.DataFrame:
    """What views of the candidates are built from: their columns read already and those they lack, of the row groups that count."""
    if mine.is_empty():
        return mine
    rest = [name for name in views.NEEDED if name not in mine.columns]
    return mine.hstack(store.rows(shard, rest, mine["row"].to_numpy().astype(np.int64)))
