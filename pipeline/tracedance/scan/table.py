"""The scan as a table: rates per opportunity, with places."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tracedance.kit.intervals import wilson
from tracedance.scan.outcome import ScanResult
from tracedance.schema import Place

if TYPE_CHECKING:
    from tracedance.catalogue import Family


def table(result: ScanResult, families: Iterable["Family"]) -> dict[str, Any]:
    """The JSON of `scan --json`. `hits` are places that offend; the rate is their share of all places, with its Wilson 95% interval.

    `opportunities` and `rate` are null for a family that defines no opportunity, `rate` also where there was none. A place
    in a session that is set aside carries `"reserved": true`: it is found here, and nothing is cut from it.
    """
    return {"sessions": result.sessions, "families": [_row(result, family) for family in sorted(families, key=lambda family: family.id)]}


def _row(result: ScanResult, family: "Family") -> dict[str, Any]:
    places = [place for place in result.places if place.family == family.id]
    offending = [place for place in places if place.hit.offends]
    counted = family.card.opportunity is not None
    rate = len(offending) / len(places) if counted and places else None
    return {
        "id": family.id,
        "frame": family.frame,
        "opportunities": len(places) if counted else None,
        "hits": len(offending),
        "sessions": len({place.session for place in offending}),
        "rate": rate,
        "interval": None if rate is None else list(wilson(len(offending), len(places))),
        "places": [_place(result, place) for place in offending],
    }


def _place(result: ScanResult, place: Place) -> dict[str, Any]:
    told: dict[str, Any] = {"session": place.session, "turn": place.hit.decision, "why": place.hit.why}
    return {**told, "reserved": True} if place.session in result.reserved else told
