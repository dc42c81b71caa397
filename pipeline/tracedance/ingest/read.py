"""The door of ingest: which files there are below some paths, and what one file holds."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BufferedReader, FileIO
from pathlib import Path

from tracedance.errors import InputError
from tracedance.ingest.lines import Lines
from tracedance.ingest.sanitize import Redactor
from tracedance.ingest.sniff import sniff
from tracedance.ingest.sources import HEAD
from tracedance.ingest.tally import Tally
from tracedance.schema import RecordCounts, Session


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file held."""

    format: str
    """The importer's name; "empty" for a file without bytes, "unknown" where no importer knows it."""
    sessions: list[Session]
    counts: RecordCounts
    losses: list[tuple[str, int, str]]
    """(reason, count, `file:line` of the first)."""
    unknown: Counter[str]
    """Record types that no importer knows, by `format:type`."""
    digest: str
    """sha256 of the file's bytes."""
    size: int


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Regular files at and below `paths`, each once, in sorted order. Symbolic links below a folder are not followed.

    InputError when a path does not exist or is neither a file nor a folder (a pipe would block for ever).
    """
    return (Path(file) for file, _ in located(paths))


def located(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """The same files, each with the place where it lies (absolute, links resolved): two names of one file have one place."""
    seen: set[str] = set()
    for path in paths:
        for file, real in _below(path):
            if real not in seen:
                seen.add(real)
                yield file, real


def _below(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        start, real = str(path), os.path.realpath(path)
        for folder, folders, names in os.walk(path, onerror=_refuse):
            folders.sort()
            # No link is followed on the way, so that what lies below is resolved once its start is.
            here = os.path.join(real, os.path.relpath(folder, start)) if folder != start else real
            for name in sorted(names):
                file = os.path.join(folder, name)
                if stat.S_ISREG(os.lstat(file).st_mode):
                    yield file, os.path.join(here, name)
    elif path.is_file():
        yield str(path), os.path.realpath(path)
    elif path.exists() or path.is_symlink():
        raise InputError(f"{str(path)!r} is neither a file nor a folder. Give the path of a session file or of a folder that holds some.")
    else:
        raise InputError(f"There is no file or folder {str(path)!r}. Check the path; 'tracedance import --help' shows what is read.")


def _refuse(error: OSError) -> None:
    raise InputError(
        f"The folder {str(error.filename)!r} cannot be read: {error.strerror}. Mend its permissions or leave it out."
    ) from error


def read(path: Path, redactor: Redactor) -> FileReading:
    """Read one file in one pass. Whatever it holds, this returns; what could not be kept is among the losses.

    InputError when the file cannot be opened or read at all.
    """
    try:
        with _open(path) as stream:
            return _read(path, stream, redactor)
    except OSError as error:
        raise InputError(f"The file {str(path)!r} cannot be read: {error.strerror}. Mend its permissions or leave it out.") from error


def _open(path: Path) -> BufferedReader:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{str(path)!r} is no regular file. Give the path of a session file or of a folder that holds some.")
    return BufferedReader(FileIO(descriptor), HEAD)


def _read(path: Path, stream: BufferedReader, redactor: Redactor) -> FileReading:
    head = stream.peek(HEAD)[:HEAD]
    tally = Tally(redactor.text(path.name))
    lines = Lines(stream, tally)
    source = sniff(head)
    name = source.name if source is not None else None
    sessions: list[Session] = []
    if source is not None:
        sessions = source.read(lines, tally, redactor)
    elif head:
        tally.seen += 1
        tally.lose("UTF-16 text, expected UTF-8" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "unknown format", 0)
    digest = lines.digest()
    offsets = lines.offsets() if lines.numbered else None
    shown = redactor.text(str(path))
    return FileReading(
        format=name or ("unknown" if head else "empty"),
        sessions=[replace(session, path=shown, source_digest=digest, offsets=offsets) for session in sessions],
        counts=tally.counts,
        losses=tally.losses,
        unknown=Counter({f"{name}:{redactor.text(kind)}": count for kind, count in tally.unknown.items()}),
        digest=digest,
        size=lines.size,
    )
