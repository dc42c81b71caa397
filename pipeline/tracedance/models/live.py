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
from typing import Any

from tracedance.ingest.sanitize import find
from tracedance.models.config import LOOPBACK, Endpoint
from tracedance.models.entries import revealed
from tracedance.schema import ModelRequest

GRACE = 0.5
"""Seconds that a call may take beyond its timeout, so that an ordinary timeout is reported as what it is."""
LINE = 240
"""Longest failure text, in characters."""
SECRET = re.compile(
    r"(?i)\b(?:bearer\s+\S{6,400}|(?:sk|pk|rk|gsk|xai|key|token|aiza|ya29)[-_.]?[\w*.\-]{8,400})|//[^/\s:@]{1,200}:[^/\s@]{1,200}@"
)

_importing = threading.Lock()


class CallFailed(Exception):
    """No answer could be had; the text is one line that says what kind of failure it was, and holds no secret."""


def send(endpoint: Endpoint, request: ModelRequest) -> bytes:
    """Makes one call; the answer as JSON bytes in OpenAI's form. Raises CallFailed when none came."""
    from tracedance.models.bounds import within

    litellm = sdk()

    def complete() -> bytes:
        answer = litellm.completion(
            model=endpoint.model,
            messages=[dict(message) for message in request.messages],
            timeout=endpoint.timeout,
            max_retries=0,
            num_retries=0,
            **optional(endpoint, request),
        )
        return bytes(answer.model_dump_json().encode())

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return within(endpoint.timeout + GRACE, complete)
    except Exception as error:
        # LiteLLM raises whatever its providers raise; each is an infrastructure failure of this one call.
        raise CallFailed(line(error, endpoint)) from None


def optional(endpoint: Endpoint, request: ModelRequest) -> dict[str, Any]:
    """Arguments that are sent only where they are set. An entry's own parameters win over those of the purpose."""
    given: dict[str, Any] = {**request.parameters, **endpoint.parameters}
    if request.tools:
        given["tools"] = [dict(tool) for tool in request.tools]
    named = {"api_base": endpoint.api_base, "api_key": endpoint.api_key, "api_version": endpoint.api_version}
    return {**revealed(given), **{name: value for name, value in named.items() if value}}


@cache
def sdk() -> Any:
    """LiteLLM with its switches set."""
    with _importing:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        keep_loopback_off_proxies()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import litellm
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
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_ssl_configuration

    from tracedance.models.bounds import watched

    create = HTTPHandler.create_client
    HTTPHandler.create_client = lambda handler: watched(create(handler))  # type: ignore[method-assign, assignment]
    litellm.client_session = watched(httpx.Client(verify=get_ssl_configuration(), follow_redirects=False))


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
    if names & {"ConnectionRefusedError", "ConnectError", "gaierror"}:
        return scrub(f"no connection to {where}", endpoint)
    if "Redirected" in names:
        return scrub(f"{where} points to another address, which is not followed: set api_base to the final one", endpoint)
    if "TooLarge" in names:
        return scrub(f"the answer from {where} is too large", endpoint)
    if "Packed" in names:
        return scrub(f"unreadable answer from {where}", endpoint)
    if names & {"Late", "Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout"}:
        return scrub(f"no answer from {where} within {endpoint.timeout:g} s", endpoint)
    if names & {"JSONDecodeError"}:
        return scrub(f"unreadable answer from {where}", endpoint)
    if names & {"RemoteProtocolError", "ReadError", "ConnectionResetError"}:
        return scrub(f"connection to {where} lost", endpoint)
    kind = {401: "the key was refused", 403: "access was refused", 404: "no such model or address", 429: "too many requests"}.get(
        status or 0, ""
    )
    kind = kind or ("the provider refused the request" if status and 400 <= status < 500 else "the provider failed")
    said = str(error).rpartition("Exception - ")[2]
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
    text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())[:LINE]
