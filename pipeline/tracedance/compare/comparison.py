"""A comparison: every analysis over the same instances, as plain JSON values.

    read -> complete instances -> leaderboard, pairs, groups -> parts -> robustness -> notes

Deterministic: the same runs, seed and files give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from tracedance.analyse.agreement import Judged
from tracedance.analyse.bootstrap import macro
from tracedance.analyse.observations import Excluded, Matrix, matrix
from tracedance.analyse.pass_rules import BY_RULE, DEFAULT, RULES
from tracedance.analyse.ranks import ranked
from tracedance.catalogue import families
from tracedance.compare import board, notes, panel, parts, robustness
from tracedance.compare.files import external_scores, groupings, refuse_strangers, refuse_unknown
from tracedance.compare.labelled import People, judged_by_people, of_models
from tracedance.compare.plainly import rounded
from tracedance.compare.reading import Given, gather
from tracedance.compare.subsets import Subsets
from tracedance.errors import InputError
from tracedance.schema.record import Record

SCHEMA = "tracedance.comparison/v1"


class Options(Record):
    """What may be asked for beside the runs."""

    seed: int = Field(default=0, ge=0)
    draws: int | None = Field(default=None, ge=100)
    """Resamples; None: 5,000, more where there are many pairs of models."""
    pass_rule: str = DEFAULT
    models: tuple[str, ...] = ()
    """Only these, by the names they have in the comparison; () for all."""
    samples: bool = False
    """Runs of the same model are further samples of it."""
    mixed: bool = False
    """Runs that were judged differently are put side by side, and said to be."""
    external: Path | None = None
    grouping: Path | None = None
    catalogues: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """All that the analyses read."""

    given: Given
    options: Options
    models: tuple[str, ...]
    complete: Matrix
    excluded: Excluded
    people: People | None = None
    """The panel's passes against people's; None without labels."""
    external: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    groupings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def compare(
    runs: Sequence[Path], options: Options | Mapping[str, Any] | None = None, labels: Mapping[str, Judged] | None = None
) -> dict[str, Any]:
    """Compares the models of finished runs; the shape is in docs/commands.md.

    `labels` are people's passes of the same responses, by model and "" for all of them together: with them, rates are also corrected for
    the panel's errors. Without any: those that were imported into the runs' folders. InputError for what cannot be read or has no common
    measure. Where no instance is complete, tables are empty.
    """
    asked = options if isinstance(options, Options) else Options.model_validate(dict(options or {}))
    return tables(read(runs, asked, labels))


def read(runs: Sequence[Path], options: Options, labels: Mapping[str, Judged] | None = None) -> Comparison:
    """The runs, checked, the instances that are complete under the pass rule, and people's labels of them."""
    if options.pass_rule not in RULES:
        raise InputError(f"No pass rule is named {options.pass_rule!r}. There are: {', '.join(RULES)}.")
    external = external_scores(options.external) if options.external else {}
    grouped = groupings(options.grouping) if options.grouping else {}
    given = gather(runs, options.samples, options.mixed, options.catalogues)
    if options.grouping:
        refuse_unknown(options.grouping, grouped, sorted({*families(options.catalogues), *(item.family for item in given.items)}))
    if unknown := [model for model in options.models if model not in given.models]:
        raise InputError(f"The runs hold no model {unknown[0]!r}. Models there: {', '.join(map(repr, given.models))}.")
    models = tuple(sorted(model for model in given.models if model in options.models or not options.models))
    if options.external:
        refuse_strangers(options.external, external, models)
    rule = RULES[options.pass_rule][0]
    complete, excluded = matrix(given.items, given.replies, models, rule)
    if complete.items:
        # From here on models stand in the order of their ranks, whatever order the runs name them in.
        models = tuple(model for model, _ in ranked(models, macro(complete)))
        complete, excluded = matrix(given.items, given.replies, models, rule)
    known = of_models(labels or {}, models) or judged_by_people(given, complete, rule)
    return Comparison(given, options, models, complete, excluded, known, external, grouped)


def tables(about: Comparison) -> dict[str, Any]:
    """Every analysis as one JSON document; figures are rounded to six digits, and one that does not exist is null."""
    subsets = Subsets(about.complete)
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "runs": [_run(about.given, place) for place in range(len(about.given.runs))],
        "models": list(about.models),
        "pass_rule": {"name": about.options.pass_rule, "says": RULES[about.options.pass_rule][1]},
        "seed": about.options.seed,
        "excluded": _excluded(about),
        **board.tables(about, subsets),
        **parts.tables(about, subsets),
        **robustness.tables(about, subsets),
        **panel.tables(about),
    }
    found["subsets"] = subsets.told()
    found["notes"] = notes.notes(about, found)
    plain: dict[str, Any] = rounded(found)
    return plain


def _run(given: Given, place: int) -> dict[str, Any]:
    run = given.runs[place]
    judges = sorted({vote.judge for grade in run.grades for vote in grade.votes} - {BY_RULE})
    return {
        "name": given.names[place],
        "digest": run.digest,
        "judged_by": run.manifest.judged_by,
        "mode": run.manifest.mode,
        "judges": judges,
        "models": list(run.manifest.models),
        "samples": run.manifest.samples,
        "seed": run.manifest.seed,
    }


def _excluded(about: Comparison) -> dict[str, Any]:
    gone = about.excluded
    ids: dict[str, list[str]] = {}
    for benchmark, instance in gone.instances:
        ids.setdefault(benchmark, []).append(instance)
    return {
        "instances": len(gone.instances),
        "of": len(about.given.items),
        "reasons": dict(gone.reasons),
        "by_model": {model: dict(reasons) for model, reasons in gone.by_model.items()},
        "samples_lost": gone.samples_lost,
        "ids": ids,
    }
