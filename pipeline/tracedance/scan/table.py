"""The scan as a table: rates per opportunity, with places, in all and by what sessions differ in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tracedance.kit.intervals import wilson
from tracedance.scan.outcome import ScanResult
from tracedance.schema import Place

if TYPE_CHECKING:
    from tracedance.catalogue import Family

By = Literal["model", "harness", "version", "month", "repository"]
BY: tuple[By, ...] = ("model", "harness", "version", "month", "repository")
"""What rates can be told apart by. `model` is the one that decided; the others are the session's."""
UNKNOWN = "unknown"


def table(result: ScanResult, families: Iterable["Family"], by: Sequence[By] = (), sessions: pl.DataFrame | None = None) -> dict[str, Any]:
    """The JSON of `scan --json`. An offence is a hit that no guard refuses; the rate is their share of all places, with its interval.

    `opportunities` and `rate` are null for a family that defines no opportunity, `rate` also where there was none. A place
    in a session that is set aside carries `"reserved": true`: it is found here, and nothing is cut from it. For `by`, `sessions` is
    `Store.sessions()`.
    """
    values = {name: of_sessions(name, sessions) for name in by} if sessions is not None else {}
    mine: dict[str, list[Place]] = {}
    for place in result.places:
        mine.setdefault(place.family, []).append(place)
    rows = []
    for family in sorted(families, key=lambda family: family.id):
        row = _row(result, family, mine.get(family.id, []))
        if values:
            row["by"] = {name: _broken_down(mine.get(family.id, []), family, name, known) for name, known in values.items()}
        rows.append(row)
    counted = {name: dict(sorted(Counter(value for one in known.values() for value in one).items())) for name, known in values.items()}
    told = {"sessions": result.sessions, "confirmed_by": None, "note": UNCONFIRMED, "families": rows}
    return told | {"failures": [failure.model_dump() for failure in result.failures]} | ({"by": counted} if values else {})


UNCONFIRMED = "By rule and unconfirmed: no model has looked at these places."


def of_sessions(name: By, sessions: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """What each session has of one kind; several models, one of anything else."""
    if name == "model":
        return {row[0]: tuple(row[1]) or (UNKNOWN,) for row in sessions.select("id", "models").iter_rows()}
    found = {}
    for session, harness, version, started, cwd in sessions.select("id", "harness", "version", "started", "cwd").iter_rows():
        harness = harness or UNKNOWN
        found[session] = {
            "harness": harness,
            "version": f"{harness} {version or UNKNOWN}",
            "month": started[:7] or UNKNOWN,
            "repository": cwd or UNKNOWN,
        }[name]
    return {session: (value,) for session, value in found.items()}


def _broken_down(places: Sequence[Place], family: "Family", name: By, known: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault((place.model or UNKNOWN) if name == "model" else known[place.session][0], []).append(place)
    return [{"value": value, **figures(groups[value], family)} for value in sorted(groups)]


def figures(places: Sequence[Place], family: "Family") -> dict[str, Any]:
    """Counts and rate of one family's places."""
    offending = [place for place in places if place.hit.offends]
    hits, standing = len(offending), [place for place in offending if not place.refused_by]
    counted = family.card.opportunity is not None
    rate = len(standing) / len(places) if counted and places else None
    return {
        "opportunities": len(places) if counted else None,
        "hits": hits,
        "refused": hits - len(standing),
        "offences": len(standing),
        "sessions": len({place.session for place in standing}),
        "rate": rate,
        "interval": None if rate is None else list(wilson(len(standing), len(places))),
    }


def _row(result: ScanResult, family: "Family", places: Sequence[Place]) -> dict[str, Any]:
    named = {"id": family.id, "frame": family.frame, "group": family.card.group, "title": family.card.title}
    named["rate_among"] = family.card.rate_among
    return named | figures(places, family) | {"places": [_place(result, place) for place in places if place.hit.offends]}


def met(result: ScanResult, family: str) -> list[dict[str, Any]]:
    """A family's opportunities at which it did not happen, told as its offences are."""
    return [_place(result, place) for place in result.places if place.family == family and not place.hit.offends]


def _place(result: ScanResult, place: Place) -> dict[str, Any]:
    told: dict[str, Any] = {"session": place.session, "turn": place.hit.decision, "why": place.hit.why}
    if place.refused_by:
        told["refused_by"] = place.refused_by
    return {**told, "reserved": True} if place.session in result.reserved else told
