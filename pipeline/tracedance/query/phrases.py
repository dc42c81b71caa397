"""What a sentence is compared with: how people ask for each family, and for the behaviours that lie near one but are none."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.resources import data
from tracedance.schema import FamilyCard

NEIGHBOURS = "neighbours.yaml"
TITLE, DEFINITION = 1.0, 0.85
"""A definition is long and shares words with many sentences, so it weighs less than how people ask."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One wording of one behaviour."""

    behaviour: str
    """A family's id, or a neighbour's name."""
    text: str
    weight: float
    family: bool


def phrases(cards: Mapping[str, FamilyCard]) -> list[Phrase]:
    """Every wording of the families in `cards`, then of the neighbours that are no family yet."""
    known = []
    for name in sorted(cards):
        card = cards[name]
        known += [Phrase(name, text, 1.0, True) for text in card.asked_as]
        known += [Phrase(name, card.title, TITLE, True), Phrase(name, card.definition, DEFINITION, True)]
    bare = {name.split("/")[-1] for name in cards}
    near = [Phrase(name, text, 1.0, False) for name, texts in neighbours().items() if name not in bare for text in texts]
    return known + near


@cache
def neighbours() -> Mapping[str, tuple[str, ...]]:
    """Wordings by neighbour, from configs/neighbours.yaml."""
    path = data("configs") / NEIGHBOURS
    values = yamlfile.read(path, "Restore the shipped file.").values
    found = values.get("neighbours") if isinstance(values, dict) else None
    if not isinstance(found, dict) or not all(isinstance(texts, list) for texts in found.values()):
        raise InputError(f"{path} has no mapping named 'neighbours' of lists of texts. Restore the shipped file.")
    return {str(name): tuple(str(text) for text in texts) for name, texts in found.items()}
