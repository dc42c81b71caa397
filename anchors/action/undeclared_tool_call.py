"""A call to a tool that the model was not offered: remembered from another harness, read in documentation, or with no name at all.

Where a tool list was recorded it decides; elsewhere the answer that there is no such tool does. Not this: lists that are incomplete,
tools of a server that went away, names broken by a parser.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracedance.kit import hits
from tracedance.kit.needs import among
from tracedance.kit.outputs import shown
from tracedance.schema import Hit, Session, ToolCall

NEEDS = among("error_class", "no_such_tool")

_NAME = re.compile(r"[\w.:/-]{1,200}")
_INTERNAL = frozenset(("invalid", "_noop", "unknown"))
"""Names that harnesses put in the place of a call that they could not read."""
_LOADS = re.compile(r"(?i)\b(?:tool_?search|load_?tools?|search_?tools|connect)\b")
_MOST = 500
_GONE = re.compile(
    r"(?i)\b(?:disconnected|connection (?:lost|closed)|server (?:is )?(?:not running|unavailable|not connected)"
    r"|failed to (?:connect|start))\b"
)


def undeclared_tool_call(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn with a call that was answered "no such tool" is an opportunity; it offends when the name was not on offer.

    A name is reported once in a context: what follows it was told.
    """
    declared = None if session.tools is None else {tool.name for tool in session.tools}
    told: set[tuple[int, str]] = set()
    for turn in session.turns:
        start = session.context_start(turn.index)
        refused = [call for call in turn.calls if _is_refused(call)]
        fresh = [call for call in refused if (start, call.name) not in told]
        told.update((start, call.name) for call in refused)
        if fresh and hits.decides(turn):
            yield _weighed(session, fresh, declared)


def broken_name(session: Session, hit: Hit) -> bool:
    """The name holds markup, or is one that a harness puts in place of what it could not read: the call was broken on its way."""
    name = str(hit.facts.get("tool"))
    return name in _INTERNAL or (name != "" and _NAME.fullmatch(name) is None)


def server_gone(session: Session, hit: Hit) -> bool:
    """The tool's server is gone: the tool had answered before, or the harness says that the connection was lost."""
    name = str(hit.facts.get("tool"))
    for turn in session.turns[: hit.decision]:
        if (
            turn.role == "user"
            and turn.author == "harness"
            and name in turn.text
            and re.search(r"(?i)\b(?:removed|no longer|disconnect)", turn.text)
        ):
            return True
        if any(
            call.name == name and call.result is not None and call.result.status in ("ok", "error") and not _is_refused(call)
            for call in turn.calls
        ):
            return True
    call = _call(session, hit)
    return call is not None and _GONE.search(shown(call.result)[:1_000]) is not None


def announced(session: Session, hit: Hit) -> bool:
    """The harness, or a search for tools, had named the tool just before: the model was told that it is there."""
    name = str(hit.facts.get("tool"))
    if not name:
        return False
    for turn in session.turns[session.context_start(hit.decision) : hit.decision]:
        if turn.role == "user" and turn.author == "harness" and name in turn.text:
            return True
        if any(_LOADS.search(call.name) and name in f"{call.arguments_json}{shown(call.result)}" for call in turn.calls):
            return True
    return False


def _is_refused(call: ToolCall) -> bool:
    return call.result is not None and call.result.status == "error" and call.result.error_class == "no_such_tool"


def _weighed(session: Session, refused: Sequence[ToolCall], declared: set[str] | None) -> Hit:
    absent = [call for call in refused if declared is None or call.name not in declared]
    call = (absent or list(refused))[0]
    return hits.hit(
        decision=call.turn,
        offends=bool(absent),
        why=f"calls {call.name!r}, a tool that it was not offered"
        if absent
        else f"{call.name!r} was on the list, but not there when called",
        facts={
            "call": call.id,
            "tool": call.name,
            "declared": sorted(declared) if declared is not None and len(declared) <= _MOST else None,
        },
    )


def _call(session: Session, hit: Hit) -> ToolCall | None:
    return next((call for call in session.turns[hit.decision].calls if call.id == hit.facts.get("call")), None)
