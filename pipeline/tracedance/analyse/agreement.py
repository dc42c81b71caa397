"""How far raters, or judges and people, agree. Plain sequences in: labels, votes and passes go through the same functions."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from tracedance.analyse.observations import Floats

Metric = Literal["nominal", "ordinal", "interval"]


def raw_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """The share of items on which two raters say the same; NaN without items."""
    same = [a == b for a, b in zip(one, other, strict=True)]
    return sum(same) / len(same) if same else float("nan")


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Cohen's kappa of two raters on the same items: (agreement - chance) / (1 - chance).

    Cohen 1960, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20, p. 37-46; equals statsmodels' `cohens_kappa`. NaN
    without items, and where both use one and the same word throughout: chance alone explains that.
    """
    agreed, n = raw_agreement(one, other), len(one)
    chance = sum(list(one).count(word) / n * list(other).count(word) / n for word in set(one)) if n else 1.0
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def krippendorff_alpha(ratings: Sequence[Sequence[float | None]], metric: Metric) -> float:
    """Krippendorff's alpha of raters x items; None where a rater left an item out. NaN where nothing can disagree.

    Krippendorff 2011, "Computing Krippendorff's alpha-reliability" (Annenberg School), parts C and D: 1 - observed / expected disagreement
    over the coincidences of values within items; items with one rating do not count. Ordinal values need only be in order.
    """
    items = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    items = [values for values in items if len(values) > 1]
    levels = sorted({value for values in items for value in values})
    if len(levels) < 2:
        return float("nan")
    place = {value: number for number, value in enumerate(levels)}
    together = np.zeros((len(levels), len(levels)))
    for values in items:
        counts = np.bincount([place[value] for value in values], minlength=len(levels)).astype(np.float64)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(values) - 1)
    totals = together.sum(axis=0)
    apart = _distances(np.array(levels, dtype=np.float64), totals, metric)
    expected = float((np.outer(totals, totals) * apart).sum())
    return 1 - float(totals.sum() - 1) * float((together * apart).sum()) / expected


def _distances(levels: Floats, totals: Floats, metric: Metric) -> Floats:
    """Squared distances of every two levels; the ordinal one counts the ratings that lie between them, half of those at the ends."""
    if metric == "nominal":
        unlike: Floats = 1.0 - np.eye(len(levels))
        return unlike
    scale = levels if metric == "interval" else np.cumsum(totals) - totals / 2
    squared: Floats = (scale[:, None] - scale[None, :]) ** 2
    return squared


@dataclass(frozen=True)
class Judged:
    """A panel's passes against people's on the same responses."""

    both: int
    panel_only: int
    people_only: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.panel_only + self.people_only + self.neither

    @property
    def agreement(self) -> float:
        return _share(self.both + self.neither, self.n)

    @property
    def precision(self) -> float:
        """Of the panel's passes, the share that people pass too."""
        return _share(self.both, self.both + self.panel_only)

    @property
    def recall(self) -> float:
        """Of people's passes, the share that the panel passes: its sensitivity."""
        return _share(self.both, self.both + self.people_only)

    @property
    def specificity(self) -> float:
        """Of what people fail, the share that the panel fails."""
        return _share(self.neither, self.neither + self.panel_only)

    @property
    def leniency(self) -> float:
        """The panel's pass rate minus people's, on the labelled responses: above 0 it is lenient."""
        return _share(self.panel_only - self.people_only, self.n)

    @property
    def kappa(self) -> float:
        told = [(True, True, self.both), (True, False, self.panel_only), (False, True, self.people_only), (False, False, self.neither)]
        panel = [panel for panel, _, count in told for _ in range(count)]
        people = [people for _, people, count in told for _ in range(count)]
        return cohen_kappa(panel, people)


def judged(panel: Sequence[bool], people: Sequence[bool]) -> Judged:
    """The table of a panel's and people's passes on the same responses."""
    both = list(zip(panel, people, strict=True))
    return Judged(both.count((True, True)), both.count((True, False)), both.count((False, True)), both.count((False, False)))


def score_leniency(panel: Sequence[float], people: Sequence[float]) -> float:
    """The panel's mean score minus people's on the same responses, in points of the rubric; NaN without any."""
    gaps = [mine - theirs for mine, theirs in zip(panel, people, strict=True)]
    return sum(gaps) / len(gaps) if gaps else float("nan")


@dataclass(frozen=True)
class PanelSize:
    """How many independent judges a panel is worth."""

    seats: int
    correlation: float
    """Mean correlation of the errors of two seats."""
    effective: float


def effective_panel_size(scores: Mapping[str, Sequence[float]], people: Sequence[float]) -> PanelSize:
    """What a panel is worth when its judges err together: k / (1 + (k - 1) r), r the mean correlation of two judges' errors.

    An error is a judge's score (or its pass as 0 or 1) minus people's on the same response. Kish 1965, "Survey sampling", 8.2 (design
    effect), which for means of equicorrelated errors is exact. Never above k: a negative correlation, noise on few labels mostly, is no
    further judge. NaN for one judge, and where a judge's error never varies.
    """
    names = sorted(scores)
    errors = np.array([np.asarray(scores[name], dtype=np.float64) - np.asarray(people, dtype=np.float64) for name in names])
    k = len(names)
    if k < 2 or len(people) < 3 or not (errors.std(axis=1) > 0).all():
        return PanelSize(k, float("nan"), float("nan"))
    table = np.corrcoef(errors)
    mean = float(np.mean([table[one, other] for one, other in combinations(range(k), 2)]))
    return PanelSize(k, mean, k / (1 + (k - 1) * max(0.0, mean)))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
