"""What a turn does first, and how that goes with passing: an association, for a model that plans first may differ in much else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tracedance.analyse.bootstrap import Contrast, Values, contrast
from tracedance.analyse.observations import Item, Reply, Rule


@dataclass(frozen=True)
class FirstAction:
    """One first action against all others on the same instances."""

    action: str
    instances: int
    """Those on which at least one response begins with it and at least one does not."""
    effect: Contrast
    """Pass rate of responses that begin with it (inside) and of the others (outside); every response has the same weight."""
    models: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """By model: how many of its responses begin with it there, and their pass rate minus that of all other responses there."""

    @property
    def same_way(self) -> int:
        """Models whose own difference has the sign of the whole."""
        return sum((gap > 0) == (self.effect.difference > 0) and gap != 0 for _, gap in self.models.values())


def first_actions(
    items: Sequence[Item], replies: Sequence[Reply], rule: Rule, what: Callable[[Reply], str], seed: int
) -> list[FirstAction]:
    """Every first action with both sides, the most frequent first.

    arXiv 2609.33295, Figure 4 and E.1, Table 26: on the same instances, so that an action is not blamed for the contexts that call for
    it. Over valid responses to the given items; not a causal effect.
    """
    sessions = {item.key: item.cluster for item in items}
    told = [
        (reply, passed)
        for reply in replies
        if reply.valid and (reply.benchmark, reply.instance) in sessions and (passed := rule(reply)) is not None
    ]
    found = []
    for action in sorted({what(reply) for reply, _ in told}):
        on = {(reply.benchmark, reply.instance) for reply, _ in told if what(reply) == action}
        off = {(reply.benchmark, reply.instance) for reply, _ in told if what(reply) != action}
        there = [(reply, passed) for reply, passed in told if (reply.benchmark, reply.instance) in on & off]
        values = np.array([passed for _, passed in there], dtype=np.float64)
        inside = np.array([what(reply) == action for reply, _ in there], dtype=np.bool_)
        clusters = [sessions[reply.benchmark, reply.instance] for reply, _ in there]
        effect = contrast(Values(values, clusters), inside, seed) if there else None
        if effect is not None:
            by_model = _by_model([reply.model for reply, _ in there], values, inside, effect)
            found.append(FirstAction(action, len(on & off), effect, by_model))
    return sorted(found, key=lambda one: (-one.effect.n_inside, one.action))


def _by_model(models: Sequence[str], values: np.ndarray, inside: np.ndarray, whole: Contrast) -> dict[str, tuple[int, float]]:
    names = np.array(models)
    mine = {model: inside & (names == model) for model in sorted(set(models))}
    return {model: (int(mask.sum()), float(values[mask].mean()) - whole.outside) for model, mask in mine.items() if mask.any()}


@dataclass(frozen=True)
class PlanSplit:
    """Responses that plan first, by whether a call that is no planning follows in the same turn."""

    alone: int
    alone_passed: int
    followed: int
    followed_passed: int


def plan_split(replies: Sequence[Reply], rule: Rule) -> PlanSplit:
    """The split over valid responses (arXiv 2609.33295, E.1: 416 of 457 contain no other call). Nothing is executed: what a plan alone
    leads to is not seen.
    """
    told = [
        (reply.acts, passed) for reply in replies if reply.valid and reply.action_class == "plan" and (passed := rule(reply)) is not None
    ]
    alone = [passed for acts, passed in told if not acts]
    followed = [passed for acts, passed in told if acts]
    return PlanSplit(len(alone), sum(alone), len(followed), sum(followed))
