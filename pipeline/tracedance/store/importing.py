"""Import: raw files become committed shards, one after the other, so that nothing is lost however it ends."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tracedance.errors import InputError
from tracedance.ingest import archives
from tracedance.ingest import read as reading
from tracedance.ingest.sniff import sniff
from tracedance.ingest.sources import HEAD
from tracedance.privacy.presidio import NAMED, engine
from tracedance.privacy.redactor import Redactor
from tracedance.privacy.rules import RULES_DIGEST
from tracedance.schema import FileReceipt, Receipt, Session
from tracedance.store import sessions
from tracedance.store.collector import uncollected
from tracedance.store.columns import refuse_unwritable
from tracedance.store.durable import locked, sha256_of
from tracedance.store.known import Decision, KnownFile, KnownFiles, KnownSession, KnownSessions
from tracedance.store.manifest import PartFile, read_manifest, sweep, write_manifest
from tracedance.store.parquet import FILES, PartWriter, columns_of
from tracedance.store.redacting import stale
from tracedance.store.reserve import set_aside
from tracedance.store.shards import GROUP_CHARACTERS, GROUP_SESSIONS, ShardWriter
from tracedance.store.store import Store
from tracedance.store.tally import FileTally, Tally, file_receipt, known_receipt

Progress = Callable[[int, int, str], None]
"""(bytes of files done, bytes of all files, `BYTES`)."""

BYTES = "import, bytes"

FORMATS = (
    "Claude Code session files (.jsonl), Codex rollout files (.jsonl) and OpenAI chat messages (.json or .jsonl), also inside .zip, .tar, "
    ".gz and .zst"
)

SETTLED_NS = 2_000_000_000
"""A file written to in the last two seconds may change again within one tick of its clock: its time is not trusted next time."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an import is to be done."""

    progress: Progress | None = None
    again: bool = False
    """Read unchanged files too, and take forgotten sessions back."""
    reserve: int | None = None
    """Sessions of each setting to set aside; None: as many as an earlier import said."""
    strict: bool = False
    """Store nothing at all when a record is lost, or was lost when a file that has not changed was read."""
    names: bool = False
    """Look for people's names too; needs the extra `pii`."""
    told: Callable[[FileReceipt], None] | None = None
    """Is given the receipt of each file and of each member of an archive as it comes."""


def import_paths(
    store_path: Path | str, paths: Sequence[Path | str], progress: Progress | None = None, again: bool = False, reserve: int | None = None
) -> Receipt:
    """The plain form of `import_with`."""
    return import_with(store_path, paths, Options(progress, again, reserve))


def import_with(store_path: Path | str, paths: Sequence[Path | str], options: Options) -> Receipt:
    """Read every recognised file below `paths` into the store and say what became of each record and session.

    The same file again adds nothing, a longer copy of a known session replaces it, a forgotten one stays out unless the files are read
    again. Each shard is committed when it is full (a strict import commits at its end); an import that was interrupted or killed is
    completed by the next. InputError: a missing path, nothing recognisable, another import under way (7).
    """
    if options.names:
        engine()  # is it there? Asked before anything is made or read
    own: list[str] = []
    files = _recognisable(paths, own)
    store = Store.open(store_path, create=True)
    with locked(store.path):
        store = Store.open(store_path)  # what another import has committed since counts
        if read_manifest(store.path) != store.manifest:
            write_manifest(store.path, store.manifest)  # a store of an earlier version learns the digest of its key
        sweep(store.path, store.manifest)
        run = Import(store, options)
        with uncollected(), run:
            total = sum(size for _, _, size in files)
            done = 0
            for path, real, size in files:
                run.add(path, real)
                done += size
                if options.progress is not None:
                    options.progress(done, total, BYTES)
            run.commit()
        if run.stored:
            set_aside(store.path, options.reserve)
        else:
            sweep(store.path, store.manifest)
    return run.receipt().model_copy(update={"own_folders": len(own), "stale": len(stale(Store.open(store_path)))})


class Import:
    """One import in progress. Sessions gather in row groups, row groups in a shard, and a full shard is committed."""

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._manifest = store.manifest
        self._files = KnownFiles(store)
        self._sessions = KnownSessions(store, options.again)
        self._redactor: Redactor = store.redactor(options.names)
        self._rules = RULES_DIGEST + (NAMED if options.names else "")
        self._writer: ShardWriter | None = None
        self._group: dict[str, Decision] = {}
        self._gathered = 0
        """Tokens of the sessions in the group."""
        self._written: dict[str, KnownSession] = {}
        self._dead: list[tuple[str, str]] = []
        self._read: list[KnownFile] = []
        self._tally = Tally()
        self.stored = True
        """False once a strict import has found that records are lost."""

    def __enter__(self) -> "Import":
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what was begun and not committed."""
        if self._writer is not None:
            self._writer.discard()
            self._writer = None

    def add(self, path: Path, real: str) -> None:
        """Read one file, which lies at `real`, unless it is known; commit when a shard is full."""
        try:
            status = os.stat(path)
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be read ({error.strerror}). Check the path and its permissions.") from error
        place = self._redactor.text(real)
        trusted = time.time_ns() - status.st_mtime_ns > SETTLED_NS
        stamp = (place, status.st_size, status.st_mtime_ns if trusted else 0)
        known = self._known(path, place, status)
        if known is None:
            self._read_anew(path, stamp)
        else:
            self._tally.unchanged(known)
            if self._options.told is not None:
                self._options.told(known_receipt(known))
            self._remember(replace(known, path=stamp[0], size=stamp[1], mtime_ns=stamp[2]))

    def _known(self, path: Path, place: str, status: os.stat_result) -> KnownFile | None:
        """The file as of an earlier import, if its content is that of then: stat first, and a digest where a known file is as long."""
        if self._options.again:
            return None
        known = self._files.unchanged(place, status.st_size, status.st_mtime_ns)
        return self._files.same_content(sha256_of(path)) if known is None and self._files.worth_hashing(status.st_size) else known

    def _read_anew(self, path: Path, stamp: tuple[str, int, int]) -> None:
        account = FileTally()
        for found in reading.readings(path, self._redactor):
            rows, found = sound(found, self._rules)
            self._tally.read(found)
            taken = sum(self._take(session, row) for session, row in rows)
            account.add(found, taken)
            if self._options.told is not None:
                self._options.told(file_receipt(found))
        self._remember(account.known(stamp, found))

    def _remember(self, file: KnownFile) -> None:
        if self._files.add(file):
            self._read.append(file)

    def _take(self, session: Session, row: sessions.Row) -> bool:
        """Decide on one session; False for one that the store is not to hold."""
        decision = self._sessions.decide(session, row)
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
            known.redaction, known.shard, known.started = self._rules, None, decision.row["started"]
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
            if not self._options.strict:
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
        """Commit what remains; of a strict import all of it or nothing."""
        self._flush_group()
        self._commit_shard()
        self.stored = not (self._options.strict and self._tally.lost)
        if self._options.strict and self.stored and self._manifest != self._store.manifest:
            write_manifest(self._store.path, self._manifest)

    def receipt(self) -> Receipt:
        """What became of everything."""
        return self._tally.receipt(self._redactor.found, self.stored)


def sound(found: reading.FileReading, rules: str) -> tuple[list[tuple[Session, sessions.Row]], reading.FileReading]:
    """The sessions of a reading that hold turns, with their rows; a reading that cannot be written as columns is one of losses alone."""
    try:
        rows = [(session, sessions.row(session, session.id, rules)) for session in found.sessions if session.turns]
        for session, _ in rows:
            refuse_unwritable(session)
    except Exception as error:  # whatever one hostile file brings about, the others are still imported
        return [], reading.without_sessions(found, error)
    return rows, found


def _recognisable(paths: Sequence[Path | str], own: list[str]) -> list[tuple[Path, str, int]]:
    """Every file below `paths`, each once, with where it lies (their order) and its size; InputError unless some format is known."""
    found = sorted(reading.located([Path(path) for path in paths], own), key=lambda file: Path(file[1]))
    named = ", ".join(repr(str(path)) for path in paths)
    if not found and own:
        raise InputError(f"There is nothing in {named} but what tracedance wrote ({own[0]!r}). Name a folder of recorded sessions.")
    if not found:
        raise InputError(f"There is no file in {named}. Name a file or folder of recorded sessions: {FORMATS}.")
    if not any(_known_format(path) for path, _ in found):
        raise InputError(f"No format of sessions was recognised in {named}. Read are {FORMATS}.")
    return [(Path(path), real, _size(path)) for path, real in found]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _known_format(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return archives.kind(head) != "" or sniff(head) is not None
