"""Whether an anchor that ran can be believed: it must not depend on order, chance or what came later, nor find its behaviour everywhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tracedance.synthesis import plain
from tracedance.synthesis.outcome import Draft, Refusal
from tracedance.synthesis.passes import Pass, Shown, shown
from tracedance.synthesis.process import Limits

_AFTER = 1
"""Turns behind the decision that an anchor may read: the results of the decision's own calls."""
_RANDOM_CUTS = 2
"""Of each session, besides those behind its hits."""


@dataclass(frozen=True)
class Checks:
    """What soundness is measured against. The checks look at the first `sessions` sessions only, the share at all."""

    sessions: int = 1_000
    bytes: int = 64 << 20
    cuts: int = 400
    """Runs on prefixes, in all."""
    most_share: float = 0.5
    """Of the sessions, that may hold an offence; above it the anchor is unsound."""
    least: int = 20
    """With fewer sessions the share says nothing and is not tested."""
    seed: int = 0


@dataclass
class Trial:
    """A first pass, the sessions of it that are tried again, and the checks that were made."""

    draft: Draft
    limits: Limits
    checks: Checks
    first: Pass
    kept: Sequence[Shown]
    made: list[str] = field(default_factory=list)

    def refusal(self) -> Refusal | None:
        """Why the anchor is unsound; None where it is not. Checks that need nothing run first."""
        return self._share() or self._order() or self._prefix()

    def _share(self) -> Refusal | None:
        """Sessions with an offence that no guard refuses, among those answered."""
        answered = self.first.found
        if len(answered) < self.checks.least:
            return None
        self.made.append("share")
        offending = sum(any(each.hit.offends and not each.refused_by for each in found) for found in answered.values())
        if offending <= self.checks.most_share * len(answered):
            return None
        said = f"it finds the behaviour in {offending} of {len(answered)} sessions; above {self.checks.most_share:.0%} it selects too much"
        return Refusal("selects_too_much", said)

    def _order(self) -> Refusal | None:
        """A new worker is shown the same sessions in another order."""
        order = list(range(len(self.kept)))
        Random(self.checks.seed).shuffle(order)
        again = Pass(self.draft, self.limits)
        if refusal := again.over(self.kept[place] for place in order):
            return refusal
        self.made.append("order")
        for at, place in enumerate(order):
            if _told(again, at) != _told(self.first, place):
                session = self.kept[place].session.id
                return Refusal("not_deterministic", "in another order of the sessions it finds something else", session)
        return None

    def _prefix(self) -> Refusal | None:
        """Hits that can be decided where a session is cut off must be those of the whole session."""
        tried = list(self._cuts())
        cut_off = Pass(self.draft, self.limits)
        prefixes = (shown(plain.prefix(self.kept[place].session, cut), self.limits) for place, cut in tried)
        if refusal := cut_off.over(prefixes):
            return refusal
        self.made.append("prefix")
        for at, (place, cut) in enumerate(tried):
            if at not in cut_off.found or _decided(cut_off, at, cut) != _decided(self.first, place, cut):
                said = f"where the session ends before turn {cut} it decides earlier turns otherwise"
                return Refusal("looks_ahead", said, self.kept[place].session.id)
        return None

    def _cuts(self) -> Iterator[tuple[int, int]]:
        """(place of the session, number of turns): just behind each hit's results, and a few by chance."""
        chance, left = Random(self.checks.seed), self.checks.cuts
        places = [place for place in range(len(self.kept)) if place in self.first.found]
        chance.shuffle(places)
        for place in places:
            length = len(self.kept[place].session.turns)
            wanted = {each.hit.decision + 1 + _AFTER for each in self.first.found[place][: _RANDOM_CUTS + 1]}
            wanted |= {chance.randint(1, length) for _ in range(_RANDOM_CUTS)}
            for cut in sorted(cut for cut in wanted if cut < length)[:left]:
                left -= 1
                yield place, cut


def _told(run: Pass, place: int) -> object:
    """What a pass says of a session; the clock and the memory of a machine are not the anchor's."""
    lost = run.lost.get(place)
    return run.found.get(place, (lost and lost.code, lost and lost.reason))


def _decided(run: Pass, place: int, cut: int) -> list[tuple[int, bool]]:
    """Hits whose decision and results lie within the first `cut` turns."""
    return sorted((each.hit.decision, each.hit.offends) for each in run.found[place] if each.hit.decision + _AFTER < cut)
