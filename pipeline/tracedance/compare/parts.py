"""Rates by frame, group, family, harness, setting and domain, under other groupings, and the families that each model leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tracedance.analyse.facets import FACETS, SUBSET_OF, Part, by, group_means, led, order_and_gap, regrouped
from tracedance.analyse.observations import Matrix
from tracedance.compare.subsets import Subsets

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison


def tables(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    """`by`, `families_led` and `groupings`."""
    found = {name: (SUBSET_OF.get(name, "complete"), what) for name, what in FACETS.items()}
    made = {name: by(subsets[used], what, about.options.seed) for name, (used, what) in found.items()}
    return {
        "by": {name: {"used": found[name][0], "rows": [_part(part, about.models) for part in rows]} for name, rows in made.items()},
        "families_led": {
            "used": "catalogue",
            "families": len(made["family"]),
            "rows": [{"model": model, **told} for model, told in led(about.models, made["family"]).items()],
        },
        "groupings": _groupings(about, subsets),
    }


def _part(part: Part, models: Sequence[str]) -> dict[str, Any]:
    return {
        "value": part.value,
        "benchmarks": list(part.benchmarks),
        "instances": part.instances,
        "mean": part.mean,
        "rates": {model: {"rate": rate.rate, "interval": [rate.low, rate.high]} for model, rate in zip(models, part.rates, strict=True)},
    }


def _groupings(about: Comparison, subsets: Subsets) -> list[dict[str, Any]]:
    """The catalogue's grouping and those of the file, each also over catalogue specifications alone (arXiv 2609.33295, E.1, Table 25)."""
    every: dict[str, Mapping[str, str]] = {"catalogue's": {}, **about.groupings}
    return [
        {"name": name, "used": used, **_grouping(subsets[used], grouping)}
        for name, grouping in every.items()
        for used in ("single", "catalogue")
    ]


def _grouping(data: Matrix, grouping: Mapping[str, str]) -> dict[str, Any]:
    what = regrouped(grouping)
    means = group_means(data, what) if data.items else {}
    order, gap = order_and_gap(means)
    counts = {group: len({item.benchmark for item in data.items if what(item) == group}) for group in order}
    return {"groups": {group: {"mean": means[group], "benchmarks": counts[group]} for group in order}, "order": order, "gap": gap}
