"""What a scan found, and how hits become places."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tracedance.errors import InputError, ItemError
from tracedance.schema import Hit, Place, Record, Session

DISABLED = "the anchor is disabled: "
"""Stands before the reason that a confined anchor was stopped for, in the sessions that it was not asked about any more."""
SHOWN = 3
"""Reasons of a family that are shown."""


class Failure(Record):
    """A family could not be run on a session: its hits there, if any, do not count. Where a guard raised, the hit counts unguarded."""

    family: str
    session: str
    reason: str
    """The exception's type and where it was raised, what the sandbox says, or what is wrong with the hit; never content."""


class FamilyResult(Record):
    """What one family found in one shard; the unit that is cached."""

    family: str
    candidates: tuple[str, ...]
    """Sessions that met its condition."""
    places: tuple[Place, ...] = ()
    failures: tuple[Failure, ...] = ()

    def of(self, wanted: Callable[[str], bool]) -> "FamilyResult":
        """What it holds of the sessions that `wanted` accepts."""
        return FamilyResult(
            family=self.family,
            candidates=tuple(session for session in self.candidates if wanted(session)),
            places=tuple(place for place in self.places if wanted(place.session)),
            failures=tuple(failure for failure in self.failures if wanted(failure.session)),
        )


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan found in a store, in the order session, decision, family."""

    places: list[Place]
    """Every hit, offending or not; a place that several forks share stands in one of them."""
    failures: list[Failure]
    sessions: int
    """Live sessions scanned, candidates or not."""
    candidates: Mapping[str, int] = field(default_factory=dict)
    """By family: sessions that met its condition."""
    reserved: frozenset[str] = frozenset()
    """Sessions that are set aside: scanned like the others, and no source of instances."""


def run(family: Any, session: Session, params: Mapping[str, Any]) -> tuple[list[Place], list[Failure]]:
    """One family on one session. Whatever its anchor raises costs that result alone."""
    places, unguarded = [], []
    try:
        for hit in family.find(session, params):
            problem = _problem(hit, session)
            if problem:
                return [], [Failure(family=family.id, session=session.id, reason=problem)]
            turn = session.turns[hit.decision]
            refused, raised = guarded(family, session, hit) if hit.offends else ("", "")
            if raised:
                unguarded.append(Failure(family=family.id, session=session.id, reason=raised))
            places.append(Place(family=family.id, session=session.id, chain=turn.chain, hit=hit, model=turn.model, refused_by=refused))
    except InputError:
        raise  # damage in the store, met while fetching a text: not the anchor's doing
    except Exception as error:  # an anchor may be anybody's code
        return [], [Failure(family=family.id, session=session.id, reason=_raised(error))]
    return places, unguarded


def guarded(family: Any, session: Session, hit: Hit) -> tuple[str, str]:
    """The first guard of the family's questions that refuses the hit, and what a guard raised; "" where none did."""
    for name in (name for question in family.card.confirm for name in question.guards):
        try:
            if family.guards[name](session, hit):
                return name, ""
        except InputError:
            raise
        except Exception as error:  # a guard may be anybody's code
            return "", f"guard {name}: {_raised(error)}"
    return "", ""


def told(failures: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """One line for each family that failed: on how many sessions and why, the most frequent reasons first. `failures` as JSON rows."""
    by_family: dict[str, dict[str, str]] = {}
    for one in failures:
        by_family.setdefault(one["family"], {}).setdefault(one["session"], one["reason"].removeprefix(DISABLED))
    for family, reasons in sorted(by_family.items()):
        counted = Counter(reasons.values()).most_common()
        if len(reasons) == 1:
            yield f"{family} failed on session {next(iter(reasons))}: {counted[0][0]}"
            continue
        shown = "; ".join(f"{reason} ({count})" if len(counted) > 1 else reason for reason, count in counted[:SHOWN])
        more = f"; and {len(counted) - SHOWN} other reasons" if len(counted) > SHOWN else ""
        yield f"{family} failed on {len(reasons):,} sessions: {shown}{more}"


def merge(results: Iterable[FamilyResult], order: Mapping[str, tuple[Any, ...]]) -> tuple[list[Place], list[Failure]]:
    """Places and failures of all shards, forks deduplicated; `order` ranks live sessions, the first that has a place keeps it."""
    rank = {session: number for number, session in enumerate(sorted(order, key=lambda session: order[session]))}
    own: list[Place] = []
    for found in _by_family(results).values():
        owner: dict[str, int] = {}
        ranked = [(place, rank[place.session]) for place in found if place.session in rank]
        for place, mine in ranked:
            if owner.get(place.chain, mine) >= mine:
                owner[place.chain] = mine
        own += [place for place, mine in ranked if owner[place.chain] == mine]
    failures = [failure for result in results for failure in result.failures if failure.session in order]
    return sorted(own, key=_position), sorted(failures, key=lambda failure: (failure.session, failure.family, failure.reason))


def _by_family(results: Iterable[FamilyResult]) -> dict[str, list[Place]]:
    """The places of all shards, by family; each place names its own."""
    found: dict[str, list[Place]] = {}
    for result in results:
        found.setdefault(result.family, []).extend(result.places)
    return found


def _position(place: Place) -> tuple[Any, ...]:
    return (place.session, place.hit.decision, place.family, place.hit.evidence, place.hit.why)


def _problem(hit: Hit, session: Session) -> str:
    turns = session.turns
    if not 0 <= hit.decision < len(turns):
        return f"decision {hit.decision} is no turn of the session"
    if turns[hit.decision].role != "assistant":
        return f"decision {hit.decision} is no assistant turn"
    outside = [turn for turn in hit.evidence if not 0 <= turn < len(turns)]
    return f"evidence {outside[0]} is no turn of the session" if outside else ""


def _raised(error: Exception) -> str:
    if isinstance(error, ItemError):
        return str(error)  # the sandbox says why; where we raise it says nothing
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
