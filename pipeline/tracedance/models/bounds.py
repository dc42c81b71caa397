"""What a provider may do with a connection: answer from where it was asked, within the time and the size given, and nothing else."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx

MOST = 16_000_000
"""Bytes of an answer, unpacked: far above the longest turn."""
T = TypeVar("T")


class TooLarge(Exception):
    """An answer beyond `MOST`."""


class Redirected(Exception):
    """An answer that points elsewhere; following it would send the context to somebody else."""


class Packed(Exception):
    """An answer packed in a way that was not offered, or damaged."""


class Late(Exception):
    """The whole call took longer than its timeout."""


def watched(client: httpx.Client) -> httpx.Client:
    """The client with bounds on every answer. Hooks run before a redirect is followed and before a body is read."""
    client.event_hooks = {"request": [*client.event_hooks["request"], offer], "response": [*client.event_hooks["response"], bound]}
    return client


def offer(request: httpx.Request) -> None:
    """Offers only such packing as can be unpacked in bounded steps."""
    request.headers["accept-encoding"] = "gzip, deflate"


def bound(response: httpx.Response) -> None:
    """Refuses a redirect, and puts a bounded stream in place of the body's."""
    if response.is_redirect or 300 <= response.status_code < 400:
        raise Redirected
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise Packed
    response.headers.pop("content-encoding", None)
    total = max((limit for limit in response.request.extensions.get("timeout", {}).values() if limit), default=None)
    ends = time.monotonic() + total if total else None
    response.stream = Bounded(response.stream, packing in ("gzip", "x-gzip", "deflate"), ends)


class Bounded(httpx.SyncByteStream):
    """A body, unpacked, that ends with an error at `MOST` bytes or when its time is over."""

    def __init__(self, stream: Any, packed: bool, ends: float | None) -> None:
        self._stream, self._ends = stream, ends
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None

    def __iter__(self) -> Iterator[bytes]:
        had = 0
        for chunk in self._stream:
            if self._ends is not None and time.monotonic() > self._ends:
                raise Late
            try:
                plain = self._unpacker.decompress(chunk, MOST + 1 - had) if self._unpacker else chunk
            except zlib.error:
                raise Packed from None
            had += len(plain)
            if had > MOST:
                raise TooLarge
            yield plain

    def close(self) -> None:
        self._stream.close()


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises, or Late after `seconds`; a thread that is late is left behind and does not hold up the program."""
    came: list[tuple[T | None, BaseException | None]] = []

    def run() -> None:
        try:
            came.append((work(), None))
        except BaseException as error:
            came.append((None, error))

    thread = threading.Thread(target=run, daemon=True, name="model-call")
    thread.start()
    thread.join(seconds)
    if not came:
        raise Late
    value, error = came[0]
    if error is not None:
        raise error
    return value  # type: ignore[return-value]
