"""Another edit of a file right after an edit of it was rejected, with no look at the file in between.

Not this: a rejection because the text was not unique; a retry that puts right what the agent had read; scripts whose effect is unknown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.kit import files, hits, paths, requests
from tracedance.kit.needs import among
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.replacing import mostly_stands_in, new_texts, old_texts, shares_line, stands_in
from tracedance.schema import Hit, Session, ToolCall, Turn

REJECTED = ("edit_not_found", "edit_stale", "edit_not_read")
"""The file's text was not what the edit took it for. `edit_not_unique` is another matter: more context from what was read answers it."""

NEEDS = among("error_class", *REJECTED)


_SOUGHT = re.compile(r"\bs/((?:[^/\\\n]|\\.)+)/|\bs\|((?:[^|\\\n]|\\.)+)\||\bs#((?:[^#\\\n]|\\.)+)#|\bs,((?:[^,\\\n]|\\.)+),")


@dataclass(frozen=True)
class Retry:
    """A rejected edit and what the next turn did about it."""

    failed: ToolCall
    path: str
    again: ToolCall | None
    """The call of the next turn that changes the file again; None where there is none."""


def edit_retry_without_reread(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn after a rejected edit is an opportunity; it offends when it changes the same file again from memory."""
    for turn in session.turns:
        rejected = [call for call in turn.calls if _is_rejected(call)]
        if not rejected:
            continue
        decision = _next_decision(session, turn)
        if decision is None or session.context_start(decision.index) > turn.index:
            continue
        retries = [_retry(call, decision) for call in rejected]
        yield _weighed(session, decision, retries)


def error_shows_text(session: Session, hit: Hit) -> bool:
    """The error itself showed the file's text, beyond repeating the rejected one, and the new edit uses it."""
    retry = _of(session, hit)
    if retry is None or retry.again is None or retry.failed.result is None:
        return False
    error = shown_text(retry.failed.result)
    for old in old_texts(retry.failed, retry.path):
        error = error.replace(old, "")
        for line in old.split("\n"):
            error = error.replace(line, "") if line.strip() else error
    return shares_line(old_texts(retry.again, retry.path), error)


def shown_since(session: Session, hit: Hit) -> bool:
    """The harness or an editor showed the file's text after the rejection, in a message or in a sibling call's result."""
    retry = _of(session, hit)
    if retry is None or retry.again is None or retry.failed.result is None:
        return False
    texts = [*old_texts(retry.again, retry.path), *new_texts(retry.again, retry.path)]
    between = session.turns[retry.failed.result.turn : hit.decision]
    said = [turn.text for turn in between if turn.author in ("harness", "user")]
    siblings = [shown_text(result) for turn in between for result in turn.results if result is not retry.failed.result]
    return any(paths.name(retry.path) in text and shares_line(texts, text) for text in (*said, *siblings))


def own_whole_file(session: Session, hit: Hit) -> bool:
    """The new call writes the whole file, and the agent had written all of it before in this session."""
    retry = _of(session, hit)
    if retry is None or retry.again is None or retry.again.tool_class != "write":
        return False
    return any(
        touch.deed == "write" and touch.meets(retry.path) and files.took_effect(call)
        for call in files.reversed_calls(session, 0, retry.failed.turn)
        for touch in files.touches(call)
    )


def tool_fault(session: Session, hit: Hit) -> bool:
    """The same call succeeded when sent again, and the file had been read just before: the edit tool was at fault, not the agent."""
    retry = _of(session, hit)
    if retry is None or retry.again is None or retry.again.args_hash != retry.failed.args_hash:
        return False
    succeeded = retry.again.result is not None and retry.again.result.status == "ok"
    return succeeded and _looks(session, retry) != []


def _is_rejected(call: ToolCall) -> bool:
    result = call.result
    return result is not None and result.status == "error" and result.error_class in REJECTED and call.tool_class in ("edit", "write")


def _next_decision(session: Session, turn: Turn) -> Turn | None:
    """The model's next turn after all results of this one; None where a person spoke first or the session ends."""
    answered = max(call.result.turn for call in turn.calls if call.result is not None)
    for later in session.turns[answered + 1 :]:
        if later.role == "assistant":
            open_still = hits.decides(later) and not requests.intervened(session, answered, later.index)
            return later if open_still else None
    return None


def _retry(failed: ToolCall, decision: Turn) -> Retry:
    path = files.failed_path(failed)
    for call in decision.calls:
        for touch in files.touches(call):
            if not touch.meets(path):
                continue
            if touch.deed in ("script", "restore"):
                return Retry(failed, path, None)
            if touch.deed in ("edit", "write", "append"):
                return Retry(failed, path, call)
    return Retry(failed, path, None)


def _weighed(session: Session, decision: Turn, retries: Sequence[Retry]) -> Hit:
    offending = [retry for retry in retries if retry.again is not None and not _knew(session, retry)]
    shown = (offending or retries)[0]
    result = shown.failed.result
    what = result.error_class if result is not None and result.error_class else ""
    name = paths.name(shown.path)
    return hits.hit(
        decision=decision.index,
        evidence=[shown.failed.turn, *([result.turn] if result is not None else [])],
        offends=bool(offending),
        why=f"edits {name!r} again right after {what!r}, without a look at it"
        if offending
        else f"an edit of {name!r} was rejected ({what})",
        facts={"path": shown.path, "failed": shown.failed.id, "error_class": what},
    )


def _knew(session: Session, retry: Retry) -> bool:
    """Whether the retry rests on text that the model had before it: the region was read since the file's last change.

    A retry that is rejected as well, and expects what the reads do not show, is a guess all the same.
    """
    again = retry.again
    if again is None or again.args_hash == retry.failed.args_hash:
        return False
    looks = _looks(session, retry)
    if again.tool_class == "shell" and not _sought(again, looks):
        return False
    failed_again = again.result is not None and again.result.error_class in REJECTED
    olds = old_texts(retry.failed, retry.path)
    # A whole file written on a picture that the reads contradict replaces what is there.
    blind = again.tool_class == "write" and not any(stands_in(old, shown_text(look.result)) for old in olds for look in looks)
    return bool(looks) and not blind and (not failed_again or _used(retry, looks))


def _sought(again: ToolCall, looks: Sequence[ToolCall]) -> bool:
    """Whether what a `sed` looks for stands in what was read: it succeeds without a match, so that success says nothing."""
    wanted = [next(text for text in found if text) for found in _SOUGHT.findall(again.cmd)]
    plain = [re.split(r"[\\.*+?\[\](){}^$|]", text)[0].strip() for text in wanted]
    return all(any(text in shown_text(look.result) for look in looks) for text in plain if len(text) >= 4)


def _used(retry: Retry, looks: Sequence[ToolCall]) -> bool:
    """Whether all that the retry expects to find stands, line for line, in what the looks showed."""
    olds = old_texts(retry.again, retry.path) if retry.again is not None else []
    return bool(olds) and all(any(stands_in(old, shown_text(look.result)) for look in looks) for old in olds)


def _looks(session: Session, retry: Retry) -> list[ToolCall]:
    """Calls that showed the region after the file's last change, up to and with the turn of the rejected edit."""
    failed, path = retry.failed, retry.path
    start = session.context_start(failed.turn)
    last = files.changed(session, path, start, failed.turn)
    stale = failed.result is not None and failed.result.error_class == "edit_stale"
    region = [*old_texts(failed, path), *(old_texts(retry.again, path) if retry.again is not None else [])]
    found: list[ToolCall] = []
    for call in files.reversed_calls(session, start if last is None else last, failed.turn + 1):
        if call is failed or call.result is None or call.result.status != "ok" or (stale and call.tool_class in ("read", "edit", "write")):
            continue
        if any(_shows(call, touch, region) for touch in files.touches(call) if touch.meets(path)):
            found.append(call)
    return found


def _shows(call: ToolCall, touch: files.Touch, region: Sequence[str]) -> bool:
    if touch.deed == "write" or (touch.deed == "look" and touch.whole):
        return True
    result = call.result
    return touch.deed in ("look", "search", "edit") and result is not None and mostly_stands_in(region, shown_text(result))


def _of(session: Session, hit: Hit) -> Retry | None:
    """The rejected edit and the retry that a hit is about."""
    for call in files.reversed_calls(session, 0, hit.decision):
        if call.id == hit.facts.get("failed"):
            return _retry(call, session.turns[hit.decision])
    return None
