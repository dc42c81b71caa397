"""One pass of one anchor over sessions, worker after worker, until it is through or has to be refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import monotonic

from tracedance.kit.needs import Needs
from tracedance.schema import Session
from tracedance.synthesis import frames, plain
from tracedance.synthesis.frames import Answered, Forged, Job
from tracedance.synthesis.outcome import Draft, Found, Loss, Lost, Refusal
from tracedance.synthesis.process import Died, Limits, NotLoaded, TooMuch, Worker

STRIKES = 2
"""Killed so often, an anchor is disabled."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A session with the bytes in which a worker is shown it; None where it is not shown, and why."""

    session: Session
    data: bytes | None
    why: str = ""


def shown(session: Session, limits: Limits) -> Shown:
    """The session made ready to be shown; fetches its texts."""
    try:
        data = plain.packed(plain.to_plain(session))
    except RecursionError:
        return Shown(session, None, "something in it is nested too deeply")
    return Shown(session, data) if len(data) <= limits.session_bytes else Shown(session, None, f"more than {limits.session_bytes:,} bytes")


class Pass:
    """What an anchor finds in the sessions that `over` is given, by their place there."""

    def __init__(self, draft: Draft, limits: Limits) -> None:
        self._job = Job(draft.name, draft.source, dict(draft.params), list(draft.guards), limits.hits)
        self._limits = limits
        self._worker: Worker | None = None
        self._room = limits.run_memory
        self.ids: list[str] = []
        self.found: dict[int, tuple[Found, ...]] = {}
        self.lost: dict[int, Lost] = {}
        self.needs: Needs | None = None
        self.killed = 0
        self.slowest = 0.0

    def over(self, sessions: Iterable[Shown]) -> Refusal | None:
        """Ask of each session; why the anchor must not be used, where that shows."""
        try:
            self._start()
            for each in sessions:
                self.ids.append(each.session.id)
                if (refusal := self._one(len(self.ids) - 1, each)) is not None:
                    return refusal
            if self._worker is not None:
                self._worker.finish()
        except NotLoaded as error:
            return Refusal("does_not_load", str(error))
        except Forged as error:
            return Refusal("forged", str(error), self._last)
        except TooMuch as error:
            return Refusal("too_much_output", str(error), self._last)
        except Died as died:
            return Refusal("forbidden_call" if died.code == "forbidden_call" else "does_not_load", f"while loading, {died}")
        finally:
            self._kill()
        return None

    @property
    def _last(self) -> str:
        return self.ids[-1] if self.ids else ""

    def _start(self) -> Worker:
        if self._worker is None:
            self._worker = Worker(self._job, self._limits)
            self.needs = self._worker.needs
        return self._worker

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _one(self, place: int, each: Shown) -> Refusal | None:
        if each.data is None:
            self._lose(place, "too_large", each.why)
            return None
        worker, began = self._start(), monotonic()
        try:
            answer = worker.ask(each.data)
        except Died as died:
            if died.code in ("forbidden_call", "slow"):
                return Refusal("forbidden_call" if died.code == "forbidden_call" else "too_slow", str(died), self._last)
            return self._strike(place, "time" if died.code == "time" else "crashed", str(died))
        finally:
            self.slowest = max(self.slowest, monotonic() - began)
        if answer.raised is not None and answer.raised.kind == "MemoryError":
            return self._strike(place, "memory", f"it used more than {self._limits.memory >> 20} MiB")
        self._take(place, each.session, answer)
        return None

    def _take(self, place: int, session: Session, answer: Answered) -> None:
        if answer.raised is not None:
            self._lose(place, "raised", frames.reason(answer.raised, self._job.source))
            return
        hits, weight = frames.hits(answer, self._limits.hits)
        self._room -= weight
        if self._room < 0:
            raise TooMuch(f"its hits take more than {self._limits.run_memory >> 20} MiB in all")
        if problem := next(filter(None, (_misplaced(each.decision, each.evidence, session) for each in hits)), ""):
            self._lose(place, "bad_hit", problem)
            return
        self.found[place] = tuple(Found(hit, tuple(told.refused_by)) for hit, told in zip(hits, answer.hits, strict=True))

    def _strike(self, place: int, code: Loss, reason: str) -> Refusal | None:
        self._lose(place, code, reason)
        self._kill()
        self.killed += 1
        if self.killed < STRIKES:
            return None
        return Refusal("two_strikes", f"its worker was killed {STRIKES} times; at last {reason}", self._last)

    def _lose(self, place: int, code: Loss, reason: str) -> None:
        self.lost[place] = Lost(self.ids[place], code, reason)


def _misplaced(decision: int, evidence: Iterable[int], session: Session) -> str:
    """What a scan says of such a hit."""
    turns = session.turns
    if decision >= len(turns):
        return f"decision {decision} is no turn of the session"
    if turns[decision].role != "assistant":
        return f"decision {decision} is no assistant turn"
    outside = [turn for turn in evidence if turn >= len(turns)]
    return f"evidence {outside[0]} is no turn of the session" if outside else ""
