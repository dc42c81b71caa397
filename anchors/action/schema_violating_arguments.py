"""A call whose arguments its tool rejects for their form: something required is missing, unknown, of another type or none of the choices.

Where a schema was recorded it decides; elsewhere the error's own words say what the tool accepts. Not this: business rules, ranges.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tracedance.kit import arguments, hits
from tracedance.kit.arguments import Violation
from tracedance.kit.needs import among
from tracedance.schema import Hit, Session, ToolCall

NEEDS = among("error_class", "schema")

_SCHEMA_KEPT = 8_000
_SOON = 6
"""Turns within which an attempt that earns the very same complaint, by another fault, belongs to the first one."""
_MARKUP = re.compile(r"</?(?:parameter|invoke|function_calls|tool_calls?)\b|<\|")
_CUT_OFF = re.compile(
    r"(?i)unterminated string|unexpected end of (?:json|input)|EOF while parsing|truncated|max(?:imum)? (?:output )?tokens"
    r"|could not be parsed as json"
)
_NOT_SENT = re.compile(r"(?i)schema (?:was|has) not (?:been )?(?:sent|loaded)|load (?:it|the tool) first|not in the discovered-tool set")
_FORM = re.compile(
    r"(?i)inputvalidationerror|validation (?:failed|error) for|failed to parse (?:function )?arguments|\bschema\b"
    r"|\binvalid (?:tool )?(?:arguments?|parameters?)\b|must be (?:an? )?(?:string|number|integer|boolean|array|list|object)\b"
)
_RULE = re.compile(r"(?i)\b(?:less|greater|at most|at least|maximum|minimum|exceeds?|same|identical|equal to each|between)\b")


def schema_violating_arguments(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn with a call that its tool rejected for its arguments is an opportunity; it offends when their form is at fault.

    The same fault of the same tool is reported once in a context: what follows it has been told.
    """
    known: set[tuple[str, Violation]] = set()
    said: dict[tuple[str, str], int] = {}
    start = 0
    for turn in session.turns:
        if session.context_start(turn.index) != start:
            start, known = session.context_start(turn.index), set()
        rejected = [(call, _faults(session, call)) for call in turn.calls if _is_rejected(call)]
        fresh = [(call, faults) for call, faults in rejected if turn.index - said.get((call.name, _complaint(call)), -_SOON) >= _SOON]
        fresh = [(call, faults) for call, faults in fresh if not faults or any((call.name, fault) not in known for fault in faults)]
        known.update((call.name, fault) for call, faults in rejected for fault in faults)
        said.update({(call.name, _complaint(call)): turn.index for call, _ in rejected})
        if fresh and hits.decides(turn):
            offending = [(call, faults) for call, faults in fresh if any(fault.kind != "rule" for fault in faults)]
            yield _hit(session, *(offending or fresh)[0], offends=bool(offending))


def error_contradicted(session: Session, hit: Hit) -> bool:
    """What the error calls missing is there, or what it calls unknown is not: it speaks of something else than the arguments as sent."""
    call = _call(session, hit)
    if call is None or hit.facts.get("schema") is not None:
        return False
    faults = [fault for fault in _faults(session, call) if fault.kind != "rule"]
    return bool(faults) and all(arguments.contradicted(fault, call.arguments) for fault in faults)


def schema_not_shown(session: Session, hit: Hit) -> bool:
    """The harness says that it had not yet shown the tool's schema to the model (tools that are loaded on demand)."""
    call = _call(session, hit)
    return call is not None and call.result is not None and _NOT_SENT.search(call.result.text[:2_000]) is not None


def mangled(session: Session, hit: Hit) -> bool:
    """The call was cut off or broken on its way: its text did not parse, or markup of calls stands in its arguments."""
    call = _call(session, hit)
    if call is None:
        return False
    sent = call.arguments_json[:20_000]
    error = call.result.text[:1_000] if call.result is not None else ""
    return "__unparsedToolInput" in sent or _MARKUP.search(sent) is not None or _CUT_OFF.search(error) is not None


def accepted_before(session: Session, hit: Hit) -> bool:
    """The very same call had been accepted before in the session: the rejection was the harness's fault."""
    call = _call(session, hit)
    if call is None:
        return False
    earlier = (other for turn in session.turns[: hit.decision] for other in turn.calls)
    same = (other for other in earlier if other.name == call.name and other.args_hash == call.args_hash)
    return any(other.result is not None and other.result.status == "ok" and other.result.turn < hit.decision for other in same)


def _complaint(call: ToolCall) -> str:
    return call.result.text[:300] if call.result is not None else ""


def _is_rejected(call: ToolCall) -> bool:
    return call.result is not None and call.result.status == "error" and call.result.error_class == "schema"


def _faults(session: Session, call: ToolCall) -> list[Violation]:
    """What is wrong with the call: by its recorded schema, else by the error; a schema that accepts it leaves the rule in the error."""
    schema = arguments.schema_of(session, call.name)
    told = arguments.stated(call.result.text) if call.result is not None else []
    if schema is None:
        return told or _unnamed(call)
    return arguments.against(schema, call.arguments) or [Violation("rule", fault.name) for fault in told]


def _unnamed(call: ToolCall) -> list[Violation]:
    """A fault that the error does not name, though it says that the form of the arguments is at fault."""
    text = call.result.text[:2_000] if call.result is not None else ""
    return [Violation("type", "")] if _FORM.search(text) and not _RULE.search(text) else []


def _hit(session: Session, call: ToolCall, faults: list[Violation], *, offends: bool) -> Hit:
    wrong = [fault for fault in faults if fault.kind != "rule"]
    said = ", ".join(f"{fault.kind} {fault.name!r}" if fault.name else fault.kind for fault in wrong[:4])
    schema = arguments.schema_of(session, call.name)
    text = _as_text(schema)
    return hits.hit(
        decision=call.turn,
        offends=offends,
        why=f"calls {call.name!r} with arguments that it rejects ({said})"
        if offends
        else f"{call.name!r} rejected a call for another reason",
        facts={
            "tool": call.name,
            "call": call.id,
            "faults": [arguments.told(fault, call.arguments) for fault in wrong[:20]],
            "schema": schema if 0 < len(text) <= _SCHEMA_KEPT else None,
        },
    )


def _as_text(schema: Mapping[str, Any] | None) -> str:
    """A schema as text, for its length."""
    return str(dict(schema)) if schema is not None else ""


def _call(session: Session, hit: Hit) -> ToolCall | None:
    return next((call for call in session.turns[hit.decision].calls if call.id == hit.facts.get("call")), None)
