"""Do judges favour their own? Relative self-preference, and ranks without the own judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tracedance.analyse.contrasts import Contrast, Values, contrast
from tracedance.analyse.facets import macro_by_name
from tracedance.analyse.makers import maker, same_model
from tracedance.analyse.observations import Item, Reply, matrix, sessions_of
from tracedance.analyse.pass_rules import judges_of, without_judges
from tracedance.analyse.ranks import ranked


@dataclass(frozen=True)
class SelfPreference:
    """A model that is graded by a judge of its own kind."""

    model: str
    judges: tuple[str, ...]
    """Seats that are the model, or else of its maker."""
    same: bool
    """The judge is the model itself."""
    preference: Contrast | None
    """In points of the rubric: own judges minus the others on the model's responses, minus the same on all other models' responses."""
    rate: float | None
    """The model's pass rate without its own judges."""
    rank: int | None
    """Its rank when no response is graded by those judges."""


def self_preferences(items: Sequence[Item], replies: Sequence[Reply], models: Sequence[str], seed: int) -> list[SelfPreference]:
    """One row a model with a judge of its own; none of that where nobody judges their own kind.

    arXiv 2609.33295, C.2, Tables 15 and 16. The difference of differences takes out that a judge is lenient (it is so to all) and that a
    model is good (all judges see it); what remains is what the judge adds for its own. Over valid responses to the given items that an
    own and another judge scored.
    """
    judges = judges_of(replies)
    found = []
    for model in models:
        itself = tuple(judge for judge in judges if same_model(judge, model))
        own = itself or tuple(judge for judge in judges if maker(judge) == maker(model))
        if own and len(own) < len(judges):
            rate, rank = without(items, replies, models, (model, own))
            found.append(SelfPreference(model, own, bool(itself), preference(items, replies, (model, own), seed), rate, rank))
    return found


def preference(items: Sequence[Item], replies: Sequence[Reply], who: tuple[str, tuple[str, ...]], seed: int) -> Contrast | None:
    """The difference of differences of one (model, own judges)."""
    model, own = who
    sessions = sessions_of(items)
    gaps, inside, clusters = [], [], []
    for reply in replies:
        mine = [score for judge, score in reply.scores.items() if judge in own]
        others = [score for judge, score in reply.scores.items() if judge not in own and judge != "rule"]
        if reply.valid and mine and others and (reply.benchmark, reply.instance) in sessions:
            gaps.append(sum(mine) / len(mine) - sum(others) / len(others))
            inside.append(reply.model == model)
            clusters.append(sessions[reply.benchmark, reply.instance])
    return contrast(Values(np.array(gaps), np.array(clusters), -5.0, 5.0), np.array(inside, dtype=np.bool_), seed) if gaps else None


def without(
    items: Sequence[Item], replies: Sequence[Reply], models: Sequence[str], who: tuple[str, tuple[str, ...]]
) -> tuple[float | None, int | None]:
    """Rate and rank of a model when its own judges' scores are left out for all models."""
    model, own = who
    data, _ = matrix(items, replies, models, partial(without_judges, frozenset(own), 4))
    if not data.items:
        return None, None
    rates = macro_by_name(data)
    return rates[model], dict(ranked(list(rates), np.array(list(rates.values()))))[model]
