"""Writing shards anew: without sessions that must go, and small ones together. The old files stay until the new state is committed."""

from collections.abc import Collection, Sequence

import polars as pl

from tracedance.store import events, sessions
from tracedance.store.manifest import Part
from tracedance.store.parquet import EVENTS, SESSIONS, PartWriter
from tracedance.store.shards import GROUP_CHARACTERS, GROUP_SESSIONS
from tracedance.store.store import Store


def rewrite(store: Store, parts: Sequence[Part], without: Collection[str] = ()) -> Part | None:
    """One new part that holds the live sessions of `parts`, less those named, in their order; None when none is left.

    Columns of few values are encoded anew, so that no dictionary keeps a word of what was left out. Memory holds one row group.
    """
    writing = _Writing(store)
    try:
        for part in parts:
            gone = {*store.manifest.dead_in(part.events.digest), *without}
            table = store.table(part.sessions, sessions.COLUMNS)
            for group, rows in (
                table.filter(~pl.col("id").is_in(sorted(gone))).partition_by("group", as_dict=True, maintain_order=True).items()
            ):
                writing.add(part, int(group[0]), rows)
        return writing.finish()
    except BaseException:
        writing.discard()
        raise


class _Writing:
    """A part being written; the groups of the old ones are put together until one is full."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shards = {shard.digest: shard for shard in store.shards()}
        folder = store.path / "shards"
        self._events = PartWriter(folder, ".parquet", EVENTS)
        self._sessions = PartWriter(folder, ".sessions.parquet", SESSIONS)
        self._frames: list[pl.DataFrame] = []
        self._tables: list[pl.DataFrame] = []
        self._waiting = [0, 0]
        """Sessions and characters in `_frames`."""
        self._groups = 0

    def add(self, part: Part, group: int, rows: pl.DataFrame) -> None:
        """The sessions in `rows`, all of one row group of `part`."""
        size = [len(rows), int(rows["tokens"].sum()) * 4]
        if self._frames and (self._waiting[0] + size[0] > GROUP_SESSIONS or self._waiting[1] + size[1] > GROUP_CHARACTERS):
            self._flush()
        shard = self._shards[part.events.digest]
        frame = self._store.read(shard, events.COLUMNS, groups=[group])
        self._frames.append(frame.filter(pl.col("session").cast(pl.String).is_in(rows["id"].to_list())))
        self._tables.append(rows.with_columns(pl.lit(self._groups, pl.Int32).alias("group")))
        self._waiting = [self._waiting[0] + size[0], self._waiting[1] + size[1]]

    def _flush(self) -> None:
        columns: dict[str, list[object]] = {name: [] for name in events.COLUMNS}
        for frame in self._frames:
            for name in events.COLUMNS:
                columns[name].extend(frame[name].to_list())
        self._events.add(columns)
        self._frames, self._waiting = [], [0, 0]
        self._groups += 1

    def finish(self) -> Part | None:
        """Both files under their names."""
        if not self._tables:
            self.discard()
            return None
        self._flush()
        table = pl.concat(self._tables)
        self._sessions.add({name: table[name].to_list() for name in sessions.COLUMNS})
        return Part(self._events.finish(), self._sessions.finish(), len(table))

    def discard(self) -> None:
        """Leave nothing behind."""
        self._events.discard()
        self._sessions.discard()
