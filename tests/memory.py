"""The most memory that a process had: for tests that hold a bound in a process of their own."""

import resource
from pathlib import Path


def peak_mb() -> float:
    """MB, of this process alone. What getrusage says starts, on Linux, with the size of the process that forked it."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
