"""How near a sentence comes to each behaviour by its words and their letters: no model, no download, a few milliseconds a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tracedance.query.phrases import NEGATION, Phrase, words

WORDS, LETTERS = 0.6, 0.4
"""Weights of the two views: stems and pairs of stems; runs of 3 to 5 letters, which bridge inflection, typing errors and cognates."""
BEST = 0.65
"""Weight of a family's best phrase; its second best has the rest."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one sentence."""

    by_behaviour: dict[str, float]
    """How near its phrases come, 0..1."""
    covered: dict[str, float]
    """Share of the sentence's words, weighed by rarity, that a behaviour's phrases use at all."""
    content_words: int


def score(query: str, phrases: Sequence[Phrase]) -> Scores:
    """Scores of `query` against every behaviour of `phrases`."""
    views = _views(tuple(phrases))
    near = sum(weight * (matrix @ view.transform([query]).T).toarray()[:, 0] for weight, view, matrix in views)
    reached: dict[str, list[float]] = {}
    vocabulary: dict[str, set[str]] = {}
    for phrase, value in zip(phrases, near, strict=True):
        reached.setdefault(phrase.behaviour, []).append(float(value) * phrase.weight)
        vocabulary.setdefault(phrase.behaviour, set()).update(words(phrase.text))
    families = {phrase.behaviour for phrase in phrases if phrase.family}
    best = {name: _of_two(values) if name in families else max(values) for name, values in reached.items()}
    by_word = views[0][1]
    rarity = dict(zip(by_word.get_feature_names_out(), by_word.idf_, strict=True))
    asked = {word: float(rarity.get(word, by_word.idf_.max())) for word in words(query)}
    total = sum(asked.values()) or 1.0
    covered = {name: sum(value for word, value in asked.items() if word in known) / total for name, known in vocabulary.items()}
    return Scores(best, covered, len(asked.keys() - {NEGATION}))


def _of_two(values: list[float]) -> float:
    """A family is as near as its best two phrases, so that one chance wording does not carry it; a neighbour needs but one to object."""
    first, second = sorted([*values, 0.0], reverse=True)[:2]
    return BEST * first + (1 - BEST) * second


@lru_cache(maxsize=4)
def _views(phrases: tuple[Phrase, ...]) -> tuple[tuple[float, Any, Any], ...]:
    """Weight, vectorizer and matrix of both views; the one by words first."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [phrase.text for phrase in phrases]
    by_word = TfidfVectorizer(analyzer=_terms, sublinear_tf=True)
    by_letter = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return (WORDS, by_word, by_word.fit_transform(texts)), (LETTERS, by_letter, by_letter.fit_transform(texts))


def _terms(text: str) -> list[str]:
    single = words(text)
    return single + [f"{first} {second}" for first, second in pairwise(single)]
