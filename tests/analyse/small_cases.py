"""Intervals where little was measured: few benchmarks of few instances, of which a model passes all or none."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.analyse.coverage import Coverage
from tracedance.analyse.bootstrap import bootstrap, population
from tracedance.analyse.contrasts import Values, contrast
from tracedance.analyse.facets import rates
from tracedance.analyse.observations import Item, Matrix
from tracedance.analyse.pairs import pairs


@dataclass(frozen=True)
class Small:
    """Two models' true chances in each benchmark, which is what their intervals must hold the averages of."""

    name: str
    sizes: tuple[int, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    alike: float = 0.0
    """Share of instances on which both models have the same luck."""


SMALL = (
    Small("4 benchmarks, in that of 4 instances 45%", (4, 10, 9, 9), (0.45, 0.6, 0.6, 0.6), (0.02, 0.02, 0.02, 0.02)),
    Small("4 benchmarks of 4, both like it", (4, 4, 4, 4), (0.45, 0.1, 0.9, 0.5), (0.1, 0.1, 0.5, 0.5), 0.7),
    Small("1 benchmark of 6", (6,), (0.8,), (0.2,)),
    Small("1 benchmark of 12, nearly all against nearly none", (12,), (0.93,), (0.07,)),
    Small("2 benchmarks of 3", (3, 3), (0.6, 0.9), (0.1, 0.5), 0.5),
    Small("3 benchmarks of 5, all against none", (5, 5, 5), (0.97, 0.97, 0.97), (0.03, 0.03, 0.03)),
    Small("3 benchmarks of 5, rare in two", (5, 5, 5), (0.35, 0.02, 0.02), (0.02, 0.02, 0.02)),
    Small("8 benchmarks of 2", (2,) * 8, (0.6,) * 8, (0.2,) * 8, 0.5),
    Small("9 benchmarks of 1", (1,) * 9, (0.5,) * 9, (0.3,) * 9),
    Small("one small benchmark beside large ones", (3, 40, 40), (0.5, 0.3, 0.3), (0.2, 0.3, 0.3), 0.8),
    Small("no difference at all, seldom a pass", (6, 6, 6), (0.1,) * 3, (0.1,) * 3, 0.9),
)


def drawn(world: Small, random: np.random.Generator) -> Matrix:
    """One measurement."""
    items = [
        Item(f"b{place}", f"{place}-{n}", "failure/x", session=f"{place}-{n}")
        for place, size in enumerate(world.sizes)
        for n in range(size)
    ]
    chances = np.repeat(np.array([world.first, world.second]).T, world.sizes, axis=0)
    luck = random.random(chances.shape)
    luck[:, 1] = np.where(random.random(len(items)) < world.alike, luck[:, 0], luck[:, 1])
    return Matrix(("m0", "m1"), tuple(items), (luck < chances).astype(np.float64), 2 * len(items))


def small_case(world: Small, simulations: int, draws: int) -> list[Coverage]:
    """Both rates, and their difference."""
    random = np.random.default_rng([*world.name.encode()])
    truths = float(np.mean(world.first)), float(np.mean(world.second))
    held, wide, both, spans = 0, [], 0, []
    for number in range(simulations):
        data = drawn(world, random)
        (pair,) = pairs(data, bootstrap(data, population(data), number, draws))
        held += pair.low <= truths[0] - truths[1] <= pair.high
        wide.append(100 * (pair.high - pair.low))
        shown = rates(data, number, draws)
        both += sum(rate.low <= truth <= rate.high for rate, truth in zip(shown, truths, strict=True))
        spans.append(float(np.mean([100 * (rate.high - rate.low) for rate in shown])))
    return [
        Coverage(f"difference: {world.name}", simulations, held, float(np.mean(wide)), 0.95),
        Coverage(f"rates, each: {world.name}", 2 * simulations, both, float(np.mean(spans)), 0.95),
    ]


@dataclass(frozen=True)
class Actions:
    """Responses that begin with an action, and others, in the same sessions."""

    name: str
    sessions: int
    inside: int
    """Responses of a session that begin with it; 0: of a single session, one."""
    outside: int
    chances: tuple[float, float]
    alike: float
    """Share of sessions all responses of which have the same luck."""


ACTIONS = (
    Actions("4 sessions, 1 and 3 responses", 4, 1, 3, (0.8, 0.5), 0.3),
    Actions("2 sessions, 1 and 1", 2, 1, 1, (0.8, 0.4), 0.0),
    Actions("1 session, 2 and 2", 1, 2, 2, (0.7, 0.4), 0.0),
    Actions("12 sessions, 1 and 2, nearly all against half", 12, 1, 2, (0.95, 0.5), 0.3),
    Actions("30 sessions, 1 and 2", 30, 1, 2, (0.6, 0.3), 0.3),
    Actions("8 sessions, 1 and 1, alike", 8, 1, 1, (0.5, 0.5), 0.8),
)


def first_action(world: Actions, simulations: int) -> Coverage:
    """The difference of responses that begin with it."""
    random = np.random.default_rng([*world.name.encode()])
    each = world.inside + world.outside
    inside = np.tile(np.arange(each) < world.inside, world.sessions)
    sessions = np.repeat(np.arange(world.sessions), each)
    held, wide = 0, []
    for number in range(simulations):
        luck = random.random(len(inside))
        same = random.random(world.sessions) < world.alike
        luck = np.where(same[sessions], random.random(world.sessions)[sessions], luck)
        values = (luck < np.where(inside, *world.chances)).astype(np.float64)
        effect = contrast(Values(values, sessions), inside, number)
        assert effect is not None
        held += effect.low <= world.chances[0] - world.chances[1] <= effect.high
        wide.append(100 * (effect.high - effect.low))
    return Coverage(f"first actions: {world.name}", simulations, held, float(np.mean(wide)), 0.95)


def every_small_case(simulations: int, draws: int) -> Iterator[Coverage]:
    """Every figure, as it comes."""
    for world in SMALL:
        yield from small_case(world, simulations, draws)
    for actions in ACTIONS:
        yield first_action(actions, simulations)
