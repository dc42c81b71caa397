"""Writing that survives a crash: a file is either there whole or not there at all."""

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from tracedance.errors import InputError
from tracedance.failpoint import failpoint

try:
    import fcntl
except ImportError:  # no flock on this system: two imports at once are then the user's to avoid
    fcntl = None  # type: ignore[assignment]

CHUNK = 1 << 20
TEMPORARY = re.compile(r"\.tmp-(\d{1,9})-[0-9a-f]{8}-.*", re.DOTALL)


def write_durably(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Put `data` at `path`, in place of what is there, in one step: temporary name, fsync, rename, fsync of the folder."""
    temporary = temporary_beside(path)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        failpoint("file.written")
        os.replace(temporary, path)
        failpoint("file.named")
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a full disk is told by `write`, which knows no path
        raise
    sync_folder(path.parent)


def temporary_beside(path: Path) -> Path:
    """A name in the same folder that no finished file has and no other process takes."""
    return path.with_name(f".tmp-{os.getpid()}-{os.urandom(4).hex()}-{path.name[:60]}")


def sweep(folder: Path) -> None:
    """Removes what processes left in a folder that died while they wrote there."""
    for path in folder.glob(".tmp-*"):
        named = TEMPORARY.fullmatch(path.name)
        if named and not path.is_dir() and not _is_alive(int(named.group(1))):
            path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # somebody else's
    return True


def settle(temporary: Path, path: Path) -> None:
    """Give a finished temporary file its name, durably."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable (a no-op where folders cannot be opened)."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes, hex."""
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def crc_of(path: Path) -> int:
    """CRC-32 of a file's bytes: finds every flipped bit of a damaged disk at a tenth of the price of a cryptographic digest."""
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            crc = zlib.crc32(chunk, crc)
    return crc


@contextmanager
def locked(folder: Path, name: str = "lock", said: str = "") -> Iterator[None]:
    """Hold the lock of all that changes the store; InputError (busy, 7) at once when another has it. The system frees it if we die."""
    descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                usual = f"Another import, or another command that changes the store, is writing to {str(folder)!r}."
                raise InputError(f"{said or usual} Wait until it has ended and try again.", code=7) from error
        yield
    finally:
        os.close(descriptor)
