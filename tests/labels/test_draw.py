"""Is what is drawn a sample of what a rate is made of? Deterministic simulations."""

import numpy as np

from tracedance.analyse.agreement import judged
from tracedance.analyse.corrected import corrected, double_sampling
from tracedance.labels.assign import assigned
from tracedance.labels.items import Item

SIZES = (10, 20, 30, 40, 50) * 2
TRUE = (0.1, 0.2, 0.3, 0.5, 0.7) * 2
"""What people would pass, a benchmark: the larger ones are the easier ones, so that a draw by size would be wrong."""
SIMULATIONS = 150


def test_corrected_rates_from_a_draw_hold_the_mean_over_benchmarks() -> None:
    """100 labels of one model; a panel that passes 80% of what people pass and a quarter of the rest."""
    random = np.random.default_rng(5)
    held = np.zeros(2)
    for seed in range(SIMULATIONS):
        people = {f"{name}-{number}": random.random() < TRUE[name] for name in range(10) for number in range(SIZES[name])}
        panel = {item: random.random() < (0.8 if passes else 0.25) for item, passes in people.items()}
        items = [Item("response", item, item.partition("-")[0], item, "m") for item in people]
        raw = float(np.mean([np.mean([panel[item.id] for item in items if item.benchmark == str(name)]) for name in range(10)]))
        drawn = [item.id for item in assigned(items, 100, 8, 2, seed).items]
        labels = judged([panel[item] for item in drawn], [people[item] for item in drawn])
        trials = 10 / float(np.mean([1 / size for size in SIZES]))
        made, own = corrected(raw, trials, labels), double_sampling(raw, trials, labels)
        truth = float(np.mean(TRUE))
        assert own is not None
        held += [made.low <= truth <= made.high, own[1] <= truth <= own[2]]
    assert (held / SIMULATIONS >= 0.93).all(), held / SIMULATIONS


def test_every_beginning_of_a_draw_is_even() -> None:
    """A sheet that is cut short, and a small n, still weigh models and benchmarks alike."""
    items = [
        Item("response", f"{m}{b}{n}", f"b{b}", str(n), f"m{m}") for m in range(3) for b, size in enumerate((50, 5)) for n in range(size)
    ]
    drawn = assigned(items, 24, 2, 1, 0).items
    counts = [sum((item.model, item.benchmark) == (f"m{m}", f"b{b}") for item in drawn) for m in range(3) for b in range(2)]
    assert counts == [4] * 6
