"""Outcomes for sentences that are no request: a question back, or a rejection with its reason and the next command."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.query import embedding
from tracedance.query.behaviours import Asked
from tracedance.query.beside import command, reworded
from tracedance.query.match import Match
from tracedance.query.matching import Matched
from tracedance.query.untestable import UNTESTABLE
from tracedance.query.wording import Wording
from tracedance.schema import Built, FamilyCard, Near, Outcome
from tracedance.schema.request import Reason

REWORD = "say in one sentence what the agent does and what it leaves undone"
BETTER = "Words alone were compared; pip install 'tracedance[embeddings]' settles more sentences."
WITH_A_MODEL = "--profile local (or another whose role strong has a model: 'tracedance doctor')."
UNRELATED = "anything"
"""The neighbour that stands for sentences about no behaviour at all; naming it would help nobody."""
WHY: Mapping[Reason, str] = {
    "not_observable": "What a model knew or intended is not in the events; only what it did and said can be tested.",
    "outcome_correctness": "Whether an outcome was right needs a reference "
    "or hidden tests; a benchmark grades the next turn and runs nothing.",
    "per_session_review": "No event marks this, so that every session would have to be read and judged as a whole.",
}
REFUSED: Mapping[str, tuple[Reason, str]] = {
    "hidden_intent": ("not_observable", WHY["not_observable"]),
    "outcome_correctness": ("outcome_correctness", WHY["outcome_correctness"]),
    "manners": ("per_session_review", WHY["per_session_review"]),
}
"""Behaviours that no family could be: why, by their neighbour."""
OTHERWISE = f"To go on, {REWORD}: tracedance build \"...\". 'tracedance families' lists what there is."
NEXT = {
    "missing_parameter": 'Say it in the sentence and ask again: tracedance build "...".',
    "too_many_behaviours": 'At most two go into one request: split it, one tracedance build "..." for each.',
    "no_common_decision_point": 'Ask for both side by side instead: tracedance build "separate benchmarks for ... and for ...".',
}
CLEARLY = 0.1
"""Lead over every family from which on a neighbour is named as what the sentence is closest to."""
SURE = 0.4
"""Score from which on a neighbour's own reason is given."""


def beside_the_behaviour(told: Wording, sentence: str) -> Outcome | None:
    """A rejection for what the sentence wants beside its behaviour: live secrets, or a size that cannot be."""
    if told.harmful:
        message = (
            f"This asks for the harm itself; what is redacted stays so. A test of whether agents resist it can be built: {REWORD}: "
            'tracedance build "...".'
        )
        return _outcome("rejected", "harmful", message, ((), {"query": sentence, "families": []}))
    return size_that_cannot_be(told.minimum, told.maximum, sentence)


def size_that_cannot_be(low: int | None, high: int | None, sentence: str) -> Outcome | None:
    """A rejection for a size without an instance, or whose least is above its most."""
    if (low is not None and low < 1) or (high is not None and high < 1) or (low is not None and high is not None and low > high):
        message = (
            f"Between {low} and {high} instances cannot be. Give a minimum of at least 1 and a maximum not below it, with --min and --max."
        )
        return _outcome("rejected", "contradictory_size", message, ((), {"query": sentence, "families": []}))
    return None


def as_read(code: str, why: str, sentence: str, behaviours: Sequence[str], missing: Sequence[str]) -> Outcome:
    """The outcome of a sentence that a model has read and found not to be one that can be built."""
    said = " ".join(why.split()).rstrip(".")
    about: dict[str, Any] = {"query": sentence, "families": [], "behaviours": list(behaviours)}
    if code == "missing_parameter":
        about["missing"] = list(missing)
        said += f". Missing: {', '.join(missing)}" if missing else ""
    reason: Any = "no_family_matches" if code == "no_behaviour" else code
    kind = "clarify" if code in ("missing_parameter", "ambiguous_behaviour") else "rejected"
    return _outcome(kind, reason, f"{said}. {NEXT.get(code, OTHERWISE)}", ((), about))


def no_family(sentence: str, found: Sequence[Matched], cards: Mapping[str, FamilyCard], read: tuple[Mapping[str, Any], bool]) -> Outcome:
    """For behaviours that no family is the same as: which they are, and which families come near.

    `read` is the reading, and whether a family would be written: then this is what a dry run says, else a rejection.
    """
    reading, to_be_written = read
    lacking = [one.behaviour for one in found if not one.family]
    related = tuple(dict.fromkeys(name for one in found if not one.family for name in one.related))
    named = "; ".join(repr(one) for one in lacking)
    near = tuple(Near(family=name, title=cards[name].title, score=0.0) for name in related)
    beside = f" Related, not the same: {_command(near)}." if near else ""
    message = (
        f"No family is the same as {named}.{beside} 'tracedance families' lists all; 'tracedance check-family' proves one of your own."
    )
    families = [one.family for one in found if one.family]
    about = {"query": sentence, "families": families, "related": list(related), "interpretation": dict(reading)}
    if to_be_written:
        message = f"No family is the same as {named}; one would be written and proved before anything is built.{beside}"
        built = tuple(Built(path=None, families=(one.family,) if one.family else (), instances=None) for one in found)
        return Outcome(outcome="dry_run", message=message, nearest=near, request=about, benchmarks=built)
    return _outcome("rejected", "no_family_matches", message, (near, about))


def unknown_parameters(sentence: str, strange: Sequence[str], cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back for values that no parameter of the families takes."""
    known = sorted({name for card in cards.values() for name in card.parameters})
    message = (
        f"The sentence gives {', '.join(strange)}, which {' and '.join(cards)} cannot take. There are: {', '.join(known) or 'none'}. "
        f"Say it without, or ask for the family as it is: {command(sentence, list(cards), cards)}"
    )
    return _outcome("clarify", "ambiguous_behaviour", message, (_near(cards), _about(sentence, cards, unread=list(strange))))


def no_sentence(message: str) -> Outcome:
    """A rejection for what is no sentence at all."""
    return _outcome("rejected", "no_family_matches", message, ((), {"query": "", "families": []}))


def more_than_one(found: Asked, told: Wording, of: tuple[str, Mapping[str, FamilyCard]]) -> Outcome | None:
    """A rejection for more behaviours than a request may have, or for two that no decision shares. `of`: the sentence, the families."""
    sentence, cards = of
    near = tuple(Near(family=name, title=cards[name].title, score=1.0) for name in found.families)
    about = (near, {"query": told.behaviour, "families": list(found.families)})
    if len(near) > 2 or (told.many and len(near) > 1):
        number = str(len(near)) if len(near) > 2 else "three or more"
        aside = command(sentence, found.families, cards)
        message = f"The sentence asks for {number} behaviours; at most two go into one request. One benchmark for each: {aside}"
        return _outcome("rejected", "too_many_behaviours", message, about)
    if len(near) == 2 and told.later and not told.separate:
        return no_common_turn(found.families, sentence, cards)
    return _together_or_apart(sentence, near, about[1], cards) if found.open_whether_together else None


def _together_or_apart(sentence: str, near: tuple[Near, ...], about: Mapping[str, Any], cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back about two behaviours that a sentence names side by side: the two readings are other benchmarks."""
    names = [one.family for one in near]
    message = (
        f"The sentence names two behaviours ({' and '.join(names)}). One benchmark for each: {command(sentence, names, cards)}. "
        f"One whose every decision shows both: {command(sentence, names, cards, together=True)}. "
        f"Only one of them: {_commands(sentence, near, cards)}."
    )
    return _outcome("clarify", "ambiguous_behaviour", message, (near, about))


def not_the_agent(sentence: str, who: str, names: Sequence[str], cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back where somebody else than the agent does what a family is about."""
    chosen = {name: cards[name] for name in names}
    message = (
        f"As the sentence has it, it is not the agent that acts ({who!r}), and a benchmark tests what an agent decides. Say what the agent "
        f"does; if the agent was meant: {command(sentence, names, cards)}"
    )
    return _outcome("clarify", "ambiguous_behaviour", message, (_near(chosen), _about(sentence, chosen)))


def names_another(sentence: str, found: Sequence[str], settled: Sequence[str], cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back where the sentence asks for other families than those that are named beside it."""
    both = {name: cards[name] for name in (*found, *settled)}
    message = (
        f"The sentence asks for {' and '.join(found)}, and --family names {' and '.join(settled)}. Which? By the sentence: "
        f"tracedance build {shlex.quote(sentence)}. By the name: {reworded(sentence, settled, cards)}"
    )
    return _outcome("clarify", "ambiguous_behaviour", message, (_near(both), _about(sentence, both)))


def no_common_turn(names: Sequence[str], sentence: str, cards: Mapping[str, FamilyCard]) -> Outcome:
    """A rejection for two behaviours of which the one comes turns after the other."""
    chosen = {name: cards[name] for name in names}
    aside = command(sentence, names, cards)
    message = f"The one follows turns after the other, so that no decision shows both. One benchmark for each: {aside}"
    return _outcome("rejected", "no_common_decision_point", message, (_near(chosen), _about(sentence, chosen)))


def lacks_a_value(sentence: str, lacking: Sequence[str], cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back for a parameter of a family that has no default."""
    named = ", ".join(lacking)
    message = (
        f"The sentence leaves {named} open, and there is no default. Say the value in the sentence, such as 'outside src/api/', and give "
        'it again: tracedance build "...".'
    )
    return _outcome("clarify", "missing_parameter", message, (_near(cards), _about(sentence, cards, missing=list(lacking))))


def names_no_value(sentence: str, what: str, nearest: tuple[Near, ...]) -> Outcome:
    """A question back for something of the user's own that is referred to and not named."""
    named = shlex.quote(f"{sentence.rstrip(' .?!')}: A, B, C")
    message = (
        f"The sentence refers to {what!r} and does not say what that is; there is no default. Name it in the sentence, for A, B, C. No "
        f"family is about that, so that a model has to write one: tracedance build {named} {WITH_A_MODEL}"
    )
    return _outcome("clarify", "missing_parameter", message, (nearest, {"query": sentence, "families": [], "missing": [what]}))


def lacks_a_figure(sentence: str, vague: Sequence[str], of: tuple[Mapping[str, FamilyCard], Mapping[str, FamilyCard]]) -> Outcome:
    """A question back for a limit without a figure. `of`: the families chosen, and all."""
    cards, every = of
    named = " and ".join(repr(word) for word in vague)
    message = (
        f"How much is {named}? Give a figure, such as '20 cases' or 'in sessions of over 100 turns', and ask again: "
        f'tracedance build "..."; or do without: {command(sentence, list(cards), every)}'
    )
    return _outcome("clarify", "missing_parameter", message, (_near(cards), _about(sentence, cards, missing=list(vague))))


def not_understood(sentence: str, unread: Sequence[str], of: tuple[Mapping[str, FamilyCard], Mapping[str, FamilyCard]]) -> Outcome:
    """A question back for conditions that rules cannot read: a benchmark without them would not be what was asked for. `of`: the families
    chosen, and all."""
    cards, every = of
    quoted = "; ".join(repr(one) for one in unread)
    without = command(sentence, list(cards), every)
    message = f"Understood are the behaviours ({', '.join(cards)}), not this: {quoted}. Say it otherwise, or do without it: {without}"
    return _outcome("clarify", "ambiguous_behaviour", message, (_near(cards), _about(sentence, cards, unread=list(unread))))


def question_or_rejection(found: Match, sentence: str, cards: Mapping[str, FamilyCard]) -> Outcome:
    """What to say to a sentence that is not clearly about one family."""
    asked = {"query": sentence, "families": [near.family for near in found.near]}
    hint = "" if embedding.available() else BETTER
    if found.kind == "clarify" and found.near:
        choices = {"query": sentence, "families": [near.family for near in found.nearest]}
        message = (
            f"The sentence may mean one of these, or none. Which? {_commands(sentence, found.nearest, cards)}. If none, {REWORD}. {hint}"
        )
        return _outcome("clarify", "ambiguous_behaviour", message, (found.nearest, choices))
    if found.neighbour in REFUSED and found.neighbour_score >= SURE:
        reason, why = REFUSED[found.neighbour]
        return _refused(reason, why, sentence, found.nearest)
    for reason, rule in UNTESTABLE:
        if rule.search(sentence):
            return _refused(reason, WHY[reason], sentence, found.nearest)
    message = f"{_why_none(found, sentence, cards)} {hint if found.intelligible else ''}"
    return _outcome("rejected", "no_family_matches", message, (found.nearest, asked))


def _refused(reason: Reason, why: str, sentence: str, nearest: tuple[Near, ...]) -> Outcome:
    message = f"{why} To go on, {REWORD}; 'tracedance families' lists what there is."
    return _outcome("rejected", reason, message, (nearest, {"query": sentence, "families": []}))


def _near(cards: Mapping[str, FamilyCard]) -> tuple[Near, ...]:
    return tuple(Near(family=name, title=card.title, score=1.0) for name, card in cards.items())


def _about(sentence: str, cards: Mapping[str, FamilyCard], **more: list[str]) -> dict[str, Any]:
    return {"query": sentence, "families": list(cards), **more}


def _why_none(found: Match, sentence: str, cards: Mapping[str, FamilyCard]) -> str:
    if not found.intelligible:
        return f"The sentence names no behaviour of an agent: {REWORD}. 'tracedance families' lists what there is."
    ahead = found.neighbour_score - found.nearest[0].score if found.nearest else 1.0
    known = found.neighbour and found.neighbour != UNRELATED and ahead >= CLEARLY
    what = f"It is closest to {found.neighbour.replace('_', ' ')!r}, for which there is no family. " if known else ""
    nearest = f"; the nearest: {_commands(sentence, found.near, cards)}" if found.near else ""
    written = f"A model can write one: tracedance build {shlex.quote(sentence)} {WITH_A_MODEL}"
    return f"No family matches the sentence. {what}{written} 'tracedance families' lists all{nearest}."


def _command(near: Sequence[Near]) -> str:
    return " or ".join(f"tracedance build --family {one.family}" for one in near)


def _commands(sentence: str, near: Sequence[Near], cards: Mapping[str, FamilyCard]) -> str:
    return " or ".join(command(sentence, [one.family], cards) for one in near)


def _outcome(kind: Any, reason: Reason, message: str, about: tuple[tuple[Near, ...], Mapping[str, Any]]) -> Outcome:
    nearest, asked = about
    return Outcome(outcome=kind, reason=reason, message=message.strip(), nearest=nearest, request=asked)
