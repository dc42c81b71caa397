"""Rates by what benchmarks and instances have in common: frame, group, family, harness, setting, domain."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tracedance.analyse.bootstrap import TINY, bootstrap, macro, population, standard_errors
from tracedance.analyse.corrected import effective_trials
from tracedance.analyse.observations import Floats, Item, Matrix
from tracedance.analyse.strata import rate_ends
from tracedance.kit.intervals import wilson

DRAWS = 2000

FACETS: Mapping[str, Callable[[Item], str]] = {
    "frame": lambda item: item.frame,
    "group": lambda item: item.group,
    "family": lambda item: item.family,
    "harness": lambda item: item.harness,
    "setting": lambda item: item.setting,
    "domain": lambda item: item.domain,
}
SUBSET_OF = {"frame": "single", "group": "single", "family": "catalogue"}
"""Which instances an analysis uses (arXiv 2609.33295, C.5, Table 20): groups leave out AND benchmarks, families also specifications that
were written for one query. All others use every compared instance."""


def subset(data: Matrix, name: str) -> Matrix:
    """The compared instances an analysis uses: `complete`, `single` or `catalogue`."""
    if name == "single":
        return data.only(lambda item: not item.joint)
    return data.only(lambda item: not item.joint and not item.specific) if name == "catalogue" else data


@dataclass(frozen=True)
class Rate:
    """A macro-averaged pass rate with its 95% interval."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Part:
    """The rates of all models on one part of the instances."""

    value: str
    benchmarks: tuple[str, ...]
    instances: int
    rates: tuple[Rate, ...]
    """In the models' order."""

    @property
    def mean(self) -> float:
        """Over the models."""
        return float(np.mean([rate.rate for rate in self.rates]))


def rates(data: Matrix, seed: int, draws: int = DRAWS) -> tuple[Rate, ...]:
    """Every model's macro average with its interval, in the models' order; none for a matrix without instances.

    The interval is Wilson's at the effective number of trials (`effective_trials`), whose standard error is the bootstrap's: percentiles
    of a model that never passes would be 0 to 0. Franco, Little, Louis and Slud 2019, "Comparative study of confidence intervals for
    proportions in complex sample surveys", J. Surv. Stat. Methodol. 7, p. 334-364. What benchmarks that passed none or all do not show
    widens it (`rate_of`).
    """
    if not data.items:
        return ()
    drawn = bootstrap(data, population(data), seed, draws)
    return tuple(
        rate_of(data, model, float(rate), float(error))
        for model, (rate, error) in enumerate(zip(drawn.rates, standard_errors(drawn.draws), strict=True))
    )


def rate_of(data: Matrix, model: int, rate: float, error: float) -> Rate:
    """A rate with Wilson's interval at the trials its error is worth, at least 1; or as far as `rate_ends` reaches beyond it."""
    rate = min(1.0, max(0.0, rate))
    n = max(1.0, effective_trials(rate, error, data.sessions))
    (low, high), (least, most) = wilson(rate * n, n), rate_ends(data, model)
    return Rate(rate, min(low, least), max(high, most))


def by(data: Matrix, what: Callable[[Item], str], seed: int) -> list[Part]:
    """One part a value of `what`, sorted; a benchmark counts in each part that holds instances of it, by those alone."""
    values, _ = data.codes(what)
    parts = [(value, data.only(lambda item, value=value: what(item) == value)) for value in values]  # type: ignore[misc]
    return [Part(value, part.benchmarks, len(part.items), rates(part, seed)) for value, part in parts]


def group_means(data: Matrix, what: Callable[[Item], str]) -> dict[str, float]:
    """The mean over models of the macro average in each part, highest first: what robustness checks compare."""
    values, _ = data.codes(what)
    means = {value: float(macro(data.only(lambda item, value=value: what(item) == value)).mean()) for value in values}  # type: ignore[misc]
    return dict(sorted(means.items(), key=lambda entry: (-entry[1], entry[0])))


def led(models: Sequence[str], families: Sequence[Part]) -> dict[str, dict[str, list[str]]]:
    """By model, the families in which it has the highest rate: `alone`, or `shared` with others. A family nobody passes is led by none."""
    found: dict[str, dict[str, list[str]]] = {model: {"alone": [], "shared": []} for model in models}
    for family in families:
        highest = max(rate.rate for rate in family.rates)
        leaders = [model for model, rate in zip(models, family.rates, strict=True) if rate.rate >= highest - TINY]
        if highest <= TINY:
            continue
        for model in leaders:
            found[model]["alone" if len(leaders) == 1 else "shared"].append(family.value)
    return found


def order_and_gap(figures: Mapping[str, float]) -> tuple[list[str], float | None]:
    """Names from the highest figure on, and the highest minus the lowest; no gap for fewer than two."""
    order = sorted(figures, key=lambda name: (-round(figures[name], 9), name))
    return order, figures[order[0]] - figures[order[-1]] if len(order) > 1 else None


def regrouped(grouping: Mapping[str, str]) -> Callable[[Item], str]:
    """What an alternative grouping (family -> group) calls an item's group; families it does not name keep theirs."""
    return lambda item: grouping.get(item.family, grouping.get(item.family.rpartition("/")[2], item.group))


def macro_by_name(data: Matrix) -> dict[str, float]:
    """Macro averages by model."""
    averages: Floats = macro(data)
    return dict(zip(data.models, map(float, averages), strict=True))
