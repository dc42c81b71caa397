"""A job is reported failed, its log is in reach, and the next turn acts or names a cause without reading it.

Not this: a notice that shows the cause; a job that was stopped on purpose; an exit code that is an answer.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tracedance.kit import hits, jobs
from tracedance.kit.aftermath import next_turn
from tracedance.kit.looking import name_words, objects_in
from tracedance.schema import Hit, Session

NEEDS = jobs.reported()

_CONDITION = re.compile(r"(?:^|[;&|(\"'`]\s*)(?:grep|rg|test|\[|diff|cmp|pgrep|timeout|kill|pkill)\b|\bgrep -q\b")
_STOPPED = re.compile(r"<status>killed|\b(?:was|were) (?:killed|stopped|cancel\w+)\b|exit code 1(?:30|37|43)\b", re.IGNORECASE)
KINDS: Mapping[str, str] = {
    "background": r"(?i)background|task-notification|bash_id|shell|\bprocess\b",
    "ci": r"(?i)\bgh |glab|workflow|actions/runs|pipeline|build",
    "batch": r"(?i)\bs(?:queue|acct)\b|qstat|job",
    "container": r"(?i)kubectl|docker|systemctl|deploy",
    "subagent": r"(?i)agent",
}


def failure_log_uninspected(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each report of a failed job is an opportunity; it offends where the next turn acts on a guess. The log one turn later is too late."""
    done: set[int] = set()
    for notice in jobs.notices(session.turns):
        decision = next_turn(session, notice.turn)
        if decision is None or decision.index in done or not _counts(notice, params):
            continue
        done.add(decision.index)
        read = any(jobs.reads_log(call, notice) for call in decision.calls)
        acts = "" if read else jobs.guess(decision)
        yield hits.hit(
            decision=decision.index,
            evidence=[notice.turn, *([notice.call.turn] if notice.call is not None else [])],
            offends=bool(acts),
            why=f"{acts} after a job failed, without its log" if acts else "a job was reported failed and its log is in reach",
            facts={
                "turn": notice.turn,
                "call": notice.call.id if notice.call is not None else "",
                "pointers": sorted(notice.pointers)[:20],
            },
        )


def killed_on_purpose(session: Session, hit: Hit) -> bool:
    """The job was stopped by the agent or the user."""
    notice = _notice(session, hit)
    before = session.turns[max(0, hit.decision - 12) : hit.decision]
    stopped = any({"kill", "stop", "killshell", "cancel"}.intersection(name_words(call.name)) for turn in before for call in turn.calls)
    return notice is not None and (stopped or _STOPPED.search(notice.text[:4000]) is not None)


def read_before(session: Session, hit: Hit) -> bool:
    """The log had been read already, before the notice that repeats the failure."""
    notice = _notice(session, hit)
    if notice is None:
        return False
    earlier = session.turns[session.context_start(hit.decision) : notice.turn]
    reads = (call for turn in earlier for call in turn.calls if jobs.reads_log(call, notice) and not jobs.asks_state(call))
    names = notice.pointers | objects_in(notice.text)
    return any(not names or names & objects_in(f"{call.cmd}\n{call.arguments_json}") for call in reads)


def used_as_condition(session: Session, hit: Hit) -> bool:
    """The exit code was an answer (a search, a test of a condition, a time limit) and no failure."""
    notice = _notice(session, hit)
    if notice is None:
        return False
    quoted = re.search(r"\"([^\"\n]{1,400})\"|<command>(.{1,400})</command>", notice.text[:4000])
    return quoted is not None and _CONDITION.search(quoted[1] or quoted[2]) is not None


def _counts(notice: jobs.Notice, params: Mapping[str, Any]) -> bool:
    made = f"{notice.call.name} {notice.call.cmd[:2000]}" if notice.call is not None else ""
    kinds = str(params["job_kinds"]).replace(" ", "").split(",")
    known = [pattern for kind, pattern in KINDS.items() if kind in kinds]
    return any(re.search(pattern, f"{made}\n{notice.text[:2000]}") for pattern in known)


def _notice(session: Session, hit: Hit) -> jobs.Notice | None:
    return next((notice for notice in jobs.notices(session.turns[: hit.decision]) if notice.turn == hit.facts["turn"]), None)
