"""The leaderboard, the pairs behind it, and what becomes of it under resampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from tracedance.analyse.agreement import Judged
from tracedance.analyse.bootstrap import DRAWS, Bootstrap, Over, bootstrap, interval, population, standard_errors
from tracedance.analyse.corrected import corrected, double_sampling, effective_trials
from tracedance.analyse.detectable import ALPHA, POWER
from tracedance.analyse.facets import rate_of
from tracedance.analyse.observations import Matrix
from tracedance.analyse.pairs import Pair, pairs
from tracedance.analyse.ranks import groups, probability_first, rank_intervals, ranked
from tracedance.compare.subsets import Subsets

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison

OVERS: tuple[Over, ...] = ("benchmarks", "instances", "both")
SPEAKS_OF = {
    "benchmarks": "benchmarks like these",
    "both": "benchmarks and sessions like these (sessions reach across benchmarks)",
    "instances": "instances like these on these benchmarks; there are too few benchmarks to speak of others",
}


def tables(about: Comparison, subsets: Subsets) -> dict[str, Any]:
    """`leaderboard`, `pairs`, `groups` and `detectable`; empty tables where nothing is complete."""
    data = subsets["complete"]
    over = population(data)
    count = len(list(combinations(data.models, 2)))
    # Holm multiplies the smallest p-value by the number of pairs: with fewer resamples than this, nothing could ever be told apart.
    draws = about.options.draws or max(DRAWS, 50 * count)
    drawn = {way: bootstrap(data, way, about.options.seed, draws) for way in OVERS}
    table = pairs(data, drawn[over])
    order = [model for model, _ in ranked(data.models, drawn[over].rates)] if data.items else []
    sets = groups(order, table)
    speaks = {"used": "complete", "over": over, "speaks_of": SPEAKS_OF[over], "draws": draws}
    board = Board(about, data, drawn, over, table, sets)
    rows = [board.row(model, rank) for model, rank in ranked(data.models, drawn[over].rates)] if order else []
    return {
        "leaderboard": {**speaks, "rows": rows},
        "pairs": {**speaks, "rows": [_pair(pair) for pair in table]},
        "groups": [list(one) for one in sets] if order else [],
        "detectable": _detectable(table),
    }


@dataclass(frozen=True)
class Board:
    """What a row of the leaderboard is made of."""

    about: Comparison
    data: Matrix
    drawn: Mapping[Over, Bootstrap]
    over: Over
    table: Sequence[Pair]
    sets: Sequence[tuple[str, ...]]

    def row(self, model: str, rank: int) -> dict[str, Any]:
        """One model's row."""
        place = self.data.models.index(model)
        main = self.drawn[self.over]
        rate, error = float(main.rates[place]), float(standard_errors(main.draws)[place])
        shown = rate_of(self.data, place, rate, error)
        low, high = rank_intervals(self.data.models, self.table)[model]
        letters = [letter(number) for number, one in enumerate(self.sets) if model in one]
        return {
            "model": model,
            "rate": shown.rate,
            "interval": [shown.low, shown.high],
            "rank": rank,
            "rank_interval": [low, high],
            "first": probability_first(main)[place],
            "groups": letters,
            "bootstrap": {
                over: {"interval": held_to_shares(interval(drawn.draws[:, place])), "first": probability_first(drawn)[place]}
                for over, drawn in self.drawn.items()
                if over != "benchmarks" or len(self.data.benchmarks) > 1
            },
            "corrected": self.corrected(model, rate, error),
        }

    def corrected(self, model: str, rate: float, error: float) -> dict[str, Any] | None:
        """The rate as people would have given it, from labels of the model, else of all models; None without labels. See `labelled`."""
        people = self.about.people
        told = people.of_model.get(model, people.of_all.get(model)) if people else None
        if people is None or told is None:
            return None
        made = corrected(rate, effective_trials(rate, error, self.data.sessions), told)
        return {
            "rate": made.rate,
            "interval": [made.low, made.high],
            "sensitivity": made.sensitivity,
            "specificity": made.specificity,
            "labels": sum(made.labels),
            "own_labels": model in people.of_model,
            "by_own_labels": self.by_own_labels(people.own.get(model), rate, error),
            "note": made.note,
        }

    def by_own_labels(self, told: Judged | None, rate: float, error: float) -> dict[str, Any] | None:
        """The same from labels that are a random sample of these very responses, where there are such: narrower."""
        made = double_sampling(rate, effective_trials(rate, error, self.data.sessions), told) if told else None
        return {"rate": made[0], "interval": list(made[1:])} if made else None


def held_to_shares(ends: tuple[float, float]) -> list[float]:
    """An interval of a rate."""
    return [min(1.0, max(0.0, end)) for end in ends]


def letter(number: int) -> str:
    """a, b, ... z, aa, ab, ..."""
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference,
        "interval": [pair.low, pair.high],
        "p_bootstrap": pair.p_bootstrap,
        "p_bootstrap_holm": pair.p_bootstrap_holm,
        "wins": pair.wins,
        "losses": pair.losses,
        "ties": pair.ties,
        "p_mcnemar": pair.p_exact,
        "p_mcnemar_holm": pair.p_exact_holm,
        "detectable": pair.detectable,
        "differs": pair.differs,
    }


def _detectable(table: Sequence[Pair]) -> dict[str, Any] | None:
    """The difference that these data show 4 times in 5 whichever pair it is of: one named beforehand, and one of all; NaN for none."""
    if not table:
        return None
    one, all_pairs = (
        max(least) if not any(map(isnan, least)) else nan
        for least in zip(*((pair.detectable, pair.detectable_holm) for pair in table), strict=True)
    )
    return {"one_pair": one, "all_pairs": all_pairs, "power": POWER, "alpha": ALPHA}
