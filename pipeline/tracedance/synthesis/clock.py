"""The timers that a worker is held to; they do not blame it for a busy machine, within bounds."""

import os
import time
from pathlib import Path

PATIENCE = 2.5
"""How many times its limit a worker may take at most, where it wants to run and the machine gives it less than half the time."""


class Clock:
    """A monotonic timer of one worker that does not blame it for a busy machine, within bounds."""

    def __init__(self, process: int, seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._last = time.monotonic() + PATIENCE * seconds
        self._wind()

    def _wind(self) -> None:
        self._end = min(self._last, time.monotonic() + self._seconds)
        self._used = used(self._process)[1]

    def left(self) -> float:
        """Seconds until the time is up; 0 afterwards."""
        return max(0.0, self._end - time.monotonic())

    def starved(self) -> bool:
        """Whether the worker wants to run and was given less than half of the time; if so the clock is wound again."""
        state, spent = used(self._process)
        if state != "R" or spent - self._used > self._seconds / 2 or self._end == self._last:
            return False
        self._wind()
        return True


def used(process: int) -> tuple[str, float]:
    """State of a process, and the processor seconds it has used."""
    try:
        after = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (OSError, IndexError):
        return "", 0.0
    return after[0], (int(after[11]) + int(after[12])) / os.sysconf("SC_CLK_TCK")
