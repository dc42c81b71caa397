"""How many calls a provider is sent at a time, and when it is left alone.

The number of calls under way grows by one with each round that goes well and is halved by each that a provider turns away or lets wait.
A provider that fails again and again is given a rest, then tried with single calls, then given up for this run; others go on. All of it
happens in the one loop in which calls are made, so that there is nothing to lock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from tracedance.schema.record import Record

Outcome = Literal["fine", "busy", "slow", "fault", "other"]
"""Of one attempt: answered; turned away for now; not answered in time; failed otherwise on its side; failed by the request's
own fault."""


class Limits(Record):
    """How calls are repeated and held back; seconds."""

    tries: int = Field(default=5, ge=1)
    """Attempts at a call that fails on the provider's side."""
    tries_when_busy: int = Field(default=10, ge=1)
    """Attempts at a call that is turned away with 429, 503 or 529."""
    first_wait: float = Field(default=1.0, ge=0)
    """A wait is drawn between 0 and this, twice as much after every further failure."""
    longest_wait: float = Field(default=60.0, ge=0)
    retry_after_most: float = Field(default=120.0, ge=0)
    """The longest wait that a provider may ask for with Retry-After."""
    connect_timeout: float = Field(default=10.0, gt=0)
    retry_share: float = Field(default=0.1, ge=0)
    """Repetitions of calls that may have been paid, as a share of all calls; so many beyond it are free: `retry_least`."""
    retry_least: int = Field(default=20, ge=0)
    start_at: int = Field(default=8, ge=1)
    """Calls under way to a provider at first."""
    at_most: int = Field(default=256, ge=1)
    breaker_after: int = Field(default=20, ge=1)
    """Failures one after the other, or more than half of at least as many within `breaker_window`, after which a provider gets a rest."""
    breaker_window: float = Field(default=60.0, gt=0)
    breaker_rest: float = Field(default=5.0, ge=0)
    breaker_probes: int = Field(default=6, ge=1)
    """Single calls that a provider may fail after its rests before it is given up."""


class Unavailable(Exception):
    """A provider is not asked any more in this run; the text says why."""


class Gate:
    """One provider's calls of one run."""

    def __init__(self, name: str, limits: Limits, say: Callable[[str], None]) -> None:
        self.name, self.limits, self._say = name, limits, say
        self.allowed = float(limits.start_at)
        self.under_way = self.calls = self.retries = 0
        self.stopped = self._said = ""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0
        self._halved = 0.0
        self._in_a_row = self._probes = self._answered = 0
        self._recent: deque[tuple[float, bool]] = deque()
        self._resting = False
        """The breaker is open: after `_not_before` one call at a time is let through, until one is answered."""

    async def enter(self) -> None:
        """Waits until a call may leave. Unavailable when none may any more."""
        while True:
            if self.stopped:
                raise Unavailable(self.stopped)
            wait = self._not_before - time.monotonic()
            room = self.under_way < (1 if self._resting else int(self.allowed))
            if wait <= 0 and room:
                break
            await self._news(wait if wait > 0 else None)
        self.under_way += 1
        self.calls += 1

    def back(self) -> None:
        """A call that was let in and is not sent yet after all."""
        self.under_way -= 1
        self.calls -= 1
        self._wake(1)

    async def _news(self, seconds: float | None) -> None:
        """Waits for a turn, so many seconds at most."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        timer = loop.call_later(seconds, _let, turn) if seconds is not None else None
        try:
            await turn
        finally:
            if timer is not None:
                timer.cancel()

    def _wake(self, turns: int) -> None:
        """Lets the calls that wait longest try again."""
        while turns > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                _let(turn)
                turns -= 1

    def leave(self, outcome: Outcome, began: float, retry_after: float | None = None, said: str = "") -> None:
        """A call that began at `began` (monotonic seconds) came to an end; `said` is what was wrong with it."""
        self._said = said or self._said
        self.under_way -= 1
        now = time.monotonic()
        if outcome == "fine":
            step = 1 / max(1.0, self.allowed) if self._halved else 1.0  # fast until the provider first minds
            self.allowed = min(float(self.limits.at_most), self.allowed + step)
        elif outcome in ("busy", "slow") and began > self._halved:
            self.allowed, self._halved = max(1.0, self.allowed / 2), now  # once for all that were under way together
        if outcome == "busy" and retry_after is not None:
            self._not_before = max(self._not_before, now + retry_after)
        if outcome in ("fine", "slow", "fault"):
            self._judge(outcome == "fine", now)
        self._wake(max(1, int(self.allowed) - self.under_way))

    def _judge(self, fine: bool, now: float) -> None:
        """Opens and closes the breaker."""
        self._in_a_row = 0 if fine else self._in_a_row + 1
        self._answered += fine
        self._recent.append((now, fine))
        while self._recent and self._recent[0][0] < now - self.limits.breaker_window:
            self._recent.popleft()
        if self._resting:
            self._probed(fine, now)
            return
        failed = sum(not one for _, one in self._recent)
        if self._in_a_row >= self.limits.breaker_after or (
            len(self._recent) >= 2 * self.limits.breaker_after and failed * 2 > len(self._recent) and not fine
        ):
            if not self._answered:  # an address or a network that does not work: a rest will not mend it
                return self.stop(f"{self.name} could not be had: none of {self._in_a_row} calls was answered (the last: {self._said})")
            self._resting, self._probes = True, 0
            self._not_before = max(self._not_before, now + self.limits.breaker_rest)
            self._say(f"{self.name} keeps failing; it is left alone for {self.limits.breaker_rest:g} s")

    def _probed(self, fine: bool, now: float) -> None:
        if fine:
            self._resting = False
            self.allowed = 1.0
            self._recent.clear()
            return
        self._probes += 1
        if self._probes >= self.limits.breaker_probes:
            self.stop(f"{self.name} could not be had: {self._in_a_row} calls failed one after the other (the last: {self._said})")
            return
        rest = min(self.limits.breaker_rest * 2**self._probes, self.limits.longest_wait)
        self._not_before = max(self._not_before, now + rest)

    def stop(self, why: str) -> None:
        """No call of this run goes to the provider any more."""
        if not self.stopped:
            self.stopped = why
            self._say(f"{why}. Its calls are left for the next run; others go on")
        self._wake(len(self._waiting))

    def may_retry(self) -> bool:
        """Whether one more repetition of a call that may have been paid is within the run's share; counts it if so."""
        if self.retries >= self.limits.retry_least + self.limits.retry_share * self.calls:
            return False
        self.retries += 1
        return True


def _let(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
