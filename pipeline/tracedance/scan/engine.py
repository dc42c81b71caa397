"""The scan: all families over all sessions in one pass."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tracedance.scan import cache, conditions, outcome
from tracedance.scan.outcome import Failure, FamilyResult, ScanResult
from tracedance.schema import Place
from tracedance.store import views
from tracedance.store.store import Shard, Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family

Params = Mapping[str, Any]
Progress = Callable[[int, int, str], None]
"""(sessions done, sessions in all, what is being done)."""


def scan(store: Store, families: Iterable["Family"], params: Params | None = None, progress: Progress | None = None) -> ScanResult:
    """Run every family on every session that meets its condition, and say where it hit.

    A shard is read once for all families; what an earlier scan found in it is taken from the store's cache. `params` override the
    defaults of every family that has a parameter of that name. Anchors that raise are counted failures.
    """
    chosen = sorted(families, key=lambda family: family.id)
    shards = store.shards()
    results: list[FamilyResult] = []
    done, total = 0, sum(shard.sessions for shard in shards)
    for shard in shards:
        results.extend(scan_shard(store, shard, chosen, params))
        done += shard.sessions
        if progress is not None:
            progress(done, total, "scanning sessions")
    return gather(store, results)


def gather(store: Store, results: Sequence[FamilyResult]) -> ScanResult:
    """The results of all shards as one, in the fixed order, with forks counted once."""
    table = store.sessions().select("id", "parent", "started")
    # A fork repeats its parent's places: the session that is nobody's fork keeps them, then the older one.
    order = {row[0]: (row[1] != "", row[2], row[0]) for row in table.iter_rows()}
    places, failures = outcome.merge(results, order)
    candidates: dict[str, int] = {}
    for result in results:
        candidates[result.family] = candidates.get(result.family, 0) + result.candidates
    return ScanResult(places, failures, len(order), dict(sorted(candidates.items())), frozenset(store.reserved()))


def scan_shard(store: Store, shard: Shard, families: Sequence["Family"], params: Params | None = None) -> list[FamilyResult]:
    """What each family finds in one shard: the unit of work of a flow."""
    kept = cache.ScanCache(store.path, shard.digest)
    keys = {family.id: cache.key(family, parameters(family, params), shard.dead) for family in families}
    known = {family.id: kept.get(keys[family.id]) for family in families}
    fresh = _pass(store, shard, [family for family in families if known[family.id] is None], params)
    for result in fresh:
        kept.put(keys[result.family], result)
    return [result for result in (*known.values(), *fresh) if result is not None]


def parameters(family: "Family", params: Params | None) -> dict[str, Any]:
    """The family's defaults, overridden where `params` has the name."""
    return {name: (params or {}).get(name, default) for name, default in family.card.parameters.items()}


def _pass(store: Store, shard: Shard, families: Sequence["Family"], params: Params | None) -> list[FamilyResult]:
    if not families:
        return []
    wanted = sorted({"seq", *views.NEEDED} | conditions.columns(family.needs for family in families))
    frame = store.read(shard, wanted)
    asked = conditions.Conditions(frame)
    flags = {family.id: asked.sessions(family.needs) for family in families}
    meeting = {family.id: {asked.ids[i] for i in flags[family.id].nonzero()[0]} for family in families}
    places: dict[str, list[Place]] = {family.id: [] for family in families}
    failures: dict[str, list[Failure]] = {family.id: [] for family in families}
    given = {family.id: parameters(family, params) for family in families}
    # Each candidate's view is built once, shown to the families whose condition it meets, and dropped.
    for session in store.views(frame, sorted(set().union(*meeting.values())), shard):
        for family in families:
            if session.id in meeting[family.id]:
                found, failed = outcome.run(family, session, given[family.id])
                places[family.id] += found
                failures[family.id] += failed
    return [
        FamilyResult(
            family=family.id, candidates=len(meeting[family.id]), places=tuple(places[family.id]), failures=tuple(failures[family.id])
        )
        for family in families
    ]
