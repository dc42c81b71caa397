"""Every call that costs something, written down before it is sent and again before its answer is read.

One SQLite file. An `attempt` row with state `intent` is committed before the socket is opened, and the body of the HTTP answer, as it came,
before anything parses it. What is made of a body is stored beside it with the name of the reader: another reader makes it anew from the
bytes, for nothing. A call whose answer is here is never made again. An `intent` whose process died becomes `unknown`: it may have been
paid. Amounts of money are whole picodollars, so that they add up.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from tracedance.errors import InputError
from tracedance.models import ledgerfile
from tracedance.models.ledgerfile import VERSION as VERSION
from tracedance.models.owners import Owner
from tracedance.models.writer import Writer
from tracedance.schema import Usage


def key_of(subject: Mapping[str, Any]) -> str:
    """The key of a call: sha256 of the canonical JSON of everything that changes its answer. No keys, no times."""
    return hashlib.sha256(canonical(subject)).hexdigest()


def canonical(subject: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys and no spaces, ASCII only."""
    return json.dumps(subject, sort_keys=True, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Intent:
    """A call that is about to leave."""

    key: str
    request: bytes
    """Canonical JSON of what is asked."""
    model: str
    name: str
    """What the user calls the model."""
    purpose: str
    run: str = ""
    reserved: int | None = None
    """The most that it can cost, in picodollars; None where the price is unknown."""
    skip_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer that is here."""

    attempt: int
    body: bytes | None
    """The HTTP body; None in what version 1 stored, which was read already."""
    read: bytes | None
    """What the reader `read_by` made of it."""
    read_by: str
    settled: bool
    """What it came to is written down."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same call is under way in another process, or (`unknown`) was under way when one died and is not to be repeated."""

    unknown: bool = False


class Ledger:
    """One file, one writing thread, any number of threads and coroutines of one process. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file; one by a newer version, or one that is damaged, is refused untouched."""
        self.path = path
        self._lock = threading.RLock()
        self._db = ledgerfile.opened(path)
        self._owner = Owner(path)
        self._writer = Writer(self._db, self._lock, lambda error: ledgerfile.unusable(path, error))
        try:
            self._writer.put(self._find_dead).result()
        except BaseException:
            self.close()
            raise

    def _find_dead(self, db: sqlite3.Connection) -> None:
        """Calls that were under way in processes that are no more have an unknown outcome."""
        for (owner,) in db.execute("SELECT DISTINCT owner FROM attempt WHERE state = 'intent'").fetchall():
            if owner != self._owner.name and not self._owner.is_alive(owner):
                db.execute("UPDATE attempt SET state = 'unknown' WHERE state = 'intent' AND owner = ?", (owner,))

    def begin(self, intent: Intent) -> asyncio.Future[Stored | Elsewhere | int]:
        """For a coroutine: the stored answer of a call, who has it in hand, or the number of the attempt that was written down."""
        return self._writer.put_from_loop(lambda db: self._begin(db, intent))

    def look(self, intent: Intent) -> asyncio.Future[Stored | Elsewhere | None]:
        """For a coroutine: the same, without writing an attempt down; None where the call is to be made."""
        return self._writer.put_from_loop(lambda db: self._look(db, intent))

    def _look(self, db: sqlite3.Connection, intent: Intent) -> Stored | Elsewhere | None:
        states = db.execute("SELECT state, owner FROM attempt WHERE key = ?", (intent.key,)).fetchall()
        if any(state == "answered" for state, _ in states):
            return self._stored(db, intent.key)
        for owner in {owner for state, owner in states if state == "intent" and owner != self._owner.name}:
            if self._owner.is_alive(owner):
                return Elsewhere()
            db.execute("UPDATE attempt SET state = 'unknown' WHERE state = 'intent' AND owner = ?", (owner,))
            states.append(("unknown", owner))
        return Elsewhere(unknown=True) if intent.skip_unknown and any(state == "unknown" for state, _ in states) else None

    def _begin(self, db: sqlite3.Connection, intent: Intent) -> Stored | Elsewhere | int:
        found = self._look(db, intent)
        if found is not None:
            return found
        row = (intent.key, intent.model, intent.purpose, zlib.compress(intent.request, 1))
        db.execute("INSERT OR IGNORE INTO call VALUES (?, ?, ?, ?)", row)
        made = db.execute(
            "INSERT INTO attempt (key, state, at, owner, run, name, purpose, reserved) VALUES (?, 'intent', ?, ?, ?, ?, ?, ?)",
            (intent.key, _now(), self._owner.name, intent.run, intent.name, intent.purpose, intent.reserved),
        )
        return int(made.lastrowid or 0)

    def keep(self, attempt: int, body: bytes, status: int) -> asyncio.Future[None]:
        """For a coroutine: the bytes of an answer are stored when the future is done."""
        return self._writer.put_from_loop(lambda db: _keep(db, attempt, body, status))

    def settle(self, attempt: int, read: tuple[bytes, str], cost: int | None, usage: Usage, doubted: bool) -> None:
        """Stores what was made of an answer, by whom, and what it came to (None: at most what was reserved). Nobody waits for it: it can be
        made again from the bytes.
        """
        made = (zlib.compress(read[0], 1), hashlib.sha256(read[0]).hexdigest(), read[1])
        row = (*made, cost, doubted, usage.input, usage.cached, usage.output, usage.reasoning, attempt)
        columns = "read, read_sha256, read_by, cost, doubted, input, cached, output, reasoning"
        statement = f"UPDATE attempt SET {columns.replace(',', ' = ?,')} = ?, settled = 1 WHERE id = ?"
        self._writer.later(lambda db: db.execute(statement, row))

    def give_up(self, attempt: int, error: str, status: int | None, cost: int | None) -> asyncio.Future[None]:
        """For a coroutine: writes down that no usable answer came, why, and what it cost (None: at most what was reserved)."""
        return self._writer.put_from_loop(lambda db: _fail(db, attempt, error, (status, cost)))

    def renewals(self, key: str) -> asyncio.Future[int]:
        """For a coroutine: how often a call has ended for good without an answer: the number of its idempotency key, see `_renewals`."""
        rows = "SELECT state, status, response IS NOT NULL FROM attempt WHERE key = ? ORDER BY id"
        return self._writer.put_from_loop(lambda db: _renewals(db.execute(rows, (key,)).fetchall()))

    def intend(self, key: str, subject: Mapping[str, Any], purpose: str) -> int:
        """From a thread: writes down that a call is about to leave; returns the attempt's number."""
        model = str(subject["model"])
        made = self._writer.put(lambda db: self._begin(db, Intent(key, canonical(subject), model, model, purpose))).result()
        if not isinstance(made, int):
            raise ValueError("the call is answered or under way")
        return made

    def answer(self, attempt: int, raw: bytes) -> None:
        """From a thread: stores an answer's bytes."""
        self._writer.put(lambda db: _keep(db, attempt, raw, 200)).result()

    def fail(self, attempt: int, error: str) -> None:
        """From a thread: writes down that no answer came, and why. The call may be made again."""
        self._writer.put(lambda db: _fail(db, attempt, error, (None, 0))).result()

    def answered(self, key: str) -> bytes | None:
        """The stored bytes of a call's answer; InputError (6) when they are not those that were stored."""
        with self._lock:
            stored = self._stored(self._db, key)
        return None if stored is None else stored.body if stored.body is not None else stored.read

    def _stored(self, db: sqlite3.Connection, key: str) -> Stored | None:
        """The answer of a call. InputError (6): its bytes are not those that were stored."""
        columns = "id, response, sha256, read, read_sha256, read_by, settled"
        row = db.execute(f"SELECT {columns} FROM attempt WHERE key = ? AND state = 'answered' ORDER BY id", (key,)).fetchone()
        if row is None:
            return None
        attempt, response, digest, read, read_digest, by, settled = row
        known = None if read is None else self._unpacked(read, read_digest, key)
        return Stored(attempt, None if response is None else self._unpacked(response, digest, key), known, by, bool(settled))

    def _unpacked(self, packed: bytes, digest: str, key: str) -> bytes:
        try:
            raw = zlib.decompress(packed)
        except zlib.error:
            raw = b""
        if hashlib.sha256(raw).hexdigest() != digest:
            said = f"{str(self.path)!r} holds a damaged answer (call {key[:16]}). Move the file away; calls are then paid again."
            raise InputError(said, 6)
        return raw

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that answer an SQL question, after all that was handed in before it."""
        return self._writer.put(lambda db: db.execute(question, values).fetchall()).result()

    def counts(self) -> dict[str, int]:
        """Attempts by state."""
        return dict(self.ask("SELECT state, count(*) FROM attempt GROUP BY state ORDER BY state"))

    def recorded(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Every answered call with what was read from its answer, in the order of their keys."""
        rows = self.ask("SELECT key, request FROM call WHERE key IN (SELECT key FROM attempt WHERE state = 'answered') ORDER BY key")
        for key, request in rows:
            with self._lock:
                stored = self._stored(self._db, key)
            if stored is not None and stored.read is not None:
                yield json.loads(zlib.decompress(request)), stored.read

    def forget(self, concerns: Callable[[str], bool]) -> int:
        """Strikes out every call whose messages `concerns` says yes to, with its answers, and returns how many. The file keeps no trace.

        With a summary go all judgements of summaries: what a model made of the words is in them, and nothing says whose words they were.
        """
        rows = self.ask("SELECT key, request, purpose FROM call")
        struck = {key: purpose for key, request, purpose in rows if concerns(_words(json.loads(zlib.decompress(request))))}
        keys = [key for key, _, purpose in rows if key in struck or (purpose == "domain" and "summary" in struck.values())]

        def strike(db: sqlite3.Connection) -> None:
            for key in keys:
                db.execute("DELETE FROM attempt WHERE key = ?", (key,))
                db.execute("DELETE FROM call WHERE key = ?", (key,))

        with self._lock:
            self._db.execute("PRAGMA secure_delete = ON")
        self._writer.put(strike).result()
        if keys:
            with self._lock:
                self._db.execute("VACUUM")
        return len(keys)

    def close(self) -> None:
        """Writes what is waiting and closes the file."""
        self._writer.close()
        with self._lock:
            self._db.close()
        self._owner.leave()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _keep(db: sqlite3.Connection, attempt: int, body: bytes, status: int) -> None:
    row = (zlib.compress(body, 1), hashlib.sha256(body).hexdigest(), status, attempt)
    db.execute("UPDATE attempt SET state = 'answered', response = ?, sha256 = ?, status = ? WHERE id = ?", row)


def _renewals(attempts: list[tuple[str, int | None, int]]) -> int:
    """How many of a call's attempts call for a new idempotency key: bodies that held nothing, which the old one would bring again, and 500s
    unless one before may have been answered. Whatever else failed may have been worked for, and is asked for under the same key.
    """
    number, may_be_answered = 0, False
    for state, status, has_body in attempts:
        if state == "failed" and (has_body or (status == 500 and not may_be_answered)):
            number, may_be_answered = number + 1, False
        elif state == "unknown" or status is None or status in (200, 408, 409, 425, 502, 504):
            may_be_answered = True
    return number


def _fail(db: sqlite3.Connection, attempt: int, error: str, told: tuple[int | None, int | None]) -> None:
    db.execute("UPDATE attempt SET state = 'failed', error = ?, status = ?, cost = ? WHERE id = ?", (error, *told, attempt))


def _words(value: Any) -> str:
    """Every text in a request, one after the other."""
    if isinstance(value, Mapping):
        return "\n".join(_words(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_words(item) for item in value)
    return value if isinstance(value, str) else ""
