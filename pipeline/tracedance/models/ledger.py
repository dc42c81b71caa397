"""Every call that costs something, written down before it is sent and again before its answer is read.

One SQLite file: an `attempt` row with state `intent` is committed before the socket is opened, the answer's bytes before anything parses
them. A call whose answer is here is never made again, so that an interrupted run continues and a repeated one costs nothing. An
`intent` that stayed one was under way when its run died; it may have been paid, and is made again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from tracedance.errors import InputError

VERSION = 1
TABLES = """
CREATE TABLE call (key TEXT PRIMARY KEY, model TEXT NOT NULL, purpose TEXT NOT NULL, request BLOB NOT NULL);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL REFERENCES call, state TEXT NOT NULL CHECK (state IN ('intent', 'answered', 'failed')),
    error TEXT NOT NULL DEFAULT '', response BLOB, sha256 TEXT NOT NULL DEFAULT '', at TEXT NOT NULL
);
CREATE INDEX attempt_by_key ON attempt (key, state);
"""


def key_of(subject: Mapping[str, Any]) -> str:
    """The key of a call: sha256 of the canonical JSON of everything that changes its answer. No keys, no times."""
    return hashlib.sha256(canonical(subject)).hexdigest()


def canonical(subject: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys and no spaces, ASCII only."""
    return json.dumps(subject, sort_keys=True, separators=(",", ":")).encode()


class Ledger:
    """One file, one connection, any number of threads of one process. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file; one by a newer version, or one that is damaged, is refused untouched."""
        self.path = path
        self._lock = threading.RLock()
        self._under_way: dict[str, threading.Lock] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600, exist_ok=True)  # it holds contexts as they were sent and answers as they came: for its owner alone
            self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._db.executescript("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;")
            self._prepare()
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{str(path)!r} is damaged or no ledger ({error}). Move it away; calls are then paid again.", 6) from error
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be written ({error.strerror}). Choose another folder.") from error

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise InputError(
                f"{str(self.path)!r} was written by a newer tracedance (ledger version {version}). Upgrade, or use another folder."
            )
        if version == 0:
            with self._committed():
                if self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    raise InputError(f"{str(self.path)!r} is a database, but no ledger of ours. Choose another folder.")
                for statement in filter(str.strip, TABLES.split(";")):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def _unusable(self, error: sqlite3.OperationalError) -> InputError:
        if "locked" in str(error):
            return InputError(f"{str(self.path)!r} is in use by another run. Wait for it, or use another folder.", 7)
        return InputError(f"{str(self.path)!r} cannot be used ({error}). Check the folder's permissions and the free space.")

    @contextmanager
    def _committed(self) -> Iterator[None]:
        """One transaction, durable when it returns."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except sqlite3.OperationalError as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise self._unusable(error) from error
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Holds back other threads with the same call, so that it is paid once."""
        with self._lock:
            lock = self._under_way.setdefault(key, threading.Lock())
        with lock:
            yield

    def answered(self, key: str) -> bytes | None:
        """The stored answer of a call; InputError (6) when its bytes are not those that were stored."""
        with self._lock:
            row = self._db.execute(
                "SELECT response, sha256 FROM attempt WHERE key = ? AND state = 'answered' ORDER BY id", (key,)
            ).fetchone()
        if row is None:
            return None
        try:
            raw = zlib.decompress(row[0])
        except zlib.error:
            raw = b""
        if hashlib.sha256(raw).hexdigest() != row[1]:
            raise InputError(
                f"{str(self.path)!r} holds a damaged answer (call {key[:16]}). Move the file away; calls are then paid again.", 6
            )
        return raw

    def intend(self, key: str, subject: Mapping[str, Any], purpose: str) -> int:
        """Writes down that a call is about to leave; returns the attempt's number."""
        with self._committed():
            request = zlib.compress(canonical(subject), 3)
            self._db.execute("INSERT OR IGNORE INTO call VALUES (?, ?, ?, ?)", (key, str(subject["model"]), purpose, request))
            now = datetime.now(UTC).isoformat(timespec="seconds")
            cursor = self._db.execute("INSERT INTO attempt (key, state, at) VALUES (?, 'intent', ?)", (key, now))
            return int(cursor.lastrowid or 0)

    def answer(self, attempt: int, raw: bytes) -> None:
        """Stores an answer's bytes."""
        digest = hashlib.sha256(raw).hexdigest()
        with self._committed():
            self._db.execute(
                "UPDATE attempt SET state = 'answered', response = ?, sha256 = ? WHERE id = ?", (zlib.compress(raw, 3), digest, attempt)
            )

    def fail(self, attempt: int, error: str) -> None:
        """Writes down that no answer came, and why. The call may be made again."""
        with self._committed():
            self._db.execute("UPDATE attempt SET state = 'failed', error = ? WHERE id = ?", (error, attempt))

    def counts(self) -> dict[str, int]:
        """Attempts by state."""
        with self._lock:
            return dict(self._db.execute("SELECT state, count(*) FROM attempt GROUP BY state ORDER BY state").fetchall())

    def recorded(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Every answered call with the bytes of its answer, in the order of their keys."""
        with self._lock:
            rows = self._db.execute(
                "SELECT key, request FROM call WHERE key IN (SELECT key FROM attempt WHERE state = 'answered') ORDER BY key"
            ).fetchall()
        for key, request in rows:
            raw = self.answered(key)
            if raw is not None:
                yield json.loads(zlib.decompress(request)), raw

    def forget(self, concerns: Callable[[str], bool]) -> int:
        """Strikes out every call whose messages `concerns` says yes to, with its answers, and returns how many. The file keeps no trace."""
        with self._lock:
            rows = self._db.execute("SELECT key, request FROM call").fetchall()
            keys = [key for key, request in rows if concerns(_words(json.loads(zlib.decompress(request))))]
            self._db.execute("PRAGMA secure_delete = ON")
            with self._committed():
                for key in keys:
                    self._db.execute("DELETE FROM attempt WHERE key = ?", (key,))
                    self._db.execute("DELETE FROM call WHERE key = ?", (key,))
            if keys:
                self._db.execute("VACUUM")
        return len(keys)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _words(value: Any) -> str:
    """Every text in a request, one after the other."""
    if isinstance(value, Mapping):
        return "\n".join(_words(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_words(item) for item in value)
    return value if isinstance(value, str) else ""
