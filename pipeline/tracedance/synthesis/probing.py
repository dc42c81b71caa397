"""What the confirming model says of a sample: places that a draft finds, and places beside them that it does not."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from tracedance.config import build_settings
from tracedance.construct.confirm import READING, Confirmer, confirm, unreached
from tracedance.errors import InputError
from tracedance.models import probe as reaching
from tracedance.schema import Confirmation, Hit, Place, Record
from tracedance.store import quarantine
from tracedance.store.store import Store
from tracedance.synthesis import plain, sandbox
from tracedance.synthesis.trial import At, Trial, draft_of, near
from tracedance.synthesis.written import Read

SETTINGS = build_settings()
Kind = Literal["candidate", "opportunity", "near"]
FEW = f"and {SETTINGS.synthesis_fewest} would prove it"
"""In what is said of a draft that holds, but for the number of places that it finds."""
BESIDE = "drawn beside the candidates; the anchor says nothing about it"


class Sampled(Record):
    """One place of the sample and what the confirmer said of it."""

    kind: Kind
    """`candidate`: the draft finds an offence; `opportunity`: it finds a place and no offence; `near`: a part of NEEDS shows there and the
    draft says nothing."""
    place: Place
    confirmation: Confirmation
    ruled_out_later: bool = False
    """No candidate, and one where the session ends with its results: the draft rules it out by what came later."""

    @property
    def judged(self) -> bool:
        """Whether the confirmer gave an answer."""
        return self.confirmation.status in ("confirmed", "refused")

    @property
    def confirmed(self) -> bool:
        """Whether the behaviour is there."""
        return self.confirmation.status == "confirmed"


@dataclass(frozen=True, slots=True)
class Probe:
    """The whole sample."""

    rows: tuple[Sampled, ...]

    def of(self, *kinds: Kind) -> list[Sampled]:
        """The places of these kinds that were answered for."""
        return [row for row in self.rows if row.kind in kinds and row.judged]

    @property
    def figures(self) -> dict[str, int]:
        """Places judged and confirmed, candidates and others."""
        found, others = self.of("candidate"), self.of("opportunity", "near")
        return {
            "candidates_judged": len(found),
            "candidates_confirmed": sum(row.confirmed for row in found),
            "others_judged": len(others),
            "others_confirmed": sum(row.confirmed for row in others),
            "ruled_out_by_what_came_later": sum(row.ruled_out_later for row in others),
        }

    def problems(self, trial: Trial, scarce: bool) -> list[str]:
        """Why the draft does not hold; [] when it does. With `scarce` one confirmed place will do: there may be no more of them."""
        figures = self.figures
        judged, confirmed = figures["candidates_judged"], figures["candidates_confirmed"]
        others, missed = figures["others_judged"], figures["others_confirmed"]
        said = []
        if confirmed < SETTINGS.synthesis_confirmed * judged:
            said.append(f"of {judged} sampled candidates {confirmed} were confirmed; at least {SETTINGS.synthesis_confirmed:.0%} must be")
        if others and missed > SETTINGS.synthesis_missed * others:
            said.append(
                f"it misses what it should find: it has {len(trial.candidates)} candidates in {len(trial.shown)} sessions, and of {others} "
                f"places that are none of them {missed} were confirmed"
            )
        if late := figures["ruled_out_by_what_came_later"]:
            said.append(
                f"{late} of the places missed are candidates where the session ends with them: the anchor rules them out by what came "
                "later, which cannot be known at the cut. Test the state at the decision"
            )
        if confirmed < (1 if scarce else SETTINGS.synthesis_fewest) and not said:
            said.append(
                f"it finds {len(trial.candidates)} candidates in {len(trial.shown)} of {trial.population} sessions, {confirmed} of them "
                f"confirmed, {FEW}. If that is all that there is, send the same draft"
            )
        return said


def probe(read: Read, store: Store, trial: Trial, confirmer: Confirmer, seed: int) -> Probe:
    """Draws both samples and asks. InputError (5): the confirming model could not be reached."""
    quarantine.let_approved_pass(store.path)
    rng = random.Random(f"{seed}/{read.draft.id}/synthesis")
    drawn = [*_drawn("candidate", trial.candidates, rng, SETTINGS.synthesis_probe), *_beside(store, trial, rng)]

    def one(asked: tuple[Kind, At]) -> Sampled:
        kind, at = asked
        with READING:
            session = store.session(at.session)
            turn = session.turns[at.hit.decision]
            held = quarantine.is_held(store, session)
        place = Place(family=read.draft.id, session=session.id, chain=turn.chain, hit=at.hit, model=turn.model)
        if held:
            left = Confirmation(status="unasked", reason=quarantine.QUARANTINED, confirmed_by=confirmer.name)
            return Sampled(kind=kind, place=place, confirmation=left)
        return Sampled(kind=kind, place=place, confirmation=confirm(place, session, read.family, confirmer))

    with ThreadPoolExecutor(max_workers=SETTINGS.calls_at_once) as pool:
        rows = list(pool.map(one, drawn))
    _refuse_unreached(rows)
    return Probe(tuple(_ruled_out(read, store, rows)))


def _drawn(kind: Kind, places: Sequence[At], rng: random.Random, most: int) -> list[tuple[Kind, At]]:
    """At most so many, each of another session."""
    shuffled = rng.sample(places, len(places))
    first = {at.session: at for at in reversed(shuffled)}
    return [(kind, at) for at in list(first.values())[::-1][:most]]


def _beside(store: Store, trial: Trial, rng: random.Random) -> list[tuple[Kind, At]]:
    """Opportunities that the draft calls met, and turns that show a part of NEEDS and are no hit, each of another session."""
    most = SETTINGS.synthesis_probe
    met = _drawn("opportunity", trial.opportunities, rng, most // 2)
    known: dict[str, set[int]] = {}
    for at in (*trial.candidates, *trial.opportunities):
        known.setdefault(at.session, set()).add(at.hit.decision)
    found: list[tuple[Kind, At]] = []
    for name in rng.sample(trial.shown, len(trial.shown)):
        if len(met) + len(found) >= most or trial.needs is None:
            break
        session = store.session(name)
        turns = [turn for turn in near(session, trial.needs) if turn not in known.get(name, ())]
        if turns:
            turn = rng.choice(turns)
            evidence = (turn - 1,) if turn and session.turns[turn - 1].role == "tool" else ()
            found.append(("near", At(name, Hit(decision=turn, evidence=evidence, offends=False, why=BESIDE))))
    return [*met, *found]


def _refuse_unreached(rows: Iterable[Sampled]) -> None:
    for row in rows:
        if unreached(row.confirmation):
            why = row.confirmation.reason.partition(": ")[2]
            raise InputError(
                f"The confirming model could not be reached: {why}. {reaching.cure(why)} Then run the same build again: answers are kept.",
                5,
            )


def _ruled_out(read: Read, store: Store, rows: Sequence[Sampled]) -> Iterable[Sampled]:
    """The rows, with those marked that the draft finds where the session ends with their results."""
    early: set[tuple[Kind, str, int]] = set()
    kinds: tuple[Kind, ...] = ("opportunity", "near")
    for kind in kinds:  # of each kind, a session gives one place
        ends = {row.place.session: row.place.hit.decision + 2 for row in rows if row.kind == kind and row.confirmed}
        if not ends:
            continue
        ran = sandbox.run(draft_of(read), [plain.prefix(store.session(name), end) for name, end in ends.items()], checks=None)
        early |= {(kind, name, one.hit.decision) for name, found in ran.found.items() for one in found if one.hit.offends}
    for row in rows:
        yield row.model_copy(update={"ruled_out_later": (row.kind, row.place.session, row.place.hit.decision) in early})
