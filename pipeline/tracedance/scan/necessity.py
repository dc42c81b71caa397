"""Is a family's NEEDS necessary? Its anchor is run on sampled sessions that do not meet it: any hit there is a fault of the family."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from tracedance.scan import conditions, outcome
from tracedance.scan.engine import parameters
from tracedance.store import views
from tracedance.store.store import Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family


@dataclass(frozen=True)
class Necessity:
    """What a check of conditions looked at, and the sessions whose hits a condition keeps from being found."""

    checked: int
    missed: tuple[tuple[str, str], ...]
    """(family, session)."""


def check_needs(store: Store, families: Iterable["Family"], samples: int) -> Necessity:
    """Run every family on about `samples` sessions that do not meet its NEEDS, the same ones each time, spread over all shards."""
    chosen = list(families)
    shards = store.shards()
    total = sum(shard.sessions for shard in shards) or 1
    checked, missed = 0, []
    for shard in shards:
        share = -(-samples * shard.sessions // total)
        frame = store.read(shard, sorted({"seq", *views.NEEDED} | conditions.columns(family.needs for family in chosen)))
        asked = conditions.Conditions(frame)
        drawn = {}
        for family in chosen:
            met = asked.sessions(family.needs)
            outside = [session for session, meets in zip(asked.ids, met, strict=True) if not meets]
            drawn[family.id] = set(sorted(outside, key=lambda session: _rank(family.id, session))[:share])
        for session in store.views(frame, sorted(set().union(*drawn.values())), shard):
            for family in chosen:
                if session.id in drawn[family.id]:
                    checked += 1
                    places, _ = outcome.run(family, session, parameters(family, None))
                    missed += [(family.id, session.id)] if places else []
    return Necessity(checked, tuple(sorted(missed)))


def _rank(family: str, session: str) -> bytes:
    return blake2b(f"{family}\n{session}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def told(found: Necessity) -> Sequence[str]:
    """Lines for a person: one for each session that was missed."""
    return [f"NEEDS of {family} is not necessary: session {session} does not meet it and holds a hit." for family, session in found.missed]
