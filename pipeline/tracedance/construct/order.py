"""In which order candidates are looked at: spread over harnesses, repositories and sessions, so that no one of them fills a benchmark."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from tracedance.config import build_settings
from tracedance.schema import Place
from tracedance.store.store import Store

T = TypeVar("T")

SHARE = build_settings().repository_share
"""Most of the maximum that one repository may give once the minimum is there."""
HOW = (
    "drawn from the seed: harnesses take turns, in each its repositories, in each its sessions; a session's second place comes after the "
    "first of every session. A session gives one instance"
)
CAPPED = ", a repository at most {most} once there are {least}"


@dataclass(frozen=True, slots=True)
class Origins:
    """Where each session of a store comes from."""

    harness: Mapping[str, str]
    repository: Mapping[str, str]
    """The working directory; "" where none is recorded, which is no repository."""


def origins(store: Store) -> Origins:
    """Harness and working directory of every live session."""
    table = store.sessions().select("id", "harness", "cwd").rows()
    return Origins({row[0]: row[1] for row in table}, {row[0]: row[2] for row in table})


NOWHERE = Origins({}, {})


def in_order(places: Iterable[Place], seed: int, where: Origins = NOWHERE) -> list[list[Place]]:
    """Rounds of candidates: round n holds the nth candidate of each session, the sessions spread as `spread` does."""
    by_session: dict[str, list[Place]] = {}
    for place in places:
        by_session.setdefault(place.session, []).append(place)
    columns = [sorted(by_session[session], key=lambda place: place.hit.decision) for session in spread(by_session, seed, where)]
    return [[place for place in row if place is not None] for row in zip_longest(*columns)]


def spread(sessions: Iterable[str], seed: int, where: Origins) -> list[str]:
    """The sessions in an order drawn from `seed` in which harnesses take turns, and within each its repositories."""
    shuffled = sorted(sessions)
    random.Random(seed).shuffle(shuffled)
    by_harness = _grouped(shuffled, lambda session: where.harness.get(session, ""))
    return _in_turn([_in_turn(_grouped(group, lambda session: where.repository.get(session, ""))) for group in by_harness])


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of a benchmark one repository may be."""

    repository: Mapping[str, str]
    most: int
    """Instances of one repository; the maximum where there is but one repository to take from."""
    least: int
    """Instances that are taken whatever repository they are of."""

    def full(self, session: str, given: Mapping[str, int], instances: int) -> bool:
        """Whether the session's repository has given its share. `given` counts instances by repository."""
        repository = self.repository.get(session, "")
        return bool(repository) and instances >= self.least and given.get(repository, 0) >= self.most

    @property
    def how(self) -> str:
        """The order and the caps in a sentence."""
        several = len(set(self.repository.values())) > 1
        return HOW + (CAPPED.format(most=self.most, least=self.least) if several else "")

    def count(self, sessions: Iterable[str]) -> Counter[str]:
        """Instances by repository, given the session of each."""
        return Counter(self.repository.get(session, "") for session in sessions)


def caps(sessions: Collection[str], where: Origins, minimum: int, maximum: int) -> Caps:
    """The caps of a benchmark whose candidates lie in these sessions. With one repository among them there is none to prefer."""
    repositories = {where.repository.get(session, "") for session in sessions}
    most = maximum if len(repositories) < 2 else max(1, math.ceil(SHARE * maximum))
    return Caps({session: where.repository.get(session, "") for session in sessions}, most, minimum)


def _grouped(items: Sequence[T], key: Callable[[T], str]) -> list[list[T]]:
    """The items by key, groups in the order of their first."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _in_turn(groups: Sequence[Sequence[T]]) -> list[T]:
    """One of each group, then the second of each, and so on."""
    return [item for row in zip_longest(*groups) for item in row if item is not None]
