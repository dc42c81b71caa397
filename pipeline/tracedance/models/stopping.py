"""Ctrl-C while calls are under way: once, and no further call leaves while those under way are finished; twice, and all stops at once.

Nothing is lost either way: what was answered is in the ledger, and what was cut off is listed there as of unknown outcome.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

DRAIN = 30.0
"""Seconds that calls under way are given."""
STOPPED = 130
_asked = threading.Event()


def stopping() -> bool:
    """Whether no further call may leave."""
    return _asked.is_set()


@contextmanager
def draining() -> Iterator[None]:
    """Takes Ctrl-C over while it lasts. Elsewhere than in the main thread it changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    timers: list[threading.Timer] = []

    def interrupted(number: int, frame: FrameType | None) -> None:
        if _asked.is_set():
            _end()
        _asked.set()
        print(
            "Interrupted: calls under way are finished, no more are made. Press Ctrl-C again to stop at once.", file=sys.stderr, flush=True
        )
        timers.append(threading.Timer(DRAIN, _end))
        timers[-1].daemon = True
        timers[-1].start()

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
        if _asked.is_set():
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)
        for timer in timers:
            timer.cancel()
        _asked.clear()


def _end() -> None:
    print("Stopped. Finished work is kept; the same command continues.", file=sys.stderr, flush=True)
    os._exit(STOPPED)
