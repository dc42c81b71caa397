"""What the store already holds, as an import asks it: this file? this session, and how long a copy of it?"""

from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

import polars as pl

from tracedance.schema import Session
from tracedance.store import sessions
from tracedance.store.forgetting import is_same, marked
from tracedance.store.manifest import Forgotten
from tracedance.store.store import Store


@dataclass(frozen=True, slots=True)
class KnownFile:
    """One source file as of its last import."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    format: str
    sessions: int
    skipped: int
    records: int
    kept: int = 0
    ignored: int = 0
    lost: int = 0
    account: str = ""
    """JSON: `losses` [[reason, count, place]], `unknown` record types, unknown `fields`; of an archive its `formats` and its
    `members` [[name, format, sessions, records, kept, ignored, lost]]. "" where there is nothing to tell."""


class KnownFiles:
    """Source files by path and by content."""

    def __init__(self, store: Store) -> None:
        # Stores of earlier versions have no such columns.
        late = pl.col("kept", "ignored", "lost").fill_null(0), pl.col("account").fill_null("")
        rows = store.source_files().with_columns(*late).iter_rows(named=True)
        self._by_path = {row["path"]: KnownFile(**row) for row in rows}
        self._by_content = {file.sha256: file for file in self._by_path.values()}
        self._sizes = {file.size for file in self._by_path.values()}

    def unchanged(self, path: str, size: int, mtime_ns: int) -> KnownFile | None:
        """The known file at `path` if size and time say that it was not touched."""
        known = self._by_path.get(path)
        return known if known is not None and (known.size, known.mtime_ns) == (size, mtime_ns) else None

    def worth_hashing(self, size: int) -> bool:
        """Whether some known file is as long, so that this one could be it."""
        return size in self._sizes

    def same_content(self, digest: str) -> KnownFile | None:
        """A known file with these bytes, wherever it lies."""
        return self._by_content.get(digest)

    def add(self, file: KnownFile) -> bool:
        """Remember a file; False when this very thing was known of it."""
        if self._by_path.get(file.path) == file:
            return False
        self._by_path[file.path] = self._by_content[file.sha256] = file
        self._sizes.add(file.size)
        return True


@dataclass(slots=True)
class KnownSession:
    """A live session: how it starts, how long it is and where it lies (`shard` is None while it waits to be written)."""

    id: str
    head: str
    turns: int
    tokens: int
    redaction: str
    shard: str | None
    started: str = ""

    @property
    def length(self) -> tuple[int, int]:
        """What decides which copy is the longer one."""
        return (self.turns, self.tokens)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a session that was read."""

    kind: Literal["kept", "duplicate", "replaced", "skipped"]
    """`skipped`: the user had it forgotten."""
    session: Session
    row: sessions.Row
    known: KnownSession


class KnownSessions:
    """Live sessions by the id their source gave them; several where ids collide. Beside them those that are not to come back."""

    def __init__(self, store: Store, again: bool = False) -> None:
        """`again` takes forgotten sessions back."""
        self._key = store.key
        self._again = again
        self.forgotten = set(store.manifest.forgotten)
        self._by_given: dict[str, list[KnownSession]] = defaultdict(list)
        for row in store.sessions().iter_rows(named=True):
            known = KnownSession(row["id"], row["head"], row["turns"], row["tokens"], row["redaction_digest"], row["shard"], row["started"])
            self._by_given[row["given_id"]].append(known)

    def decide(self, session: Session, row: sessions.Row) -> Decision:
        """Keep it, drop it as a copy no longer than the known one, let it replace that, or skip it as forgotten; `row` is its own."""
        fresh = KnownSession(session.id, row["head"], row["turns"], row["tokens"], row["redaction_digest"], None, row["started"])
        forgotten = self._marks_of(fresh)
        if self._again:
            self.forgotten -= forgotten
        elif forgotten:
            return Decision("skipped", session, row, fresh)
        namesakes = self._by_given[session.id]
        same = next((known for known in namesakes if _same(known, fresh, session)), None)
        if same is not None:
            fresh.id = same.id
            kind: Literal["kept", "duplicate", "replaced"] = "replaced" if fresh.length > same.length else "duplicate"
            return Decision(kind, replace(session, id=fresh.id), {**row, "id": fresh.id}, same)
        if namesakes:
            # Two different sessions under one id: the later one is told apart by how it starts, which stays when it grows.
            fresh.id = f"{session.id}~{sha256(fresh.head.encode()).hexdigest()[:8]}"
        namesakes.append(fresh)
        return Decision("kept", replace(session, id=fresh.id), {**row, "id": fresh.id}, fresh)

    def _marks_of(self, fresh: KnownSession) -> set[Forgotten]:
        """What is remembered of this session from when it was forgotten."""
        if not self.forgotten:
            return set()
        mark = marked(self._key, fresh.id, fresh.head, fresh.redaction)
        return {known for known in self.forgotten if is_same(known, mark)}


def _same(known: KnownSession, fresh: KnownSession, session: Session) -> bool:
    if known.redaction != fresh.redaction:
        return True  # Other rules of redaction give other texts and so other chains: the id alone has to do.
    common = min(known.turns, fresh.turns)
    # Where both are one session, the turns of the one read now stand for those of the other.
    sure = sessions.settled([turn.role for turn in session.turns[:common]], common)
    if sure < 1 and known.started and known.started == fresh.started:
        return True  # Cut in its very first turn: no chain is sure, but the moment at which it began is.
    return sessions.same_start(known.head, fresh.head, sure)
