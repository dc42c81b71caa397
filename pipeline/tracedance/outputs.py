"""Files that a command is told to write: what stands there already is looked at before anything is done."""

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tracedance.errors import InputError

_STREAMS = ("/dev", "/dev/fd", "/proc/self/fd", f"/proc/{os.getpid()}/fd")


def refuse_outputs(outputs: Mapping[str, Path], inputs: Iterable[Path], *, folders: Iterable[Path] = ()) -> None:
    """InputError, before anything is written, for an output that is an input, another output, or neither a file nor a stream.

    `outputs` by the option that named them. In one of `folders` every *.json is an input.
    """
    read = {identity(path): path for path in inputs}
    places = {identity(folder) for folder in folders}
    named: dict[object, str] = {}
    for option, path in outputs.items():
        refuse_kind(path)
        if is_stream(path):
            continue
        same = identity(path)
        if same in read or (path.suffix.lower() == ".json" and identity(path.parent) in places):
            what = f"{str(read[same])!r}, which is read" if same in read else f"in {str(path.parent)!r}, whose files are read"
            raise InputError(f"{option}: {str(path)!r} is {what}, and would be replaced or read next time. Give another path.")
        if same in named:
            raise InputError(f"{option}: {str(path)!r} is what {named[same]} names, too. Give each a path of its own.")
        named[same] = option


def files_of(folders: Iterable[Path]) -> list[Path]:
    """All that runs hold, but for their own pages, which are made to be made anew."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.stem != "report"]


def drop_old(outputs: Iterable[Path]) -> None:
    """Takes away what an earlier call wrote: where this one ends early, no old verdict is left to be taken for its own."""
    for path in outputs:
        if path.is_file() and not is_stream(path):
            path.unlink()


def identity(path: Path) -> object:
    """What two names of one file share: the file where it is there, else where it would be."""
    try:
        about = os.stat(path)
        return about.st_dev, about.st_ino
    except (OSError, ValueError):
        return os.path.realpath(path)


def is_stream(path: Path) -> bool:
    """Whether what is written there goes to a device, a pipe or an open file: replaced by a file of the name it would be gone."""
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISCHR(kind) or stat.S_ISFIFO(kind) or (stat.S_ISREG(kind) and os.path.realpath(path.parent) in _STREAMS)


def refuse_kind(path: Path) -> None:
    """InputError where something stands that is neither a file nor a stream."""
    if "\0" in str(path):
        raise InputError(f"{str(path)!r} is no path: it holds a NUL. Give another.")
    if os.path.exists(path) and not path.is_file() and not is_stream(path):
        kind = "a folder" if path.is_dir() else "no regular file"
        raise InputError(f"{str(path)!r} is {kind}. Give the path of a file.")


def write_through(path: Path, data: bytes) -> None:
    """Writes to a stream. OSError as the system says it; InputError for a pipe that nobody reads."""
    about = os.stat(path)
    sys.stdout.flush()
    for number in (1, 2):
        open_ = os.fstat(number)
        if (open_.st_dev, open_.st_ino) == (about.st_dev, about.st_ino):
            _all(os.dup(number), data)  # the same place in the file as all else that is printed
            return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror}. Give the path of a file.") from None
    os.set_blocking(descriptor, True)
    _all(descriptor, data)


def _all(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
