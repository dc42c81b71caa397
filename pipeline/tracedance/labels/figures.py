"""What labels say: of requests, instances and rubrics, of how far raters agree, and of the panel by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tracedance.analyse.agreement import cohen_kappa, krippendorff_alpha, raw_agreement
from tracedance.compare.labelled import PASS
from tracedance.compare.plainly import rounded
from tracedance.kit.intervals import wilson
from tracedance.labels.items import KINDS, SCALES, Source, every_item
from tracedance.labels.panel import panel
from tracedance.schema import Label
from tracedance.store import labels as stored

SCHEMA = "tracedance.labels/v1"
Said = Mapping[str, Mapping[str, int | str]]
"""Item -> rater -> value."""


def figures(source: Source) -> dict[str, Any]:
    """Everything as plain JSON values; a kind without labels is null. The shape is in docs/commands.md."""
    every = labels_of(source)
    items = every_item(source)
    labels = [label for label in every if label.item in items]
    raters = Counter(label.rater for label in labels)
    said = {kind: _by_item([label for label in labels if label.kind == kind]) for kind in KINDS}
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "labels": len(labels),
        "stale": len(every) - len(labels),
        "raters": dict(sorted(raters.items())),
        "query": _shares(said["query"], "query") if said["query"] else None,
        "instance": _instances(said["instance"]) if said["instance"] else None,
        "rubric": _rubrics(said["rubric"]) if said["rubric"] else None,
        "response": _responses(said["response"], source) if said["response"] else None,
    }
    plain: dict[str, Any] = rounded(found)
    return plain


def labels_of(source: Source) -> list[Label]:
    """The labels of a run and those beside its benchmarks; where a rater labelled an item in both, the run's."""
    folders = [source.folder / about.path for about in source.run.manifest.benchmarks] if source.run else []
    every = {(label.rater, label.item): label for folder in [*folders, source.folder] for label in stored.held(folder)}
    return list(every.values())


def _by_item(labels: Sequence[Label]) -> dict[str, dict[str, int | str]]:
    said: dict[str, dict[str, int | str]] = {}
    for label in sorted(labels, key=lambda label: (label.item, label.rater)):
        said.setdefault(label.item, {})[label.rater] = label.value
    return said


def _shares(said: Said, kind: str) -> dict[str, Any]:
    """How often each word was said, over all labels, and the agreement on it. Labels of one item are alike: intervals count items."""
    values = [str(value) for mine in said.values() for value in mine.values()]
    counts = Counter(values)
    words = next(scale for name, scale in SCALES.items() if name == kind)
    return {
        "items": len(said),
        "labels": len(values),
        "shares": {word: _share(counts[word] / len(values) * len(said), len(said)) for word in words},
        "agreement": agreement(said, str, float_of(words)),
    }


def _instances(said: Said) -> dict[str, Any]:
    """Both-confirm: of the instances that several people labelled, those in which all of them saw the behaviour."""
    several = [set(mine.values()) for mine in said.values() if len(mine) > 1]
    return {"both_confirm": _share(sum(words == {"yes"} for words in several), len(several)), **_shares(said, "instance")}


def _rubrics(said: Said) -> dict[str, Any]:
    values = [int(value) for mine in said.values() for value in mine.values()]
    several = [[int(value) for value in mine.values()] for mine in said.values() if len(mine) > 1]
    return {
        "items": len(said),
        "labels": len(values),
        "mean": sum(values) / len(values),
        "both_at_least_4": _share(sum(min(mine) >= 4 for mine in several), len(several)),
        "agreement": agreement(said, _at_least_4, float),
    }


def _responses(said: Said, source: Source) -> dict[str, Any]:
    people = {item: [int(value) for value in mine.values()] for item, mine in said.items()}
    values = [value for mine in people.values() for value in mine]
    return {
        "items": len(said),
        "labels": len(values),
        "mean": sum(values) / len(values),
        "passes": _share(sum(sum(mine) >= PASS * len(mine) for mine in people.values()), len(people)),
        "agreement": agreement(said, _at_least_4, float),
        "panel": panel(said, source),
    }


def _at_least_4(value: int | str) -> str:
    return "pass" if int(value) >= PASS else "no pass"


def float_of(words: Sequence[str]) -> Callable[[int | str], float]:
    """A word's place in its scale, for the coefficients that take numbers."""
    return lambda value: float(words.index(str(value)))


def agreement(said: Said, word: Callable[[int | str], str], number: Callable[[int | str], float]) -> dict[str, Any]:
    """Raters with each other, over the items that several labelled.

    `raw` and `kappa` (Cohen's) are over all pairs of labels of an item, of which that of the rater whose name sorts first is the first;
    a rater pair of their own is in `pairs`. Krippendorff's alpha takes raters as they are: nominal over words (for scores pass or no pass),
    for scores also ordinal and interval.
    """
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for mine in said.values():
        for one, other in combinations(sorted(mine), 2):
            pairs.setdefault((one, other), []).append((word(mine[one]), word(mine[other])))
    together = [pair for some in pairs.values() for pair in some]
    raters = sorted({name for mine in said.values() for name in mine})
    words = sorted({word(value) for mine in said.values() for value in mine.values()})
    named = [[_or_none(mine, name, lambda value: float(words.index(word(value)))) for mine in said.values()] for name in raters]
    alpha = {"nominal": krippendorff_alpha(named, "nominal")}
    if all(isinstance(value, int) for mine in said.values() for value in mine.values()):
        scores = [[_or_none(mine, name, number) for mine in said.values()] for name in raters]
        alpha |= {"ordinal": krippendorff_alpha(scores, "ordinal"), "interval": krippendorff_alpha(scores, "interval")}
    return {
        "items": sum(len(mine) > 1 for mine in said.values()),
        **_two(together),
        "alpha": alpha,
        "pairs": [{"first": one, "second": other, **_two(some)} for (one, other), some in sorted(pairs.items())],
    }


def _two(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    return {"pairs_of_labels": len(pairs), "raw": raw_agreement(ones, others), "kappa": cohen_kappa(ones, others)}


def _or_none(mine: Mapping[str, int | str], rater: str, number: Callable[[int | str], float]) -> float | None:
    return number(mine[rater]) if rater in mine else None


def _share(part: float, whole: int) -> dict[str, Any]:
    """A share with what it is of and its 95% Wilson interval; null where it is of nothing."""
    interval = list(wilson(part, whole)) if whole else None
    return {"share": part / whole if whole else None, "of": whole, "interval": interval}
