"""Which instances can be put to all compared models. One that cannot be put to one of them is left out for all, with its reason.

Otherwise the model with the small window would be compared on the short contexts only, and look better or worse for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.errors import InputError
from tracedance.evaluate.messages import rendered
from tracedance.evaluate.pairing import REASONS, Unrenderable
from tracedance.evaluate.respond import Turn, identity
from tracedance.kit import chain
from tracedance.models import fitting
from tracedance.models.config import Models
from tracedance.models.fitting import live
from tracedance.schema import Benchmark, Instance, Response

Key = tuple[str, str]
"""(benchmark, instance)."""
TOO_LONG = re.compile(
    r"(?i)context.?window|context.?length|prompt is too long|input token count|maximum number of tokens|too many tokens|input is too long"
)
"""How providers say that a context is over their window."""


@dataclass(frozen=True)
class Excluded:
    """Why an instance is left out for all models."""

    reason: str
    """A word of `pairing.REASONS`."""
    detail: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


def excluded(benchmarks: Sequence[Benchmark], models: Sequence[str], provider: Models) -> dict[Key, Excluded]:
    """The instances that are left out, before any call. InputError where a model takes no tool calls and the contexts need some."""
    rooms = {name: rooms_of(name, provider) for name in models if live(name)}
    out: dict[Key, Excluded] = {}
    for benchmark in benchmarks:
        for instance in benchmark.instances:
            why = unfit(instance, rooms)
            if why:
                out[benchmark.manifest.name, instance.id] = why
    return out


def rooms_of(name: str, provider: Models) -> int | None:
    """Tokens that a model has for a context; None where nobody has said. InputError for one that takes no tool calls."""
    able = provider.endpoint(name).capabilities
    if able.tools is False:
        raise InputError(fitting.no_tools(name))
    return able.room()


def unfit(instance: Instance, rooms: Mapping[str, int | None]) -> Excluded | None:
    """Why an instance cannot be put to all models; None when it can."""
    try:
        size = rendered(instance).size
    except Unrenderable as problem:
        return Excluded(str(problem), REASONS[str(problem)])
    small = [(room, name) for name, room in rooms.items() if room is not None and size > room]
    if small:
        room, name = min(small)
        return Excluded("too_long", f"about {size} tokens, and {name} has room for {room} beside its answer")
    return None


def found_too_long(turns: Sequence[Turn], responses: Sequence[Response]) -> dict[Key, Excluded]:
    """Instances that a provider refused as over its window, whatever our estimate said."""
    return {
        turn.key[:2]: Excluded("too_long", f"{turn.model} refused it ({response.error})"[:300])
        for turn, response in zip(turns, responses, strict=True)
        if response.status == "failed" and TOO_LONG.search(response.error)
    }


def put_aside(turn: Turn, out: Mapping[Key, Excluded]) -> Response | None:
    """What stands for a response to an instance that is left out; None for any other."""
    why = out.get(turn.key[:2])
    return Response(**identity(turn), status="excluded", error=str(why)) if why else None


def summary(out: Mapping[Key, Excluded]) -> list[dict[str, Any]]:
    """Every instance that was left out, for rates.json."""
    return [
        {"benchmark": name, "instance": instance, "reason": why.reason, "detail": why.detail}
        for (name, instance), why in sorted(out.items())
    ]


def log(benchmarks: Iterable[Benchmark], out: Mapping[Key, Excluded]) -> bytes:
    """rendering.jsonl: for each instance its estimated size, what was put right in its request, and why it was left out."""
    rows = []
    for benchmark in benchmarks:
        for instance in benchmark.instances:
            why = out.get((benchmark.manifest.name, instance.id))
            row: dict[str, Any] = {"benchmark": benchmark.manifest.name, "instance": instance.id, "excluded": str(why or "")}
            try:
                made = rendered(instance)
                repairs = [{"what": item.what, "message": item.message, "detail": item.detail} for item in made.repairs]
                row |= {"tokens": made.size, "repairs": repairs, "renamed": dict(made.names)}
            except Unrenderable:
                row |= {"tokens": instance.tokens, "repairs": [], "renamed": {}}
            rows.append(chain.canonical(row).encode() + b"\n")
    return b"".join(rows)
