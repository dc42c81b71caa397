"""Opens whatever a file may be and yields every piece of it in which text can stand: cells, blobs, members, and the raw bytes."""

import gzip
import io
import json
import sqlite3
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Piece = tuple[str, bytes]
"""What kind of place it is, and the bytes."""
DEPTH = 4


def pieces(path: Path) -> Iterator[Piece]:
    """Everything in a file, its name among it."""
    yield "file name", str(path.name).encode()
    data = path.read_bytes()
    if data.startswith(b"SQLite format 3\0"):
        yield "sqlite file", data
        yield from _database(path)
        return
    yield from opened(_kind(path), data, 0)


def _kind(path: Path) -> str:
    if path.name.endswith(("-wal", "-journal", "-shm")):
        return "sqlite " + path.name.rsplit("-", 1)[1]
    return f"{path.suffix.lstrip('.') or 'other'} file"


def opened(kind: str, data: bytes, depth: int) -> Iterator[Piece]:
    """The raw bytes, and what they unpack to."""
    yield kind, data
    if depth >= DEPTH:
        return
    for name, inner in _unpacked(data):
        yield from opened(name if depth == 0 else f"{kind} > {name}", inner, depth + 1)


def _unpacked(data: bytes) -> Iterator[Piece]:
    try:
        if data.startswith(b"PAR1"):
            yield from _parquet(data)
        elif data.startswith(b"PK\x03\x04"):
            yield from _zip(data)
        elif data.startswith(b"\x1f\x8b"):
            yield "gzip", gzip.decompress(data)
        elif data.startswith(b"\x28\xb5\x2f\xfd"):
            yield "zstd", pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
        elif data[257:262] == b"ustar":
            yield from _tar(data)
        elif data[:1] == b"\x78" and len(data) > 8:
            yield "zlib", zlib.decompress(data)
        elif data.startswith(b"SQLite format 3\0"):
            yield from _database_of(data)
    except (OSError, zlib.error, EOFError, pa.ArrowException, zipfile.BadZipFile, tarfile.TarError):
        return  # cut off or not what it looks like: the raw bytes are searched anyway


def _parquet(data: bytes) -> Iterator[Piece]:
    file = pq.ParquetFile(io.BytesIO(data))
    yield "parquet metadata", repr(file.schema_arrow.metadata).encode() + str(file.schema_arrow).encode()
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        for name, column in zip(table.column_names, table.columns, strict=True):
            cells = [cell for chunk in column.chunks for cell in _cells(chunk)]
            yield "parquet column", b"\n".join([name.encode(), *cells])
            for cell in cells:
                if cell[:1] in (b"\x28", b"\x1f", b"\x78", b"P"):
                    yield from (("parquet cell > " + kind, inner) for kind, inner in _unpacked(cell))


def _cells(array: pa.Array) -> Iterator[bytes]:
    """All strings and bytes of an array, however deep they stand; a dictionary's own entries too."""
    if isinstance(array, pa.DictionaryArray):
        yield from _cells(array.dictionary)
    elif pa.types.is_struct(array.type):
        for number in range(array.type.num_fields):
            yield from _cells(array.field(number))
    elif pa.types.is_map(array.type):
        yield from _cells(array.keys)
        yield from _cells(array.items)
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        yield from _cells(array.flatten())
    elif pa.types.is_string(array.type) or pa.types.is_large_string(array.type) or "view" in str(array.type) or "binary" in str(array.type):
        yield from (value.encode() if isinstance(value, str) else value for value in array.to_pylist() if value)


def _zip(data: bytes) -> Iterator[Piece]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            yield "zip member", member.filename.encode() + b"\n" + archive.read(member)
            yield "zip member", archive.read(member)


def _tar(data: bytes) -> Iterator[Piece]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            handle = archive.extractfile(member)
            yield "tar member", handle.read() if handle else member.name.encode()


def _database_of(data: bytes) -> Iterator[Piece]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.sqlite")
        copy.write_bytes(data)
        yield from _rows(copy)


def _database(path: Path) -> Iterator[Piece]:
    """Rows as a reader sees them, its write-ahead log applied; on a copy, so that nothing is changed."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                Path(folder, "copy.sqlite" + suffix).write_bytes(beside.read_bytes())
        yield from _rows(Path(folder, "copy.sqlite"))


def _rows(path: Path) -> Iterator[Piece]:
    with sqlite3.connect(path) as base:
        base.text_factory = bytes
        names = [row[0].decode() for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            for row in base.execute('SELECT * FROM "' + name.replace('"', '""') + '"'):
                for cell in row:
                    yield from _cell(cell)
    base.close()


def _cell(cell: Any) -> Iterator[Piece]:
    if isinstance(cell, bytes) and cell:
        yield "sqlite cell", cell
        yield from (("sqlite cell > " + kind, inner) for kind, inner in _unpacked(cell))


def unescaped(data: bytes) -> bytes:
    """JSON strings as they read, where it is JSON (a document or lines)."""
    found: list[str] = []
    whole = data.lstrip()[:1] in (b"{", b"[") and b"\n" in data.strip()
    for line in [data.lstrip(), *data.split(b"\n")] if whole else data.split(b"\n"):
        if line[:1] in (b"{", b"[", b'"'):
            try:
                _strings(json.loads(line), found, 0)
            except (ValueError, RecursionError):
                continue
    return "\n".join(found).encode("utf-8", "surrogatepass")


def _strings(value: Any, found: list[str], depth: int) -> None:
    if isinstance(value, str):
        found.append(value)
        if depth < DEPTH and value[:1] in ("{", "[", '"'):
            try:
                _strings(json.loads(value), found, depth + 1)
            except (ValueError, RecursionError):
                return
    elif isinstance(value, dict):
        for key, inner in value.items():
            found.append(key)
            _strings(inner, found, depth)
    elif isinstance(value, list):
        for inner in value:
            _strings(inner, found, depth)
