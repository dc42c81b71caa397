"""Named places at which a test kills the process, to show that what was done before is kept: `FAILPOINT=name`, or `name:3` for its third
passing. `FAILPOINT_SIGNAL=SIGINT` interrupts it there instead. Without the variable a failpoint does nothing.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "FAILPOINT"
BUILD = (
    "build.started",
    "build.scanned",
    "build.dealt",
    "build.confirmed",
    "build.cut",
    "build.probed",
    "build.accounted",
    "build.published",
    "build.receipt",
)
EVALUATE = (
    "evaluate.claimed",
    "evaluate.responded",
    "evaluate.graded",
    "evaluate.writing",
    "evaluate.finished",
)
CALL = (
    "call.reserved",
    "call.intended",
    "call.sent",
    "call.body",
    "call.kept",
    "call.read",
    "call.settled",
)
LABELS = ("labels.writing", "labels.written")
FILES = ("file.written", "file.named")
"""Those of every file that is put in place in one step."""
POINTS = (*BUILD, *EVALUATE, *CALL, *LABELS, *FILES)

_passed: Counter[str] = Counter()


def failpoint(name: str) -> None:
    """Ends the process at once, as `kill -9` would, or sends it the signal that is named, where this place and passing are asked for."""
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return
    place, _, number = wanted.partition(":")
    if place != name:
        return
    _passed[name] += 1
    if _passed[name] == int(number or 1):
        os.kill(os.getpid(), getattr(signal, os.environ.get(f"{VARIABLE}_SIGNAL", "SIGKILL"), signal.SIGTERM))
