"""Outcomes for sentences that are no request: a question back, or a rejection with its reason and the next command."""

from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.query import embedding
from tracedance.query.behaviours import Asked
from tracedance.query.match import Match
from tracedance.query.wording import Wording
from tracedance.schema import FamilyCard, Near, Outcome
from tracedance.schema.request import Reason

REWORD = "say in one sentence what the agent does and what it leaves undone"
BETTER = "Words alone were compared; pip install 'tracedance[embeddings]' settles more sentences."
UNRELATED = "anything"
"""The neighbour that stands for sentences about no behaviour at all; naming it would help nobody."""
REFUSED: Mapping[str, tuple[Reason, str]] = {
    "hidden_intent": ("not_observable", "What a model knew or intended is not in the events; only what it did and said can be tested."),
    "outcome_correctness": (
        "outcome_correctness",
        "Whether an outcome was right needs a reference or hidden tests; a benchmark grades the next turn and runs nothing.",
    ),
    "manners": ("per_session_review", "No event marks this, so that every session would have to be read and judged as a whole."),
}
"""Behaviours that no family could be: why, by their neighbour."""
SURE = 0.4
"""Score from which on a neighbour's own reason is given."""


def beside_the_behaviour(told: Wording, sentence: str) -> Outcome | None:
    """A rejection for what the sentence wants beside its behaviour: live secrets, or a size that cannot be."""
    if told.harmful:
        message = (
            "This asks for the harm itself; what is redacted stays so. A test of whether agents resist it can be built: " + REWORD + "."
        )
        return _outcome("rejected", "harmful", message, ((), {"query": sentence, "families": []}))
    low, high = told.minimum, told.maximum
    if (low is not None and low < 1) or (high is not None and high < 1) or (low is not None and high is not None and low > high):
        message = (
            f"Between {low} and {high} instances cannot be. Give a minimum of at least 1 and a maximum not below it, with --min and --max."
        )
        return _outcome("rejected", "contradictory_size", message, ((), {"query": sentence, "families": []}))
    return None


def more_than_one(found: Asked, told: Wording, cards: Mapping[str, FamilyCard]) -> Outcome | None:
    """A rejection for more behaviours than a request may have, or for two that no decision shares."""
    near = tuple(Near(family=name, title=cards[name].title, score=1.0) for name in found.families)
    about = (near, {"query": told.behaviour, "families": list(found.families)})
    aside = "tracedance build " + " ".join(f"--family {name}" for name in found.families)
    if len(near) > 2:
        message = f"The sentence asks for {len(near)} behaviours; at most two go into one request. One benchmark for each: {aside}"
        return _outcome("rejected", "too_many_behaviours", message, about)
    if len(near) == 2 and told.later and not told.separate:
        message = f"The one follows turns after the other, so that no decision shows both. One benchmark for each: {aside}"
        return _outcome("rejected", "no_common_decision_point", message, about)
    return None


def not_built_together(found: Asked, told: Wording, cards: Mapping[str, FamilyCard]) -> Outcome:
    """A question back: a benchmark whose every instance shows both is not built by this version."""
    near = tuple(Near(family=name, title=cards[name].title, score=1.0) for name in found.families)
    aside = " ".join(f"--family {name}" for name in found.families)
    message = f"Both behaviours at one decision cannot be built yet. One benchmark for each: tracedance build {aside}"
    return _outcome("clarify", "ambiguous_behaviour", message, (near, {"query": told.behaviour, "families": list(found.families)}))


def question_or_rejection(found: Match, sentence: str) -> Outcome:
    """What to say to a sentence that is not clearly about one family."""
    asked = {"query": sentence, "families": [near.family for near in found.near]}
    hint = "" if embedding.available() else BETTER
    if found.kind == "clarify" and found.near:
        which = "this family" if len(found.near) == 1 else f"one of {len(found.near)} families"
        named = _command(found.near)
        message = f"The sentence may mean {which}, or none. If it does: {named}. If not, {REWORD}. {hint}"
        return _outcome("clarify", "ambiguous_behaviour", message, (found.near, asked))
    if found.neighbour in REFUSED and found.neighbour_score >= SURE:
        reason, why = REFUSED[found.neighbour]
        return _outcome("rejected", reason, f"{why} To go on, {REWORD}; 'tracedance families' lists what there is.", (found.nearest, asked))
    return _outcome("rejected", "no_family_matches", f"{_why_none(found)} {hint if found.intelligible else ''}", (found.nearest, asked))


def _why_none(found: Match) -> str:
    if not found.intelligible:
        return f"The sentence names no behaviour of an agent: {REWORD}. 'tracedance families' lists what there is."
    known = found.neighbour and found.neighbour != UNRELATED
    what = f"It is closest to {found.neighbour.replace('_', ' ')!r}, for which there is no family. " if known else ""
    nearest = f"; the nearest: {_command(found.near)}" if found.near else ""
    return f"No family matches the sentence. {what}'tracedance families' lists all{nearest}."


def _command(near: Sequence[Near]) -> str:
    return " or ".join(f"tracedance build --family {one.family}" for one in near)


def _outcome(kind: Any, reason: Reason, message: str, about: tuple[tuple[Near, ...], Mapping[str, Any]]) -> Outcome:
    nearest, asked = about
    return Outcome(outcome=kind, reason=reason, message=message.strip(), nearest=nearest, request=asked)
