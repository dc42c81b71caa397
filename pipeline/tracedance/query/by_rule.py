"""A sentence read by rules alone: its behaviours by configs/senses.yaml, its conditions, size and parameters by their words.

Right or unsure: what is not understood becomes a question back, never a request that leaves it out.
"""

from collections.abc import Mapping, Sequence

from tracedance.query import answers, beside, parameters, wording
from tracedance.query.actors import somebody_else
from tracedance.query.asked import Asked
from tracedance.query.behaviours import Asked as Behaviours
from tracedance.query.behaviours import asked, one_then_another
from tracedance.query.match import match
from tracedance.query.wording import Wording
from tracedance.schema import FamilyCard, Operator, Outcome

BY_NAME = "The family was named; words gave the rest."
BY_WORDS = "Matched by words."
BY_EMBEDDINGS = "Matched by words and embeddings."


def read(sentence: str, cards: Mapping[str, FamilyCard], settled: Sequence[str] = ()) -> Asked | Outcome:
    """What `sentence` asks of the families in `cards` (by id), or why nothing can be made of it.

    With the families `settled` the sentence gives only what it says beside its behaviour; one that clearly asks for others is asked back.
    """
    told = wording.read(sentence)
    if refused := answers.beside_the_behaviour(told, sentence):
        return refused
    found = asked(told, cards)
    if settled:
        return _request(sentence, told, found, (cards, settled))
    if not found.families:
        return _no_family(sentence, told, found, cards)
    if refused := answers.more_than_one(found, told, (sentence, cards)) or _somebody_else(sentence, told, found, cards):
        return refused
    return _request(sentence, told, found, (cards, ()))


def _no_family(sentence: str, told: Wording, found: Behaviours, cards: Mapping[str, FamilyCard]) -> Outcome:
    if told.later and (both := one_then_another(told, cards)):
        return answers.no_common_turn(both, sentence, cards)
    near = {one.family: cards[one.family] for one in found.whole.near[:1]}
    if lacking := parameters.missing(sentence, near, parameters.stated(sentence, near).values):
        return answers.lacks_a_value(sentence, lacking, near)
    if open_ended := parameters.left_open(sentence):
        return answers.names_no_value(sentence, open_ended, found.whole.nearest)
    return answers.question_or_rejection(found.whole, sentence, cards)


def _somebody_else(sentence: str, told: Wording, found: Behaviours, cards: Mapping[str, FamilyCard]) -> Outcome | None:
    """A question back where the sentence says of somebody else than the agent that they do it."""
    who, rest = somebody_else(told.behaviour)
    if not who:
        return None
    again = match(rest, cards, second_opinion=False) if rest and len(found.families) == 1 else None
    if again and again.kind == "one" and again.nearest[0].family == found.families[0]:
        return None
    return answers.not_the_agent(sentence, who, found.families, cards)


def _request(sentence: str, told: Wording, found: Behaviours, of: tuple[Mapping[str, FamilyCard], Sequence[str]]) -> Asked | Outcome:
    cards, settled = of
    if settled and found.families and not set(found.families) & set(settled):
        return answers.names_another(sentence, found.families, settled, cards)
    chosen = {name: cards[name] for name in settled or found.families}
    said = beside.read(sentence, told, chosen, cards)
    if said.lacking:
        return answers.lacks_a_value(sentence, said.lacking, chosen)
    if said.vague:
        return answers.lacks_a_figure(sentence, said.vague, (chosen, cards))
    if said.unread:
        return answers.not_understood(sentence, said.unread, (chosen, cards))
    by = "family" if settled else found.whole.matched_by
    return Asked(
        families=tuple(chosen),
        by=by,
        sentence=sentence,
        operator=_operator(told, found, chosen),
        minimum=told.minimum,
        maximum=told.maximum,
        replayable=told.replayable,
        domain=said.limits.domain,
        trace=said.limits.trace,
        parameters=said.stated.values,
        note=BY_NAME if settled else BY_EMBEDDINGS if by == "embedding" else BY_WORDS,
    )


def _operator(told: Wording, found: Behaviours, chosen: Mapping[str, FamilyCard]) -> Operator:
    """Side by side unless the sentence says that one decision shows both."""
    if len(chosen) < 2:
        return "single"
    return "and" if found.operator == "and" or (told.together and not told.separate) else "or"
