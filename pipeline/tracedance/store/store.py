"""The store: sessions in Parquet shards, read through here and nowhere else."""

import os
import stat
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b, sha256
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import Session
from tracedance.store import sessions, views
from tracedance.store.durable import locked, write_durably
from tracedance.store.manifest import (
    Part,
    PartFile,
    StoreManifest,
    holds_remains,
    read_manifest,
    refuse_foreign,
    stateless,
    write_manifest,
)
from tracedance.store.parquet import damaged, frame_of, open_part, runs, with_late_columns

if TYPE_CHECKING:
    from tracedance.privacy.redactor import Redactor

OPEN_SHARDS = 4
COLD_BYTES = 192_000_000
"""Cold columns kept in memory; at least the last one is."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A group of sessions: the unit of scanning, of caching and of parallel work."""

    digest: str
    path: Path
    sessions: int
    """Live ones: those that no longer copy has replaced."""
    dead: frozenset[str] = frozenset()


class Store:
    """An opened store. It shows the state that was committed when it was opened; `opened` counts how often each shard was."""

    def __init__(self, path: Path, manifest: StoreManifest) -> None:
        self.path = path
        self.manifest = manifest
        self.opened: Counter[str] = Counter()
        self._files: OrderedDict[str, pq.ParquetFile] = OrderedDict()
        self._cold: OrderedDict[tuple[str, str, int], pa.Array] = OrderedDict()
        self._ends: dict[str, list[int]] = {}

    @classmethod
    def open(cls, path: Path | str, create: bool = False) -> "Store":
        """Open the store at `path`; with `create` an absent one is made. InputError: absent, newer than us, damaged (6)."""
        folder = Path(path)
        if create:
            _create(folder)
        manifest = read_manifest(folder)
        if manifest is None:
            if holds_remains(folder):
                raise stateless(folder)
            raise InputError(f"There is no store at {str(folder)!r}. 'tracedance import PATH --store {folder}' makes one.")
        if not (folder / "shards").is_dir():
            raise damaged(folder / "shards")
        store = cls(folder, manifest)
        # A key that others can read, or another than the store was made with, is refused at once and not when it is first used.
        store.manifest = replace(manifest, key=store._checked_key())
        return store

    def _checked_key(self) -> str:
        """Digest of the key. InputError (6): it is not the one that the store was made with."""
        digest = sha256(self.key).hexdigest()
        if self.manifest.key not in ("", digest):
            said = f"The store's key {str(self.path / 'key')!r} is not the one that the store was made with."
            raise InputError(f"{said} Put that one back from a backup, or import into a new store.", code=6)
        return digest

    @cached_property
    def key(self) -> bytes:
        """The store's secret: pseudonyms and instance ids are stable under it, and nobody can guess them without."""
        path = self.path / "key"
        cure = "Put it back from a backup, or import into a new store."
        try:
            mode = path.stat().st_mode
            key = read_regular(path)
        except OSError as error:
            raise InputError(f"The store's key {str(path)!r} cannot be read. {cure}", code=6) from error
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError(f"The store's key {str(path)!r} can be read by others. Run 'chmod 600 {path}'; import anew if others read it.")
        if len(key) != 32:
            raise InputError(f"The store's key {str(path)!r} is damaged. {cure}", code=6)
        return key

    def redactor(self, names: bool = False) -> "Redactor":
        """A redactor whose pseudonyms are this store's; with `names` one that looks for people's names too."""
        if names:
            from tracedance.privacy.presidio import NamingRedactor

            return NamingRedactor(self.key)
        from tracedance.privacy.redactor import Redactor

        return Redactor(self.key)

    def shards(self) -> list[Shard]:
        """Every shard, in the order in which they were committed."""
        return [self._shard(part) for part in self.manifest.parts]

    def sessions(self) -> pl.DataFrame:
        """One row per live session, sorted by id: `store.sessions.LIGHT` and the `shard` that holds it."""
        return self.live(sessions.LIGHT).sort("id")

    def read(self, shard: Shard, columns: Sequence[str], groups: Sequence[int] | None = None) -> pl.DataFrame:
        """Event rows of the live sessions of one shard (or of some of its row groups), and their `row` number in it.

        The only way to event rows. A shard is opened and checked once and stays open for the later reads of cold columns.
        """
        file = self._file(shard)
        names = list(dict.fromkeys(["session", *(name for name in columns if name != "row")]))
        chosen = range(file.num_row_groups) if groups is None else groups
        frames = [self._group(shard, file, group, names) for group in chosen]
        frame = pl.concat(frames) if frames else pl.DataFrame()
        return frame.filter(~pl.col("session").is_in(sorted(shard.dead))) if shard.dead else frame

    def rows(self, shard: Shard, columns: Sequence[str], numbers: npt.NDArray[np.int64]) -> pl.DataFrame:
        """Columns of some rows of one shard, told by their numbers in ascending order. The others are never made frames of."""
        starts, file, frames = [0, *self.group_ends(shard)], self._file(shard), []
        for group, (begin, end) in enumerate(pairwise(np.searchsorted(numbers, starts).tolist())):
            if begin < end:
                table = self._checked(file, shard.path, columns, group)
                frames.append(frame_of(runs(table, numbers[begin:end] - starts[group])))
        return pl.concat(frames) if frames else pl.DataFrame()

    def group_ends(self, shard: Shard) -> list[int]:
        """For each row group of a shard the number of the row behind its last."""
        if shard.digest not in self._ends:
            metadata = self._file(shard).metadata
            self._ends[shard.digest] = list(accumulate(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)))
        return self._ends[shard.digest]

    def meta(self, shard: Shard, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """For some of one shard's sessions, by id, what the sessions table holds of `sessions.VIEWED`."""
        part = next(part for part in self.manifest.parts if part.events.digest == shard.digest)
        table = self.table(part.sessions, sessions.VIEWED)
        return {row["id"]: row for row in table.filter(pl.col("id").is_in(list(ids))).to_dicts()}

    def views(self, frame: pl.DataFrame, ids: Sequence[str], shard: Shard) -> Iterator[Session]:
        """Sessions `ids` of a frame that `read` gave (with `views.NEEDED`), in stored order; bulky texts are fetched when asked for."""
        more = len(frame) and (frame["seq"] == 0).sum() > len(set(ids))
        chosen = frame.filter(pl.col("session").cast(pl.String).is_in(list(ids))) if more else frame
        return views.build(chosen, self.meta(shard, ids), partial(self._cold_text, shard))

    def session(self, session_id: str) -> Session:
        """One session. InputError when the store has none of that id."""
        place = self._places.get(session_id)
        if place is None:
            raise InputError(f"The store {str(self.path)!r} has no session {session_id!r}; 'tracedance scan --json' names some.")
        shard = next(shard for shard in self.shards() if shard.digest == place[0])
        frame = self.read(shard, views.NEEDED, groups=[place[1]])
        return next(self.views(frame, [session_id], shard))

    def provenance(self, session_id: str) -> str:
        """What an instance says of the session it was cut from: a digest under the store's key, which nobody else can make."""
        return blake2b(session_id.encode(), key=self.key, digest_size=8).hexdigest()

    def reserved(self) -> dict[str, str]:
        """Sessions set aside for discovery, from which no instance may be cut, and the setting of each."""
        part = self.manifest.reserved
        if part is None:
            return {}
        table = self.table(part, ("session", "setting"))
        return dict(zip(table["session"].to_list(), table["setting"].to_list(), strict=True))

    def source_files(self) -> pl.DataFrame:
        """What is known of source files: path, size, mtime_ns, sha256, format, sessions, skipped, records; the last word on each path."""
        from tracedance.store.parquet import FILES

        frames = [self.table(part, FILES.names) for part in self.manifest.files]
        if not frames:
            return pl.DataFrame(
                schema={name: pl.String if name in ("path", "sha256", "format", "account") else pl.Int64 for name in FILES.names}
            )
        return pl.concat(frames).unique("path", keep="last", maintain_order=True)

    @cached_property
    def _places(self) -> dict[str, tuple[str, int]]:
        table = self.live(("id", "group"))
        return dict(zip(table["id"].to_list(), zip(table["shard"].to_list(), table["group"].to_list(), strict=True), strict=True))

    def live(self, columns: Sequence[str]) -> pl.DataFrame:
        """Columns of the sessions table for the live sessions, unsorted, and the `shard` of each."""
        frames = []
        for part in self.manifest.parts:
            table = self.table(part.sessions, columns).with_columns(pl.lit(part.events.digest).alias("shard"))
            dead = self.manifest.dead_in(part.events.digest)
            frames.append(table.filter(~pl.col("id").is_in(sorted(dead))) if dead else table)
        if frames:
            return pl.concat(frames)
        return pl.DataFrame(schema={name: pl.Int64 if name in sessions.NUMBERS else pl.String for name in (*columns, "shard")})

    def _shard(self, part: Part) -> Shard:
        dead = self.manifest.dead_in(part.events.digest)
        return Shard(part.events.digest, self.path / "shards" / part.events.name, part.count - len(dead), dead)

    def table(self, part: PartFile, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of a table of the store that is no shard's events, whole; dead sessions included."""
        with self._open(part) as file:
            return frame_of(self._checked(file, self.path / "shards" / part.name, columns, None))

    def _open(self, part: PartFile) -> pq.ParquetFile:
        try:
            return open_part(self.path / "shards", part)
        except InputError as error:
            now = read_manifest(self.path)
            if now is not None and part.name not in now.names():
                said = f"The store {str(self.path)!r} was changed while it was read (a session forgotten, or shards compacted)."
                raise InputError(f"{said} Run the same command again.", code=7) from error
            raise

    def _file(self, shard: Shard) -> pq.ParquetFile:
        file = self._files.pop(shard.digest, None)
        if file is None:
            part = next(part.events for part in self.manifest.parts if part.events.digest == shard.digest)
            file = self._open(part)
            self.opened[shard.digest] += 1
        self._files[shard.digest] = file
        while len(self._files) > OPEN_SHARDS:
            self._files.popitem(last=False)[1].close()
        return file

    def _group(self, shard: Shard, file: pq.ParquetFile, group: int, columns: Sequence[str]) -> pl.DataFrame:
        first = sum(file.metadata.row_group(earlier).num_rows for earlier in range(group))
        return frame_of(self._checked(file, shard.path, columns, group)).with_row_index("row", offset=first)

    def _cold_text(self, shard: Shard, column: str, row: int) -> str:
        ends = self.group_ends(shard)
        group = bisect_right(ends, row)
        row -= ends[group - 1] if group else 0
        key = (shard.digest, column, group)
        values = self._cold.pop(key, None)
        if values is None:
            values = self._checked(self._file(shard), shard.path, [column], group).column(0).combine_chunks()
            while self._cold and values.nbytes + sum(held.nbytes for held in self._cold.values()) > COLD_BYTES:
                self._cold.popitem(last=False)
        self._cold[key] = values
        return values[row].as_py() or ""

    def release(self, shard: Shard) -> None:
        """Drop what was kept of a shard's cold columns: whoever passes over all shards does not come back to it."""
        for key in [key for key in self._cold if key[0] == shard.digest]:
            del self._cold[key]

    @staticmethod
    def _checked(file: pq.ParquetFile, path: Path, columns: Sequence[str], group: int | None) -> pa.Table:
        try:
            groups = range(file.num_row_groups) if group is None else [group]
            table = file.read_row_groups(groups, list(columns), use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise damaged(path) from error
        return with_late_columns(table, columns)


def _create(folder: Path) -> None:
    """Make the store where there is none yet, its state first: what died before it had all its pieces is completed."""
    pieces = [folder / name for name in ("store.json", "key", "shards")]
    if all(piece.exists() for piece in pieces):
        return
    if not pieces[0].exists():
        refuse_foreign(folder)
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        manifest = read_manifest(folder)
        if manifest is None:
            refuse_foreign(folder)
        elif not manifest.pristine:
            return  # another made it meanwhile, or something is missing that cannot be made anew
        key = pieces[1].read_bytes() if pieces[1].exists() else os.urandom(32)
        if manifest is None or not pieces[1].exists():
            write_manifest(folder, StoreManifest(key=sha256(key).hexdigest(), reserve=manifest.reserve if manifest else 0))
        if not pieces[1].exists():
            write_durably(pieces[1], key, mode=0o600)
        pieces[2].mkdir(exist_ok=True)
