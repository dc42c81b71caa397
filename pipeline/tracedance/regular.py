"""Files that people name: read whole, only where they are regular files, and only up to a size."""

import os
import stat
from pathlib import Path

from tracedance.errors import InputError

DOCUMENT = 64 * 1024 * 1024
"""Bytes of one document at most."""
TABLE = 1024 * 1024 * 1024
"""Bytes of a table of rows at most."""


def read_regular(path: Path, cap: int = DOCUMENT) -> bytes:
    """The bytes of a file. OSError as opening raises it; InputError for a pipe, device or folder, which may never end, and above `cap`."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{str(path)!r} is no regular file. Name a file with content of its own, no pipe, device or folder.")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(cap + 1)
    if len(data) > cap:
        raise InputError(f"{str(path)!r} has over {cap:,} bytes, which is more than such a file may have. Name another file.")
    return data
