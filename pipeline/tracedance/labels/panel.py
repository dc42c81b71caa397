"""The panel by people's labels: how far it agrees with them, how lenient it is, and how many independent judges it is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.analyse.agreement import effective_panel_size, judged, krippendorff_alpha, score_leniency
from tracedance.analyse.pass_rules import BY_RULE
from tracedance.compare.labelled import PASS
from tracedance.kit.intervals import wilson
from tracedance.labels.items import Source, responses
from tracedance.schema import Grade


@dataclass(frozen=True)
class Labelled:
    """A response with its grade and what people said of it."""

    model: str
    grade: Grade
    people: Mapping[str, int]

    @property
    def passes(self) -> bool:
        """Whether people pass it. Whole numbers decide."""
        return sum(self.people.values()) >= PASS * len(self.people)

    @property
    def mean(self) -> float:
        return sum(self.people.values()) / len(self.people)

    @property
    def scores(self) -> dict[str, int]:
        """By judge; the lower one where a judge scored by two rubrics. What was scored by rule has none."""
        found: dict[str, int] = {}
        for vote in self.grade.votes:
            if vote.score is not None and vote.judge != BY_RULE:
                found[vote.judge] = min(vote.score, found.get(vote.judge, vote.score))
        return found


def panel(said: Mapping[str, Mapping[str, int | str]], source: Source) -> dict[str, Any]:
    """The panel as a whole, by model, against each rater, judge by judge, and its effective size."""
    rows = labelled(said, source)
    models = sorted({row.model for row in rows})
    raters = sorted({name for row in rows for name in row.people})
    judges = sorted({name for row in rows for name in row.scores})
    return {
        "judged_by": source.run.manifest.judged_by if source.run else "",
        **_against(rows, lambda row: bool(row.grade.passed), lambda row: row.grade.mean),
        "by_model": [{"model": name, **_of_model([row for row in rows if row.model == name])} for name in models],
        "by_rater": [{"rater": name, **_of_rater(name, rows)} for name in raters],
        "judges": [{"judge": name, **_of_judge(name, rows)} for name in judges],
        "size": _size(rows, judges),
    }


def labelled(said: Mapping[str, Mapping[str, int | str]], source: Source) -> list[Labelled]:
    """The labelled responses of a run with their grades."""
    if source.run is None:
        return []
    grades = {(row.benchmark, row.instance, row.model, row.sample): row for row in source.run.grades}
    return [
        Labelled(
            item.model,
            grades[item.benchmark, item.instance, item.model, item.sample],
            {rater: int(value) for rater, value in said[item.id].items()},
        )
        for item in responses(source)[0]
        if item.id in said
    ]


def _of_model(rows: Sequence[Labelled]) -> dict[str, Any]:
    return _against(rows, lambda row: bool(row.grade.passed), lambda row: row.grade.mean)


def _of_rater(name: str, rows: Sequence[Labelled]) -> dict[str, Any]:
    mine = [Labelled(row.model, row.grade, {name: row.people[name]}) for row in rows if name in row.people]
    return _against(mine, lambda row: bool(row.grade.passed), lambda row: row.grade.mean)


def _of_judge(name: str, rows: Sequence[Labelled]) -> dict[str, Any]:
    mine = [row for row in rows if name in row.scores]
    return _against(mine, lambda row: row.scores[name] >= PASS, lambda row: row.scores[name])


def _against(rows: Sequence[Labelled], passes: Callable[[Labelled], bool], score: Callable[[Labelled], float | None]) -> dict[str, Any]:
    """Passes and scores of one side against people's on the same responses."""
    theirs, people = [passes(row) for row in rows], [row.passes for row in rows]
    table = judged(theirs, people)
    scored = [(mark, row.mean) for row in rows if (mark := score(row)) is not None]
    columns = [[float(one) for one in theirs], [float(one) for one in people]]
    return {
        "responses": table.n,
        "both": table.both,
        "panel_only": table.panel_only,
        "people_only": table.people_only,
        "neither": table.neither,
        "agreement": table.agreement,
        "kappa": table.kappa,
        "alpha": krippendorff_alpha(columns, "nominal"),
        "precision": table.precision,
        "precision_interval": _interval(table.both, table.both + table.panel_only),
        "recall": table.recall,
        "recall_interval": _interval(table.both, table.both + table.people_only),
        "specificity": table.specificity,
        "leniency": table.leniency,
        "score_leniency": score_leniency([mark for mark, _ in scored], [mean for _, mean in scored]),
    }


def _size(rows: Sequence[Labelled], judges: Sequence[str]) -> dict[str, Any] | None:
    """What the panel is worth, over the responses that every judge scored; None without a panel."""
    whole = [row for row in rows if set(row.scores) == set(judges)]
    if not judges:
        return None
    scores = {name: [float(row.scores[name]) for row in whole] for name in judges}
    size = effective_panel_size(scores, [row.mean for row in whole])
    return {"responses": len(whole), "seats": size.seats, "error_correlation": size.correlation, "effective": size.effective}


def _interval(part: int, whole: int) -> list[float] | None:
    return list(wilson(part, whole)) if whole else None
