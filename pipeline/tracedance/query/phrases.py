"""What a sentence is compared with: how people ask for each family, and for the behaviours that lie near one but are none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import yaml

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
    found = yaml.safe_load(path.read_text(encoding="utf-8")).get("neighbours")
    if not isinstance(found, dict):
        raise InputError(f"{path} has no mapping named 'neighbours'. Restore the shipped file.")
    return {str(name): tuple(str(text) for text in texts) for name, texts in found.items()}


WORD = re.compile(r"[^\W_]+")
STOPWORDS = frozenset(
    WORD.findall(
        "the a an of to in on at for with and or that which it its is are was were be been being this these those there agent agents "
        "model models assistant sessions session cases build benchmark please i me my we our want they them their then than as by from "
        "has have had does do did just so what when where who whose how why if but because while about into onto any some only also "
        "very such can could would should will may might der die das ein eine einen einem und oder zu hat ist den dem "
        "es er sie wird el la los las un una de que y se ha le les une des et qui il"
    )
)
"""Words that say nothing about a behaviour, in the languages that cards use."""
NEGATION = "<not>"
NEGATIONS = frozenset(WORD.findall("without never not no unless nobody nor ohne nie nicht sin sans jamais"))
SUFFIXES = ("ingly", "ments", "ment", "ings", "ing", "tion", "ions", "ies", "ied", "ers", "ed", "es", "er", "ly", "s", "e")


def words(text: str) -> list[str]:
    """Content words of `text`, cut to their stems; every negation is one and the same word, since it turns a sentence's sense."""
    plain = text.lower().replace("n't", " not").replace("n’t", " not")
    found = (NEGATION if word in NEGATIONS else word for word in WORD.findall(plain))
    return [stem(word) for word in found if word not in STOPWORDS]


def stem(word: str) -> str:
    """A rough English stem: enough that `edits`, `edited` and `editing` meet."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            cut = word[: -len(suffix)]
            doubled = len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "aeiosl"
            return cut[:-1] if doubled else cut
    return word
