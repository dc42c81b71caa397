"""The recall probe: places that are no candidates, drawn from the seed, go to the same confirmer, to learn what the anchor misses.

Two kinds are drawn from, each alike for all its places: `opportunity`, places that the anchor knows and does not call an offence; and
`unknown`, turns of the model's that it says nothing about, in sessions of the family's settings. What the confirmer finds there is missed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import polars as pl

from tracedance.catalogue import Family
from tracedance.config import build_settings
from tracedance.construct import limits
from tracedance.construct.confirm import READING, Confirmer, confirm, unreached
from tracedance.construct.run import Probed, Run
from tracedance.schema import Confirmation, Hit, Place, Session, TraceProperties
from tracedance.store import quarantine, runs
from tracedance.store.store import Store

AT_ONCE = build_settings().calls_at_once
Kind = Literal["opportunity", "unknown"]
UNKNOWN = "drawn for the recall probe; the anchor says nothing about it"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The sample of one kind, and out of how many places it was drawn."""

    kind: Kind
    population: int
    places: tuple[Place, ...]


def draw(run: Run, store: Store, family: Family, found: Iterable[Place]) -> list[Drawn]:
    """Both samples. Sessions set aside, and those outside what the request is limited to, give none."""
    request, reserved = run.asked.request, store.reserved()
    outside = limits.outside(store, request.trace).keys() | reserved
    known = [place for place in found if place.family == family.id and place.session not in outside]
    rng = random.Random(f"{request.seed}/{family.id}/probe")
    opportunities = [place for place in known if not place.hit.offends]
    chosen = rng.sample(opportunities, min(request.probe, len(opportunities)))
    turns = _unknown(store, family, {(place.session, place.hit.decision) for place in known}, outside)
    return [
        Drawn("opportunity", len(opportunities), tuple(chosen)),
        Drawn("unknown", len(turns), tuple(_place(store, family, turns.row(row)) for row in _rows(rng, len(turns), request.probe))),
    ]


def probe(run: Run, store: Store, family: Family, found: Iterable[Place], confirmer: Confirmer) -> None:
    """Ask about both samples and keep what came of it. Done once it is not done again, save for places nobody could be reached about."""
    path = run.probed(family.id)
    earlier = {(row.kind, row.place.session, row.place.hit.decision): row.confirmation for row in runs.sealed(path, Probed) or ()}
    if earlier and not any(unreached(confirmation) for confirmation in earlier.values()):
        return
    quarantine.let_approved_pass(store.path)

    def one(asked: tuple[Drawn, Place]) -> Probed:
        sample, place = asked
        known = earlier.get((sample.kind, place.session, place.hit.decision))
        again = known is None or unreached(known)
        answer = _asked(store, place, family, (confirmer, run.asked.request.trace)) if again else known
        return Probed(kind=sample.kind, population=sample.population, place=place, confirmation=answer)

    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        rows = list(pool.map(one, [(sample, place) for sample in draw(run, store, family, found) for place in sample.places]))
    runs.seal(path, rows)


def _asked(store: Store, place: Place, family: Family, by: tuple[Confirmer, TraceProperties]) -> Confirmation:
    confirmer, trace = by
    with READING:
        session = store.session(place.session)
        if quarantine.is_held(store, session):
            return Confirmation(status="unasked", reason=quarantine.QUARANTINED, confirmed_by=confirmer.name)
        outside = limits.before_reading(place, trace, {session.id: session.models}) or limits.after_reading(session, place.hit, trace)
        if outside:
            return Confirmation(status="unasked", reason=outside, confirmed_by=confirmer.name)
    return confirm(place, session, family, confirmer)


def _unknown(store: Store, family: Family, known: set[tuple[str, int]], outside: AbstractSet[str]) -> pl.DataFrame:
    """Session and turn of every turn in which a model says or calls something, those that the anchor knows left out, in a fixed order."""
    table = store.sessions().select("id", "setting")
    wanted = table.filter(pl.col("setting").is_in(family.card.setting) & ~pl.col("id").is_in(sorted(outside)))["id"].to_list()
    frames = []
    for shard in store.shards():
        rows = store.read(shard, ("turn", "kind", "role", "author", "mark"))
        said = rows.filter(
            (pl.col("role").cast(pl.String) == "assistant")
            & (pl.col("author").cast(pl.String) == "model")
            & pl.col("kind").cast(pl.String).is_in(["text", "call"])
            & (pl.col("mark").cast(pl.String).fill_null("") == "")
        )
        frames.append(said.select(pl.col("session").cast(pl.String), pl.col("turn").cast(pl.Int64)).unique())
        store.release(shard)
    every = pl.concat(frames) if frames else pl.DataFrame(schema={"session": pl.String, "turn": pl.Int64})
    gone = pl.DataFrame(sorted(known), schema={"session": pl.String, "turn": pl.Int64}, orient="row")
    return every.filter(pl.col("session").is_in(wanted)).join(gone, on=["session", "turn"], how="anti").sort("session", "turn")


def _rows(rng: random.Random, population: int, wanted: int) -> list[int]:
    return rng.sample(range(population), min(wanted, population))


def _place(store: Store, family: Family, at: tuple[str, int]) -> Place:
    session: Session = store.session(at[0])
    turn = session.turns[at[1]]
    before = session.turns[at[1] - 1] if at[1] else None
    evidence = (before.index,) if before is not None and before.role == "tool" else ()
    hit = Hit(decision=turn.index, evidence=evidence, offends=False, why=UNKNOWN)
    return Place(family=family.id, session=session.id, chain=turn.chain, hit=hit, model=turn.model)
