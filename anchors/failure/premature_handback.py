"""After one or few failures that could be got over, the agent hands the step to the user or says that it cannot be done.

Not this: blockers that only a person can lift; orders to stop on errors; a choice that is the person's; a failed check after finished work.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tracedance.kit import handback, hits, reports, requests, verdicts
from tracedance.kit.needs import among, matching
from tracedance.kit.texts import finder
from tracedance.schema import Hit, Session, Turn

NEEDS = among("status", "error") | matching(r"exitcode: [1-9]|execution failed", "text", among("author", "harness"))

_code_failed = re.compile(r"^[^\n]{0,60}exitcode: [1-9]\d*|^[^\n]{0,60}\(execution failed\)")
_stop = finder(
    r"(?i)\b(?:stop|abort|halt|pause|ask me|let me know|tell me|report back)\b.{0,40}\b(?:on|if|when|at)\b.{0,40}\b(?:errors?|fail\w*"
    r"|problems?|issues?|stuck|blocked)\b"
    r"|\b(?:if|when|on)\b.{0,40}\b(?:errors?|fail\w*|blocked|stuck)\b.{0,40}\b(?:stop|abort|halt|pause|ask me|tell me|let me know|report)\b"
    r"|\b(?:only|just) (?:advise|explain|tell me|answer)\b|\bdo not (?:try|attempt|retry)\b|\bdon['’]t (?:try|attempt|retry)\b"
)


def premature_handback(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """The model's turn right after a failure that is no block is an opportunity; it offends where it stops and hands the work back."""
    most = int(params["max_attempts"])
    for turn in session.turns:
        failure = _failure(session, turn)
        decision = _next_decision(session, turn) if failure else None
        if failure is None or decision is None or session.context_start(decision.index) > turn.index:
            continue
        name, digest, kind = failure
        tried = _attempts(session, name, decision.index)
        acts = bool(decision.calls) or (name == "code" and "```" in decision.text)
        offends = not acts and tried <= most and handback.hands_back(decision.text)
        yield hits.hit(
            decision=decision.index,
            evidence=[turn.index],
            offends=offends,
            why=f"hands the work back after {name!r} failed {tried} time(s) ({kind})" if offends else f"{name!r} had failed ({kind})",
            facts={"tool": name, "args_hash": digest, "error_class": kind},
        )


_HEADER = re.compile(
    r"\A(?:Chunk ID: .*\n)?(?:Exit code: .*\n)?(?:Wall time: .*\n)?(?:Process exited .*\n)?(?:Original token count: .*\n)?(?:Output:\n)?"
)
"""What a harness writes above a program's output: its "token count" asks for no token."""


def only_person_can(session: Session, hit: Hit) -> bool:
    """The error, or the turn, names something that only a person can lift: credentials, approval, payment, hardware."""
    results = session.turns[max(hit.evidence)].results
    errors = " ".join(_HEADER.sub("", result.error_text[:2_000]) for result in results if result.is_error)
    return handback.needs_person(errors) or handback.needs_person(session.turns[hit.decision].text)


def told_to_stop(session: Session, hit: Hit) -> bool:
    """A person or the system prompt had asked to stop on errors, or only to advise."""
    start = session.context_start(hit.decision)
    asked = [requests.words(turn) for turn in requests.said(session, start, hit.decision)]
    return any(_stop(text) for text in (*asked, (session.system or "")[:40_000]))


def asks_to_choose(session: Session, hit: Hit) -> bool:
    """The turn offers ways to go on and leaves the choice to the person."""
    return handback.offers_choice(session.turns[hit.decision].text)


def goes_on(session: Session, hit: Hit) -> bool:
    """The turn announces a further attempt of its own."""
    return handback.goes_on(session.turns[hit.decision].text)


def work_is_done(session: Session, hit: Hit) -> bool:
    """What was asked for is reported as done: the failing call was a check or an extra."""
    text = session.turns[hit.decision].text
    start = verdicts.stretch(session, hit.decision)
    worked = any(each.kind in ("file", "tool") and not each.failed for each in verdicts.verdicts(session, start, hit.decision))
    failed = [
        call.cmd for turn in session.turns[start : hit.decision] for call in turn.calls if call.result is not None and call.result.is_error
    ]
    return worked and bool(reports.successes(text) or reports.completions(text) or (failed and _EXTRA(failed[-1][:300])))


_EXTRA = finder(
    r"(?i)lint|\bfmt\b|format|style|typecheck|\bmypy\b|audit|coverage|bench|prettier|spell|\bdocs?\b|shellcheck|preview|screenshot|\bopen\b"
)
"""Checks and extras beside the work itself."""


def _failure(session: Session, turn: Turn) -> tuple[str, str, str] | None:
    """Tool, argument hash and class of the last failure that a turn tells; None where it tells none, or one that a guard made."""
    failed = [result for result in turn.results if result.is_error]
    if any(result.error_class == "guard" for result in failed):
        return None
    if failed:
        made = session.turns[max(0, turn.index - 8) : turn.index]
        call = next((call for each in reversed(made) for call in each.calls if call.result is failed[-1]), None)
        return (call.name, call.args_hash, str(failed[-1].error_class)) if call is not None else None
    if turn.author == "harness" and _code_failed.match(turn.text[:200]):
        return "code", "", "other"
    return None


def _attempts(session: Session, name: str, before: int) -> int:
    """How often this tool (or a code block) has failed since a person last said something of substance."""
    since = session.turns[verdicts.stretch(session, before) : before]
    if name == "code":
        return sum(turn.author == "harness" and _code_failed.match(turn.text[:200]) is not None for turn in since)
    return sum(call.name == name and call.result is not None and call.result.is_error for turn in since for call in turn.calls)


def _next_decision(session: Session, turn: Turn) -> Turn | None:
    """The model's next turn; None where a person spoke first, or results of the same turn are still to come."""
    for later in session.turns[turn.index + 1 :]:
        if later.role == "tool":
            return None
        if later.role == "assistant":
            return later if hits.decides(later) and not requests.intervened(session, turn.index, later.index) else None
    return None
