"""The one thread that writes to a ledger. What many calls hand in while it works is committed together: one wait for the disk for all."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]
Waiting = tuple[asyncio.AbstractEventLoop, asyncio.Future[Any]] | Future[Any] | None
MOST = 256
"""Pieces of work in one transaction."""


class Writer:
    """Runs pieces of work in transactions, in the order in which they came. Each is durable when its future is done."""

    def __init__(self, db: sqlite3.Connection, lock: threading.RLock, told: Callable[[sqlite3.OperationalError], Exception]) -> None:
        """`lock` guards the connection against readers; `told` turns what SQLite says into an error for people."""
        self._db, self._lock, self._told = db, lock, told
        self._queue: SimpleQueue[tuple[Work, Waiting] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True, name="ledger-writer")
        self._thread.start()

    def put(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Hands work in from a thread."""
        future: Future[T] = Future()
        self._queue.put((work, future))
        return future

    def put_from_loop(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Hands work in from a coroutine."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._queue.put((work, (loop, future)))
        return future

    def later(self, work: Work) -> None:
        """Hands work in that nobody waits for; it is done before `close` returns, if the disk lets it."""
        self._queue.put((work, None))

    def close(self) -> None:
        """Does what was handed in, and ends."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            batch = [self._queue.get()]
            try:
                while len(batch) < MOST:
                    batch.append(self._queue.get_nowait())
            except Empty:
                pass
            work = [item for item in batch if item is not None]
            if work:
                _tell(self._committed(work))
            if len(work) < len(batch):
                return

    def _committed(self, batch: list[tuple[Work, Waiting]]) -> list[tuple[Waiting, Any, BaseException | None]]:
        """The results of a batch. What fails alone fails alone; where the file cannot be written, all fail."""
        done: list[tuple[Waiting, Any, BaseException | None]] = []
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                for work, waiting in batch:
                    try:
                        done.append((waiting, work(self._db), None))
                    except sqlite3.DatabaseError:
                        raise
                    except Exception as error:
                        done.append((waiting, None, error))
                self._db.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                said = self._told(error) if isinstance(error, sqlite3.OperationalError) else error
                try:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                except sqlite3.DatabaseError:
                    pass  # the file cannot be written at all; the first error says so
                return [(waiting, None, said) for _, waiting in batch]
        return done


def _tell(done: list[tuple[Waiting, Any, BaseException | None]]) -> None:
    """Results to those who wait; one wake-up of a loop for all of its coroutines."""
    loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Any, BaseException | None]]] = {}
    for waiting, value, error in done:
        if isinstance(waiting, Future):
            waiting.set_result(value) if error is None else waiting.set_exception(error)
        elif waiting is not None:
            loops.setdefault(waiting[0], []).append((waiting[1], value, error))
    for loop, mine in loops.items():
        loop.call_soon_threadsafe(_resolve, mine)


def _resolve(mine: list[tuple[asyncio.Future[Any], Any, BaseException | None]]) -> None:
    for future, value, error in mine:
        if future.cancelled():
            continue
        future.set_result(value) if error is None else future.set_exception(error)
