"""What a turn does first, and how that goes with passing: an association, for a model that plans first may differ in much else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracedance.analyse.contrasts import Contrast, Values, contrast
from tracedance.analyse.observations import Floats, Integers, Item, Reply, Rule, sessions_of


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
    place, session = {item.key: number for number, item in enumerate(items)}, sessions_of(items)
    told = [
        (reply, passed)
        for reply in replies
        if reply.valid and (reply.benchmark, reply.instance) in place and (passed := rule(reply)) is not None
    ]
    actions = np.array([what(reply) for reply, _ in told], dtype=object)
    over = Told(
        passes=np.array([passed for _, passed in told], dtype=np.float64),
        models=np.array([reply.model for reply, _ in told], dtype=object),
        places=np.array([place[reply.benchmark, reply.instance] for reply, _ in told], dtype=np.int64),
        sessions=np.array([session[reply.benchmark, reply.instance] for reply, _ in told], dtype=np.int64),
    )
    made = [_first_action(action, over, actions == action, seed) for action in sorted(set(actions.tolist()))]
    return sorted((one for one in made if one is not None), key=lambda one: (-one.effect.n_inside, one.action))


@dataclass(frozen=True)
class Told:
    """Responses as columns."""

    passes: Floats
    models: NDArray[np.object_]
    places: Integers
    """Number of the instance."""
    sessions: Integers


def _first_action(action: str, over: Told, begins: NDArray[np.bool_], seed: int) -> FirstAction | None:
    """One action over the instances on which some responses begin with it and some do not."""
    n = int(over.places.max()) + 1
    mixed = (np.bincount(over.places[begins], minlength=n) > 0) & (np.bincount(over.places[~begins], minlength=n) > 0)
    there = mixed[over.places]
    inside, passes = begins[there], over.passes[there]
    effect = contrast(Values(passes, over.sessions[there]), inside, seed)
    if effect is None:
        return None
    mine = {model: inside & (over.models[there] == model) for model in sorted(set(over.models[there].tolist()))}
    gaps = {model: (int(mask.sum()), float(passes[mask].mean()) - effect.outside) for model, mask in mine.items() if mask.any()}
    return FirstAction(action, int(mixed.sum()), effect, gaps)


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
