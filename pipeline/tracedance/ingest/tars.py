"""Tar archives from a stream, header by header. The standard library's reader takes names of any length into memory and follows links."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from tarfile import NUL, HeaderError, TarInfo

_BLOCK = 512
_LONGEST = 64 * 1024
"""Bytes of an extended header that are read: it holds a name."""
_FILES = (b"0", NUL, b"7")
_NO_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Links, devices, folders and pipes: none of them is followed or made."""


@dataclass
class Entry:
    """One file of the archive, at whose content the stream stands."""

    name: str
    size: int
    stream: BufferedIOBase
    reason: str = ""
    """Why it cannot be read, "" if it can."""

    def __post_init__(self) -> None:
        self._left = self.size

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; EOFError where the archive ends before the file does."""
        if not self._left:
            return b""
        data = self.stream.read(min(size, self._left))
        self._left -= len(data)
        if not data:
            raise EOFError
        return data

    def skip(self) -> bool:
        """Go to the next header; False where the archive ends before it."""
        left = self._left + -self.size % _BLOCK
        self._left = 0
        return _skip(self.stream, left)


def entries(stream: BufferedIOBase) -> Iterator[Entry | str]:
    """The files of an archive; a text is the reason why nothing more can be read. Each is skipped by the caller, read or not."""
    long = ""
    while block := stream.read(_BLOCK):
        if len(block) < _BLOCK:
            yield "archive cut off"
            return
        if not block.strip(NUL):
            return
        try:
            info = TarInfo.frombuf(block, "utf-8", "replace")
        except (HeaderError, ValueError, OverflowError):
            yield "broken archive"
            return
        if info.size < 0:
            yield "broken archive"
            return
        if info.type in (b"L", b"x", b"X"):
            data = stream.read(min(info.size, _LONGEST))
            long = _long_name(data) if info.type == b"L" else _path(data) or long
            whole = _skip(stream, info.size - len(data) + -info.size % _BLOCK)
        elif info.type in _FILES or info.type == b"S":
            entry = Entry(long or info.name, info.size, stream, "" if info.type != b"S" else "sparse archive member")
            yield entry
            whole, long = entry.skip(), ""  # whatever was read of it
        else:
            # Headers for all members (g), links' long names (K) and types that nobody knows hold no file.
            size = 0 if info.type in _NO_CONTENT else info.size
            whole = _skip(stream, size + -size % _BLOCK)
            long = long if info.type in (b"K", b"g") else ""
        if not whole:
            yield "archive cut off"
            return


def _skip(stream: BufferedIOBase, size: int) -> bool:
    while size > 0 and (data := stream.read(min(size, 1024 * 1024))):
        size -= len(data)
    return size <= 0


def _long_name(data: bytes) -> str:
    return data.split(NUL, 1)[0].decode("utf-8", "replace")


def _path(data: bytes) -> str:
    """The `path` of an extended header: lines of `<length> <key>=<value>`."""
    for line in data.split(b"\n"):
        key, _, value = line.partition(b" ")[2].partition(b"=")
        if key == b"path":
            return value.decode("utf-8", "replace")
    return ""
