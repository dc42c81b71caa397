"""Are the intervals as good as they say? Simulated panels of known leniency and simulated models of known rank.

make test-stats runs a thousand of each and fails where an interval does not hold; the tests run a few.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tests.analyse.coverage import Coverage
from tests.analyse.power import every_power
from tests.analyse.small_cases import every_small_case
from tracedance.analyse.agreement import Judged, judged
from tracedance.analyse.bootstrap import bootstrap, population
from tracedance.analyse.corrected import corrected, double_sampling
from tracedance.analyse.facets import rates
from tracedance.analyse.observations import Item, Matrix
from tracedance.analyse.pairs import pairs
from tracedance.analyse.ranks import rank_intervals

LABELS = 100
RESPONSES = 400
PANELS = {"as in the paper": (0.607, 0.85), "lenient": (0.95, 0.70), "strict": (0.70, 0.97), "good": (0.92, 0.92)}
"""Sensitivity and specificity towards people's passes. The paper's: recall 60.7%, and 21 of 140 failed responses passed."""
ARMS = {
    "each": "Rogan-Gladen, 100 labels of each kind",
    "random": "Rogan-Gladen, 100 random labels",
    "own": "double sampling, 100 random labels",
}
TRUTHS = (0.1, 0.25, 0.5)


def corrected_rates(panel: str, truth: float, simulations: int, arms: str) -> Coverage:
    """Corrected rates of one arm that has 100 labels, in one of the `ARMS`."""
    sensitivity, specificity = PANELS[panel]
    random = np.random.default_rng([int(1000 * truth), *panel.encode(), *arms.encode()])
    held, widths = 0, []
    for _ in range(simulations):
        people = random.random(RESPONSES) < truth
        passes = np.where(people, random.random(RESPONSES) < sensitivity, random.random(RESPONSES) > specificity)
        if arms == "each":
            known = np.repeat([True, False], LABELS)
            said = np.where(known, random.random(2 * LABELS) < sensitivity, random.random(2 * LABELS) > specificity)
        else:
            chosen = random.choice(RESPONSES, LABELS, replace=False)
            known, said = people[chosen], passes[chosen]
        low, high = ends(float(passes.mean()), judged(said.tolist(), known.tolist()), arms)
        held += low <= truth <= high
        widths.append(100 * (high - low))
    what = f"corrected rate, {panel} panel, truth {truth:.0%}, {ARMS[arms]}"
    return Coverage(what, simulations, held, float(np.mean(widths)), 0.93)


def ends(raw: float, labels: Judged, arms: str) -> tuple[float, float]:
    """The interval that is tried."""
    if arms == "own":
        made = double_sampling(raw, RESPONSES, labels)
        return made[1:] if made else (0.0, 1.0)
    told = corrected(raw, RESPONSES, labels)
    return told.low, told.high


@dataclass(frozen=True)
class World:
    """True rates of models, and where they are measured."""

    name: str
    models: tuple[float, ...]
    benchmarks: int
    instances: int
    """Of a benchmark."""
    spread: float
    """Standard deviation, in logits, of benchmarks' difficulty, and half of that of what each model finds hard."""
    clustered: bool = False
    """Two instances of neighbouring benchmarks come from one session, and are alike."""


WORLDS = (
    World("9 models in three tiers", (0.42, 0.34, 0.34, 0.34, 0.34, 0.22, 0.22, 0.22, 0.22), 40, 20, 0.8),
    World("5 equal models", (0.3,) * 5, 20, 15, 0.8),
    World("4 near models, one benchmark", (0.5, 0.45, 0.4, 0.2), 1, 50, 0.0),
    World("3 models, 3 small benchmarks", (0.6, 0.3, 0.3), 3, 12, 0.0),
    World("4 models, sessions shared", (0.4, 0.3, 0.3, 0.2), 12, 20, 0.6, True),
    World("rare passes", (0.06, 0.02, 0.02), 10, 20, 0.4),
)


def drawn(world: World, random: np.random.Generator) -> Matrix:
    """What one measurement of a world gives."""
    items, rows = [], []
    base = np.array(world.models)
    hard = random.normal(0, world.spread, (world.benchmarks, 1)) + random.normal(0, world.spread / 2, (world.benchmarks, len(base)))
    chances = centred(base, hard, world.spread)
    for benchmark in range(world.benchmarks):
        for number in range(world.instances):
            session = f"{benchmark // 2}-{number}" if world.clustered else f"{benchmark}-{number}"
            items.append(Item(f"b{benchmark:03}", f"{benchmark}-{number}", "failure/x", session=session))
    shared: dict[str, np.ndarray] = {}
    for item in items:
        luck = shared.setdefault(item.session, random.random(len(base)))
        if not world.clustered or random.random() < 0.5:
            luck = random.random(len(base))
        rows.append(luck < chances[int(item.benchmark[1:])])
    return Matrix(tuple(f"m{place}" for place in range(len(base))), tuple(items), np.array(rows, dtype=np.float64), len(items) * len(base))


def centred(base: np.ndarray, hard: np.ndarray, spread: float) -> np.ndarray:
    """Chances by benchmark and model whose mean over all benchmarks there could be is exactly `base`."""
    if spread == 0:
        return np.broadcast_to(base, hard.shape)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    noise = nodes * spread * np.sqrt(1.25)
    low, high = np.full(len(base), -15.0), np.full(len(base), 15.0)
    for _ in range(60):
        middle = (low + high) / 2
        mean = (weights / weights.sum() / (1 + np.exp(-(middle[:, None] + noise)))).sum(axis=1)
        low, high = np.where(mean < base, middle, low), np.where(mean < base, high, middle)
    chances: np.ndarray = 1 / (1 + np.exp(-(low + hard)))
    return chances


def ranks_and_rates(world: World, simulations: int, draws: int) -> list[Coverage]:
    """All true ranks at once in their intervals, and each true rate in its own. Equal models have every rank of their tie."""
    random = np.random.default_rng([len(world.name), *world.name.encode()])
    best = [1 + sum(other > mine for other in world.models) for mine in world.models]
    worst = [sum(other >= mine for other in world.models) for mine in world.models]
    all_ranks, wide, rate_held, rate_wide = 0, [], 0, []
    for number in range(simulations):
        data = drawn(world, random)
        enough = max(draws, 25 * len(data.models) * (len(data.models) - 1))
        table = pairs(data, bootstrap(data, population(data), number, enough))
        told = rank_intervals(data.models, table)
        spans = [told[model] for model in data.models]
        all_ranks += all(low <= b and w <= high for (low, high), b, w in zip(spans, best, worst, strict=True))
        wide.append(float(np.mean([high - low for low, high in spans])))
        shown = rates(data, number, draws)
        rate_held += sum(rate.low <= truth <= rate.high for rate, truth in zip(shown, world.models, strict=True))
        rate_wide.append(float(np.mean([100 * (rate.high - rate.low) for rate in shown])))
    return [
        Coverage(f"ranks, all at once: {world.name}", simulations, all_ranks, float(np.mean(wide)), 0.95),
        Coverage(f"rates, each: {world.name}", simulations * len(world.models), rate_held, float(np.mean(rate_wide)), 0.93),
    ]


def everything(simulations: int, draws: int) -> Iterator[Coverage]:
    """Every figure, as it comes."""
    for arms in ARMS:
        for panel in PANELS:
            for truth in TRUTHS:
                yield corrected_rates(panel, truth, simulations, arms)
    for world in WORLDS:
        yield from ranks_and_rates(world, simulations, draws)
    yield from every_small_case(simulations, draws)
    yield from every_power(simulations, draws)


def main(words: Sequence[str]) -> int:
    """Prints every figure; 1 where an interval does not hold."""
    simulations, draws = (int(words[0]) if words else 1000), (int(words[1]) if len(words) > 1 else 1000)
    failed = 0
    for figure in everything(simulations, draws):
        failed += figure.fails
        print(f"{figure}{'   FAILS' if figure.fails else ''}", flush=True)
    print("Every interval holds." if not failed else f"{failed} figures do not hold.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
