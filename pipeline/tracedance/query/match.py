"""Which family a sentence asks for: one, or a question back, or none. Right or unsure, never wrong.

A family is taken when the sentence says all that one of its ways of being asked for needs (see senses) and is about no other behaviour. A
family for which no ways are written, such as a user's own, is taken by nearness to its wordings: near enough, nearer than everything else,
with nearly all of the sentence known to it. Nearness also ranks what is offered in a question back.
The thresholds were set on tests/query/phrasings.yaml.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tracedance.query import embedding, lexical
from tracedance.query.phrases import Phrase, phrases
from tracedance.query.senses import senses
from tracedance.schema import FamilyCard, Near


@dataclass(frozen=True, slots=True)
class Bar:
    """What a family must reach to be taken."""

    score: float
    margin: float
    """Lead over every other family and every neighbour."""
    covered: float
    """Share of what the sentence says that the family's wordings say too."""


COMPLETE, LACKING = Bar(0.72, 0.04, 0.75), (Bar(0.84, 0.04, 0.79), Bar(0.75, 0.12, 0.9))
"""For a sentence that says all that the family is about; either of two for one that lacks one part of it."""
FEWEST_WORDS = 2
"""One word names a topic, not a behaviour."""
NAMED, BEHIND = 0.5, 0.3
"""A family is named to a person from this score on, and in a question back not if it lies so far behind the best."""
WORTH_ASKING, TOPIC, CLEARLY_AHEAD = 0.62, NAMED, 0.14
"""From here on a family is offered in a question back; the lower one is for words that all belong to the family, or one that far ahead."""
LED_BY = 0.08
SAYS_SO = 0.75
"""Score of a family, at least, all of whose necessary parts the sentence says."""
"""A neighbour that leads by this much is what was meant."""
VERBATIM = 0.97
"""From here on a sentence is one of a family's own wordings."""
EMBEDDED_NEAR, EMBEDDED_MARGIN, EMBEDDED_COVERED = 0.64, 0.12, 0.75
CONTENDERS = 12
"""Embeddings compare only the behaviours that words put first; loading them costs seconds, so they are asked only if they may settle it."""
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
    neighbour_score: float = 0.0
    intelligible: bool = True
    """False when not a word of the sentence occurs in what people say about agents."""

    @property
    def near(self) -> tuple[Near, ...]:
        """Those of `nearest` that are near enough to be offered to a person."""
        return tuple(one for one in self.nearest if one.score >= max(NAMED, self.nearest[0].score - BEHIND))


def match(query: str, cards: Mapping[str, FamilyCard], second_opinion: bool = True) -> Match:
    """Match `query` against `cards` (by family id). Embeddings, where installed, are asked only when the words leave it open."""
    if not cards:
        return Match("none", (), "lexical", 0.0)
    known = phrases(cards)
    scores = lexical.score(query, known)
    ranked = _first(_ranked(scores.by_behaviour, known), scores.met)
    own = _own(ranked.families, scores) if scores.met else None
    kind = _by_words(ranked, scores)
    if own:
        kind, ranked = _with_own(own, ranked, scores)
    best, value = ranked.families[0]
    nearest = tuple(Near(family=name, title=cards[name].title, score=round(score, 3)) for name, score in ranked.families[:SHOWN])
    by: Literal["lexical", "embedding"] = "lexical"
    if kind == "clarify" and second_opinion and not scores.met and _embeddings_may_settle(ranked, scores) and embedding.available():
        contenders = set(sorted(scores.by_behaviour, key=lambda name: -scores.by_behaviour[name])[:CONTENDERS]) | set(cards)
        other = _ranked(embedding.score(query, [phrase for phrase in known if phrase.behaviour in contenders]), known)
        if other.families[0][0] == best and other.families[0][1] >= EMBEDDED_NEAR and other.margin >= EMBEDDED_MARGIN:
            kind, by = "one", "embedding"
    neighbour = ranked.neighbour if ranked.neighbour_score > value else ""
    return Match(kind, nearest, by, round(ranked.margin, 3), neighbour, round(ranked.neighbour_score, 3), _names_a_behaviour(scores))


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


def _first(ranked: _Ranked, met: Mapping[str, object]) -> _Ranked:
    """Those that the sentence asks for by what it must say come first, and come near."""
    families = sorted(
        ((name, max(score, SAYS_SO) if name in met else score) for name, score in ranked.families),
        key=lambda item: (item[0] not in met, -item[1]),
    )
    others = [name for name in met if name not in dict(families)]
    return (
        _Ranked(families, others[0], max(ranked.neighbour_score, SAYS_SO))
        if others
        else _Ranked(families, ranked.neighbour, ranked.neighbour_score)
    )


def _own(families: list[tuple[str, float]], scores: lexical.Scores) -> tuple[str, float] | None:
    """The family without ways of its own, as people's own are, that the sentence comes near, and its score; None where there is none."""
    own = [(name, value) for name, value in families if name.split("/")[-1] not in senses()]
    if not own or len(scores.said) < FEWEST_WORDS:
        return None
    (best, value), *others = sorted(own, key=lambda item: -item[1])
    lead = value - (others[0][1] if others else 0.0)
    return (best, value) if _reaches(best, value, lead, scores) else None


def _with_own(own: tuple[str, float], ranked: _Ranked, scores: lexical.Scores) -> tuple[Kind, _Ranked]:
    """With a family of people's own before the others: of those the shipped words know nothing, so that it wins over what they call no
    family; over a shipped family that they know only where the sentence is one of its wordings, else it is asked which."""
    first = _Ranked([own, *(one for one in ranked.families if one[0] != own[0])], ranked.neighbour, ranked.neighbour_score)
    if own[1] >= VERBATIM:
        return "one", first
    shipped = any(name in scores.met for name, _ in ranked.families)
    return ("clarify" if shipped or own[1] < ranked.neighbour_score else "one"), first


def _reaches(best: str, value: float, lead: float, scores: lexical.Scores) -> bool:
    bars = (COMPLETE,) if not scores.lacks[best] else LACKING if scores.lacks[best] == 1 else ()
    return any(value >= bar.score and lead >= bar.margin and scores.covered[best] >= bar.covered for bar in bars)


def _by_sense(met: Mapping[str, object], families: set[str]) -> Kind:
    if not any(name in families for name in met):
        return "none"
    return "one" if len(met) == 1 else "clarify"


def _by_words(ranked: _Ranked, scores: lexical.Scores) -> Kind:
    best, value = ranked.families[0]
    if scores.met:
        kind = _by_sense(scores.met, {name for name, _ in ranked.families})
        return "clarify" if kind == "one" and scores.beside else kind
    if best.split("/")[-1] not in senses() and len(scores.said) >= FEWEST_WORDS and _reaches(best, value, ranked.margin, scores):
        return "one"
    worth = WORTH_ASKING if scores.covered[best] < 1 and ranked.margin < CLEARLY_AHEAD else TOPIC
    return "clarify" if value >= worth and ranked.neighbour_score - value < LED_BY else "none"


def _embeddings_may_settle(ranked: _Ranked, scores: lexical.Scores) -> bool:
    best, value = ranked.families[0]
    enough = value >= WORTH_ASKING and scores.covered[best] >= EMBEDDED_COVERED and ranked.margin >= COMPLETE.margin
    return enough and scores.lacks[best] <= 1 and len(scores.said) >= FEWEST_WORDS


def _names_a_behaviour(scores: lexical.Scores) -> bool:
    return any(share > 0 for share in scores.covered.values())
