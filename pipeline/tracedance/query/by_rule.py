"""A sentence read by rules alone: its behaviours by configs/senses.yaml, its conditions, size and parameters by their words.

Right or unsure: what is not understood becomes a question back, never a request that leaves it out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from tracedance.query import answers, conditions, parameters, turned, wording
from tracedance.query.asked import Asked
from tracedance.query.behaviours import asked, one_then_another
from tracedance.query.lexical import vocabulary_of
from tracedance.query.phrases import phrases
from tracedance.query.wording import Wording
from tracedance.schema import FamilyCard, Outcome

SCOPE = "/out_of_scope_edit"
"""The family whose own words are those of limits: "only", "allowed"."""
ONLY = re.compile(r"\b(?:only|just|nur|solo|seulement|kind|variant)\b", re.IGNORECASE)
BY_WORDS = "Matched by words."
BY_EMBEDDINGS = "Matched by words and embeddings."


def read(sentence: str, cards: Mapping[str, FamilyCard]) -> Asked | Outcome:
    """What `sentence` asks of the families in `cards` (by id), or why nothing can be made of it."""
    told = wording.read(sentence)
    if refused := answers.beside_the_behaviour(told, sentence):
        return refused
    found = asked(told, cards)
    if not found.families:
        if told.later and (both := one_then_another(told, cards)):
            return answers.no_common_turn(both, sentence, cards)
        near = {one.family: cards[one.family] for one in found.whole.near[:1]}
        if lacking := parameters.missing(sentence, near, parameters.stated(sentence, near).values):
            return answers.lacks_a_value(sentence, lacking, near)
        if open_ended := parameters.left_open(sentence):
            return answers.names_no_value(sentence, open_ended, found.whole.nearest)
        return answers.question_or_rejection(found.whole, sentence)
    if refused := answers.more_than_one(found, told, cards):
        return refused
    chosen = {name: cards[name] for name in found.families}
    stated = parameters.stated(sentence, chosen)
    limits = conditions.read([*_not_said(told, stated.said, chosen), *conditions.left_in(told.behaviour)])
    if lacking := parameters.missing(sentence, chosen, stated.values):
        return answers.lacks_a_value(sentence, lacking, chosen)
    if vague := (*told.vague, *limits.vague):
        return answers.lacks_a_figure(sentence, vague, chosen)
    if unread := [*limits.unread, *conditions.left_unread(sentence), *_beside(sentence, told, stated.said, chosen, cards)]:
        return answers.not_understood(sentence, unread, chosen)
    return Asked(
        families=found.families,
        by=found.whole.matched_by,
        sentence=sentence,
        operator="or" if found.operator == "single" and len(found.families) > 1 else found.operator,
        minimum=told.minimum,
        maximum=told.maximum,
        replayable=told.replayable,
        domain=limits.domain,
        trace=limits.trace,
        parameters=stated.values,
        note=BY_EMBEDDINGS if found.whole.matched_by == "embedding" else BY_WORDS,
    )


def _not_said(told: Wording, said: Sequence[str], chosen: Mapping[str, FamilyCard]) -> list[str]:
    """The conditions that no parameter has taken up. With the folders of a scope named, what is said of that scope is one of them."""
    left = []
    for condition in told.conditions:
        taken = any(words in condition for words in said) and not conditions.names_a_field(condition)
        about_scope = any(name.endswith(SCOPE) for name in chosen) and conditions.SCOPE.search(condition)
        if not taken and not about_scope:
            left.append(condition)
    return left


def _beside(sentence: str, told: Wording, said: tuple[str, ...], chosen: Iterable[str], cards: Mapping[str, FamilyCard]) -> list[str]:
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
