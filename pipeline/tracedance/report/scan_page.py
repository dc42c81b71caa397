"""The page of a scan: rates by family, and places in their context with the deciding turn marked. By rule; nobody has confirmed them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tracedance.construct.messages import as_call, messages
from tracedance.construct.window import window
from tracedance.privacy.redactor import find
from tracedance.report.context import Context, Said, excerpt, spoken
from tracedance.report.html import page
from tracedance.report.scan_text import GROUPS, READING, by_group, narrow
from tracedance.schema import Message, Place, Session
from tracedance.store import views
from tracedance.store.store import Store

if TYPE_CHECKING:
    from tracedance.catalogue import Family
    from tracedance.scan.outcome import ScanResult

PER_FAMILY = 20
"""Places shown of one family."""
PER_SESSION = 2
"""Places shown of one session under one family."""
CONTEXTS = 3_000_000
"""Bytes of HTML that all contexts may take together."""
CONTEXT = 10_000
"""Bytes of HTML that one may take."""
DECISION = 3_000


@dataclass(frozen=True)
class Shown:
    """One place as the page shows it. Without `decision` its context is held back."""

    place: Place
    reserved: bool
    harness: str
    context: Context | None = None
    decision: Said | None = None


@dataclass(frozen=True)
class Section:
    """One family: its row of the table, what it is, the places shown and how many are not."""

    family: "Family"
    row: Mapping[str, Any]
    shown: Sequence[Shown]
    beyond_session: int
    """Left out because their session has enough places here."""
    beyond_family: int
    """Left out because the family has."""


def render_scan(store: Store, result: "ScanResult", families: Sequence["Family"], scanned: Mapping[str, Any]) -> str:
    """The page of a scan; `scanned` is its table. Offences that a guard refuses are counted and not shown."""
    known = {family.id: family for family in families}
    chosen = {family.id: choose(place for place in result.places if place.family == family.id and place.stands) for family in families}
    wanted = [place for places, _, _ in chosen.values() for place in places]
    made = in_context(store, wanted, known, result.reserved)
    sections = {
        row["id"]: Section(known[row["id"]], row, [made[key(place)] for place in places], per_session, per_family)
        for row in scanned["families"]
        for places, per_session, per_family in [chosen[row["id"]]]
    }
    groups = [(GROUPS.get(group, group), [sections[row["id"]] for row in rows]) for group, rows in by_group(scanned["families"]).items()]
    return page(
        "scan.html.j2",
        scanned=scanned,
        groups=groups,
        reading=READING,
        narrow=narrow(scanned["families"]),
        failures=sorted(Counter(failure.family for failure in result.failures).items()),
        per_family=PER_FAMILY,
        per_session=PER_SESSION,
        hits=sum(row["hits"] for row in scanned["families"]),
        refused=sum(row["refused"] for row in scanned["families"]),
    )


def choose(places: Iterable[Place]) -> tuple[list[Place], int, int]:
    """Places to show, and how many are left out for their session's and for their family's sake."""
    taken: Counter[str] = Counter()
    fair, beyond = [], 0
    for place in places:
        taken[place.session] += 1
        if taken[place.session] > PER_SESSION:
            beyond += 1
        else:
            fair.append(place)
    return fair[:PER_FAMILY], beyond, max(0, len(fair) - PER_FAMILY)


def key(place: Place) -> tuple[str, str, int, str]:
    """What tells places apart."""
    return place.family, place.session, place.hit.decision, place.hit.why


def in_context(
    store: Store, places: Sequence[Place], families: Mapping[str, "Family"], reserved: Iterable[str]
) -> dict[tuple[str, str, int, str], Shown]:
    """Every place with its context; each shard is read once."""
    by_session: dict[str, list[Place]] = {}
    for place in places:
        by_session.setdefault(place.session, []).append(place)
    budget = min(CONTEXT, CONTEXTS // max(1, len(places)))
    aside = frozenset(reserved)
    table = store.sessions().select("id", "shard")
    found: dict[tuple[str, str, int, str], Shown] = {}
    for shard in store.shards():
        ids = [session for session in table.filter(table["shard"] == shard.digest)["id"].to_list() if session in by_session]
        if ids:
            for session in store.views(store.read(shard, views.NEEDED), ids, shard):
                for place in by_session[session.id]:
                    found[key(place)] = shown(session, place, families[place.family], budget, session.id in aside)
    return found


def shown(session: Session, place: Place, family: "Family", budget: int, reserved: bool) -> Shown:
    """One place, cut to `budget` bytes; held back where the secret scan still objects to what would be shown."""
    kept = window(session, place.hit, family.frame)
    turn = kept.decision
    calls = tuple(as_call(call, f"call {number}") for number, call in enumerate(turn.calls, start=1))
    decided = Message(role="assistant", author=turn.author, content=turn.text, tool_calls=calls, turn=turn.index)
    context = excerpt(messages(kept), place.hit.evidence, budget)
    decision = spoken(decided, ("decides",), DECISION)
    if any(find(text) for text in texts((*context.shown, decision))):
        return Shown(place, reserved, session.harness)
    return Shown(place, reserved, session.harness, context, decision)


def texts(said: Iterable[Said]) -> Iterable[str]:
    """All that is shown of these messages."""
    for one in said:
        yield f"{one.text.head}\n{one.text.end}"
        for call in one.calls:
            yield from (f"{text.head}\n{text.end}" for _, text in call.arguments)
