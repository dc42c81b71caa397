"""Which session plays which scenes: dealt from shuffled decks, so that all come up about equally often and pairings repeat late."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count as count_up
from random import Random
from typing import Generic, TypeVar

from tracedance.synth import (
    scenes_blind,
    scenes_blind_near,
    scenes_claim,
    scenes_commit,
    scenes_commit_near,
    scenes_retry,
    scenes_retry_near,
    stock,
)
from tracedance.synth.domains import DOMAINS, Domain
from tracedance.synth.memory import careless
from tracedance.synth.scene import Scene
from tracedance.synth.stock import Task
from tracedance.synth.toolchain import loosen

T = TypeVar("T")
Deals = dict[str, int]

COMMIT_KINDS: Deals = {"offence": 7, "met": 5, "near_miss": 8, "none": 4}
RETRY_KINDS: Deals = {"offence": 7, "met": 4, "near_miss": 7, "plain": 6}
BLIND_KINDS: Deals = {"offence": 4, "met": 3, "near_miss": 7, "none": 10}
CLAIM_KINDS: Deals = {"offence": 4, "met": 7, "near_miss": 8, "plain": 5}

COMMITS = (*scenes_commit.OFFENCES, *scenes_commit.MET, *scenes_commit_near.NEAR)
RETRIES = (*scenes_retry.OFFENCES, *scenes_retry.MET, *scenes_retry.BY_SHELL, *scenes_retry_near.NEAR, *scenes_retry.PLAIN)
BLINDS = (*scenes_blind.OFFENCES, *scenes_blind.MET, *scenes_blind_near.NEAR)
CLAIMS = (*scenes_claim.OFFENCES, *scenes_claim.MET, *scenes_claim.NEAR, *scenes_claim.PLAIN)


class Deck(Generic[T]):
    """Deals shuffled items; the pile is renewed when nothing in it fits."""

    def __init__(self, items: Sequence[T], rng: Random) -> None:
        self._items = list(items)
        self._rng = rng
        self._pile: list[T] = []

    def __len__(self) -> int:
        """How many different items there are."""
        return len(self._items)

    def deal(self, fits: Callable[[T], bool] = lambda _: True, better: Callable[[T], bool] = lambda _: True) -> T:
        """The first item that fits, one that is better before one that is not."""
        wishes = (lambda item: fits(item) and better(item), fits)
        for wish in wishes:
            for at, item in enumerate(self._pile):
                if wish(item):
                    return self._pile.pop(at)
            if wish is fits or len(self._pile) < 2 * len(self._items):
                fresh = list(self._items)
                self._rng.shuffle(fresh)
                self._pile += fresh
                at = next((at for at, item in enumerate(self._pile) if wish(item)), -1)
                if at >= 0:
                    return self._pile.pop(at)
        raise LookupError("No card of the deck fits.")


class Part:
    """The scenes about one family: first the kind is dealt, then a scene of it."""

    def __init__(self, scenes: Sequence[Scene], kinds: Deals, rng: Random) -> None:
        self._kinds = Deck([kind for kind, count in kinds.items() for _ in range(count)], rng)
        self._decks = {kind: Deck([one for one in scenes if one.kind == kind], rng) for kind in kinds}

    def deal(self, harness: str, recent: bool) -> Scene | None:
        kind = self._kinds.deal()
        if kind == "none":
            return None
        version = "old" if recent else "recent"
        return self._decks[kind].deal(lambda one: harness in one.harnesses and version not in one.needs)


@dataclass(frozen=True)
class Cast:
    """One session as planned."""

    number: int
    harness: str
    recent: bool
    domain: Domain
    language: str
    module: str
    task: str
    retry: Scene
    claim: Scene
    blind: Scene | None
    commit: Scene | None


def fits(task: Task, language: str, retry: Scene) -> bool:
    """Whether the retry scene can be played with the task."""
    if "two_edits" in retry.needs and len(task.source_edits) < 2:
        return False
    if "vague" in retry.needs and not _vague(language, task):
        return False
    return "untidy" not in retry.needs or any(loosen(edit.old, language) != edit.old for edit in task.edits)


class Tasks:
    """Deals tasks; one that has already offended in a family comes up for another offence of it only when all others have."""

    def __init__(self, rng: Random) -> None:
        shelf = [(language, name) for language in stock.LANGUAGES for name in stock.names(language)]
        self._deck = Deck([(language, task) for language, name in shelf for task in _tasks(language, name)], rng)
        self._offended: dict[str, Counter[str]] = {}

    def deal(self, retry: Scene, offending: list[str]) -> tuple[str, Task]:
        """A task that the retry scene can be played with, for a session that offends in the named families."""
        counts = [self._offended.setdefault(family, Counter()) for family in offending]
        rounds = [min(count.values(), default=0) if len(count) == len(self._deck) else 0 for count in counts]
        language, task = self._deck.deal(
            lambda card: fits(card[1], card[0], retry),
            lambda card: all(count[_key(card)] <= least for count, least in zip(counts, rounds, strict=True)),
        )
        for count in counts:
            count[_key((language, task))] += 1
        return language, task


@cache
def _vague(language: str, task: Task) -> bool:
    files = dict(stock.module(language, task.module, DOMAINS[0].words).files)
    for edit in task.edits:
        if careless(edit, files[edit.path]) is not None:
            return True
        files[edit.path] = files[edit.path].replace(edit.old, edit.new)
    return False


def _key(card: tuple[str, Task]) -> str:
    return f"{card[0]}/{card[1].module}/{card[1].name}"


def casts(seed: int) -> Iterator[Cast]:
    """Sessions without end; the first n are the same for every n."""
    rng = Random(f"plan:{seed}")
    domains, tasks = Deck(DOMAINS, rng), Tasks(rng)
    retries, claims = Part(RETRIES, RETRY_KINDS, rng), Part(CLAIMS, CLAIM_KINDS, rng)
    blinds, commits = Part(BLINDS, BLIND_KINDS, rng), Part(COMMITS, COMMIT_KINDS, rng)
    for number in count_up():
        harness = "codex" if number % 3 == 2 else "claude_code"
        recent = rng.random() < 0.6
        retry, claim = retries.deal(harness, recent), claims.deal(harness, recent)
        blind, commit = blinds.deal(harness, recent), commits.deal(harness, recent)
        assert retry is not None and claim is not None
        parts = {"retry": retry, "claim": claim, "blind": blind, "commit": commit}
        language, task = tasks.deal(retry, [name for name, one in parts.items() if one is not None and one.kind == "offence"])
        yield Cast(number, harness, recent, domains.deal(), language, task.module, task.name, retry, claim, blind, commit)


def _tasks(language: str, name: str) -> list[Task]:
    return stock.module(language, name, DOMAINS[0].words).tasks
