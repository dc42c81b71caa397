"""A draft run in the sandbox: on its own examples and on a sample of the store; what it finds is cut as a benchmark would cut it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import re2

from tracedance.config import build_settings
from tracedance.construct.cut import Origin, cut
from tracedance.errors import ItemError
from tracedance.kit import hits as kit_hits
from tracedance.kit import rows
from tracedance.kit.chain import canonical
from tracedance.kit.needs import Needs, Row
from tracedance.scan.conditions import Conditions, columns
from tracedance.schema import Hit, Session, Turn
from tracedance.store.store import Store
from tracedance.synthesis import sandbox
from tracedance.synthesis.sandbox import Checks, Draft, Outcome
from tracedance.synthesis.written import Read

SETTINGS = build_settings()
MOST_CUT = 60
"""Candidates that are cut to see whether a benchmark could hold them."""
LOST_SHARE = 0.1
"""Of the sessions shown, that an anchor may fail on."""
WASTED = 0.5
"""Of the candidates cut, that may be of no use."""


@dataclass(frozen=True, slots=True)
class At:
    """A place in the sample."""

    session: str
    hit: Hit


@dataclass(slots=True)
class Trial:
    """What running a draft showed. `problems` are reasons not to go on; `warnings` go back to the writer with what the probe says."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    needs: Needs | None = None
    population: int = 0
    """Sessions of the family's settings."""
    met: int = 0
    """Of those, sessions that meet the draft's NEEDS."""
    shown: tuple[str, ...] = ()
    """Sessions that it was run on."""
    candidates: tuple[At, ...] = ()
    """Offending hits that no guard refuses."""
    opportunities: tuple[At, ...] = ()
    """Other hits: opportunities met, and offences that a guard refuses."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Candidates that a cut refuses, by reason."""

    @property
    def figures(self) -> dict[str, object]:
        """For a round's record."""
        return {
            "sessions": self.population,
            "meet_needs": self.met,
            "shown": len(self.shown),
            "candidates": len(self.candidates),
            "candidate_sessions": len({at.session for at in self.candidates}),
            "other_hits": len(self.opportunities),
            "dropped_by_cut": dict(self.dropped),
        }


def draft_of(read: Read, params: Mapping[str, object] | None = None) -> Draft:
    """The draft's anchor as the sandbox takes it: under the values that the request gives, or under `params`, as an example wants it."""
    given = {**read.card.parameters, **(read.given if params is None else params)}
    return Draft(read.draft.name, read.draft.anchor, given, read.guards)


def on_examples(read: Read, trial: Trial) -> None:
    """Every example must hold: offences and opportunities where it says, refused by the guard that it says and no other."""
    by_params: dict[str, list[Mapping[str, object]]] = {}
    for item in read.examples:
        by_params.setdefault(canonical(dict(item.get("params") or {})), []).append(item)
    for items in by_params.values():
        params: Mapping[str, object] = items[0].get("params") or {}  # type: ignore[assignment]
        ran = sandbox.run(draft_of(read, params), [read.session(item) for item in items], checks=None)
        trial.needs = ran.needs or trial.needs
        if ran.refusal is not None:
            trial.problems += _refusal(ran)
            return
        for lost in ran.lost:
            trial.problems.append(f"example {lost.session!r}: {lost.reason}")
        for item in items:
            if item["name"] in ran.found:
                trial.problems += [f"example {item['name']!r}: {what}" for what in _differs(read, item, ran)]


def _differs(read: Read, item: Mapping[str, object], ran: Outcome) -> Iterator[str]:
    found = ran.found[str(item["name"])]
    for key, offends in (("offends", True), ("opportunities", False)):
        want = [hit["decision"] for hit in item.get(key) or ()]  # type: ignore[attr-defined]
        got = [one.hit.decision for one in found if one.hit.offends is offends]
        if want != got:
            yield f"the anchor finds {key} at {got or 'no turn'}, the example says {want or 'none'}"
    refusing = sorted({name for one in found if one.hit.offends for name in one.refused_by})
    wanted = [item["refused_by"]] if "refused_by" in item else []
    if refusing != wanted:
        yield f"refused by {', '.join(refusing) or 'no guard'}, the example says {', '.join(map(str, wanted)) or 'none'}"
    session = read.session(item)
    if found and ran.needs is not None and not rows.holds(ran.needs, rows.rows(session)):
        yield "it holds a hit and does not meet NEEDS; widen NEEDS"
    yield from _misplaced(session, [one.hit for one in found])


def _misplaced(session: Session, found: Iterable[Hit]) -> Iterator[str]:
    """Decisions that are none, and evidence that the context would not hold."""
    for hit in found:
        if not kit_hits.decides(session.turns[hit.decision]):
            yield f"turn {hit.decision} is no decision of the model's; yield only turns that hits.decides accepts"
        elif not all(session.context_start(hit.decision) <= turn < hit.decision for turn in hit.evidence):
            yield f"evidence {list(hit.evidence)} of turn {hit.decision} lies outside the context; name earlier turns of it"


def on_sample(read: Read, store: Store, seed: int, trial: Trial) -> None:
    """Run on sessions that meet NEEDS, drawn from the seed, with the soundness checks; then cut what was found."""
    if bad := _bad_patterns(trial.needs):
        trial.problems.append(bad)
        return
    every = _of_setting(read, store)
    met = sorted(_meeting(store, trial.needs) & every) if trial.needs is not None else sorted(every)
    rng = random.Random(f"{seed}/synthesis")
    trial.population, trial.met = len(every), len(met)
    trial.shown = tuple(rng.sample(met, min(SETTINGS.synthesis_sample, len(met))))
    # The share is one of all sessions, and only those that meet NEEDS are shown.
    share = min(1.0, SETTINGS.synthesis_most_share * len(every) / max(len(met), 1))
    ran = sandbox.run(draft_of(read), map(store.session, trial.shown), checks=Checks(most_share=share, seed=seed))
    if ran.refusal is not None and ran.refusal.code == "looks_ahead":
        # What it finds is still worth a look: the probe tells the writer what the look ahead costs.
        trial.warnings.append(f"looks ahead: {ran.refusal.message}. A decision must be found from the turns before it and its own results")
        ran = sandbox.run(draft_of(read), map(store.session, trial.shown), checks=None)
    if ran.refusal is not None:
        trial.problems += _refusal(ran)
        return
    if len(ran.lost) > LOST_SHARE * max(len(trial.shown), 1):
        told = "; ".join(dict.fromkeys(one.reason for one in ran.lost[:20]))
        trial.problems.append(f"it fails on {len(ran.lost)} of {len(trial.shown)} sessions: {told}. Let it survive any session")
        return
    _sort(ran, trial)
    _cut(read, store, trial)


def _sort(ran: Outcome, trial: Trial) -> None:
    every = [(At(session, one.hit), one.refused_by) for session, found in sorted(ran.found.items()) for one in found]
    trial.candidates = tuple(at for at, refused in every if at.hit.offends and not refused)
    trial.opportunities = tuple(at for at, refused in every if not at.hit.offends or refused)


def _cut(read: Read, store: Store, trial: Trial) -> None:
    """Whether a benchmark could hold what was found: decision, evidence and context as `construct.cut` wants them."""
    family, dropped, tried = read.family, Counter[str](), trial.candidates[:MOST_CUT]
    for at in tried:
        session = store.session(at.session)
        trial.warnings += list(dict.fromkeys(_misplaced(session, [at.hit])))[:1]
        try:
            cut(session, at.hit, family, Origin(session="", redaction="", confirmed_by="", accepted=ANY))
        except ItemError as error:
            dropped[error.reason] += 1
    trial.dropped = dict(sorted(dropped.items()))
    trial.warnings = list(dict.fromkeys(trial.warnings))
    if tried and dropped.total() > WASTED * len(tried):
        told = ", ".join(f"{reason} {count}" for reason, count in trial.dropped.items())
        trial.warnings.append(f"{dropped.total()} of {len(tried)} candidates cannot be cut before their decision: {told}")


ANY = ("replayable", "reconstructed", "scan_only")


def _refusal(ran: Outcome) -> list[str]:
    assert ran.refusal is not None
    if ran.refusal.problems:
        return [f"line {one.line}: {one.what}" for one in ran.refusal.problems]
    return [f"{ran.refusal.code.replace('_', ' ')}: {ran.refusal.message}"]


def _bad_patterns(needs: Needs | None) -> str:
    quiet = re2.Options()
    quiet.log_errors = False
    for pattern in rows.patterns(needs) if needs is not None else ():
        try:
            re2.compile(pattern, quiet)
        except re2.error:
            return f"the pattern {pattern!r} in NEEDS does not compile; write it without look-around and back-references"
    return ""


def _of_setting(read: Read, store: Store) -> set[str]:
    table = store.sessions().select("id", "setting")
    reserved = store.reserved()
    return {name for name, setting in table.iter_rows() if setting in read.card.setting and name not in reserved}


def _meeting(store: Store, needs: Needs) -> set[str]:
    found: set[str] = set()
    for shard in store.shards():
        asked = Conditions(store.read(shard, sorted({"seq"} | columns([needs]))))
        found |= {asked.ids[place] for place in asked.sessions(needs).nonzero()[0]}
        store.release(shard)
    return found


def near(session: Session, needs: Needs) -> list[int]:
    """Turns of the model's at which a part of NEEDS shows, in the turn or in the result just before it."""
    leaves, found = _leaves(needs), []
    for turn in session.turns:
        before = session.turns[turn.index - 1] if turn.index else None
        seen = [turn, *([before] if before is not None and before.role == "tool" else [])]
        if kit_hits.decides(turn) and (turn.calls or turn.text.strip()) and _shows(session, seen, leaves):
            found.append(turn.index)
    return found


def _shows(session: Session, turns: list[Turn], leaves: Sequence[Row]) -> bool:
    of = rows.rows(replace(session, turns=turns))
    return any(rows.holds(leaf, of) for leaf in leaves)


def _leaves(needs: Needs) -> list[Row]:
    return [needs] if isinstance(needs, Row) else [leaf for part in needs.parts for leaf in _leaves(part)]
