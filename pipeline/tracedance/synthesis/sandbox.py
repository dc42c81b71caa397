"""The one door through which an anchor that is not shipped with the product runs: in a confined process, and checked for soundness.

`run` shows an anchor sessions and says what it found, or why it must not be used. Nothing it does ends the run or reaches the host.
"""

from collections.abc import Iterable, Iterator

from tracedance.schema import Session
from tracedance.synthesis import gate
from tracedance.synthesis.outcome import Draft as Draft
from tracedance.synthesis.outcome import Found as Found
from tracedance.synthesis.outcome import Lost as Lost
from tracedance.synthesis.outcome import Outcome as Outcome
from tracedance.synthesis.outcome import Refusal as Refusal
from tracedance.synthesis.passes import Pass, Shown, shown
from tracedance.synthesis.process import Limits as Limits
from tracedance.synthesis.process import Unavailable as Unavailable
from tracedance.synthesis.process import available as available
from tracedance.synthesis.soundness import Checks as Checks
from tracedance.synthesis.soundness import Trial

LIMITS = Limits()
CHECKS = Checks()


def run(draft: Draft, sessions: Iterable[Session], limits: Limits = LIMITS, checks: Checks | None = CHECKS) -> Outcome:
    """Show an anchor the sessions, each once in the order given, and check it (None: an anchor that was checked before).

    Ids of sessions are unique. Raises Unavailable (an InputError) where this system cannot confine a process, whatever the anchor is:
    there is no other way to run it.
    """
    available()
    waiting = iter(sessions)
    if draft.gated and (problems := gate.problems(draft.source, draft.name)):
        refusal = Refusal("gate", f"line {problems[0].line}: {problems[0].what}", problems=problems)
        return Outcome({}, (), _count(waiting), refusal, None, 0, 0.0, ())
    kept: list[Shown] = []
    first = Pass(draft, limits)
    made: list[str] = []
    found_wrong = first.over(_keeping(waiting, kept, limits, checks))
    if found_wrong is None and checks is not None:
        trial = Trial(draft, limits, checks, first, kept)
        found_wrong, made = trial.refusal(), trial.made
    lost = tuple(loss for _, loss in sorted(first.lost.items()))
    if found_wrong is not None:
        return Outcome(
            {}, lost, len(first.ids) - len(lost) + _count(waiting), found_wrong, first.needs, first.killed, first.slowest, tuple(made)
        )
    found = {first.ids[place]: each for place, each in first.found.items()}
    return Outcome(found, lost, 0, None, first.needs, first.killed, first.slowest, tuple(made))


def _keeping(sessions: Iterator[Session], kept: list[Shown], limits: Limits, checks: Checks | None) -> Iterator[Shown]:
    """The sessions made ready to be shown; the first ones stay in `kept`, to be shown again."""
    room = checks.bytes if checks is not None else 0
    for session in sessions:
        each = shown(session, limits)
        room -= len(each.data or b"")
        if checks is not None and len(kept) < checks.sessions and room >= 0:
            kept.append(each)
        yield each


def _count(sessions: Iterator[Session]) -> int:
    return sum(1 for _ in sessions)
