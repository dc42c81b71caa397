"""Filling shards: sessions go in, a finished part comes out when enough have gathered."""

from collections.abc import Sequence
from pathlib import Path

from tracedance.schema import Session
from tracedance.store import sessions
from tracedance.store.columns import event_columns
from tracedance.store.manifest import Part
from tracedance.store.parquet import EVENTS, SESSIONS, PartWriter, columns_of

GROUP_SESSIONS = 125
SHARD_SESSIONS = 500
GROUP_CHARACTERS = 32_000_000
"""A row group closes at this size too, so that memory stays flat however long sessions are."""
SHARD_CHARACTERS = 192_000_000


class ShardWriter:
    """Writes one shard. Row groups end where a session ends."""

    def __init__(self, folder: Path) -> None:
        self._events = PartWriter(folder, ".parquet", EVENTS)
        self._sessions = PartWriter(folder, ".sessions.parquet", SESSIONS)
        self._rows: list[sessions.Row] = []
        self._groups = 0
        self.characters = 0

    @property
    def full(self) -> bool:
        """Whether the shard should be finished now."""
        return len(self._rows) >= SHARD_SESSIONS or self.characters >= SHARD_CHARACTERS

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._rows

    def add_group(self, group: Sequence[tuple[Session, sessions.Row]]) -> None:
        """Write one row group: sessions with their rows of the sessions table."""
        self._events.add(event_columns(session for session, _ in group))
        for _, row in group:
            self._rows.append({**row, "group": self._groups})
            self.characters += row["tokens"] * 4
        self._groups += 1

    def finish(self) -> Part:
        """Both files, durable under their names."""
        self._sessions.add(columns_of(self._rows, sessions.COLUMNS))
        return Part(self._events.finish(), self._sessions.finish(), len(self._rows))

    def discard(self) -> None:
        """Leave nothing behind."""
        self._events.discard()
        self._sessions.discard()
