"""How near a sentence comes to each behaviour by what it says and by its letters: no model, no download, a few milliseconds a sentence."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tracedance.query.concepts import DENIED, concepts, is_light
from tracedance.query.phrases import Phrase
from tracedance.query.senses import beside, met

SAID, LETTERS = 0.85, 0.15
"""Weights of the two views: concepts; runs of 3 to 5 letters, which bridge typing errors and cognates."""
LIGHT, PLAIN, LACKING = 0.35, 1.0, 1.3
"""Weights of a concept: one that nearly every sentence has, an ordinary one, one that is denied."""
ELSEWHERE = 0.5
"""What the sentence says and the phrase does not weighs so much if another phrase of the same behaviour says it."""

CORE = 0.6
"""A concept that this share of a behaviour's wordings has is what the behaviour is about."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one sentence."""

    by_behaviour: dict[str, float]
    """How near its phrases come, 0..1."""
    covered: dict[str, float]
    """Share of what the sentence says, by weight, that a behaviour's phrases say at all."""
    lacks: dict[str, int]
    """Concepts that most wordings of a behaviour have and the sentence has not."""
    said: frozenset[str]
    """The sentence's concepts."""
    met: dict[str, frozenset[str]]
    """The behaviours that the sentence asks for by configs/senses.yaml, with the concepts that say so."""
    beside: frozenset[str]
    """What it says beside what it asks for by them, and what could change it."""


def score(query: str, phrases: Sequence[Phrase]) -> Scores:
    """Scores of `query` against every behaviour of `phrases`."""
    known = tuple(phrases)
    said = concepts(query)
    view, matrix = _letters(known)
    letters = (matrix @ view.transform([query]).T).toarray()[:, 0]
    vocabulary = _vocabulary(known)
    best: dict[str, float] = {}
    for phrase, spelt in zip(known, letters, strict=True):
        near = SAID * likeness(said, concepts(phrase.text), vocabulary[phrase.behaviour]) + LETTERS * float(spelt)
        best[phrase.behaviour] = max(best.get(phrase.behaviour, 0.0), near * phrase.weight)
    total = _weight(said) or 1.0
    covered = {name: _weight(said & words) / total for name, words in vocabulary.items()}
    lacks = {name: len(core - said) for name, core in _cores(known).items()}
    found = met(said, vocabulary)
    other = frozenset[str]().union(*(beside(said, why, vocabulary.get(name, frozenset())) for name, why in found.items()))
    return Scores(best, covered, lacks, said, found, other)


def vocabulary_of(families: Iterable[str], phrases: Sequence[Phrase]) -> frozenset[str]:
    """What the wordings of `families` say, together."""
    known = _vocabulary(tuple(phrases))
    return frozenset[str]().union(*(known.get(name, frozenset()) for name in families))


def likeness(said: frozenset[str], phrase: frozenset[str], vocabulary: frozenset[str]) -> float:
    """How much of both is common, 0..1."""
    common = 2 * _weight(said & phrase)
    apart = _weight(said - vocabulary) + ELSEWHERE * _weight((said - phrase) & vocabulary) + _weight(phrase - said)
    return common / (common + apart) if common else 0.0


def _weight(names: frozenset[str]) -> float:
    return sum(LIGHT if is_light(name) else LACKING if name.startswith(DENIED) else PLAIN for name in names)


@lru_cache(maxsize=4)
def _vocabulary(phrases: tuple[Phrase, ...]) -> Mapping[str, frozenset[str]]:
    """What the wordings of each behaviour say; for a family without what only one of them says and some neighbour is about."""
    families = {phrase.behaviour for phrase in phrases if phrase.family}
    foreign = frozenset[str]().union(*(core for name, core in _cores(phrases).items() if name not in families))
    said: dict[str, Counter[str]] = {}
    for phrase in phrases:
        said.setdefault(phrase.behaviour, Counter()).update(concepts(phrase.text))
    return {
        name: frozenset(concept for concept, count in found.items() if count > 1 or name not in families or concept not in foreign)
        for name, found in said.items()
    }


@lru_cache(maxsize=4)
def _cores(phrases: tuple[Phrase, ...]) -> Mapping[str, frozenset[str]]:
    """What most wordings of a behaviour say: what it is about."""
    said: dict[str, list[frozenset[str]]] = {}
    for phrase in phrases:
        said.setdefault(phrase.behaviour, []).append(concepts(phrase.text))
    counted = {name: Counter(concept for one in all_of for concept in one if not is_light(concept)) for name, all_of in said.items()}
    return {
        name: frozenset(concept for concept, count in found.items() if count >= CORE * len(said[name])) for name, found in counted.items()
    }


@lru_cache(maxsize=4)
def _letters(phrases: tuple[Phrase, ...]) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    view = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return view, view.fit_transform([phrase.text for phrase in phrases])
