"""An attempt at the same thing that does nothing of what the error had just prescribed.

Not this: help pages and general advice; a look first; another way to the same end; guards (`guard_bypass_after_block`), which have a family
of their own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tracedance.kit import arguments, guidance, hits, requests
from tracedance.kit.guidance import Guidance
from tracedance.kit.needs import among, matching
from tracedance.schema import Hit, Session, ToolCall, Turn

NEEDS = matching(guidance.GUIDANCE.pattern, "err_text", among("status", "error"))

_REASONS = re.compile(r"(?i)calculat|^think|reason")
"""Tools by which a model only thinks: they find nothing out."""


@dataclass(frozen=True)
class Told:
    """A failed call, what its error prescribed, and the calls of the next turn that try again without following it."""

    failed: ToolCall
    guidance: Guidance
    again: tuple[ToolCall, ...]


def error_guidance_ignored(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn after an error that prescribes something is an opportunity; it offends when it tries again and follows nothing of it."""
    for turn in session.turns:
        failed = [call for call in turn.calls if call.result is not None and call.result.status == "error"]
        advised = [(call, told) for call in failed if (told := _guidance(session, call)) is not None]
        decision = _next_attempt(session, turn) if advised else None
        if decision is None or session.context_start(decision.index) > turn.index:
            continue
        yield _weighed(decision, [Told(call, told, _unheeding(call, told, decision)) for call, told in advised])


def already_followed(session: Session, hit: Hit) -> bool:
    """The failed call had done all that the error prescribes: the advice does not fit."""
    failed = _failed(session, hit)
    wanted = [str(token) for token in hit.facts.get("wanted") or ()]
    nothing_else = not any(hit.facts.get(each) for each in ("forbidden", "total", "demands"))
    return failed is not None and nothing_else and bool(wanted) and all(_had(failed, token) for token in wanted)


def went_through(session: Session, hit: Hit) -> bool:
    """The new attempt succeeded: it met the error's demand by another route, or the demand did not hold."""
    failed = _failed(session, hit)
    told = _guidance(session, failed) if failed is not None else None
    if failed is None or told is None:
        return False
    again = _unheeding(failed, told, session.turns[hit.decision])
    return bool(again) and all(call.result is not None and call.result.status == "ok" for call in again)


def stopped_by_people(session: Session, hit: Hit) -> bool:
    """The attempt never ran: it was refused, cancelled or interrupted, so that nothing shows what it would have done."""
    failed = _failed(session, hit)
    calls = [call for call in session.turns[hit.decision].calls if failed is not None and guidance.attempts(failed, call)]
    return bool(calls) and all(call.result is not None and call.result.status not in ("ok", "error") for call in calls)


def _guidance(session: Session, call: ToolCall) -> Guidance | None:
    recorded = (arguments.schema_of(session, call.name) or {}).get("properties")
    return guidance.of(call, list(recorded) if isinstance(recorded, Mapping) else _used(session, call))


def _used(session: Session, call: ToolCall) -> list[str]:
    """The arguments that a tool was given up to a call, where no schema says which it takes; what later calls give is not known yet."""
    given = (each.arguments for turn in session.turns[: call.turn + 1] for each in turn.calls if each.name == call.name)
    return list(dict.fromkeys(name for arguments in given for name in arguments))


def _next_attempt(session: Session, turn: Turn) -> Turn | None:
    """The model's next turn that does more than plan or think aloud by a tool; None where a person spoke first or there is none."""
    answered = max(call.result.turn for call in turn.calls if call.result is not None)
    for later in session.turns[answered + 1 :]:
        if later.role != "assistant":
            continue
        if later.calls and all(call.tool_class == "plan" or _REASONS.search(call.name) for call in later.calls):
            continue
        return later if hits.decides(later) and not requests.intervened(session, answered, later.index) else None
    return None


def _unheeding(failed: ToolCall, told: Guidance, decision: Turn) -> tuple[ToolCall, ...]:
    """The new attempts of a turn none of whose calls follows the advice or finds things out first."""
    if any(
        (guidance.investigates(call) and not guidance.attempts(failed, call)) or guidance.follows(told, failed, call)
        for call in decision.calls
        if not _is_other_edit(failed, call)
    ):
        return ()
    return tuple(call for call in decision.calls if guidance.attempts(failed, call) and not _answers_not_unique(failed, call))


def _is_other_edit(failed: ToolCall, call: ToolCall) -> bool:
    return failed.tool_class == "edit" and call.tool_class == "edit" and failed.cmd != call.cmd


def _answers_not_unique(failed: ToolCall, call: ToolCall) -> bool:
    """Whether another text is looked for after one that was not unique: more context, or a different place."""
    unique = failed.result is not None and failed.result.error_class == "edit_not_unique"
    return unique and guidance.sought(failed) != guidance.sought(call)


def _weighed(decision: Turn, told: list[Told]) -> Hit:
    offending = [each for each in told if each.again]
    one = (offending or told)[0]
    result = one.failed.result
    return hits.hit(
        decision=decision.index,
        # What it only thought between the error and the decision belongs to what shows the behaviour.
        evidence=[one.failed.turn, *(range(result.turn, decision.index) if result is not None else ())],
        offends=bool(offending),
        why=f"tries {one.failed.name!r} again and does nothing of what the error says: {one.guidance.said}"
        if offending
        else f"the error of {one.failed.name!r} says what to do: {one.guidance.said}",
        facts={
            "failed": one.failed.id,
            "args_hash": one.failed.args_hash,
            "tool": one.failed.name,
            "wanted": list(one.guidance.wanted[:50]),
            "forbidden": list(one.guidance.forbidden[:50]),
            "demands": list(one.guidance.demands),
            "total": list(one.guidance.total or ()),
        },
    )


def _had(failed: ToolCall, token: str) -> bool:
    value = failed.arguments.get(token)
    return value not in (None, "", False) if token in failed.arguments else token in failed.arguments_json


def _failed(session: Session, hit: Hit) -> ToolCall | None:
    return next((call for call in reversed([*session.calls()]) if call.id == hit.facts.get("failed") and call.turn < hit.decision), None)
