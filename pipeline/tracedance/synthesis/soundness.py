"""Whether an anchor that ran can be believed: it must not depend on order, chance or what came later, nor find its behaviour everywhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random

from tracedance.synthesis import plain
from tracedance.synthesis.outcome import Draft, Found, Refusal
from tracedance.synthesis.passes import Pass, Shown, shown
from tracedance.synthesis.process import Limits

_AFTER = 1
"""Turns behind the decision that an anchor may read: the results of the decision's own calls."""
_RANDOM_CUTS = 3
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
        """Why the anchor is unsound; None where it is not. A second worker is shown the sessions in another order, and cut off."""
        if (refusal := self._share()) is not None or not self.kept:
            return refusal
        order = list(range(len(self.kept)))
        Random(self.checks.seed).shuffle(order)
        cuts = list(self._cuts())
        prefixes = (shown(plain.prefix(self.kept[place].session, cut), self.limits) for place, cut in cuts)
        again = Pass(self.draft, self.limits)
        if refusal := again.over(chain((self.kept[place] for place in order), prefixes)):
            return refusal
        self.made += ["order", "prefix"]
        return self._order(again, order) or self._prefix(again, cuts, len(order))

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

    def _order(self, again: Pass, order: Sequence[int]) -> Refusal | None:
        """The same sessions must have given the same."""
        for at, place in enumerate(order):
            if not _alike(self.first, place, again, at):
                session = self.kept[place].session.id
                return Refusal("not_deterministic", "in another order of the sessions it finds something else", session)
        return None

    def _prefix(self, again: Pass, cuts: Sequence[tuple[int, int]], start: int) -> Refusal | None:
        """What can be decided where a session is cut off must have been decided so in the whole session, and the other way round.

        Offences must be the same. Of the opportunities that were met, each must show where the session ends with it; an anchor may see
        one of them, of several alike, as the session goes on.
        """
        for at, (place, cut) in enumerate(cuts, start):
            early = None if at not in again.found else _decided(again.found[at], cut)
            whole = _decided(self.first.found[place], cut)
            last = {each for each in whole if each[0] + _AFTER == cut - 1}
            if early is None or _offences(early) != _offences(whole) or not last <= early:
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
            wanted = {each.hit.decision + 1 + _AFTER for each in self.first.found[place][:_RANDOM_CUTS]}
            wanted |= {chance.randint(1, length) for _ in range(_RANDOM_CUTS)}
            for cut in sorted(cut for cut in wanted if cut < length)[:left]:
                left -= 1
                yield place, cut


def _alike(one: Pass, place: int, other: Pass, at: int) -> bool:
    """Whether two passes say the same of a session, or one of them could not say."""
    lost = (one.lost.get(place), other.lost.get(at))
    if any(each is not None and each.code in ("time", "memory", "crashed") for each in lost):
        return True
    return one.found.get(place) == other.found.get(at) and lost[0] == lost[1]


def _decided(found: Iterable[Found], cut: int) -> set[tuple[int, bool]]:
    """(decision, offends) of the hits whose decision and results lie within the first `cut` turns."""
    return {(each.hit.decision, each.hit.offends) for each in found if each.hit.decision + _AFTER < cut}


def _offences(decided: Iterable[tuple[int, bool]]) -> set[int]:
    return {decision for decision, offends in decided if offends}
