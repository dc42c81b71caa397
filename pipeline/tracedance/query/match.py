"""Which family a sentence asks for: one, or a question back, or none. Right or unsure, never wrong.

The words of the sentence are compared with how people ask for each family and for its neighbours. A family is taken only when it is near
enough, clearly nearer than every other family and every neighbour, and when it knows most of what the sentence says. The thresholds were
set on the `tune` and `held` parts of tests/query/phrasings.yaml; a test holds what they give there and on `fresh`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tracedance.query import embedding, lexical
from tracedance.query.phrases import Phrase, phrases
from tracedance.schema import FamilyCard, Near

NEAR_ENOUGH = 0.32
MARGIN = 0.05
STRENGTH = 0.46
"""Score and margin together: a small lead needs a high score."""
COVERED = 0.54
FEWEST_WORDS = 3
"""One or two words name a topic, not a behaviour."""
WORTH_ASKING = 0.20
"""From here on a family is offered in a question back."""
LED_BY = 0.12
"""A neighbour that leads by this much is what was meant, unless the family itself is `CLOSE`."""
CLOSE = 0.32
EMBEDDED_NEAR = 0.68
EMBEDDED_MARGIN = 0.13
SHOWN = 3

Kind = Literal["one", "clarify", "none"]


@dataclass(frozen=True, slots=True)
class Match:
    """What a sentence was taken for."""

    kind: Kind
    nearest: tuple[Near, ...]
    """The three nearest families, best first; when `kind` is `one` the first is the match."""
    matched_by: Literal["lexical", "embedding"]
    margin: float
    """Lead of the best family over everything else; negative when a neighbour leads."""
    neighbour: str = ""
    """The neighbour that leads, "" if none does."""


def match(query: str, cards: Mapping[str, FamilyCard], second_opinion: bool = True) -> Match:
    """Match `query` against `cards` (by family id). Embeddings, where installed, are asked only when the words leave it open."""
    if not cards:
        return Match("none", (), "lexical", 0.0)
    known = phrases(cards)
    scores = lexical.score(query, known)
    ranked = _ranked(scores.by_behaviour, known)
    best, value = ranked.families[0]
    nearest = tuple(Near(family=name, title=cards[name].title, score=round(score, 3)) for name, score in ranked.families[:SHOWN])
    kind = _by_words(ranked, scores.covered[best], scores.content_words)
    by: Literal["lexical", "embedding"] = "lexical"
    if kind == "clarify" and scores.content_words >= FEWEST_WORDS and second_opinion and embedding.available():
        other = _ranked(embedding.score(query, known), known)
        if other.families[0][0] == best and other.families[0][1] >= EMBEDDED_NEAR and other.margin >= EMBEDDED_MARGIN:
            kind, by = "one", "embedding"
    return Match(kind, nearest, by, round(ranked.margin, 3), ranked.neighbour if ranked.neighbour_score > value else "")


@dataclass(frozen=True, slots=True)
class _Ranked:
    families: list[tuple[str, float]]
    neighbour: str
    neighbour_score: float

    @property
    def margin(self) -> float:
        others = [self.neighbour_score, *(score for _, score in self.families[1:2])]
        return self.families[0][1] - max(others)


def _ranked(scores: Mapping[str, float], known: list[Phrase]) -> _Ranked:
    families = {phrase.behaviour for phrase in known if phrase.family}
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    near = next(((name, score) for name, score in order if name not in families), ("", 0.0))
    return _Ranked([(name, score) for name, score in order if name in families], *near)


def _by_words(ranked: _Ranked, covered: float, content_words: int) -> Kind:
    value = ranked.families[0][1]
    clear = value >= NEAR_ENOUGH and ranked.margin >= MARGIN and value + ranked.margin >= STRENGTH
    if clear and covered >= COVERED and content_words >= FEWEST_WORDS:
        return "one"
    if value >= WORTH_ASKING and (ranked.neighbour_score - value < LED_BY or value >= CLOSE):
        return "clarify"
    return "none"
