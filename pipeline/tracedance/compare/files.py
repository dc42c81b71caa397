"""Files that people write for a comparison: scores reported elsewhere, and alternative groups."""

import csv
import io
import math
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.regular import read_regular

EXTERNAL_CURE = "Write a CSV with the columns model and score (or one column a score), or JSON of model -> score."
GROUPING_CURE = "Write group: [family, ...] for each group, or name: {group: [family, ...]} for several groupings."


def external_scores(path: Path) -> dict[str, dict[str, float]]:
    """Name of the score -> model -> score, from a CSV (model first, one column a score) or from JSON or YAML of one or several scores.

    InputError, with the line where there is one, for anything else; an empty cell is a score that was not reported.
    """
    return _from_csv(path) if path.suffix.lower() == ".csv" else _from_document(path)


def refuse_strangers(path: Path, scores: Mapping[str, Mapping[str, float]], models: Collection[str]) -> None:
    """InputError where no score is of a model that is compared: nothing would stand beside anything."""
    named = sorted({model for one in scores.values() for model in one})
    if not set(named) & set(models):
        there = ", ".join(map(repr, sorted(models)))
        raise InputError(f"{str(path)!r} has a score of none of the compared models. Models there: {there}. Name them so.")


def _from_csv(path: Path) -> dict[str, dict[str, float]]:
    try:
        rows = list(csv.reader(io.StringIO(read_regular(path).decode("utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{str(path)!r} cannot be read ({type(error).__name__}). {EXTERNAL_CURE}") from None
    if not rows or len(rows[0]) < 2:
        raise InputError(f"{str(path)!r} has no column of scores. {EXTERNAL_CURE}")
    header = [name.strip() for name in rows[0]]
    for place, name in enumerate(header, 1):
        if name and name in header[: place - 1]:
            raise InputError(f"{str(path)!r} names the column {name!r} a second time (column {place}). Keep one, or rename it.")
    found: dict[str, dict[str, float]] = {name: {} for name in header[1:] if name}
    for number, row in enumerate(rows[1:], 2):
        for name, cell in zip_longest(header[1:], row[1:], fillvalue=""):
            if cell.strip():
                if not name:
                    raise InputError(f"{str(path)!r} line {number} has a score without a column name over it. {EXTERNAL_CURE}")
                _put(found[name], row[0].strip(), cell, f"{str(path)!r} line {number}")
    return found


def _from_document(path: Path) -> dict[str, dict[str, float]]:
    told = _document(path, EXTERNAL_CURE)
    several = all(isinstance(value, dict) for value in told.values())
    found: dict[str, dict[str, float]] = {}
    for name, scores in (told if several else {"score": told}).items():
        found[str(name)] = {}
        for model, score in scores.items():
            _put(found[str(name)], str(model), score, f"{str(path)!r} at {str(model)!r}")
    return found


def _put(scores: dict[str, float], model: str, value: Any, place: str) -> None:
    try:
        score = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score) or not model:
        raise InputError(f"{place}: {str(value)[:40]!r} is no score. {EXTERNAL_CURE}")
    if model in scores:
        raise InputError(f"{place} names the model {model!r} a second time. Keep one.")
    scores[model] = score


def groupings(path: Path) -> dict[str, dict[str, str]]:
    """Name of the grouping -> family -> group. InputError for a family in two groups and for any other form."""
    told = _document(path, GROUPING_CURE)
    several = all(isinstance(value, dict) for value in told.values())
    return {
        str(name): _grouping(groups, f"{str(path)!r} at {str(name)!r}") for name, groups in (told if several else {path.stem: told}).items()
    }


def _grouping(groups: Mapping[str, Any], place: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for group, members in groups.items():
        if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
            raise InputError(f"{place}: the group {str(group)!r} holds no list of families. {GROUPING_CURE}")
        for member in members:
            if found.setdefault(member, str(group)) != str(group):
                raise InputError(f"{place}: the family {member!r} is in two groups. Keep one.")
    return found


def refuse_unknown(path: Path, grouped: Mapping[str, Mapping[str, str]], known: Collection[str]) -> None:
    """InputError for a grouping of something that is no family: it would be left out without a word."""
    short = {one.rpartition("/")[2] for one in known}
    for family in (family for groups in grouped.values() for family in groups if family not in known and family not in short):
        near = get_close_matches(family, [*known, *sorted(short)], 1)
        cure = f"Did you mean {near[0]!r}?" if near else "'tracedance families' lists them; a group's name cannot stand for its families."
        raise InputError(f"{str(path)!r}: there is no family {family[:80]!r}. {cure}")


def _document(path: Path, cure: str) -> dict[str, Any]:
    told = yamlfile.read(path, cure).values
    if not isinstance(told, dict) or not told:
        raise InputError(f"{str(path)!r} cannot be read: it holds no mapping. {cure}")
    return told
