"""The door of ingest: which files there are below some paths, and what one file holds."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BufferedReader, FileIO
from pathlib import Path

from tracedance.errors import InputError
from tracedance.ingest import archives
from tracedance.ingest.lines import Lines
from tracedance.ingest.ours import is_ours, is_own
from tracedance.ingest.sniff import sniff
from tracedance.ingest.sources import HEAD
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import RecordCounts, Session

ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file held."""

    format: str
    """The importer's name; "empty" for a file without bytes, "unknown" where no importer knows it, "archive" for an archive itself."""
    sessions: list[Session]
    counts: RecordCounts
    losses: list[tuple[str, int, str]]
    """(reason, count, `file:line` of the first)."""
    unknown: Counter[str]
    """Record types that no importer knows, by `format:type`."""
    fields: Counter[str]
    """Fields that an importer does not know, by `format:field`, in the records that were looked at."""
    digest: str
    """sha256 of the file's bytes; for a member of an archive, the archive's."""
    size: int
    """Bytes of the file; for a member, unpacked."""
    place: str
    """The path of the file, of a member `archive!member`; redacted."""


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Regular files at and below `paths`, each once, in sorted order. Symbolic links below a folder are not followed.

    InputError when a path does not exist or is neither a file nor a folder (a pipe would block for ever).
    """
    return (Path(file) for file, _ in located(paths))


def located(paths: Iterable[Path], own: list[str] | None = None) -> Iterator[tuple[str, str]]:
    """The same files, each with the place where it lies (absolute, links resolved): two names of one file have one place.

    Folders that we wrote (stores, benchmarks, runs) hold no sessions of their own: they are passed over, and named in `own`.
    """
    seen: set[str] = set()
    for path in paths:
        for file, real in _below(path, own):
            if real not in seen:
                seen.add(real)
                yield file, real


def _below(path: Path, own: list[str] | None) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        start, real = str(path), os.path.realpath(path)
        for folder, folders, names in os.walk(path, onerror=_refuse):
            if is_own(folder, names):
                folders.clear()
                if own is not None:
                    own.append(folder)
                continue
            folders[:] = sorted(name for name in folders if name != ".objects")
            # No link is followed on the way, so that what lies below is resolved once its start is.
            here = os.path.join(real, os.path.relpath(folder, start)) if folder != start else real
            for name in sorted(names):
                file = os.path.join(folder, name)
                if is_ours(file):
                    if own is not None:
                        own.append(file)
                elif stat.S_ISREG(os.lstat(file).st_mode):
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
    """All that one file holds, the members of an archive taken together. What could not be kept is among the losses, whatever it is.

    InputError when the file cannot be opened or read at all.
    """
    return together(list(readings(path, redactor)))


def readings(path: Path, redactor: Redactor) -> Iterator[FileReading]:
    """The same as it is read: one reading for a plain file; one for each member of an archive, and at last one for the archive itself."""
    try:
        with _open(path) as stream:
            head = stream.peek(HEAD)[:HEAD]
            if archives.kind(head):
                yield from _members(path, stream, redactor)
            else:
                yield _read(stream, _Place(str(path), path.name, redactor))
    except OSError as error:
        raise InputError(f"The file {str(path)!r} cannot be read: {error.strerror}. Mend its permissions or leave it out.") from error


def together(parts: Sequence[FileReading]) -> FileReading:
    """The readings of one file as one; the last is the archive's own."""
    whole = parts[-1]
    if len(parts) == 1:
        return whole
    losses: dict[str, tuple[int, str]] = {}
    for reason, count, place in (loss for part in parts for loss in part.losses):
        before, first = losses.get(reason, (0, place))
        losses[reason] = (before + count, first)
    names = ("in_", "kept", "ignored", "lost")
    return replace(
        whole,
        sessions=[session for part in parts for session in part.sessions],
        counts=RecordCounts(**{name: sum(getattr(part.counts, name) for part in parts) for name in names}),
        losses=[(reason, count, place) for reason, (count, place) in losses.items()],
        unknown=sum((part.unknown for part in parts), Counter()),
        fields=sum((part.fields for part in parts), Counter()),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is read from, as receipts may name it."""

    path: str
    name: str
    redactor: Redactor

    def member(self, name: str) -> "_Place":
        """`archive!member`"""
        safe = archives.safe(name)
        return _Place(f"{self.path}!{safe}", f"{self.name}!{safe}", self.redactor) if name else self

    def tally(self) -> Tally:
        return Tally(self.redactor.text(self.name))


def _open(path: Path) -> BufferedReader:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise InputError(f"{str(path)!r} is no regular file. Give the path of a session file or of a folder that holds some.")
    return BufferedReader(FileIO(descriptor), max(4096, min(HEAD, status.st_size + 1)))


def _members(path: Path, stream: BufferedReader, redactor: Redactor) -> Iterator[FileReading]:
    place = _Place(str(path), path.name, redactor)
    digest = sha256()
    size = 0
    while block := stream.read(HEAD):
        digest.update(block)
        size += len(block)
    stream.seek(0)
    own = place.tally()
    for found in _all_members(stream, size, path.stem, own):
        if isinstance(found, archives.Member):
            reading = _member(found, place.member(found.name))
        else:
            tally = place.member(found.name).tally() if found.name else own
            tally.seen += found.count
            tally.lose(found.reason, 0, found.count)
            if tally is own:
                continue
            reading = _told(place.member(found.name), "unknown", tally)
        yield replace(reading, digest=digest.hexdigest(), sessions=[_from(session, digest.hexdigest()) for session in reading.sessions])
    yield replace(_told(place, ARCHIVE, own), digest=digest.hexdigest(), size=size)


def _all_members(stream: BufferedReader, size: int, stem: str, own: Tally) -> Iterator["archives.Member | archives.Refused"]:
    """Every member until one brings the unpacker down; that is a loss of the archive's own."""
    try:
        yield from archives.members(stream, size, stem)
    except (InputError, OSError):
        raise
    except Exception as error:
        own.seen += 1
        own.lose(_failed(error), 0)


def _from(session: Session, digest: str) -> Session:
    return replace(session, source_digest=digest)


def _member(member: archives.Member, place: _Place) -> FileReading:
    """One member. Of a broken one nothing is kept; of one that was cut off, what came before the cut."""
    if archives.kind(member.stream.peek(512)[:512]):
        fault = "archive inside an archive"
        reading = _told(place, "unknown", place.tally())
    else:
        reading = _read(member.stream, place)
        fault = member.fault()
    if not fault:
        return reading
    if fault == archives.BROKEN or reading.format == "empty":
        reading = _told(place, "unknown" if reading.format == "empty" else reading.format, place.tally())
    losses = [*reading.losses, (fault, 1, place.tally().at(0))]
    counts = reading.counts
    counts = RecordCounts(in_=counts.in_ + 1, kept=counts.kept, ignored=counts.ignored, lost=counts.lost + 1)
    return replace(reading, counts=counts, losses=losses)


def _told(place: _Place, form: str, tally: Tally) -> FileReading:
    """A reading without sessions."""
    shown = place.redactor.text(place.path)
    return FileReading(form, [], tally.counts, tally.losses, Counter(), Counter(), "", 0, shown)


def _read(stream: BufferedReader, place: _Place) -> FileReading:
    head = stream.peek(HEAD)[:HEAD]
    redactor, tally = place.redactor, place.tally()
    lines = Lines(stream, tally)
    source = sniff(head)
    name = source.name if source is not None else None
    sessions: list[Session] = []
    if source is not None:
        try:
            sessions = source.read(lines, tally, redactor)
        except InputError:
            raise
        except Exception as error:  # an importer must not raise; one that does costs its own file
            lines.numbered = False
            tally = place.tally()
            tally.seen += 1
            tally.lose(_failed(error), 0)
    elif head:
        tally.seen += 1
        tally.lose(_unknown(head), 0)
    digest = lines.digest()
    offsets = lines.offsets() if lines.numbered else None
    shown = redactor.text(place.path)
    return FileReading(
        format=name or ("unknown" if head else "empty"),
        sessions=[replace(session, path=shown, source_digest=digest, offsets=offsets) for session in sessions],
        counts=tally.counts,
        losses=tally.losses,
        unknown=Counter({f"{name}:{redactor.text(kind)}": count for kind, count in tally.unknown.items()}),
        fields=Counter({f"{name}:{redactor.text(field)}": count for field, count in tally.fields.items()}),
        digest=digest,
        size=lines.size,
        place=shown,
    )


def without_sessions(found: FileReading, error: Exception) -> FileReading:
    """A reading of whose sessions nothing can be kept: each record that was kept is lost, and `error` is why."""
    counts = found.counts
    first = found.losses[0][2] if found.losses else f"{found.place}:1"
    gone = counts.kept or 1
    return replace(
        found,
        sessions=[],
        counts=RecordCounts(in_=counts.in_ + gone - counts.kept, kept=0, ignored=counts.ignored, lost=counts.lost + gone),
        losses=[*found.losses, (_failed(error), gone, first)],
    )


def _failed(error: Exception) -> str:
    return f"could not be read: {type(error).__name__}"


def _unknown(head: bytes) -> str:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16 text, expected UTF-8"
    if head[:3] == b"BZh" or head[:6] in (b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c"):
        return "packed by a method that is not read (zip, gzip, zstd and tar are)"
    return "unknown format"
