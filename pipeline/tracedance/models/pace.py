"""How many requests and tokens a model may be sent in a minute, where its entry of `model_list` says (rpm, tpm).

A window of sixty seconds slides over what was sent. A call enters it with what its request is estimated at and its whole output limit, as
providers count, and stands there with what it really took once that is known. One that could never fit goes alone. What other runs send,
beside this one or before it, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

WINDOW = 60.0
"""Seconds."""


@dataclass(eq=False, slots=True)
class Sending:
    """One call in the window."""

    at: float
    """Monotonic seconds."""
    tokens: int


class Pace:
    """The window of one model. Used in the loop of calls alone."""

    def __init__(self, rpm: int | None, tpm: int | None) -> None:
        """None: no limit."""
        self.rpm, self.tpm = rpm, tpm
        self.told = False
        """Somebody has said that calls wait."""
        self._sent: list[Sending] = []

    def __str__(self) -> str:
        allowed = {"requests": self.rpm, "tokens": self.tpm}
        return " and ".join(f"{number:,} {what}" for what, number in allowed.items() if number is not None) + " a minute"

    def take(self, tokens: int, now: float) -> Sending | float:
        """Enters a call of at most so many tokens at `now` (monotonic seconds), or says for how many seconds it has to wait."""
        if self.rpm is None and self.tpm is None:
            return Sending(now, 0)
        self._sent = [one for one in self._sent if one.at > now - WINDOW]
        free_at = max(self._when_fewer(), self._when_lighter(tokens))
        if free_at > now - WINDOW:
            return free_at + WINDOW - now
        self._sent.append(Sending(now, tokens))
        return self._sent[-1]

    def _when_fewer(self) -> float:
        """When that call was sent which has to leave the window first, by the number of requests."""
        return self._sent[-self.rpm].at if self.rpm is not None and len(self._sent) >= self.rpm else float("-inf")

    def _when_lighter(self, tokens: int) -> float:
        """The same, by their tokens."""
        over = sum(one.tokens for one in self._sent) + tokens - (self.tpm if self.tpm is not None else float("inf"))
        last = float("-inf")
        for one in self._sent:
            if over <= 0:
                break
            over, last = over - one.tokens, one.at
        return last
