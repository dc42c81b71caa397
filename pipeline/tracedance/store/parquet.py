"""The Parquet files of the store: their columns, how they are written, and reading them so that damage is named and never misread."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tracedance.errors import InputError
from tracedance.store import events, sessions
from tracedance.store.durable import crc_of, settle, sha256_of, sync_folder, temporary_beside
from tracedance.store.manifest import PartFile

_NAME = pa.dictionary(pa.int32(), pa.string())

EVENTS = pa.schema(
    [(name, _NAME) for name in events.NAMED]
    + [(name, pa.int64() if name == "offset" else pa.int32()) for name in events.NUMBERS]
    + [(name, pa.large_string()) for name in (*events.TEXTS, *events.COLD)]
)

SESSIONS = pa.schema(
    [(name, pa.string()) for name in sessions.TEXTS]
    + [(name, pa.int32() if name == "group" else pa.int64()) for name in sessions.NUMBERS]
    + [("models", pa.list_(pa.string())), ("compactions", pa.list_(pa.int32()))]
    + [(name, pa.large_string()) for name in sessions.BULKY]
)

FILES = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("sha256", pa.string()),
        ("format", pa.string()),
        ("sessions", pa.int32()),
        ("skipped", pa.int32()),
        ("records", pa.int64()),
        ("kept", pa.int64()),
        ("ignored", pa.int64()),
        ("lost", pa.int64()),
        ("account", pa.large_string()),
    ]
)

RESERVED = pa.schema([("session", pa.string()), ("setting", pa.string())])

_TYPES = {field.name: field.type for schema in (EVENTS, SESSIONS, FILES) for field in schema}


class PartWriter:
    """Writes one immutable file under a temporary name, a row group at a time, and gives it its digest for a name at the end."""

    def __init__(self, folder: Path, suffix: str, schema: pa.Schema) -> None:
        self._suffix = suffix
        self._schema = schema
        self._temporary = temporary_beside(folder / f"part{suffix}")
        self._writer = pq.ParquetWriter(
            self._temporary,
            schema,
            compression="zstd",
            # A third of level 3's price and 8% more bytes: still 1/11 of the raw files.
            compression_level=1,
            # Dictionaries pay for columns of few values and for texts that sessions share, and cost time elsewhere.
            use_dictionary=[*events.NAMED, *sessions.SHARED],
            # Statistics prune nothing at the prevalence of real offences, and would repeat content in the clear.
            write_statistics=False,
            write_page_checksum=True,
        )

    def add(self, columns: Mapping[str, Sequence[Any] | pl.Series]) -> None:
        """Append one row group."""
        arrays = [_array(columns[field.name], field.type) for field in self._schema]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema), row_group_size=max(1, len(arrays[0])))

    def finish(self) -> PartFile:
        """Close, sync and name the file."""
        self._writer.close()
        digest = sha256_of(self._temporary)
        part = PartFile(f"{digest}{self._suffix}", digest, crc_of(self._temporary), self._temporary.stat().st_size)
        settle(self._temporary, self._temporary.with_name(part.name))
        return part

    def discard(self) -> None:
        """Leave nothing behind."""
        self._writer.close()
        self._temporary.unlink(missing_ok=True)
        sync_folder(self._temporary.parent)


def columns_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Rows turned into columns; what a row lacks is null."""
    held = list(rows)
    return {name: [row.get(name) for row in held] for name in names}


def open_part(folder: Path, part: PartFile) -> pq.ParquetFile:
    """An open file of the store, checked whole against its manifest entry first; InputError (6) when it is damaged or gone.

    Page checksums alone miss damage to page headers and footers, so both are used; they go on guarding later reads of the open file.
    """
    path = folder / part.name
    try:
        if path.stat().st_size != part.bytes or crc_of(path) != part.crc:
            raise damaged(path)
        return pq.ParquetFile(path, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise damaged(path) from error


def with_late_columns(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The table with those of `columns` that its file, written by an earlier version, does not have yet: they are null."""
    for name in columns:
        if name in _TYPES and name not in table.column_names:
            table = table.append_column(name, pa.nulls(len(table), _TYPES[name]))
    return table


def damaged(path: Path) -> InputError:
    """The error for a file of the store that does not hold what was written."""
    return InputError(
        f"The store's file {str(path)!r} is damaged or missing. Put it back from a backup, or import into a new store.", code=6
    )


def _array(values: Sequence[Any] | pl.Series, kind: pa.DataType) -> pa.Array:
    """Built by polars: pyarrow would import pandas first, which costs most of a second."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if isinstance(values, pl.Series):
        series = values
    else:
        try:
            series = pl.Series(values, dtype=_DTYPES[str(plain)])
        except UnicodeEncodeError:
            # A lone surrogate has no UTF-8 form; importers replace them, and this is the last line.
            clean = [value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values]
            series = pl.Series(clean, dtype=_DTYPES[str(plain)])
    array = series.to_arrow().cast(plain)
    return array.dictionary_encode() if pa.types.is_dictionary(kind) else array


_DTYPES: dict[str, pl.DataType] = {
    "string": pl.String(),
    "large_string": pl.String(),
    "int32": pl.Int32(),
    "int64": pl.Int64(),
    "list<item: string>": pl.List(pl.String()),
    "list<item: int32>": pl.List(pl.Int32()),
}


def runs(table: pa.Table, rows: npt.NDArray[np.int64]) -> pa.Table:
    """Some rows of a table, ascending, taken in runs of neighbours: whole sessions are few runs, and nothing is copied."""
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    return pa.concat_tables([table.slice(rows[begin], end - begin) for begin, end in pairwise([*starts.tolist(), len(rows)])])


def frame_of(table: pa.Table) -> pl.DataFrame:
    """The same table, of the engine that asks it."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
