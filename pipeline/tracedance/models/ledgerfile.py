"""The SQLite file of a ledger: opened, made, brought up to date, or refused untouched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tracedance.errors import InputError

VERSION = 2
TABLES = """
CREATE TABLE IF NOT EXISTS call (key TEXT PRIMARY KEY, model TEXT NOT NULL, purpose TEXT NOT NULL, request BLOB NOT NULL);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL REFERENCES call,
    state TEXT NOT NULL CHECK (state IN ('intent', 'answered', 'failed', 'unknown')),
    error TEXT NOT NULL DEFAULT '', status INTEGER, at TEXT NOT NULL,
    response BLOB, sha256 TEXT NOT NULL DEFAULT '',
    read BLOB, read_sha256 TEXT NOT NULL DEFAULT '', read_by TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '', run TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', purpose TEXT NOT NULL DEFAULT '',
    reserved INTEGER, cost INTEGER, doubted INTEGER NOT NULL DEFAULT 0, settled INTEGER NOT NULL DEFAULT 0,
    input INTEGER, cached INTEGER, output INTEGER, reasoning INTEGER
);
CREATE INDEX attempt_of_key ON attempt (key, state);
CREATE INDEX attempt_of_run ON attempt (run, purpose, name);
"""
FROM_1 = """
INSERT INTO attempt (id, key, state, error, at, read, read_sha256, name, purpose, cost, settled)
SELECT old.id, old.key, CASE old.state WHEN 'intent' THEN 'unknown' ELSE old.state END, error, at, response, sha256, call.model,
    call.purpose, CASE old.state WHEN 'failed' THEN 0 END, 1
FROM attempt_1 AS old JOIN call USING (key);
DROP TABLE attempt_1;
"""
"""Version 1 kept LiteLLM's reading of an answer and not the bytes that came."""


def opened(path: Path) -> sqlite3.Connection:
    """The connection. InputError for a file by a newer version or that is damaged or none of ours (6), and one that is in use (7)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)  # it holds contexts as they were sent and answers as they came: for its owner alone
        db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        # Not WAL: SQLite before 3.51.3 can damage such a file when two processes have it open, and two builds on one store do.
        db.executescript("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;")
        prepare(db, path)
        return db
    except sqlite3.OperationalError as error:
        raise unusable(path, error) from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{str(path)!r} is damaged or no ledger ({error}). Move it away; calls are then paid again.", 6) from error
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written ({error.strerror}). Choose another folder.") from error


def prepare(db: sqlite3.Connection, path: Path) -> None:
    """Makes the tables where there are none, and brings those of an older version up to date; all or nothing."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise InputError(f"{str(path)!r} was written by a newer tracedance (ledger version {version}). Upgrade, or use another folder.")
    if version == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]  # another process may have been first
        if version == 0 and db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise InputError(f"{str(path)!r} is a database, but no ledger of ours. Choose another folder.")
        if version < VERSION:
            before = "DROP INDEX attempt_by_key; ALTER TABLE attempt RENAME TO attempt_1;" if version == 1 else ""
            for statement in filter(str.strip, (before + TABLES + (FROM_1 if version == 1 else "")).split(";")):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def unusable(path: Path, error: sqlite3.OperationalError) -> InputError:
    """What SQLite cannot do with a file, in one line with the cure."""
    if "locked" in str(error):
        return InputError(f"{str(path)!r} is in use by another run. Wait for it, or use another folder.", 7)
    if "full" in str(error):
        return InputError(
            f"{str(path)!r} cannot be written ({error}). Finished work is kept: free some space, and the same command continues."
        )
    return InputError(
        f"{str(path)!r} cannot be used ({error}). Finished work is kept: check the folder's permissions and the free space, and give the "
        "same command again."
    )
