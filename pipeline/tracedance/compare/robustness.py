"""Would it have come out otherwise? Other pass rules and judges, sources, first actions, scores and runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tracedance.analyse.agreement import cohen_kappa, raw_agreement
from tracedance.analyse.contrasts import Contrast
from tracedance.analyse.external import rank_correlation
from tracedance.analyse.facets import macro_by_name
from tracedance.analyse.first_actions import FirstAction, first_actions, plan_split
from tracedance.analyse.observations import Reply, matrix
from tracedance.analyse.pairs import mcnemar_exact, wins_and_losses
from tracedance.analyse.pass_rules import RULES
from tracedance.analyse.self_preference import self_preferences
from tracedance.analyse.sensitivity import variants
from tracedance.analyse.sources import source_effects
from tracedance.compare.replies import compared
from tracedance.compare.subsets import Subsets
from tracedance.kit.first_action import TEXT_ONLY

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison

ASSOCIATION = "An association on the same instances, not an effect: what makes a model begin with an action may also make it pass or fail."


def tables(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    """`sensitivity`, `self_preference`, `source_families`, `first_actions`, `external` and `repeats`."""
    return {
        "sensitivity": _sensitivity(about),
        "self_preference": _self_preference(about, subsets),
        "source_families": _sources(about, subsets),
        "first_actions": _first_actions(about, subsets),
        "external": _external(about, subsets),
        "repeats": _repeats(about),
    }


def _sensitivity(about: Comparison) -> list[dict[str, Any]]:
    found = variants(about.given.items, about.given.replies, about.models)
    main = next((one for one in found if one.name == about.options.pass_rule), found[0])
    return [
        {
            "name": one.name,
            "kind": one.kind,
            "instances": one.instances,
            "rates": dict(one.rates),
            "ranks": one.ranks(),
            "order": list(one.order),
            "gap": one.gap,
            "same_order": one.order == main.order,
            "same_first": one.order[:1] == main.order[:1],
            "groups": dict(one.groups),
            "group_order": list(one.group_order),
            "group_gap": one.group_gap,
            "same_group_order": one.group_order == main.group_order,
        }
        for one in found
    ]


def _self_preference(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    items = subsets["complete"].items
    rows = self_preferences(items, compared(about), about.models, about.options.seed)
    return {
        "used": "complete",
        "rows": [
            {
                "model": row.model,
                "judges": list(row.judges),
                "same_model": row.same,
                "preference": _contrast(row.preference, "own", "rest"),
                "rate_without": row.rate,
                "rank_without": row.rank,
            }
            for row in rows
        ],
    }


def _sources(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    rows = source_effects(subsets["complete"], about.options.seed)
    return {
        "used": "complete",
        "rows": [
            {
                "source": row.source,
                "model": row.model,
                "own": row.own,
                **(_contrast(row.effect, "lead_there", "lead_elsewhere") or {}),
                "disadvantages_excluded_above": row.excluded_disadvantage,
                "advantages_excluded_above": row.excluded_advantage,
            }
            for row in rows
        ],
    }


def _first_actions(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    items, rule, every = subsets["complete"].items, RULES[about.options.pass_rule][0], compared(about)
    # A turn that is empty is valid (its score is 0 by rule) and does nothing first: it is neither on an action's side nor on the other.
    replies = [reply for reply in every if reply.action_class]
    ways: dict[str, Callable[[Reply], str]] = {"by_tool": lambda reply: reply.action, "by_class": lambda reply: reply.action_class}
    found: dict[str, Any] = {
        name: [_action(one) for one in first_actions(items, replies, rule, what, about.options.seed)] for name, what in ways.items()
    }
    found["by_tool"] = [row for row in found["by_tool"] if row["action"] != TEXT_ONLY]
    split = plan_split(replies, rule)
    sides = {"alone": (split.alone, split.alone_passed), "followed": (split.followed, split.followed_passed)}
    told = {name: {"responses": n, "passed": passed, "rate": passed / n if n else None} for name, (n, passed) in sides.items()}
    return {"used": "complete", "says": ASSOCIATION, "without": len(every) - len(replies), **found, "plan_first": told}


def _action(one: FirstAction) -> dict[str, Any]:
    return {
        "action": one.action,
        "instances": one.instances,
        **(_contrast(one.effect, "rate", "rate_of_others") or {}),
        "responses": one.effect.n_inside,
        "other_responses": one.effect.n_outside,
        "models": {model: {"responses": n, "difference": gap} for model, (n, gap) in one.models.items()},
        "models_same_way": one.same_way,
    }


def _contrast(one: Contrast | None, inside: str, outside: str) -> dict[str, Any] | None:
    if one is None:
        return None
    return {inside: one.inside, outside: one.outside, "difference": one.difference, "interval": [one.low, one.high]}


def _external(about: Comparison, subsets: Subsets) -> list[dict[str, Any]]:
    rates = macro_by_name(subsets["complete"]) if subsets["complete"].items else {}
    found = []
    for name, scores in about.external.items():
        alike = rank_correlation(scores, rates)
        shared = [model for _, model in sorted((-scores[model], model) for model in rates.keys() & scores.keys())]
        found.append(
            {
                "name": name,
                "used": "complete",
                "models": [{"model": model, "score": scores[model], "rate": rates[model]} for model in shared],
                "n": alike.n,
                "spearman": alike.spearman,
                "kendall": alike.kendall,
                "p_kendall": alike.p,
                "not_compared": sorted(scores.keys() - rates.keys()),
                "not_reported": sorted(rates.keys() - scores.keys()),
            }
        )
    return found


def _repeats(about: Comparison) -> list[dict[str, Any]]:
    """A model in several runs against itself: what of the figures is chance alone."""
    found = []
    for model, called in about.given.repeats.items():
        for other in called[1:]:
            data, _ = matrix(about.given.items, about.given.replies, (called[0], other), RULES[about.options.pass_rule][0])
            if not data.items:
                continue
            one, two = (np.where(data.values[:, place] > 0.5, 1, 0).tolist() for place in (0, 1))
            wins, losses, _ = wins_and_losses(data, 0, 1)
            rates = macro_by_name(data)
            found.append(
                {
                    "model": model,
                    "runs": [called[0].removeprefix(f"{model} @ "), other.removeprefix(f"{model} @ ")],
                    "instances": len(data.items),
                    "difference": rates[called[0]] - rates[other],
                    "agreement": raw_agreement(one, two),
                    "kappa": cohen_kappa(one, two),
                    "p_mcnemar": mcnemar_exact(wins, losses),
                }
            )
    return found
