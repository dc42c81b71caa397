"""Do ranking and groups survive another pass rule, or a single judge instead of the panel?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tracedance.analyse.facets import FACETS, group_means, macro_by_name, order_and_gap, subset
from tracedance.analyse.observations import Item, Reply, Rule, matrix
from tracedance.analyse.pass_rules import RULES, judges_of, single_judges
from tracedance.analyse.ranks import ranked


@dataclass(frozen=True)
class Variant:
    """All models and groups under one way of telling a pass."""

    name: str
    kind: str
    """`rule` or `judge`."""
    instances: int
    rates: Mapping[str, float]
    """By model."""
    order: tuple[str, ...]
    gap: float | None
    """The first model's rate minus the last's."""
    groups: Mapping[str, float]
    group_order: tuple[str, ...]
    group_gap: float | None

    def ranks(self) -> dict[str, int]:
        """By model; equal rates share a rank."""
        return dict(ranked(list(self.rates), np.array(list(self.rates.values()))))


def variants(items: Sequence[Item], replies: Sequence[Reply], models: Sequence[str]) -> list[Variant]:
    """Every pass rule, then every judge alone.

    arXiv 2609.33295, C.2, Table 17 and Figure 7. Each is computed over the instances that are complete under it: with a quorum of two a
    judge has not scored all that the panel has.
    """
    rules = [(name, "rule", rule) for name, (rule, _) in RULES.items()]
    judges = single_judges(judges_of(replies))
    every = [*rules, *((name, "judge", rule) for name, rule in judges.items())] if len(judges) > 1 else rules
    return [variant(name, kind, rule, (items, replies, models)) for name, kind, rule in every]


def variant(name: str, kind: str, rule: Rule, over: tuple[Sequence[Item], Sequence[Reply], Sequence[str]]) -> Variant:
    """One way of telling a pass over (items, replies, models)."""
    items, replies, models = over
    data, _ = matrix(items, replies, models, rule)
    rates = macro_by_name(data) if data.items else {}
    order, gap = order_and_gap(rates)
    single = subset(data, "single")
    groups = group_means(single, FACETS["group"]) if single.items else {}
    group_order, group_gap = order_and_gap(groups)
    return Variant(name, kind, len(data.items), rates, tuple(order), gap, groups, tuple(group_order), group_gap)
