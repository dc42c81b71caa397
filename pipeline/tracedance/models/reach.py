"""Where a model is, what it would be sent, and what is not sent to it: nothing that holds a finding leaves this machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, get_args
from urllib.parse import urlsplit

from tracedance.door import scan
from tracedance.door.decoded import leaves
from tracedance.errors import InputError
from tracedance.models import offline, replay
from tracedance.models.config import LOOPBACK, Endpoint, Models, Role
from tracedance.schema import ModelRequest

SENT: dict[str, str] = {
    "strong": "the sentence you ask for and the catalogue's descriptions; nothing of a session",
    "fast": "of each candidate place an excerpt of the session round it: what was said, called and returned, and its "
    "system prompt; the same of the places of the recall probe, and with --domain the session in outline",
    "reviewer": "code of a family that a model wrote; nothing of a session",
    "judge": "of each instance the context before the decision, the turns to be graded and the rubric",
    "embed": "the sentence you ask for; vectors are made on this machine",
    "evaluated": "each instance's whole context: system prompt, tool definitions and all turns before the decision",
}
"""What each role is sent, redacted."""


def host(endpoint: Endpoint) -> str:
    """The host that calls go to, or the provider whose own host LiteLLM takes."""
    return urlsplit(endpoint.api_base).hostname or f"{endpoint.model.partition('/')[0]}'s own host"


def on_loopback(endpoint: Endpoint) -> bool:
    """Whether calls stay on this machine. A model without an address of its own is taken to be elsewhere."""
    return urlsplit(endpoint.api_base).hostname in LOOPBACK if endpoint.api_base else False


def stays_here(name: str, models: Models) -> bool:
    """Whether a model's name means no call to another machine."""
    return name.startswith((offline.PREFIX, replay.PREFIX)) or on_loopback(models.endpoint(name))


def only_local(models: Models, local_only: bool, roles: Iterable[Role], names: Iterable[str] = ()) -> Models:
    """The models, held to this machine where that is asked for. InputError for one of these roles or names that is elsewhere."""
    if not (local_only or models.file.local_only):
        return models
    asked = [(f"The role {role!r}", name) for role in roles for name in models.role(role)] + [("You", name) for name in names]
    for who, name in asked:
        if not stays_here(name, models):
            cure = "Give its api_base a loopback address (127.0.0.1), choose another model, or leave --local-only out."
            where = host(models.endpoint(name))
            said = f"asks for {name!r}" if who != "You" else f"ask for {name!r}"
            raise InputError(f"{who} {said} at {where}, which is not on loopback (--local-only). Nothing was read or sent. {cure}")
    return replace(models, file=models.file.model_copy(update={"local_only": True}))


def withheld(endpoint: Endpoint, request: ModelRequest, models: Models) -> str:
    """Why a request is not sent; "" when it may be. Requests to this machine always may."""
    if on_loopback(endpoint):
        return ""
    if models.file.local_only:
        return f"not sent: {host(endpoint)} is not on loopback, and local_only is set"
    found = scan.unapproved([*_found_in_all(request.messages), *_found_in_all(request.tools)])
    if not found:
        return ""
    first = found[0]
    return f"not sent to {host(endpoint)}: the request holds {len(found)} findings, the first a {first.kind} at {first.place}"


def _found_in_all(values: Iterable[Any]) -> list[scan.Finding]:
    texts = (leaf for number, value in enumerate(values) for leaf in leaves(value, f"message {number}, "))
    return [finding for where, name, text in texts for finding in _found(text, where, name)]


@lru_cache(maxsize=4096)
def _found(text: str, place: str, name: str) -> tuple[scan.Finding, ...]:
    """Contexts share their texts: each is looked at once."""
    return tuple(scan.in_text(text, place, name))


def told(models: Models) -> list[dict[str, Any]]:
    """Of each role: what it would be sent, and the models with their hosts."""
    rows = []
    for role in get_args(Role):
        used = models.role(role)
        listed = [{"model": name, "host": host(models.endpoint(name)), "loopback": stays_here(name, models)} for name in models.seats(role)]
        rows.append({"role": role, "content": SENT[role], "sends": bool(used), "models": listed})
    rows.append({"role": "evaluated", "content": SENT["evaluated"], "sends": False, "models": []})
    return rows
