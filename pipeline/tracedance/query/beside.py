"""What a sentence says beside its families: limits, parameters, and what of it rules do not understand. And the command that asks for a
family and keeps all of that, as a question back offers it.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tracedance.query import conditions, parameters, turned, wording
from tracedance.query.conditions import Limits
from tracedance.query.lexical import vocabulary_of
from tracedance.query.parameters import Stated
from tracedance.query.phrases import phrases
from tracedance.query.wording import Wording
from tracedance.schema import FamilyCard

SCOPE = "/out_of_scope_edit"
"""The family whose own words are those of limits: "only", "allowed"."""
ONLY = re.compile(r"\b(?:only|just|nur|solo|seulement|kind|variant)\b", re.IGNORECASE)

TOGETHER = "both in the same turn: "


@dataclass(frozen=True, slots=True)
class Beside:
    """What a sentence says beside its families."""

    stated: Stated
    limits: Limits
    lacking: tuple[str, ...]
    """Parameters without a value."""
    vague: tuple[str, ...]
    """Limits without a figure."""
    unread: tuple[str, ...]
    """What is not understood, each piece once."""

    @property
    def understood(self) -> bool:
        """Whether a request could be made of it."""
        return not (self.lacking or self.vague or self.unread)


def read(sentence: str, told: Wording, chosen: Mapping[str, FamilyCard], cards: Mapping[str, FamilyCard]) -> Beside:
    """What `sentence`, taken apart as `told`, says beside the families `chosen` of `cards`."""
    stated = parameters.stated(sentence, chosen)
    limits = conditions.read(list(dict.fromkeys([*_not_said(told, stated.said, chosen), *conditions.left_in(told.behaviour)])))
    unread = [*limits.unread, *conditions.left_unread(sentence), *_turned(sentence, told, stated.said, chosen, cards)]
    lacking = parameters.missing(sentence, chosen, stated.values)
    return Beside(stated, limits, lacking, (*told.vague, *limits.vague), _each_once(unread))


def command(sentence: str, names: Sequence[str], cards: Mapping[str, FamilyCard], together: bool = False) -> str:
    """The command that asks for the families `names` of `cards` with what `sentence` says beside its behaviour: the sentence itself where
    all of that is understood, else what is, in new words. With `together` for one benchmark whose decisions show all of them."""
    chosen = {name: cards[name] for name in names}
    lead, aside = TOGETHER if together else "", " ".join(f"--family {name}" for name in names)
    told = wording.read(sentence)
    found = read(sentence, told, chosen, cards)
    if found.understood:
        more = found.limits != Limits() or found.stated.values or told.replayable or told.minimum or told.maximum
        return " ".join(["tracedance build", *([shlex.quote(f"{lead}{sentence}")] if more or together else []), aside])
    return reworded(sentence, names, cards, together)


def reworded(sentence: str, names: Sequence[str], cards: Mapping[str, FamilyCard], together: bool = False) -> str:
    """As `command`, with the titles of the families for the sentence's own words, and only those of its limits that are understood."""
    chosen = {name: cards[name] for name in names}
    lead, aside = TOGETHER if together else "", " ".join(f"--family {name}" for name in names)
    told = wording.read(sentence)
    kept = [" and ".join(card.title for card in chosen.values()), *_understood(told, chosen, cards)]
    said = [shlex.quote(lead + ", ".join(kept))] if len(kept) > 1 or together else []
    low, high = ([option, str(size)] if size else [] for option, size in (("--min", told.minimum), ("--max", told.maximum)))
    return " ".join(["tracedance build", *said, aside, *low, *high, *(["--replayable"] if told.replayable else [])])


def _understood(told: Wording, chosen: Mapping[str, FamilyCard], cards: Mapping[str, FamilyCard]) -> Iterable[str]:
    """The conditions of a sentence of which each is understood when it is said alone, after the titles of the families."""
    titles = " and ".join(card.title for card in chosen.values())
    for condition in dict.fromkeys(told.conditions):
        again = f"{titles}, {condition}"
        apart = wording.read(again)
        found = read(again, apart, chosen, cards)
        if found.understood and (found.limits != Limits() or found.stated.values):
            yield condition


def _not_said(told: Wording, said: Sequence[str], chosen: Mapping[str, FamilyCard]) -> list[str]:
    """The conditions that no parameter has taken up. With the folders of a scope named, what is said of that scope is one of them."""
    left = []
    for condition in told.conditions:
        taken = any(words in condition for words in said) and not conditions.names_a_field(condition)
        about_scope = any(name.endswith(SCOPE) for name in chosen) and conditions.SCOPE.search(condition)
        if not taken and not about_scope:
            left.append(condition)
    return left


def _turned(
    sentence: str, told: Wording, said: tuple[str, ...], chosen: Mapping[str, FamilyCard], cards: Mapping[str, FamilyCard]
) -> list[str]:
    """What turns the behaviour round, cuts something out of it or limits it, and is not understood."""
    vocabulary = vocabulary_of(chosen, phrases(cards))
    behaviour = told.behaviour
    for words in said:
        behaviour = re.sub(rf"{re.escape(words)}(?: or more)?", " ", behaviour)
    taken = any(name.endswith(SCOPE) for name in chosen) or any(ONLY.search(words) for words in said)
    return [
        *turned.round_or_out(sentence),
        *turned.numbers_unread(behaviour, said),
        *turned.limits_unread(behaviour, vocabulary),
        *([] if taken else turned.kinds_unread(behaviour)),
    ]


def _each_once(pieces: Sequence[str]) -> tuple[str, ...]:
    """The pieces without those that another holds, in whatever letters."""
    folded = [piece.casefold().strip() for piece in pieces]
    inside = [
        any(one in other and (one != other or number > at) for at, other in enumerate(folded) if at != number)
        for number, one in enumerate(folded)
    ]
    return tuple(piece for piece, held in zip(pieces, inside, strict=True) if not held)
