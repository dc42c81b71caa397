"""Instances, graded replies, and the matrix of both that every comparison rests on."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ItemKey = tuple[str, str]
"""(benchmark, instance)."""
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Item:
    """One instance of one benchmark, with all that it may be grouped by; `unknown` where that was not to be had."""

    benchmark: str
    instance: str
    family: str
    frame: str = UNKNOWN
    group: str = UNKNOWN
    harness: str = UNKNOWN
    setting: str = UNKNOWN
    domain: str = UNKNOWN
    session: str = ""
    """The source session, the unit of resampling; "" where unknown: the instance then stands alone."""
    source_model: str = ""
    joint: bool = False
    """Of an AND benchmark: two rubrics must be met at once."""
    specific: bool = False
    """Its specification was written for one query and is no catalogue family."""

    @property
    def key(self) -> ItemKey:
        return self.benchmark, self.instance

    @property
    def cluster(self) -> str:
        return self.session or f"instance {self.instance}"


@dataclass(frozen=True, slots=True)
class Reply:
    """One sample of one model on one instance, and what became of it."""

    benchmark: str
    instance: str
    model: str
    sample: int
    word: str
    """`valid`, or why it is not: partial, refused, truncated, malformed, declined, excluded, failed, unscored, missing."""
    scores: Mapping[str, int] = field(default_factory=dict)
    """0..5 by judge seat; empty unless valid. A score given by rule (`rule`) stands for every seat."""
    passed: bool | None = None
    """As it was graded: the default rule."""
    action: str = ""
    """Name of the first tool called, `text only` without one; "" where there is no reply."""
    action_class: str = ""
    acts: bool = False
    """A call that is no planning follows the first action, or is it."""

    @property
    def valid(self) -> bool:
        return self.word == "valid"


Rule = Callable[[Reply], bool | None]
"""A valid reply -> pass or not; None where the rule cannot say (its judge has no score)."""


@dataclass(frozen=True)
class Matrix:
    """Shares of passing samples of every compared model on the instances that all of them have a valid response to."""

    models: tuple[str, ...]
    items: tuple[Item, ...]
    values: Floats
    """[items, models], 0..1; over all valid samples of a model."""
    responses: int = 0
    """Valid responses behind the values."""

    def only(self, keep: Callable[[Item], bool]) -> "Matrix":
        """The same over the items that `keep`."""
        places = [place for place, item in enumerate(self.items) if keep(item)]
        return Matrix(self.models, tuple(self.items[place] for place in places), self.values[places], self.responses)

    def codes(self, what: Callable[[Item], str]) -> tuple[tuple[str, ...], Integers]:
        """Distinct values of `what` in sorted order, and each item's place among them."""
        names = [what(item) for item in self.items]
        order = tuple(sorted(set(names)))
        place = {name: number for number, name in enumerate(order)}
        return order, np.array([place[name] for name in names], dtype=np.int64)

    @property
    def benchmarks(self) -> tuple[str, ...]:
        return tuple(sorted({item.benchmark for item in self.items}))

    @property
    def sessions(self) -> int:
        return len({item.cluster for item in self.items})


@dataclass(frozen=True)
class Excluded:
    """Instances without a valid response from every compared model."""

    instances: tuple[ItemKey, ...]
    reasons: Mapping[str, int]
    """Each instance once, under the reason of the first model (in their order) that lacks a valid response."""
    by_model: Mapping[str, Mapping[str, int]]
    """All of a model's reasons: an instance may count for several models."""
    samples_lost: int
    """Samples that are not valid, on instances that are compared all the same by their other samples."""


def sessions_of(items: Sequence[Item]) -> dict[ItemKey, int]:
    """A number for the session of each item."""
    numbers: dict[str, int] = {}
    return {item.key: numbers.setdefault(item.cluster, len(numbers)) for item in items}


def matrix(items: Sequence[Item], replies: Sequence[Reply], models: Sequence[str], rule: Rule) -> tuple[Matrix, Excluded]:
    """The complete matrix under a pass rule, and the account: items in = compared + excluded.

    A model's value on an instance is the share of its valid samples that pass. An instance counts when every model has at least one.
    """
    told = _by_item(replies, rule)
    rows, kept, out, lost, responses = [], [], [], 0, 0
    reasons: Counter[str] = Counter()
    by_model: dict[str, Counter[str]] = {model: Counter() for model in models}
    for item in items:
        cells = [told.get((*item.key, model), ([], ["missing"])) for model in models]
        lacking = [(model, words) for model, (passes, words) in zip(models, cells, strict=True) if not passes]
        for model, words in lacking:
            by_model[model][words[0]] += 1
        if lacking:
            reasons[lacking[0][1][0]] += 1
            out.append(item.key)
            continue
        kept.append(item)
        rows.append([sum(passes) / len(passes) for passes, _ in cells])
        lost += sum(len(words) for _, words in cells)
        responses += sum(len(passes) for passes, _ in cells)
    values = np.array(rows, dtype=np.float64).reshape(len(kept), len(models))
    account = {model: dict(sorted(counts.items())) for model, counts in by_model.items() if counts}
    return Matrix(tuple(models), tuple(kept), values, responses), Excluded(tuple(out), dict(sorted(reasons.items())), account, lost)


def _by_item(replies: Sequence[Reply], rule: Rule) -> dict[tuple[str, str, str], tuple[list[bool], list[str]]]:
    """By benchmark, instance and model: the passes of valid samples, and the words of the others, in the order of the samples."""
    told: dict[tuple[str, str, str], tuple[list[bool], list[str]]] = {}
    for reply in sorted(replies, key=lambda reply: reply.sample):
        passes, words = told.setdefault((reply.benchmark, reply.instance, reply.model), ([], []))
        passed = rule(reply) if reply.valid else None
        if passed is None:
            words.append("no score from this judge" if reply.valid else reply.word)
        else:
            passes.append(passed)
    return told
