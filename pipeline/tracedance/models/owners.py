"""Which processes have a ledger open. Each holds a lock file of its own; the system frees it when the process dies, however it dies."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # no flock on this system: another run beside ours is then taken for dead
    fcntl = None  # type: ignore[assignment]


class Owner:
    """This process's claim on a ledger."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.name = f"{os.getpid()}-{os.urandom(4).hex()}"
        self._path = _file(ledger, self.name)
        self._handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        _lock(self._handle)

    def is_alive(self, other: str) -> bool:
        """Whether another owner's process still lives. The lock file of a dead one is removed."""
        if other == self.name:
            return True
        path = _file(self._ledger, other)
        try:
            handle = os.open(path, os.O_RDWR)
        except OSError:
            return False
        try:
            if not _lock(handle):
                return True
            path.unlink(missing_ok=True)
            return False
        finally:
            os.close(handle)

    def leave(self) -> None:
        """Gives the claim up."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def _file(ledger: Path, name: str) -> Path:
    return ledger.with_name(f".{ledger.name}.{name}.open")


def _lock(handle: int) -> bool:
    """Takes the lock; False when another has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
