"""How the judging of each run went, by its own account: the seats, what they made of planted turns, and rates without own judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tracedance.compare.reading import Given
from tracedance.config import grade_settings
from tracedance.errors import InputError
from tracedance.gate.runs import EvaluationRun
from tracedance.regular import TABLE, read_regular

Row = Mapping[str, Any]
VOTES = ("votes", "scores", "abstained", "errors", "void")
PLANTED = (
    "Each judge also graded a turn that is known to be a 0 and one known to be a 5, beside others and not told which. A judge that gave "
    f"the 0 more than {grade_settings().probe_low}, the 5 less than {grade_settings().probe_high}, or no score is void there: "
    "its votes count as errors."
)
NO_PROBES = "The run holds no grades of planted turns."
NO_OWN = "No judge shares a maker with an evaluated model, as far as names tell, so there is nobody to leave out."


@dataclass(frozen=True)
class Judging:
    """What one run's `rates.json` says under `judging`; models by the names that they have in the comparison."""

    run: str
    seats: Sequence[Row]
    probes: Sequence[Row]
    without_probes: Sequence[str]
    """Families for which no turn of known grade can be planted."""
    without_own: Sequence[Row]
    """Pass rates without the judges of a model's own maker, `raw` beside them."""
    warnings: Sequence[str]

    @property
    def nobody(self) -> str:
        """Why there are no rates without own judges."""
        return NO_OWN if self.seats else "The run does not say."

    @property
    def planted(self) -> list[dict[str, Any]]:
        """By benchmark, family and seat: the scores of the turns known to be a 0 and a 5, and whether the seat was void there."""
        rows: dict[tuple[str, ...], dict[str, Any]] = {}
        several = Counter(name for name, _ in {(probe["benchmark"], probe["family"]) for probe in self.probes})
        for probe in self.probes:
            key = (probe["benchmark"], probe["family"], probe["judge"])
            about = dict(zip(("benchmark", "family", "judge"), key, strict=True))
            place = key[0] if several[key[0]] == 1 else f"{key[0]}: {key[1]}"
            row = rows.setdefault(key, {**about, "place": place, "void": False, "low": None, "high": None})
            row["high" if probe["known"] else "low"] = probe
            row["void"] = row["void"] or not probe["held"]
        return [rows[key] for key in sorted(rows)]


def judgings(given: Given, models: Sequence[str]) -> tuple[Judging, ...]:
    """Of every run that a panel judged and that holds one of these models, in the order of the runs; rates are of these models alone."""
    found = []
    for name, run in zip(given.names, given.runs, strict=True):
        if run.manifest.judged_by == "panel" and any(given.called[name, model] in models for model in run.manifest.models):
            told = _judging(name, run, given.called)
            aside = [model for model in run.manifest.models if given.called[name, model] not in models]
            found.append(
                replace(
                    told,
                    without_own=[row for row in told.without_own if row["model"] in models],
                    warnings=[one for one in told.warnings if not any(f" judges {model} and is of " in one for model in aside)],
                )
            )
    return tuple(found)


WANTED = {
    "seats": ("judge", "maker", "votes", "scores", "abstained", "errors", "void", "mean"),
    "probes": ("benchmark", "family", "judge", "known", "example", "score", "held", "error"),
    "without_own": ("benchmark", "model", "left_out", "assessed", "passed", "pass_rate", "interval"),
}


def _judging(name: str, run: EvaluationRun, called: Mapping[tuple[str, str], str]) -> Judging:
    """Runs of older versions may lack any part. InputError (6) for one that holds something else."""
    path = run.folder / "rates.json"
    try:
        rates = json.loads(read_regular(path, TABLE))
        told = rates.get("judging") or {}
        raw = {(row["benchmark"], row["model"]): row.get("pass_rate") for row in rates["results"]}
        rows = {part: [{key: row[key] for key in keys} for row in told.get(part, ())] for part, keys in WANTED.items()}
        own = [{**row, "model": called[name, row["model"]], "raw": raw[row["benchmark"], row["model"]]} for row in rows["without_own"]]
        words = {part: tuple(map(str, told.get(part, ()))) for part in ("without_probes", "warnings")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{str(path)!r} says of its judging what no run does. Evaluate again into a new folder.", 6) from None
    return Judging(run=name, seats=rows["seats"], probes=rows["probes"], without_own=own, **words)


def probe_score(probe: Row | None) -> str:
    """What a seat gave a planted turn, in a cell: its score, and whether that is wrong."""
    if probe is None:
        return "none planted"
    given = "no score" if probe["score"] is None else str(probe["score"])
    return given if probe["held"] else f"{given} (failed)"
