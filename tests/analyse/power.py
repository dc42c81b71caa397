"""Does a comparison show the difference that it says it could show? Measurements with exactly that true difference."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.analyse.coverage import Coverage
from tracedance.analyse.bootstrap import bootstrap, population
from tracedance.analyse.detectable import by_chance
from tracedance.analyse.observations import Item, Matrix
from tracedance.analyse.pairs import ALPHA, pairs


@dataclass(frozen=True)
class Study:
    """A first measurement, which says what it could show, of models of which only the first may differ."""

    name: str
    sizes: tuple[int, ...]
    models: int = 2
    discordant: float = 0.1
    """Share of instances on which the first model and another differ in the first measurement, as often either way."""


STUDIES = (
    Study("1 benchmark of 12", (12,)),
    Study("1 benchmark of 17", (17,)),
    Study("3 benchmarks, 32 instances", (12, 10, 10)),
    Study("4 benchmarks of unlike size", (4, 10, 9, 9), discordant=0.3),
    Study("2 of 50, half discordant", (50, 50), discordant=0.5),
    Study("12 of 10", (10,) * 12, discordant=0.3),
    Study("4 models, 1 of 30", (30,), 4, 0.2),
    Study("4 models, 2 of 40", (40, 40), 4, 0.4),
)


def measured(study: Study, won: float, lost: float, random: np.random.Generator) -> Matrix:
    """The first model against others that all do the same but for two instances in a hundred, so that their pairs are ties."""
    items = [
        Item(f"b{place:02}", f"{place}-{n}", "failure/x", session=f"{place}-{n}")
        for place, size in enumerate(study.sizes)
        for n in range(size)
    ]
    luck, base = random.random(len(items)), random.random(len(items)) < 0.5
    first = np.where(luck < won, 1.0, np.where(luck < won + lost, 0.0, base))
    rest = np.where(luck < won, 0.0, np.where(luck < won + lost, 1.0, base))
    return Matrix(tuple(f"m{n}" for n in range(study.models)), tuple(items), np.stack([first] + [rest] * (study.models - 1), axis=1))


def shown(study: Study, simulations: int, draws: int) -> list[Coverage]:
    """How often a pair named beforehand, and the same among all pairs, is told apart at the difference said to be detectable."""
    random = np.random.default_rng([*study.name.encode()])
    found = []
    for among_all in (False, True) if study.models > 2 else (False,):
        first = measured(study, study.discordant / 2, study.discordant / 2, random)
        (pair, *_) = pairs(first, bootstrap(first, population(first), 0, draws))
        least = pair.detectable_holm if among_all else pair.detectable
        n = len(first.items)
        differing = min(1.0, max((by_chance(pair.wins, pair.losses, pair.p_exact) + 1) / (n + 2), least + 1 / (n + 2)))
        won, lost, told = (differing + least) / 2, (differing - least) / 2, 0
        for number in range(simulations):
            data = measured(study, won, lost, random)
            (again, *_) = pairs(data, bootstrap(data, population(data), number, draws))
            single = again.p_bootstrap <= ALPHA and again.p_exact <= ALPHA and again.wins > again.losses and again.low > 0
            told += again.differs and again.difference > 0 if among_all else single
        what = "among all pairs" if among_all else "one pair"
        found.append(Coverage(f"power, {what}, at {100 * least:.1f} points: {study.name}", simulations, told, 100 * least, 0.8))
    return found


def every_power(simulations: int, draws: int) -> Iterator[Coverage]:
    """Every figure, as it comes."""
    for study in STUDIES:
        yield from shown(study, simulations, draws)
