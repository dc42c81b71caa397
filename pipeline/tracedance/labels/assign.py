"""Who labels what: a random sample, drawn evenly, and spread over raters so that none has more than one item more than another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from tracedance.errors import InputError
from tracedance.labels.items import Item


@dataclass(frozen=True)
class Sheet:
    """What each rater is to label, in the order in which it is shown."""

    raters: Mapping[str, tuple[Item, ...]]
    items: tuple[Item, ...]


def assigned(items: Sequence[Item], n: int, raters: int, per_item: int, seed: int) -> Sheet:
    """A sample of at most `n` items, each given to `per_item` of the raters r1, r2, ...; the same seed gives the same sheet.

    Drawn evenly over models and, within a model, over benchmarks: as the rates weigh them, so that the labels of a model are a random
    sample of what its rate is made of. Every two raters share about as many items as any other two. InputError: fewer raters than
    `per_item`.
    """
    if per_item > raters:
        raise InputError(f"{per_item} different raters an item need as many raters; there are {raters}. Give more --raters.")
    random = Random(seed)
    drawn = _evenly(items, ("model", "benchmark"), random)[:n]
    names = [f"r{number}" for number in range(1, raters + 1)]
    given: dict[str, list[Item]] = {name: [] for name in names}
    shared: Counter[tuple[str, str]] = Counter()
    for item in drawn:
        chosen: list[str] = []
        while len(chosen) < per_item:
            free = [name for name in names if name not in chosen]
            random.shuffle(free)
            chosen.append(min(free, key=lambda name: (len(given[name]), sum(shared[_pair(name, other)] for other in chosen))))
        shared.update(_pair(one, other) for place, one in enumerate(chosen) for other in chosen[:place])
        for name in chosen:
            given[name].append(item)
    for mine in given.values():
        random.shuffle(mine)
    return Sheet({name: tuple(mine) for name, mine in given.items()}, tuple(drawn))


def _evenly(items: Sequence[Item], by: Sequence[str], random: Random) -> list[Item]:
    """All items in a random order in which every beginning holds about as many of each group."""
    if not by:
        mixed = list(items)
        random.shuffle(mixed)
        return mixed
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(getattr(item, by[0]), []).append(item)
    orders = [_evenly(groups[name], by[1:], random) for name in sorted(groups)]
    random.shuffle(orders)
    return [item for row in zip_longest(*orders) for item in row if item is not None]


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
