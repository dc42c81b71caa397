"""Which family a behaviour is, by the model that plays `strong`: three selections made alone, each followed by a check of what it chose."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from tracedance.catalogue import Family
from tracedance.query.strong import Strong, put
from tracedance.schema import Record

SELECTIONS = 3
RELATED = 3
"""Families named as near, at most."""


class Selection(Record):
    """What the select prompt asks for."""

    family: str | None
    related: tuple[str, ...] = Field(default=(), max_length=10)
    why: str = Field(max_length=2000)


class Equivalence(Record):
    """What the equivalent prompt asks for."""

    relation: Literal["same", "related", "different"]
    why: str = Field(max_length=2000)


@dataclass(frozen=True, slots=True)
class Matched:
    """What came of the selections for one behaviour."""

    behaviour: str
    family: str
    """Id; "" where they did not all agree, or a check did not."""
    related: tuple[str, ...]
    """Families that came near, the nearest first: material for a new one."""


def matched(behaviour: str, known: Mapping[str, Family], strong: Strong) -> Matched:
    """Match one behaviour. An answer that cannot be read, twice, agrees with nothing. ItemError where the behaviour holds the fence."""
    with ThreadPoolExecutor(max_workers=SELECTIONS) as pool:
        rounds = list(pool.map(lambda number: _round(number, behaviour, known, strong), range(SELECTIONS)))
    chosen = {family for family, same, _ in rounds if same}
    agreed = len(chosen) == 1 and all(same for _, same, _ in rounds)
    near = dict.fromkeys(name for family, _, related in rounds for name in (family, *related) if name)
    return Matched(behaviour, chosen.pop() if agreed else "", tuple(near)[:RELATED])


def _round(number: int, behaviour: str, known: Mapping[str, Family], strong: Strong) -> tuple[str, bool, tuple[str, ...]]:
    """The family chosen, whether the check calls it the same, and the others that came near."""
    listed = _turned(sorted(known), number)
    told = put(strong, "select", Selection, {"families": "\n".join(_line(known[name]) for name in listed), "behaviour": behaviour}, number)
    if told.value is None:
        return "", False, ()
    related = tuple(name for name in told.value.related if name in known)
    family = told.value.family if told.value.family in known else ""
    if not family:
        return "", False, related
    check = put(strong, "equivalent", Equivalence, _about(known[family], behaviour, number), number)
    return family, check.value is not None and check.value.relation == "same", related


def _turned(names: list[str], number: int) -> list[str]:
    """The names from another start for each selection, so that none is helped by its place."""
    start = number * len(names) // SELECTIONS
    return names[start:] + names[:start]


def _line(family: Family) -> str:
    return f"- {family.id}: {family.card.title}. {' '.join(family.card.definition.split())}"


def _about(family: Family, behaviour: str, number: int) -> dict[str, str]:
    card = family.card
    return {
        "title": card.title,
        "definition": " ".join(card.definition.split()),
        "exclusions": "\n".join(f"- {one}" for one in card.not_this) or "- (nothing is excluded)",
        "questions": "\n".join(f"- {' '.join(one.ask.split())} -> {one.want}" for one in card.confirm),
        "parameters": ", ".join(f"{name} (default {value})" for name, value in card.parameters.items()) or "none",
        "behaviour": behaviour,
        "number": str(number + 1),
    }
