"""Whether an anchor that ran can be believed: it must not depend on order, chance or what came later, nor find its behaviour everywhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from random import Random

import msgspec

from tracedance.schema import Session
from tracedance.synthesis import plain
from tracedance.synthesis.outcome import Draft, Found, Refusal
from tracedance.synthesis.passes import Pass, Shown, shown
from tracedance.synthesis.process import Limits

_OF_A_KIND = 8
"""Cuts of one session at most: behind its hits, behind turns that call nothing, anywhere, behind turns that call."""
_BEFALLS = ("time", "memory", "crashed", "too_large")
"""Losses that say nothing of what the anchor finds."""
_encoder = msgspec.msgpack.Encoder(order="sorted")

Told = tuple[int, bytes]
"""Decision, and all that is said of it."""


@dataclass(frozen=True)
class Checks:
    """What soundness is measured against. The checks look at the first `sessions` sessions only, the share at all."""

    sessions: int = 1_000
    bytes: int = 64 << 20
    cuts: int = 1_000
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
        """Why the anchor is unsound; None where it is not.

        A second worker is shown sessions cut off, and then the whole ones in another order. The shortest come first: whatever the anchor
        keeps, it has never been shown a turn behind the cut that it is asked about.
        """
        if (refusal := self._share()) is not None or not self.kept:
            return refusal
        order = list(range(len(self.kept)))
        Random(self.checks.seed).shuffle(order)
        cuts = sorted(self._cuts(), key=lambda each: each[1])
        prefixes = (
            shown(plain.renamed(plain.prefix(self.kept[place].session, cut), self.checks.seed + at), self.limits)
            for at, (place, cut) in enumerate(cuts)
        )
        again = Pass(self.draft, self.limits)
        if refusal := again.over(chain(prefixes, (self.kept[place] for place in order))):
            return refusal
        self.made += ["order", "prefix"]
        return self._order(again, order, len(cuts)) or self._prefix(again, cuts)

    def _share(self) -> Refusal | None:
        """Sessions with an offence that no guard refuses, among those answered. What it fails on does not make the sessions too few."""
        answered = self.first.found
        failed = sum(each.code not in _BEFALLS for each in self.first.lost.values())
        if len(answered) + failed < self.checks.least or not answered:
            return None
        self.made.append("share")
        offending = sum(any(each.hit.offends and not each.refused_by for each in found) for found in answered.values())
        if offending <= self.checks.most_share * len(answered):
            return None
        said = f"it finds the behaviour in {offending} of {len(answered)} sessions; above {self.checks.most_share:.0%} it selects too much"
        return Refusal("selects_too_much", said)

    def _order(self, again: Pass, order: Sequence[int], start: int) -> Refusal | None:
        """The same sessions must have given the same."""
        for at, place in enumerate(order, start):
            if not _alike(self.first, place, again, at):
                session = self.kept[place].session.id
                return Refusal("not_deterministic", "in another order of the sessions it finds something else", session)
        return None

    def _prefix(self, again: Pass, cuts: Sequence[tuple[int, int]]) -> Refusal | None:
        """What can be decided where a session is cut off must have been decided so in the whole session, and the other way round.

        Offences must be the same in all that is said of them, and in the guards that are true of them. Of the opportunities that were
        met, each must show where the session ends with it; an anchor may see one of them, of several alike, as the session goes on.
        """
        for at, (place, cut) in enumerate(cuts):
            if (differs := self._differs(again, at, place, cut)) is not None:
                said = f"where the session ends before turn {cut}, and has another id, {differs}"
                return Refusal("looks_ahead", said, self.kept[place].session.id)
        return None

    def _differs(self, again: Pass, at: int, place: int, cut: int) -> str | None:
        """What the anchor does otherwise in a prefix than in the whole session."""
        lost = again.lost.get(at)
        if lost is not None and lost.code in _BEFALLS:
            return None
        session = self.kept[place].session
        early = None if lost is not None else self._decided(again.found[at], session, cut)
        if place not in self.first.found:  # it raised: what it finds there does not count, unless that is how it leaves things out
            return "it finds what it fails on in the whole session" if early is not None and early[0] else None
        if early is None:
            return f"it fails ({lost.reason})" if lost is not None else None
        whole = self._decided(self.first.found[place], session, cut)
        if [each[:1] for each in early[0]] != [each[:1] for each in whole[0]]:
            return "it decides earlier turns otherwise"
        if early[0] != whole[0]:
            return "it says other things of the same offences (evidence, why, facts or guards)"
        ending = [each for each in whole[1] if _settled(session, each[0]) == cut]
        return None if all(each in early[1] for each in ending) else "it no longer sees an opportunity that it ends with"

    def _decided(self, found: Iterable[Found], session: Session, cut: int) -> tuple[list[Told], list[Told]]:
        """The offences, and the opportunities met, whose decision and results lie within the first `cut` turns."""
        sorted_out: tuple[list[Told], list[Told]] = ([], [])
        for each in found:
            hit = each.hit
            if _settled(session, hit.decision) <= cut:
                told = _encoder.encode([hit.evidence, hit.why, hit.facts, each.refused_by])
                sorted_out[0 if hit.offends else 1].append((hit.decision, told))
        return sorted(sorted_out[0]), sorted(sorted_out[1])

    def _cuts(self) -> Iterator[tuple[int, int]]:
        """(place of the session, number of turns): behind hits' results, and some by chance, one session after the other and again."""
        chance = Random(self.checks.seed)
        wanted = []
        for place in range(len(self.kept)):
            if place in self.first.found or self.first.lost[place].code not in _BEFALLS:
                wanted.append((place, self._wanted(place, chance)))
        chance.shuffle(wanted)
        wanted.sort(key=lambda each: not any(found.hit.offends for found in self.first.found.get(each[0], ())))
        rounds = zip_longest(*(cuts for _, cuts in wanted))
        flat = ((place, cut) for row in rounds for (place, _), cut in zip(wanted, row, strict=True) if cut is not None)
        return islice(flat, self.checks.cuts)

    def _wanted(self, place: int, chance: Random) -> list[int]:
        """Where to cut a session, the most telling first: behind an offence, behind what may have been the last turn, anywhere."""
        session, found = self.kept[place].session, list(self.first.found.get(place, ()))
        length = len(session.turns)
        chance.shuffle(found)
        hits = [_settled(session, each.hit.decision) for each in sorted(found, key=lambda each: not each.hit.offends)]
        turns = [turn for turn in session.turns if turn.role == "assistant"]
        chance.shuffle(turns)
        quiet = [_settled(session, turn.index) for turn in turns if not turn.calls]
        calling = [_settled(session, turn.index) for turn in turns if turn.calls]
        anywhere = [chance.randint(1, max(length, 1)) for _ in range(_OF_A_KIND)]
        mixed = chain.from_iterable(zip_longest(*(each[:_OF_A_KIND] for each in (hits, quiet, anywhere, calling))))
        return list(dict.fromkeys(cut for cut in mixed if cut is not None and 0 < cut < length))


def _alike(one: Pass, place: int, other: Pass, at: int) -> bool:
    """Whether two passes say the same of a session, or one of them could not say."""
    lost = (one.lost.get(place), other.lost.get(at))
    if any(each is not None and each.code in _BEFALLS for each in lost):
        return True
    return one.found.get(place) == other.found.get(at) and lost[0] == lost[1]


def _settled(session: Session, decision: int) -> int:
    """How many turns an anchor may read to judge a decision: up to it, and the results of its own calls."""
    return decision + 1 + bool(session.turns[decision].calls)
