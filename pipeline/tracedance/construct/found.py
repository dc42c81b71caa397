"""What the confirmer's answers say of an anchor: its precision on the candidates, and a bound on its recall from the probe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.construct.confirm import RULE, reason_class
from tracedance.construct.domain import DOMAIN
from tracedance.construct.run import Probed, Worked
from tracedance.kit.intervals import exact, wilson
from tracedance.schema import Confirmation

CONFIDENCE = 0.95
NO_MODEL = "unknown: confirmed by rule, no model looked"
TOO_FEW = "not asked: the benchmark has fewer instances than wanted"
SWITCHED_OFF = "not asked: --probe 0"
TWO = "not asked: two behaviours at one decision"
NOTHING = "neither the candidates nor the probe hold an occurrence"
HOW_SAMPLED = (
    "drawn alike from all such places, from the seed: opportunity = the anchor knows the place and does not call it an offence; unknown = "
    "a turn in which a model says or calls something and that the anchor says nothing about, in sessions of the family's settings"
)


@dataclass(frozen=True, slots=True)
class Looked:
    """How many places of one kind there are, how many of them were answered for, and how many of those are occurrences."""

    population: int
    answered: int
    occurrences: int

    def bounds(self, confidence: float) -> tuple[float, float]:
        """Least and most occurrences among all: those seen, and of the unseen ones the exact interval of the share."""
        low, high = exact(self.occurrences, self.answered, confidence)
        unseen = self.population - self.answered
        return self.occurrences + unseen * low, self.occurrences + unseen * high

    @property
    def expected(self) -> float:
        """Occurrences among all, at the share seen; 0 where none was answered for."""
        return self.population * self.occurrences / self.answered if self.answered else 0.0


def precision(confirmations: Sequence[Confirmation]) -> dict[str, Any]:
    """Confirmed of those judged: confirmed or refused, sessions outside the domain left out. `cannot_tell` counts against the anchor.

    The interval is Wilson's, 95%. The candidates were taken in a spread order, so this is the precision over that order.
    """
    judged = [one for one in confirmations if one.status in ("confirmed", "refused") and not _outside(one)]
    confirmed = sum(one.status == "confirmed" for one in judged)
    unsure = sum(one.status == "refused" and one.reason.endswith(": cannot_tell") for one in judged)
    share = {"share": round(confirmed / len(judged), 4), "interval": _rounded(wilson(confirmed, len(judged)))} if judged else {}
    return {"confirmed": confirmed, "judged": len(judged), "cannot_tell": unsure, "share": None, "interval": None, **share}


def recall(candidates: Looked, probes: Sequence[tuple[str, Looked]]) -> dict[str, Any]:
    """Recall, as the confirmer sees it: occurrences among the candidates / occurrences among candidates and all places probed from.

    Each kind of place is a stratum, and of what was not looked at in it the exact interval of the share seen is taken, at a confidence of
    1 - 0.05 / strata (Bonferroni), so that all hold together at 95%. Low puts the candidates at their least and the missed at their most,
    high the other way round. The estimator is the stratified one of Webber 2013, "Approximate recall confidence intervals", ACM TOIS
    31(1); its approximate intervals are replaced by this conservative one, since the shares here are near 0 and the samples small.
    """
    strata = [candidates, *(looked for _, looked in probes)]
    open_strata = sum(looked.answered < looked.population for looked in strata)
    each = 1 - (1 - CONFIDENCE) / max(1, open_strata)
    found, missed = candidates.bounds(each), [looked.bounds(each) for _, looked in probes]
    least_missed, most_missed = (sum(bound[end] for bound in missed) for end in (0, 1))
    expected = candidates.expected + sum(looked.expected for _, looked in probes)
    known = {"kinds": [{"kind": kind, **_plain(looked)} for kind, looked in probes], "sampled": HOW_SAMPLED}
    if not candidates.occurrences and not any(looked.occurrences for _, looked in probes):
        return {"share": None, "interval": None, **known, "note": NOTHING}
    interval = (found[0] / (found[0] + most_missed) if found[0] else 0.0, found[1] / (found[1] + least_missed))
    return {"share": round(candidates.expected / expected, 4), "interval": _rounded(interval), **known, "note": ""}


def said(rows: Sequence[Worked], probed: Sequence[Probed] | None, wanted: int) -> dict[str, Any]:
    """`precision` and `recall` of one family's build; by rule there are neither. `probed` is None where nobody was asked."""
    confirmations = [row.confirmation for row in rows]
    if not confirmations or all(one.confirmed_by == RULE for one in confirmations):
        return {"precision": None, "recall": None, "note": NO_MODEL}
    figures: dict[str, Any] = {"precision": precision(confirmations), "recall": None, "note": ""}
    if probed is None:
        return {**figures, "note": TOO_FEW if wanted else SWITCHED_OFF}
    populations = sorted({(row.kind, row.population) for row in probed})
    kinds = [(kind, _looked(population, (row.confirmation for row in probed if row.kind == kind))) for kind, population in populations]
    return {**figures, "recall": recall(_looked(len(rows), confirmations), kinds)}


def said_of_two(rows: Sequence[Worked]) -> dict[str, Any]:
    """The same for two behaviours at one decision. No recall: what a turn that shows both would be missed by is either anchor."""
    told = said(rows, None, 1)
    return {**told, "note": told["note"] if told["precision"] is None else TWO}


def failures(confirmations: Iterable[Confirmation]) -> dict[str, int]:
    """Candidates without an answer by the class of the reason: an answer that could not be read, no answer, a guard that raised."""
    return dict(sorted(Counter(reason_class(one) for one in confirmations if one.status == "failed").items()))


def _looked(population: int, confirmations: Iterable[Confirmation]) -> Looked:
    answered = [one.status == "confirmed" for one in confirmations if one.status in ("confirmed", "refused")]
    return Looked(population, len(answered), sum(answered))


def _outside(confirmation: Confirmation) -> bool:
    return confirmation.reason.startswith(f"{DOMAIN}: ")


def _plain(looked: Looked) -> dict[str, int]:
    return {"population": looked.population, "answered": looked.answered, "occurrences": looked.occurrences}


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(interval[0], 4), round(interval[1], 4)]
