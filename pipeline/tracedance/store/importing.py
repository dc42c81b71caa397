"""Import: raw files become committed shards, one after the other, so that nothing is lost however it ends."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from tracedance.errors import InputError
from tracedance.ingest import read as reading
from tracedance.ingest.sanitize import DIGEST, Redactor
from tracedance.ingest.sniff import sniff
from tracedance.ingest.sources import HEAD
from tracedance.schema import Receipt, Session
from tracedance.store.durable import locked, sha256_of
from tracedance.store.known import Decision, KnownFile, KnownFiles, KnownSession, KnownSessions
from tracedance.store.manifest import PartFile, sweep, write_manifest
from tracedance.store.parquet import FILES, PartWriter, columns_of
from tracedance.store.reserve import set_aside
from tracedance.store.shards import GROUP_CHARACTERS, GROUP_SESSIONS, ShardWriter
from tracedance.store.store import Store
from tracedance.store.tally import Tally

Progress = Callable[[int, int, str], None]
"""(files done, files in all, name of the one just done)."""

FORMATS = "Claude Code session files (.jsonl), Codex rollout files (.jsonl) and OpenAI chat messages (.json or .jsonl)"

SETTLED_NS = 2_000_000_000
"""A file written to in the last two seconds may change again within one tick of its clock: its time is not trusted next time."""


def import_paths(
    store_path: Path | str, paths: Sequence[Path | str], progress: Progress | None = None, again: bool = False, reserve: int | None = None
) -> Receipt:
    """Read every recognised file below `paths` into the store and say what became of each record and session.

    The same file again adds nothing, a longer copy of a known session replaces it, a forgotten one stays out unless `again` reads all
    files anew and takes it back. Each shard is committed when it is full; an import that was killed is completed by the next. At its end
    `reserve` sessions of each setting are set aside (None: as many as an earlier import said). InputError: a missing path, nothing
    recognisable, another import under way (7).
    """
    files = _recognisable(paths)
    store = Store.open(store_path, create=True)
    with locked(store.path):
        store = Store.open(store_path)  # what another import has committed since counts
        sweep(store.path, store.manifest)
        run = Import(store, again)
        try:
            for done, path in enumerate(files, 1):
                run.add(path)
                if progress is not None:
                    progress(done, len(files), path.name)
            run.commit()
        finally:
            run.close()
        set_aside(store.path, reserve)
    return run.receipt()


class Import:
    """One import in progress. Sessions gather in row groups, row groups in a shard, and a full shard is committed."""

    def __init__(self, store: Store, again: bool = False) -> None:
        self._store = store
        self._again = again
        self._manifest = store.manifest
        self._files = KnownFiles(store)
        self._sessions = KnownSessions(store, again)
        self._redactor: Redactor = store.redactor()
        self._writer: ShardWriter | None = None
        self._group: dict[str, Decision] = {}
        self._gathered = 0
        """Tokens of the sessions in the group."""
        self._written: dict[str, KnownSession] = {}
        self._dead: list[tuple[str, str]] = []
        self._read: list[KnownFile] = []
        self._tally = Tally()

    def add(self, path: Path) -> None:
        """Read one file, unless it is known; commit when a shard is full."""
        try:
            status = path.stat()
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be read ({error.strerror}). Check the path and its permissions.") from error
        place = self._redactor.text(str(path.resolve()))
        trusted = time.time_ns() - status.st_mtime_ns > SETTLED_NS
        stamp = (place, status.st_size, status.st_mtime_ns if trusted else 0)
        known = None if self._again else self._files.unchanged(place, status.st_size, status.st_mtime_ns)
        if known is None and not self._again and self._files.worth_hashing(status.st_size):
            known = self._files.same_content(sha256_of(path))
        if known is None:
            self._read_anew(path, stamp)
        else:
            self._tally.unchanged(known)
            self._remember(KnownFile(*stamp, known.sha256, known.format, known.sessions, known.skipped, known.records))

    def _read_anew(self, path: Path, stamp: tuple[str, int, int]) -> None:
        found = reading.read(path, self._redactor)
        self._tally.read(found)
        whole = [session for session in found.sessions if session.turns]
        taken = sum(self._take(session) for session in whole)
        counts = (taken, len(found.sessions) - taken, found.counts.in_)
        self._remember(KnownFile(*stamp, found.digest, found.format, *counts))

    def _remember(self, file: KnownFile) -> None:
        if self._files.add(file):
            self._read.append(file)

    def _take(self, session: Session) -> bool:
        """Decide on one session; False for one that the store is not to hold."""
        decision = self._sessions.decide(session, DIGEST)
        self._tally.sessions[decision.kind] += 1
        if decision.kind in ("duplicate", "skipped"):
            return decision.kind == "duplicate"
        known = decision.known
        if decision.kind == "replaced":
            if decision.session.id in self._written:
                # The short copy lies in the shard being written: that one ends here, so that the two never share a shard.
                self._commit_shard()
            if known.shard is not None:
                self._dead.append((known.shard, known.id))
            known.head, known.turns, known.tokens = decision.row["head"], decision.row["turns"], decision.row["tokens"]
            known.redaction, known.shard = DIGEST, None
        shorter = self._group.pop(decision.session.id, None)
        self._group[decision.session.id] = decision
        self._gathered += decision.row["tokens"] - (shorter.row["tokens"] if shorter is not None else 0)
        if len(self._group) >= GROUP_SESSIONS or self._gathered * 4 >= GROUP_CHARACTERS:
            self._flush_group()
        return True

    def _flush_group(self) -> None:
        if not self._group:
            return
        if self._writer is None:
            self._writer = ShardWriter(self._store.path / "shards")
        self._writer.add_group([(decision.session, decision.row) for decision in self._group.values()])
        self._written.update({decision.session.id: decision.known for decision in self._group.values()})
        self._group, self._gathered = {}, 0
        if self._writer.full:
            self._commit_shard()

    def _commit_shard(self) -> None:
        """Make what was written so far part of the store. Files are known from now on only if all their sessions are in."""
        waiting = {decision.known.id for decision in self._group.values()}
        part = self._writer.finish() if self._writer is not None else None
        if part is not None:
            for known in self._written.values():
                known.shard = part.events.digest
        files = self._write_files() if not waiting else None
        if part is not None or files is not None:
            dead = tuple(pair for pair in self._dead if pair[1] not in waiting)
            self._manifest = self._manifest.with_part(part, files, dead).with_forgotten(self._sessions.forgotten)
            write_manifest(self._store.path, self._manifest)
            self._dead = [pair for pair in self._dead if pair[1] in waiting]
        self._writer, self._written = None, {}

    def _write_files(self) -> PartFile | None:
        if not self._read:
            return None
        writer = PartWriter(self._store.path / "shards", ".files.parquet", FILES)
        writer.add(columns_of([asdict(file) for file in self._read], FILES.names))
        self._read = []
        return writer.finish()

    def commit(self) -> None:
        """Commit what remains."""
        self._flush_group()
        self._commit_shard()

    def close(self) -> None:
        """Remove what was begun and not committed."""
        if self._writer is not None:
            self._writer.discard()
            self._writer = None

    def receipt(self) -> Receipt:
        """What became of everything."""
        return self._tally.receipt(self._redactor.found)


def _recognisable(paths: Sequence[Path | str]) -> list[Path]:
    """Every file below `paths`, each once, sorted; InputError unless at least one is of a format that we read."""
    files = sorted(reading.files([Path(path) for path in paths]), key=lambda path: path.resolve())
    named = ", ".join(repr(str(path)) for path in paths)
    if not files:
        raise InputError(f"There is no file in {named}. Name a file or folder of recorded sessions: {FORMATS}.")
    if not any(_known_format(path) for path in files):
        raise InputError(f"No format of sessions was recognised in {named}. Read are {FORMATS}.")
    return files


def _known_format(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return sniff(file.read(HEAD)) is not None
    except OSError:
        return False
