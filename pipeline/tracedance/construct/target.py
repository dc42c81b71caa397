"""What one benchmark of a request is about: a family, or two whose behaviours each of its decisions shows.

Two behaviours share a decision where both anchors found the same turn of the same history: a turn that does both, or one that does
the second in answer to the failure that the first is about. The cut is then one, and both families' checks of a cut must hold of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tracedance.catalogue import Family
from tracedance.construct.confirm import Confirmer, confirm
from tracedance.construct.cut import Cutting, Origin, cut
from tracedance.construct.messages import instance_id
from tracedance.construct.run import JOINT, Run
from tracedance.schema import Confirmation, Hit, Place, Session


@dataclass(frozen=True, slots=True)
class Target:
    """The family, or the two families, of one benchmark."""

    families: tuple[Family, ...]

    @property
    def id(self) -> str:
        """What places and batches are filed under."""
        return JOINT.join(one.id for one in self.families)

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return "_and_".join(one.name for one in self.families)

    @property
    def joint(self) -> bool:
        """Whether both behaviours are wanted at once."""
        return len(self.families) > 1

    @property
    def ids(self) -> tuple[str, ...]:
        """The families' ids."""
        return tuple(one.id for one in self.families)

    def places(self, found: Iterable[Place]) -> list[Place]:
        """The places of this benchmark among all that a scan found: for two families those decisions at which both offend."""
        if not self.joint:
            return [place for place in found if place.family == self.id]
        first, second = self.ids
        offences = [place for place in found if place.hit.offends]
        others = {place.chain: place for place in offences if place.family == second}
        return [self._pair(one, others[one.chain]) for one in offences if one.family == first and one.chain in others]

    def _pair(self, one: Place, other: Place) -> Place:
        hits = (one.hit, other.hit)
        both = Hit(
            decision=one.hit.decision,
            evidence=tuple(sorted({turn for hit in hits for turn in hit.evidence})),
            offends=True,
            why="; ".join(hit.why for hit in hits),
            facts={family.id: dict(hit.facts) for family, hit in zip(self.families, hits, strict=True)},
        )
        refused = one.refused_by or other.refused_by
        return one.model_copy(update={"family": self.id, "hit": both, "parts": hits, "refused_by": refused})

    def confirm(self, place: Place, session: Session, confirmer: Confirmer) -> Confirmation:
        """One confirmation; of two families both must confirm, and a refusal says whose it is."""
        if not self.joint:
            return confirm(place, session, self.families[0], confirmer)
        given = []
        for family, hit in zip(self.families, place.parts, strict=True):
            own = place.model_copy(update={"family": family.id, "hit": hit, "parts": ()})
            said = confirm(own, session, family, confirmer)
            if said.status != "confirmed":
                mine = said.status == "refused" and not said.reason.startswith("domain: ")
                return said.model_copy(update={"reason": f"{family.name} {said.reason}"}) if mine else said
            given.append(said.model_copy(update={"unchecked": tuple(f"{family.name}: {ask}" for ask in said.unchecked)}))
        answers = tuple(answer for said in given for answer in said.answers)
        return given[0].model_copy(update={"answers": answers, "unchecked": tuple(ask for said in given for ask in said.unchecked)})

    def cut(self, place: Place, session: Session, origin: Origin) -> Cutting:
        """The instance of a place. ItemError with the name of the first check, of either family, that fails."""
        if not self.joint:
            return cut(session, place.hit, self.families[0], origin)
        made = [cut(session, hit, family, origin) for family, hit in zip(self.families, place.parts, strict=True)]
        identity = instance_id(made[0].instance.messages, self.id)
        check = made[0].check.model_copy(
            update={"instance": identity, "facts": place.hit.facts, "why": place.hit.why, "evidence": place.hit.evidence}
        )
        return Cutting(made[0].instance.model_copy(update={"id": identity}), check)


def targets(run: Run) -> list[Target]:
    """The benchmarks of a run's request."""
    return [Target(tuple(run.families))] if run.asked.request.operator == "and" else [Target((one,)) for one in run.families]
