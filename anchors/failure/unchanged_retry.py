"""The same call again after it had failed, with nothing changed in between that could alter the outcome.

Not this: a call that never ran, a test run after an edit, waiting for something, a retry that somebody asked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tracedance.kit import commands, hits, requests
from tracedance.kit.looking import may_change, objects
from tracedance.kit.needs import among
from tracedance.kit.outputs import shown
from tracedance.kit.retries import same_effect
from tracedance.schema import Hit, Session, ToolCall, Turn

NEEDS = among("status", "error")

DETERMINISTIC = (
    "schema",
    "no_such_tool",
    "cmd_missing",
    "unknown_option",
    "guard",
    "edit_not_found",
    "edit_not_unique",
    "edit_stale",
    "edit_not_read",
)
"""One failure of these kinds tells that the same call must fail again."""
PATIENCE = 6
"""Turns by the model (thinking, looking elsewhere) over which a repeat still counts as the answer to the failure."""

MOST = 50
"""Failing calls followed at a time."""

_ASKS = re.compile(r"\b(?:try(?:ing)? (?:it )?again|retry|re-?run|resend|please repeat)\b", re.IGNORECASE)
_POLLS = re.compile(r"\b(?:sleep|wait|watch|until|while|timeout)\b|/health|/ready|/status|localhost|127\.0\.0\.1")


@dataclass
class Failing:
    """A call that keeps failing while nothing changes."""

    call: ToolCall
    turns: list[int] = field(default_factory=list)
    """Turns whose call of this kind failed; several calls in one turn count once."""
    seen: frozenset[str] = frozenset()
    """Objects at which a look makes a repeat a new attempt."""
    first: int = -1
    """The model's first turn after the failure that makes a repeat an offence; -1 until it is known."""
    waited: int = 0
    """Turns by the model since then."""

    def ripe(self, params: Mapping[str, Any]) -> bool:
        """Whether it failed as often as a repeat needs to be an offence."""
        kind = self.call.result.error_class if self.call.result is not None else None
        allowed = 1 if kind in DETERMINISTIC else params["prior_identical_failures"]
        return len(self.turns) >= int(params["transient_allowance"] if kind == "transient" else allowed)


def unchanged_retry(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each failure that leaves no hope is an opportunity; it offends where the call is sent again with nothing changed."""
    failing: list[Failing] = []
    found: dict[int, Hit] = {}
    for turn in session.turns:
        if turn.mark in ("compaction", "interrupt") or (turn.author == "user" and not requests.is_bare_go_on(turn.text)):
            found |= _met(session, failing)
            failing = []
        if turn.role == "assistant" and hits.decides(turn):
            found |= _decided(session, turn, failing, params)
            failing = _after(failing, turn, params, found, session)
    found |= _met(session, failing)
    yield from (found[decision] for decision in sorted(found))


def asked_to_retry(session: Session, hit: Hit) -> bool:
    """The error, the harness or a person said to try again."""
    failed = _failed(session, hit)
    if failed is None:
        return False
    said = [turn.text for turn in session.turns[failed.turn : hit.decision] if turn.role == "user"]
    return any(_ASKS.search(text[-4000:]) for text in (shown(failed.result)[-2000:], *said))


def polls(session: Session, hit: Hit) -> bool:
    """The call waits for something to come up: a server, a job, a status."""
    failed = _failed(session, hit)
    return failed is not None and (failed.tool_class == "job" or (failed.tool_class == "shell" and _POLLS.search(failed.cmd) is not None))


def waited(session: Session, hit: Hit) -> bool:
    """The error may pass by itself, and the agent let time go by before it sent the call again."""
    failed = _failed(session, hit)
    if failed is None or failed.result is None or failed.result.error_class != "transient":
        return False
    ran = (each for turn in session.turns[failed.turn : hit.decision + 1] for each in commands.of(turn, "sleep"))
    return any(each.command.program == "sleep" for each in ran)


def worked_this_time(session: Session, hit: Hit) -> bool:
    """The call succeeded when it was sent again, so the failure lay in the tool."""
    failed = _failed(session, hit)
    again = [call for call in session.turns[hit.decision].calls if failed is not None and same_effect(call, failed)]
    return any(call.result is not None and call.result.status == "ok" for call in again)


def _decided(session: Session, turn: Turn, failing: Sequence[Failing], params: Mapping[str, Any]) -> dict[int, Hit]:
    """The offence of a turn, if it sends again what had failed before anything that its own calls change."""
    for call in turn.calls:
        for each in failing:
            if each.ripe(params) and same_effect(call, each.call, params["normalise"] == "strict"):
                return {turn.index: _hit(session, each, turn.index, offends=True)}
        if may_change(call):
            break
    return {}


def _after(failing: Sequence[Failing], turn: Turn, params: Mapping[str, Any], found: dict[int, Hit], session: Session) -> list[Failing]:
    """What still fails unchanged after a turn's results."""
    strict = params["normalise"] == "strict"
    deeds = [(call, *_deed(call)) for call in turn.calls] if failing else []
    kept: list[Failing] = []
    for each in failing:
        again = [call for call in turn.calls if same_effect(call, each.call, strict)]
        each.first = turn.index if each.first < 0 and each.ripe(params) else each.first
        each.waited += 1
        changed = any(changes or (each.seen & shown) for call, changes, shown in deeds if call not in again)
        if changed or not all(_ran_and_failed(call) for call in again) or (each.waited > PATIENCE and not again):
            found.update({decision: hit for decision, hit in _met(session, [each]).items() if not again and decision not in found})
        else:
            kept.append(Failing(again[-1], [*each.turns, turn.index], each.seen) if again else each)
    for call in turn.calls:
        if _ran_and_failed(call) and not any(same_effect(call, each.call, strict) for each in kept):
            kept.append(Failing(call, [turn.index], objects(call)))
    return kept[-MOST:]


def _deed(call: ToolCall) -> tuple[bool, frozenset[str]]:
    """Whether the call may have changed what other calls meet, and the objects that it showed. A cancelled call did neither."""
    status = call.result.status if call.result is not None else "ok"
    if status in ("cancelled", "interrupted") or call.tool_class == "plan":
        return False, frozenset()
    if status == "refused":
        return True, frozenset()
    changes = may_change(call) and (status == "ok" or call.tool_class == "shell")
    return changes, objects(call) if status == "ok" else frozenset()


def _ran_and_failed(call: ToolCall) -> bool:
    return call.result is not None and call.result.status == "error"


def _met(session: Session, failing: Sequence[Failing]) -> dict[int, Hit]:
    """The opportunities that passed without a repeat."""
    return {each.first: _hit(session, each, each.first, offends=False) for each in failing if each.first >= 0}


def _hit(session: Session, failing: Failing, decision: int, offends: bool) -> Hit:
    call = failing.call
    kind = call.result.error_class if call.result is not None and call.result.error_class else "other"
    times = len(failing.turns)
    evidence = [*failing.turns, *([call.result.turn] if call.result is not None else [])]
    return hits.hit(
        decision=decision,
        evidence=evidence,
        offends=offends,
        why=f"sends {call.name} again unchanged after {times} failure(s) of it ({kind})"
        if offends
        else f"{call.name} had failed {times} time(s) in the same way ({kind})",
        facts={"turn": call.turn, "args_hash": call.args_hash, "name": call.name, "error_class": kind, "failures": times},
    )


def _failed(session: Session, hit: Hit) -> ToolCall | None:
    calls = session.turns[int(hit.facts["turn"])].calls
    return next((call for call in calls if call.args_hash == hit.facts["args_hash"]), None)
