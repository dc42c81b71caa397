"""The steps of a build, each callable alone: scan a group of shards, make batches, confirm a batch, cut a batch.

A step reads the files of the one before it in the run folder, writes its own in one move and returns nothing. Done once, it is not done
again, save that a batch in which a model could not be reached asks for the missing answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tracedance.config import build_settings
from tracedance.construct import limits as within
from tracedance.construct import probe
from tracedance.construct.choice import FULL, REPOSITORY_CAP, chosen
from tracedance.construct.confirm import READING, RULE, Confirmer, unreached
from tracedance.construct.cut import Origin
from tracedance.construct.order import Caps, caps, in_order, origins
from tracedance.construct.run import BATCH, SHARDS_A_GROUP, Confirmed, Inferred, Run, Worked
from tracedance.construct.target import Target, targets
from tracedance.door import scan
from tracedance.errors import InputError, ItemError
from tracedance.failpoint import failpoint
from tracedance.ingest import shapes
from tracedance.scan.engine import gather, scan_shard
from tracedance.scan.outcome import FamilyResult, ScanResult
from tracedance.schema import Confirmation, Place, Session, ToolShape
from tracedance.store import quarantine, runs
from tracedance.store.runs import Row
from tracedance.store.sessions import Shapes
from tracedance.store.store import Store

AT_ONCE = build_settings().calls_at_once
"""Calls under way at a time."""
SESSION_CAP, SECRET = "session_has_an_instance", "holds_a_secret"
RESERVED = "reserved"
"""The session is set aside for discovery: nothing is cut from it, and nobody is asked about it."""


def scan_group(run: Run, store: Store, group: int) -> None:
    """Scan one group of shards for all families of the request."""
    if runs.is_sealed(run.scanned(group)):
        return
    wanted = run.asked.shards[group * SHARDS_A_GROUP : (group + 1) * SHARDS_A_GROUP]
    shards = [shard for shard in store.shards() if shard.digest in wanted]
    found = [result for shard in shards for result in scan_shard(store, shard, run.families, run.asked.request.parameters)]
    runs.seal(run.scanned(group), found)


def scanned(run: Run, store: Store) -> ScanResult:
    """What all groups found together, forks counted once."""
    return gather(store, [row for group in range(run.groups) for row in made_by_step(run.scanned(group), FamilyResult)])


def make_batches(run: Run, store: Store) -> None:
    """Deal the candidates into batches, in the order of `construct.order`."""
    infer_tools(run, store)
    found, where, request = scanned(run, store).places, origins(store), run.asked.request
    outside, models = within.outside(store, request.trace), dict(store.sessions().select("id", "models").iter_rows())
    for target in targets(run):
        offences = [place for place in target.places(found) if place.hit.offends]
        reasons = [outside.get(place.session) or within.before_reading(place, request.trace, models) for place in offences]
        mine = [place for place, reason in zip(offences, reasons, strict=True) if not reason]
        if not runs.is_sealed(run.left_out(target.id)):
            gone = [_left_out(run, place, reason) for place, reason in zip(offences, reasons, strict=True) if reason]
            runs.seal(run.left_out(target.id), gone)
        for number, batch in enumerate(_batches(in_order(mine, request.seed, where), request.maximum)):
            path = run.batch(f"{target.id.replace('/', '__')}.{number:05d}")
            if not runs.is_sealed(path):
                runs.seal(path, batch)


def _left_out(run: Run, place: Place, reason: str) -> Worked:
    unasked = Confirmation(status="unasked", reason=reason, confirmed_by=run.asked.confirmer)
    return Worked(place=place, confirmation=unasked, dropped=reason)


def confirm_batch(run: Run, store: Store, name: str, confirmer: Confirmer) -> None:
    """Confirm the candidates of a batch whose sessions have given no instance yet; none once the benchmark is full."""
    earlier = {row.place.chain: row.confirmation for row in runs.sealed(run.confirmed(name), Confirmed) or ()}
    if earlier and not any(unreached(confirmation) for confirmation in earlier.values()):
        return
    quarantine.let_approved_pass(store.path)
    places = made_by_step(run.batch(name), Place)
    limits = caps_of(run, store, name)
    gone = taken(run, name, limits)
    confirmer = replace(confirmer, domain=run.asked.request.domain)
    about = {target.id: target for target in targets(run)}
    reserved = store.reserved()

    def one(place: Place) -> Confirmed:
        known = earlier.get(place.chain)
        if known is not None and not unreached(known):
            return Confirmed(place=place, confirmation=known)
        reason = RESERVED if place.session in reserved else _not_wanted(place, gone, limits, run.asked.request.maximum)
        if reason:
            return Confirmed(place=place, confirmation=Confirmation(status="unasked", reason=reason, confirmed_by=confirmer.name))
        with READING:
            session = store.session(place.session)
            if quarantine.is_held(store, session):
                left = Confirmation(status="unasked", reason=quarantine.QUARANTINED, confirmed_by=confirmer.name)
                return Confirmed(place=place, confirmation=left)
            if outside := within.after_reading(session, place.hit, run.asked.request.trace):
                left = Confirmation(status="unasked", reason=outside, confirmed_by=confirmer.name)
                return Confirmed(place=place, confirmation=left)
        return Confirmed(place=place, confirmation=about[place.family].confirm(place, session, confirmer))

    rows = [one(place) for place in places] if confirmer.name == RULE else _side_by_side(one, places)
    runs.seal(run.confirmed(name), rows)
    _forget_what_followed(run, name)
    failpoint("build.confirmed")


def cut_batch(run: Run, store: Store, name: str) -> None:
    """Cut the confirmed candidates of a batch."""
    if runs.is_sealed(run.cut(name)):
        return
    quarantine.let_approved_pass(store.path)
    about = {target.id: target for target in targets(run)}
    redaction = dict(store.sessions().select("id", "redaction_digest").iter_rows())
    reserved = store.reserved()
    inferred = {row.harness: row.tools for row in made_by_step(run.tools, Inferred)}
    rows = []
    for row in made_by_step(run.confirmed(name), Confirmed):
        if row.confirmation.status != "confirmed":
            dropped = row.confirmation.reason if row.confirmation.status in ("refused", "unasked") else ""
            rows.append(Worked(place=row.place, confirmation=row.confirmation, dropped=dropped))
            continue
        if row.place.session in reserved:  # set aside after it was confirmed
            rows.append(Worked(place=row.place, confirmation=row.confirmation, dropped=RESERVED))
            continue
        session = store.session(row.place.session)
        origin = Origin(
            session=store.provenance(session.id),
            redaction=redaction.get(session.id, ""),
            confirmed_by=row.confirmation.confirmed_by,
            inferred=inferred.get(session.harness, ()),
            accepted=run.asked.request.replayability,
        )
        rows.append(_cut(row, session, about[row.place.family], origin))
    runs.seal(run.cut(name), rows)
    failpoint("build.cut")


def probe_family(run: Run, store: Store, family_id: str, confirmer: Confirmer) -> None:
    """Ask about the places of the recall probe, where a model confirms and there are instances enough for a benchmark of one family."""
    request = run.asked.request
    family = next((one for one in run.families if one.id == family_id), None)
    if confirmer.name == RULE or not request.probe or family is None or not _enough(run, store, family_id):
        return
    probe.probe(run, store, family, scanned(run, store).places, replace(confirmer, domain=request.domain))
    failpoint("build.probed")


def _enough(run: Run, store: Store, family_id: str) -> bool:
    behind_all = f"{family_id.replace('/', '__')}.~"
    return len(taken(run, behind_all, caps_of(run, store, behind_all)).kept) >= run.asked.request.minimum


def caps_of(run: Run, store: Store, name: str) -> Caps:
    """The caps of the family that a batch belongs to."""
    batches = run.batches(name.rsplit(".", 1)[0])
    sessions = {place.session for batch in batches for place in made_by_step(run.batch(batch), Place)}
    return caps(sessions, origins(store), run.asked.request.minimum, run.asked.request.maximum)


def infer_tools(run: Run, store: Store) -> None:
    """Infer the tool definitions of every harness that records none, from the calls of all its sessions."""
    if runs.is_sealed(run.tools):
        return
    seen: dict[str, list[Mapping[str, ToolShape]]] = {}
    ids = store.sessions().select("id", "shard")
    for shard in store.shards():
        for row in store.meta(shard, ids.filter(ids["shard"] == shard.digest)["id"].to_list()).values():
            if row["tools"] is None:
                seen.setdefault(row["harness"], []).append(Shapes(row["shapes"]))
    made = [
        Inferred(harness=harness, tools=tuple(shapes.definitions(harness, shapes.pooled(found)))) for harness, found in sorted(seen.items())
    ]
    runs.seal(run.tools, made)


def made_by_step(path: Path, kind: type[Row]) -> list[Row]:
    """Rows that the step before has made. InputError (6) where they have been changed since: that step then makes them again."""
    rows = runs.sealed(path, kind)
    if rows is None:
        raise InputError(f"{str(path)!r} is missing or damaged. Run the same build again: it makes the file anew.", code=6)
    return rows


@dataclass(frozen=True, slots=True)
class Taken:
    """What earlier batches of a family have given."""

    sessions: frozenset[str]
    """Sessions that an instance was cut from."""
    kept: tuple[str, ...]
    """The session of each instance that is in the benchmark so far."""


def taken(run: Run, before: str, limits: Caps) -> Taken:
    """What the batches of the same family ahead of `before` gave."""
    ahead = [name for name in run.batches(before.rsplit(".", 1)[0]) if name < before]
    made = [row for name in ahead for row in made_by_step(run.cut(name), Worked) if row.instance is not None]
    kept = [row.place.session for row in chosen(made, run.asked.request.maximum, limits) if not row.dropped]
    return Taken(frozenset(row.place.session for row in made), tuple(kept))


def _cut(row: Confirmed, session: Session, target: Target, origin: Origin) -> Worked:
    try:
        made = target.cut(row.place, session, origin)
    except ItemError as error:
        return Worked(place=row.place, confirmation=row.confirmation, dropped=error.reason, detail=error.detail)
    secrets = scan.unapproved(found for part in (made.instance, made.check) for found in scan.in_value(part.model_dump(mode="json")))
    if secrets:
        told = ", ".join(sorted({finding.kind for finding in secrets}))
        return Worked(place=row.place, confirmation=row.confirmation, dropped=SECRET, detail=told)
    return Worked(place=row.place, confirmation=row.confirmation, instance=made.instance, check=made.check)


def _batches(rounds: Iterable[list[Place]], maximum: int) -> list[list[Place]]:
    """Batches, never two candidates of one session in one: whether the second is needed is known only after the first is cut.

    A batch is asked about as a whole, so the first are no larger than what is wanted, and few are asked about in vain.
    """
    made: list[list[Place]] = []
    dealt = 0
    for one in rounds:
        start = 0
        while start < len(one):
            wanted = maximum if not dealt else maximum // 2 if dealt < 4 * maximum else BATCH
            size = min(BATCH, max(AT_ONCE, wanted))
            made.append(one[start : start + size])
            start, dealt = start + size, dealt + len(made[-1])
    return made


def _not_wanted(place: Place, gone: Taken, limits: Caps, maximum: int) -> str:
    """Why nobody is asked about a candidate; "" where somebody is."""
    if len(gone.kept) >= maximum:
        return FULL
    if place.session in gone.sessions:
        return SESSION_CAP
    return REPOSITORY_CAP if limits.full(place.session, limits.count(gone.kept), len(gone.kept)) else ""


def _side_by_side(one: Callable[[Place], Confirmed], places: Sequence[Place]) -> list[Confirmed]:
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return list(pool.map(one, places))


def _forget_what_followed(run: Run, name: str) -> None:
    """Batches behind one that was confirmed anew were chosen on what it gave before."""
    run.cut(name).unlink(missing_ok=True)
    for later in run.batches(name.rsplit(".", 1)[0]):
        if later > name:
            run.confirmed(later).unlink(missing_ok=True)
            run.cut(later).unlink(missing_ok=True)
