"""Live calls through LiteLLM's SDK, imported only here and only when a call is made (it costs seconds).

LiteLLM's own retries, callbacks, telemetry and look-ups at import are off: what leaves is the one call that the ledger has written down.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

from tracedance.errors import foreign
from tracedance.models import wire
from tracedance.models.answers import as_it_came
from tracedance.models.config import LOOPBACK, Endpoint
from tracedance.models.entries import revealed
from tracedance.privacy.redactor import find
from tracedance.schema import ModelRequest

CONNECT = 10.0
"""Seconds to get a connection, where a profile does not say."""
GRACE = 60.0
LINE = 240
"""Longest failure text, in characters."""
SECRET = re.compile(
    r"(?i)\b(?:bearer\s+\S{6,400}|(?:sk|pk|rk|gsk|xai|key|token|aiza|ya29)[-_.]?[\w*.\-]{8,400})|//[^/\s:@]{1,200}:[^/\s@]{1,200}@"
)

_importing = threading.Lock()
_made: list[Any] = []


class CallFailed(Exception):
    """No answer could be had; the text is one line that says what kind of failure it was, and holds no secret."""


def send(endpoint: Endpoint, request: ModelRequest) -> bytes:
    """From a thread: one call; the answer as JSON bytes in OpenAI's form. Raises CallFailed when none came."""
    sdk()  # imported here, not in the loop of calls, which it would hold up for seconds
    return wire.wait(complete(endpoint, request, wire.Exchange(endpoint.timeout, min(endpoint.timeout, CONNECT))))


async def complete(endpoint: Endpoint, request: ModelRequest, exchange: wire.Exchange) -> bytes:
    """One call by way of `exchange`, or the reading of the body that it plays. Raises CallFailed when no answer can be had."""
    litellm = sdk()
    token = wire.EXCHANGE.set(exchange)
    try:
        # The transport keeps the time; LiteLLM's is longer, so that an answer that came is never thrown away while it is stored.
        answer = await litellm.acompletion(
            model=endpoint.model,
            messages=[dict(message) for message in request.messages],
            timeout=endpoint.timeout + GRACE,
            max_retries=0,
            num_retries=0,
            **optional(endpoint, request),
        )
        return bytes(answer.model_dump_json().encode())
    except Exception as error:
        if exchange.broken is not None:
            raise exchange.broken from None
        if (body := as_it_came(exchange.body)) is not None:
            return body
        # LiteLLM raises whatever its providers raise; each is an infrastructure failure of this one call.
        raise CallFailed(line(error, endpoint)) from None
    finally:
        wire.EXCHANGE.reset(token)


@cache
def reader() -> str:
    """What reads bodies: an answer that another version read is read again."""
    return f"litellm {version('litellm')}"


def optional(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    """Arguments that are sent only where they are set. An entry's own parameters win over those of the purpose."""
    given: dict[str, Any] = {**request.parameters, **endpoint.parameters}
    if request.tools:
        given["tools"] = [dict(tool) for tool in request.tools]
    named = {"api_base": endpoint.api_base, "api_key": endpoint.api_key, "api_version": endpoint.api_version}
    return {**revealed(given), **{name: value for name, value in named.items() if value}}


def sdk() -> Any:
    """LiteLLM with its switches set; many threads may ask for it at once, one makes it."""
    if not _made:
        with _importing:
            if not _made:
                _made.append(_sdk())
    return _made[0]


def _sdk() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    keep_loopback_off_proxies()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm
    # Its types make pydantic say, at some first calls, that TypedDicts are not read-only. Nobody can do anything about it.
    warnings.filterwarnings("ignore", message=".*`ReadOnly` qualifier.*")
    # Parts of an answer that are not of the declared kind, as arguments that are an object: they are read as they come.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.modify_params = False
    litellm.num_retries = 0
    litellm.input_callback = litellm.success_callback = litellm.failure_callback = litellm.callbacks = []
    bound_answers(litellm)
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def bound_answers(litellm: Any) -> None:
    """Every client that LiteLLM calls through gets our bounds: the one of OpenAI-like providers, and those that it makes for the others."""
    import httpx
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, get_ssl_configuration

    create = AsyncHTTPHandler.create_client

    def bounded(handler: Any, *given: Any, **named: Any) -> httpx.AsyncClient:
        return wire.watched(create(handler, *given, **named))

    AsyncHTTPHandler.create_client = bounded  # type: ignore[method-assign, assignment]
    certificates = get_ssl_configuration()
    over = {"ssl_verify": certificates} if isinstance(certificates, bool) else {"ssl_context": certificates}
    transport = AsyncHTTPHandler.create_async_transport(**over)
    litellm.aclient_session = wire.watched(httpx.AsyncClient(transport=transport, trust_env=False))


def keep_loopback_off_proxies() -> None:
    """A provider on this machine is reached directly, whatever proxy the environment names for the rest of the world."""
    for name in ("NO_PROXY", "no_proxy"):
        listed = [host for host in os.environ.get(name, "").split(",") if host]
        os.environ[name] = ",".join(dict.fromkeys([*listed, *sorted(LOOPBACK - {"::1"})]))


def knows(endpoint: Endpoint) -> bool:
    """Whether LiteLLM knows the provider of a model."""
    known = {str(getattr(name, "value", name)) for name in sdk().provider_list}
    return endpoint.model.partition("/")[0] in known


def line(error: Exception, endpoint: Endpoint) -> str:
    """What went wrong, in one line: its kind, where, and the provider's own words without anything like a key."""
    where = endpoint.api_base or endpoint.model.partition("/")[0]
    status = getattr(error, "status_code", None)
    names = {type(link).__name__ for link in chain(error)}
    if names & {"ConnectTimeout", "ConnectionTimeoutError"}:
        return scrub(f"no connection to {where} in time", endpoint)
    if names & {"ConnectionRefusedError", "ConnectError", "gaierror"}:
        return scrub(f"no connection to {where}", endpoint)
    if "Redirected" in names:
        return scrub(f"{where} points to another address, which is not followed: set api_base to the final one", endpoint)
    if "TooLarge" in names:
        return scrub(f"the answer from {where} is too large", endpoint)
    if "Packed" in names:
        return scrub(f"unreadable answer from {where}", endpoint)
    if names & {"Late", "Timeout", "APITimeoutError", "ReadTimeout", "TimeoutException"}:
        return scrub(f"no answer from {where} within {endpoint.timeout:g} s", endpoint)
    if names & {"JSONDecodeError"}:
        return scrub(f"unreadable answer from {where}", endpoint)
    if names & {"RemoteProtocolError", "ReadError", "ConnectionResetError", "NetworkError", "WriteError"}:
        return scrub(f"connection to {where} lost", endpoint)
    kind = {401: "the key was refused", 403: "access was refused", 404: "no such model or address", 429: "too many requests"}.get(
        status or 0, ""
    )
    kind = kind or ("the provider refused the request" if status and 400 <= status < 500 else "the provider failed")
    said = foreign(error).rpartition("Exception - ")[2]
    return scrub(f"{kind} (HTTP {status}, {where}): {said}" if status else f"{type(error).__name__} ({where}): {said}", endpoint)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what caused it, at most ten deep."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def scrub(text: str, endpoint: Endpoint) -> str:
    """One printable line without the endpoint's key or anything that looks like one."""
    if len(endpoint.api_key) > len("none"):
        text = text.replace(endpoint.api_key, "[key]")
    text = SECRET.sub("[key]", text)
    for _, start, end in reversed(find(text)):
        text = f"{text[:start]}[key]{text[end:]}"
    return printable(text)


def printable(text: str) -> str:
    """One line of what can be shown."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:LINE]
