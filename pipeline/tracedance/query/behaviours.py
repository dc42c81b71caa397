"""Which behaviours a sentence asks for: one, two side by side, two at one decision, or more than can be built."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from tracedance.query import wording
from tracedance.query.match import Match, match
from tracedance.query.senses import names
from tracedance.query.wording import Wording
from tracedance.schema import FamilyCard

Operator = Literal["single", "or", "and"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a sentence asks for."""

    families: tuple[str, ...]
    """Ids; empty where `whole` is a question back or none."""
    operator: Operator
    whole: Match
    """What the sentence as one behaviour was taken for."""
    open_whether_together: bool = False
    """Two behaviours are named, and not whether one decision is to show both."""


def asked(told: Wording, cards: Mapping[str, FamilyCard]) -> Asked:
    """The behaviours of a sentence. Two are side by side or together only as the sentence says so."""
    whole = match(told.behaviour, cards)
    several, apart = _several(told, cards)
    if len(several) > 1:
        return Asked(several, "and" if told.together else "or", whole, not (told.together or told.separate or apart))
    first = whole.nearest[0].family if whole.kind == "one" else ""
    if not told.together and not told.separate:
        return Asked((first,) if first else (), "single", whole)
    both = [name for name in names(told.behaviour, cards) if name != first] if first and told.together else []
    return Asked(
        (first, both[0]) if len(both) == 1 else (), "and", replace(whole, kind="clarify") if first else _in_part(told, cards, whole)
    )


def _several(told: Wording, cards: Mapping[str, FamilyCard]) -> tuple[tuple[str, ...], bool]:
    """The families of the finest way to split the sentence in which every part asks for one of its own, and whether an "or" splits it."""
    one = cache(lambda part: match(part, cards, second_opinion=False))
    for parts in wording.splits(told.behaviour):
        found = [one(part) for part in parts]
        families = dict.fromkeys(part.nearest[0].family for part in found if part.kind == "one")
        if len(families) == len(parts) or len(families) > 2 or (told.many and len(families) > 1):
            return tuple(families), wording.alternatives(told.behaviour, parts)
    return (), False


def _in_part(told: Wording, cards: Mapping[str, FamilyCard], whole: Match) -> Match:
    """A question back about the part that is understood, where the sentence wants two behaviours and one is a family; else `whole`."""
    pairs = [parts for parts in wording.splits(told.behaviour) if len(parts) == 2]
    parts = [match(part, cards, second_opinion=False) for pair in pairs for part in pair]
    return next((replace(part, kind="clarify") for part in parts if part.kind == "one"), whole)


def one_then_another(told: Wording, cards: Mapping[str, FamilyCard]) -> tuple[str, ...]:
    """Two families of a sentence that takes them in turn: one half asks for the one, the other half comes near the other."""
    for parts in (parts for parts in wording.splits(told.behaviour) if len(parts) == 2):
        found = [match(part, cards, second_opinion=False) for part in parts]
        families = tuple(dict.fromkeys(part.nearest[0].family for part in found if part.near))
        if len(families) == 2 and any(part.kind == "one" for part in found):
            return families
    return ()
