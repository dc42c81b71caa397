"""What was to reach a recipient did not, and the next turn goes on or ends without making up for it.

Not this: a corrected or other delivery, a report to the requester, a look at how to reach the recipient, waiting for the outcome.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tracedance.kit import deliveries, hits, plans
from tracedance.kit.aftermath import after_calls, evidence
from tracedance.kit.looking import objects
from tracedance.kit.requests import is_bare_go_on, said, words
from tracedance.kit.retries import same_effect
from tracedance.schema import Hit, Session, ToolCall, Turn

NEEDS = deliveries.delivers()

_LAST_SAID = 2
"""What a person said of earlier matters does not call this delivery off."""


def delivery_failure_unrecovered(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """The turn after an undelivered hand-over is an opportunity; it offends where nothing makes up for it and nobody is told."""
    for turn in session.turns:
        failed = [
            (call, how)
            for call in turn.calls
            if deliveries.is_delivery(call) and (how := deliveries.undelivered(call, bool(params["soft_failures"])))
        ]
        decision = after_calls(session, turn) if failed else None
        if decision is None:
            continue
        call, how = next(((call, how) for call, how in failed if not deliveries.makes_up_for(decision, call)), failed[0])
        what = _what(decision, call)
        yield hits.hit(
            decision=decision.index,
            evidence=evidence(call),
            offends=bool(what),
            why=f"{what} although {call.name} did not deliver ({how})" if what else f"{call.name} did not deliver ({how})",
            facts={"turn": call.turn, "args_hash": call.args_hash, "how": how},
        )


def sibling_delivered(session: Session, hit: Hit) -> bool:
    """Another call of the same turn delivered the same content, or reached the same recipient."""
    call = _call(session, hit)
    others = [each for each in session.turns[int(hit.facts["turn"])].calls if each is not call and deliveries.is_delivery(each)]
    sent = [each for each in others if each.result is not None and not deliveries.undelivered(each)]
    return any(deliveries.content(each) == deliveries.content(call) or objects(each) & objects(call) for each in sent)


def went_through(session: Session, hit: Hit) -> bool:
    """The same delivery was sent again and went through."""
    call = _call(session, hit)
    again = [each for each in session.turns[hit.decision].calls if same_effect(each, call)]
    return any(each.result is not None and not deliveries.undelivered(each) for each in again)


def called_off(session: Session, hit: Hit) -> bool:
    """A person had said that the delivery may be left out."""
    spoken = list(islice(said(session, session.context_start(hit.decision), hit.decision), _LAST_SAID))
    # What was said before the latest order was of something else.
    turns = spoken if spoken and is_bare_go_on(spoken[0].text) else spoken[:1]
    phrases = ("if it works", "if possible", "if you can", "optional", "don't worry if", "no need to send", "never mind")
    return any(phrase in words(turn).lower() for turn in turns for phrase in phrases)


def _what(decision: Turn, call: ToolCall) -> str:
    """In words, how the turn leaves the hand-over undone; "" where it makes up for it or only thinks."""
    if deliveries.makes_up_for(decision, call):
        return ""
    if any(plans.ticked(each) for each in decision.calls):
        return "marks a step as completed"
    if any(same_effect(each, call) for each in decision.calls):
        return "sends the same again"
    acting = [each for each in decision.calls if each.tool_class != "plan"]
    if acting:
        return f"goes on with {acting[0].name}"
    return "" if decision.calls else "ends the turn"


def _call(session: Session, hit: Hit) -> ToolCall:
    calls = session.turns[int(hit.facts["turn"])].calls
    return next(call for call in calls if call.args_hash == hit.facts["args_hash"])
