"""What a provider may do with a connection: answer from where it was asked, within the time and the size given, and nothing else.

LiteLLM sends through clients of ours. The body of an answer is taken whole, bounded and unpacked, and handed to whoever made the call
before LiteLLM gets to see it; a body that was stored can be given to LiteLLM again without any connection.
"""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx

from tracedance.failpoint import failpoint

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
    """The whole answer took longer than its timeout."""


@dataclass
class Exchange:
    """One request and its answer, on the wire."""

    timeout: float
    """Seconds for the whole answer."""
    connect: float
    """Seconds to get a connection."""
    keep: Callable[[bytes, int], Awaitable[None]] | None = None
    """Given the body and status of a whole answer (2xx) before anybody parses it."""
    idempotency_key: str = ""
    """Sent as a header where it is set."""
    played: bytes | None = None
    """A body to be given in place of the provider's."""
    sent: bool = False
    status: int | None = None
    body: bytes = b""
    """Of a whole answer (2xx)."""
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    broken: BaseException | None = None
    """What `keep` raised: not the provider's failure, though LiteLLM will make it look like one."""


EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


class Watched(httpx.AsyncBaseTransport):
    """A transport with bounds on every answer."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        exchange = EXCHANGE.get()
        if exchange is None:
            return await self._inner.handle_async_request(request)
        if exchange.played is not None:
            exchange.body = exchange.played
            return httpx.Response(200, headers={"content-type": "application/json"}, content=exchange.played, request=request)
        request.headers["accept-encoding"] = "gzip, deflate"  # only what can be unpacked in bounded steps
        request.extensions["timeout"] = {"connect": exchange.connect, "read": exchange.timeout, "write": exchange.timeout, "pool": None}
        if exchange.idempotency_key:
            request.headers["idempotency-key"] = exchange.idempotency_key
        exchange.sent, exchange.status, exchange.body = True, None, b""
        failpoint("call.sent")
        try:
            async with asyncio.timeout(exchange.timeout):
                response = await self._inner.handle_async_request(request)
                exchange.status, exchange.headers = response.status_code, response.headers
                body = await whole(response)
        except TimeoutError:
            raise Late from None
        failpoint("call.body")
        exchange.body = body if response.status_code < 300 else b""
        if exchange.keep is not None and response.status_code < 300:
            try:
                await exchange.keep(body, response.status_code)
            except BaseException as error:
                exchange.broken = error
                raise
        kept = [(name, value) for name, value in response.headers.multi_items() if name not in ("content-encoding", "content-length")]
        return httpx.Response(response.status_code, headers=kept, content=body, request=request)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def whole(response: httpx.Response) -> bytes:
    """The body, unpacked, at most `MOST` bytes. A redirect is refused before anything of it is read."""
    try:
        if 300 <= response.status_code < 400:
            raise Redirected
        packing = response.headers.get("content-encoding", "identity").strip().lower()
        if packing not in ("identity", "gzip", "x-gzip", "deflate", ""):
            raise Packed
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if packing in ("gzip", "x-gzip", "deflate") else None
        had, parts = 0, []
        async for chunk in response.stream:  # type: ignore[union-attr]
            try:
                plain = unpacker.decompress(chunk, MOST + 1 - had) if unpacker else chunk
            except zlib.error:
                raise Packed from None
            had += len(plain)
            if had > MOST:
                raise TooLarge
            parts.append(plain)
        if unpacker is not None and not unpacker.eof:
            raise Packed
        return b"".join(parts)
    finally:
        await response.aclose()


def watched(client: httpx.AsyncClient) -> httpx.AsyncClient:
    """The client with bounds on every answer, by whichever way it goes."""
    client._transport = Watched(client._transport)
    client._mounts = {pattern: Watched(one) if one is not None else None for pattern, one in client._mounts.items()}
    client.follow_redirects = False
    return client


_starting = threading.Lock()
_loops: list[asyncio.AbstractEventLoop] = []


def loop() -> asyncio.AbstractEventLoop:
    """The one loop in which calls are made, in a thread of its own that does not hold up the program's end."""
    with _starting:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(target=_loops[0].run_forever, daemon=True, name="model-calls").start()
        return _loops[0]


def wait(work: Coroutine[Any, Any, T]) -> T:
    """From a thread: what a coroutine gives, run in the loop of calls."""
    return asyncio.run_coroutine_threadsafe(work, loop()).result()
