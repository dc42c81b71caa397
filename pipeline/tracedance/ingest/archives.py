"""Archives and compressed files, told by their first bytes and read as streams: nothing is unpacked to disk, and every bound holds while
bytes come out.

Names of members are untrusted and never used as paths. What cannot be read is named, not raised: an archive is somebody else's file.
"""

import gzip
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedIOBase, BufferedReader, RawIOBase
from typing import BinaryIO

from tracedance.ingest import tars

MEMBERS = 100_000
"""Members of one archive that are read."""
TOTAL = 32 * 1024**3
"""Bytes that may come out of one archive."""
RATIO = 100
"""How many times its own size an archive may unpack to; judged once more than `FREE` bytes came out."""
FREE = 16 * 1024**2

BUFFER = 256 * 1024

BROKEN = "broken archive member"
"""What came out of it cannot be trusted: nothing of it is kept."""
CUT_OFF = "archive member cut off"

_DIRECTORY = 16 * 1024**2
"""Longest list of members that a zip archive may bring: it is read whole."""
_ENCRYPTED = 1
_ZSTD = 93
_LINK = 0o120000
_FAULTS = (
    zlib.error,
    zipfile.BadZipFile,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    OverflowError,
    MemoryError,
)
"""What the unpackers of the standard library and of Arrow raise at bytes that are not what they should be."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file inside an archive. It is to be read before the next one is asked for."""

    name: str
    """As the archive has it: anything at all."""
    stream: BufferedReader
    fault: Callable[[], str]
    """Once the stream has ended: why it ended before its end, "" if it did not."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Members that are not read, and why; `name` is "" where it is the archive that is at fault."""

    name: str
    reason: str
    count: int = 1


def kind(head: bytes) -> str:
    """`zip`, `gzip`, `zstd`, `tar` or "" for a file that begins so."""
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"):
        return "zip"
    if head[:3] == b"\x1f\x8b\x08":
        return "gzip"
    if head[:4] == b"\x28\xb5\x2f\xfd":
        return "zstd"
    return "tar" if head[257:262] == b"ustar" else ""


def safe(name: str) -> str:
    """A member's name as a place in receipts: no control or direction marks, no way up or out, at most 200 characters."""
    plain = "".join("_" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else char for char in name[:4096])
    parts = [part for part in plain.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    joined = "/".join(parts) or "_"
    if len(joined) <= 200 and len(name) <= 4096:
        return joined
    return f"{joined[:180]}~{sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


class Budget:
    """How much may still come out of one archive."""

    def __init__(self, size: int) -> None:
        """`size` is the archive's own, in bytes."""
        self._by_ratio = max(FREE, RATIO * size)
        self._left = min(TOTAL, self._by_ratio)

    def spend(self, amount: int) -> str:
        """Take so many bytes; the reason why no more may come, "" while more may."""
        self._left -= amount
        if self._left >= 0:
            return ""
        return f"archive unpacks to over {RATIO} times its size" if self._by_ratio < TOTAL else "archive unpacks to over 32 GiB"


class Unpacked(RawIOBase):
    """The bytes of a member as they come out, within the budget. A fault ends them and is named in `fault`."""

    def __init__(self, read: Callable[[int], bytes], budget: Budget | None = None) -> None:
        self._read = read
        self._budget = budget
        self.fault = ""
        """Why the bytes ended before their end, "" if they did not."""

    def readable(self) -> bool:
        """They can be read, and nothing else."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Fill the buffer as far as bytes come."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        filled = 0
        while filled < len(view) and (data := self._some(len(view) - filled)):
            view[filled : filled + len(data)] = data
            filled += len(data)
        return filled

    def _some(self, size: int) -> bytes:
        if self.fault:
            return b""
        try:
            data = self._read(size)
        except EOFError:
            self.fault, data = CUT_OFF, b""
        except _FAULTS as error:
            # Arrow has no class of its own for a stream that ends too early.
            self.fault, data = CUT_OFF if "Truncated" in str(error) else BROKEN, b""
        if data and self._budget is not None:
            self.fault = self._budget.spend(len(data))
        return b"" if self.fault else data


def members(stream: BufferedReader, size: int, name: str) -> Iterator[Member | Refused]:
    """The files inside an archive (or inside a compressed file, whose one member is called `name`), in their order.

    `size` is that of the archive. A tar inside a gzip or zstd stream is one archive, anything else inside another is not opened.
    """
    budget = Budget(size)
    form = kind(stream.peek(512)[:512])
    if form == "zip":
        yield from _limited(_zip(stream, size, budget))
    elif form == "tar":
        yield from _limited(_tar(stream, None))
    else:
        unpacked = Unpacked(_unpacker(form, stream), budget)
        inner: BufferedReader = BufferedReader(unpacked, BUFFER)
        if kind(inner.peek(512)[:512]) == "tar":
            yield from _limited(_tar(inner, unpacked))
        else:
            yield Member(name, inner, lambda: unpacked.fault)


def _limited(found: Iterator[Member | Refused]) -> Iterator[Member | Refused]:
    for number, member in enumerate(found, 1):
        if number > MEMBERS:
            yield Refused("", f"archive with over {MEMBERS:,} members")
            return
        yield member


def _file(name: str, part: Unpacked, outer: Unpacked | None = None) -> Member:
    """A member; one that ends early because the stream around it did has that one's fault."""
    return Member(name, BufferedReader(part, BUFFER), lambda: (outer.fault if outer is not None and part.fault else "") or part.fault)


def _unpacker(form: str, stream: BufferedIOBase) -> Callable[[int], bytes]:
    if form == "gzip":
        return gzip.GzipFile(fileobj=stream, mode="rb").read1
    import pyarrow as pa

    unpacked = pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
    # Little at a time: what a read had unpacked when it met the end of a torn stream is gone.
    return lambda size: bytes(unpacked.read(min(size, 8192)))


def _tar(stream: BufferedIOBase, outer: Unpacked | None) -> Iterator[Member | Refused]:
    for entry in tars.entries(stream):
        if isinstance(entry, str):
            around = outer.fault if outer is not None else ""
            yield Refused("", around if around not in ("", CUT_OFF) else entry)
            return
        elif entry.reason:
            yield Refused(entry.name, entry.reason)
        else:
            yield _file(entry.name, Unpacked(entry.read), outer)
    if outer is not None and outer.fault and outer.fault != CUT_OFF:
        yield Refused("", outer.fault)


def _zip(stream: BufferedReader, size: int, budget: Budget) -> Iterator[Member | Refused]:
    try:
        archive = zipfile.ZipFile(_Careful(stream, size))
        entries = archive.infolist()
    except (*_FAULTS, EOFError, UnicodeError):
        yield Refused("", "broken archive")
        return
    for entry in entries:
        if entry.is_dir() or entry.filename.startswith("__MACOSX/") or entry.external_attr >> 16 & 0o170000 == _LINK:
            continue
        if entry.flag_bits & _ENCRYPTED:
            yield Refused(entry.filename, "encrypted archive member")
        elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD):
            # The memory that bzip2 and lzma take is the archive's to choose.
            yield Refused(entry.filename, "archive member packed by a method that is not read")
        else:
            try:
                read = _zstd_member(stream, entry) if entry.compress_type == _ZSTD else _opened(archive, entry)
            except (*_FAULTS, EOFError, UnicodeError):
                yield Refused(entry.filename, BROKEN)
                continue
            yield _file(entry.filename, Unpacked(read, budget))


def _opened(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[int], bytes]:
    member = archive.open(entry)
    assert isinstance(member, zipfile.ZipExtFile)
    return member.read1


class _Careful:
    """A file that does not read much at once: the list of members of a hostile zip archive may be of any length."""

    def __init__(self, file: BinaryIO | BufferedReader, size: int) -> None:
        self._file = file
        self._size = size
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Like a file's own."""
        if (self._size - self._file.tell() if size < 0 else size) > _DIRECTORY:
            raise zipfile.BadZipFile("directory too long")
        return self._file.read(size)


def _zstd_member(stream: BufferedReader, entry: zipfile.ZipInfo) -> Callable[[int], bytes]:
    """Reads a member that older Pythons' standard library cannot; Inspect's logs are packed so. The checksum is checked at the end."""
    stream.seek(entry.header_offset)
    header = stream.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("no member here")
    named, extra = struct.unpack("<HH", header[26:30])
    packed = _Section(stream, entry.header_offset + 30 + named + extra, entry.compress_size)
    unpack = _unpacker("zstd", BufferedReader(packed, 64 * 1024))
    crc = length = 0

    def read(size: int) -> bytes:
        nonlocal crc, length
        data = unpack(size)
        crc, length = zlib.crc32(data, crc), length + len(data)
        if not data and size and (crc != entry.CRC or length != entry.file_size):
            raise zipfile.BadZipFile("checksum")
        return data

    return read


class _Section(RawIOBase):
    """Some bytes of a file, wherever others have left its position."""

    def __init__(self, file: BufferedReader, start: int, size: int) -> None:
        self._file, self._at, self._end = file, start, start + size

    def readable(self) -> bool:
        """They can be read, and nothing else."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Read from where this section's last read ended."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        self._file.seek(self._at)
        data = self._file.read(min(len(view), self._end - self._at))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)
