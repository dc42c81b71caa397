"""From the cut batches to a published benchmark: one instance a session, no context twice, at most as many as asked for, all counted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from tracedance.catalogue import Family
from tracedance.catalogue.confined import is_synthesised, read_mark
from tracedance.construct import found
from tracedance.construct.choice import DUPLICATE, chosen
from tracedance.construct.confirm import questions, unreached
from tracedance.construct.order import Caps, Origins, caps, origins
from tracedance.construct.run import CANDIDATES, CHECKS, FAILURES, Failure, Probed, Run, Worked
from tracedance.construct.steps import made_by_step, scanned
from tracedance.construct.target import Target
from tracedance.errors import InputError
from tracedance.models import probe
from tracedance.schema import Candidate, CheckRow, Instance, Manifest, Request
from tracedance.store import runs
from tracedance.store.benchmarks import contents, publish_contents
from tracedance.store.store import Store

NOT_BY_RULE = "not checked: no rule can tell"
PRIVATE = ".private"
"""What the name of a private part ends in."""
Part = Literal["whole", "public", "private"]
OTHER_PART = {"whole": "", "public": "in_the_private_part", "private": "in_the_public_part"}


@dataclass(frozen=True, slots=True)
class Assembled:
    """The instances of one benchmark and the account of every candidate: candidates = instances + dropped + failed."""

    target: Target
    rows: tuple[Worked, ...]
    """In the order in which they were taken; `dropped` is final."""
    places: int
    opportunities: int
    confirmation: Mapping[str, Any] = field(default_factory=dict)
    """How the candidates were ordered and capped, and what confirming them and the recall probe say of the anchor."""

    @property
    def kept(self) -> list[Worked]:
        """The rows that became instances."""
        return [row for row in self.rows if row.instance is not None and not row.dropped]

    @property
    def dropped(self) -> dict[str, int]:
        """Candidates that became no instance, by reason."""
        return dict(sorted(Counter(row.dropped for row in self.rows if row.dropped).items()))

    @property
    def failures(self) -> dict[str, int]:
        """Candidates without a usable answer, by the class of the reason."""
        return found.failures(row.confirmation for row in self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """The funnel."""
        status = Counter(row.confirmation.status for row in self.rows)
        return {
            "places": self.places,
            "opportunities": self.opportunities,
            "candidates": len(self.rows),
            "confirmed": status["confirmed"],
            "refused": status["refused"],
            "failed": status["failed"],
            "unasked": status["unasked"],
            "dropped": sum(self.dropped.values()),
            "instances": len(self.kept),
        }


def assemble(run: Run, store: Store, target: Target) -> Assembled:
    """All candidates of a benchmark with their final reasons."""
    places = target.places(scanned(run, store).places)
    worked = [row for name in run.batches(target.id) for row in made_by_step(run.cut(name), Worked)]
    request, where = run.asked.request, origins(store)
    limits = caps({row.place.session for row in worked}, where, request.minimum, request.maximum)
    rows = tuple(chosen(worked, request.maximum, limits))
    probed = runs.sealed(run.probed(target.id), Probed)
    told = {
        **(found.said(rows, probed, request.probe) if not target.joint else found.said_of_two(rows)),
        "order": _order(rows, where, limits, request.seed),
    }
    outside = tuple(made_by_step(run.left_out(target.id), Worked))
    defined = not target.joint and target.families[0].card.opportunity
    return Assembled(target, (*rows, *outside), len(places), len(places) if defined else 0, told)


@dataclass(frozen=True, slots=True)
class Published:
    """Where a family's benchmark is, and that of the instances held back; None where a part has no instance."""

    path: Path | None
    private: Path | None = None


def publish(run: Run, made: Assembled, store: Store, out: Path) -> Published:
    """Publish the benchmark under `out`, in two parts where some are to be held back. The same store and request give the same bytes."""
    share = run.asked.request.private_share
    if not share:
        return Published(_publish(run, made, made.kept, "whole", out))
    apart = [row for row in made.kept if row.instance and is_private(row.instance.id, store.key, share)]
    rest = [row for row in made.kept if row not in apart]
    return Published(
        _publish(run, made, rest, "public", out) if rest else None,
        _publish(run, made, apart, "private", out) if apart else None,
    )


def is_private(instance: str, key: bytes, share: float) -> bool:
    """Whether an instance is held back: by its id under the store's key alone, so that no rebuild or refresh moves it."""
    return int.from_bytes(blake2b(instance.encode(), key=key, digest_size=8, person=b"private").digest()) < share * 2**64


def _publish(run: Run, made: Assembled, rows: Sequence[Worked], part: Part, out: Path) -> Path:
    kept = sorted(rows, key=lambda row: row.instance.id if row.instance else "")
    instances = [row.instance for row in kept if row.instance]
    checks = [_answered(row, made.target) for row in kept if row.check]
    request = run.asked.request
    mark = canary(made.target.id, instances, checks)
    gone = len(made.kept) - len(kept)
    manifest = Manifest(
        name=made.target.name + (PRIVATE if part == "private" else ""),
        query=request.query,
        matched_by=request.matched_by,
        families=made.target.ids,
        parameters=_in_force(made.target, request),
        trace=request.trace,
        digests={name: digest for name, digest in run.asked.digests.items() if _concerns(name, made.target)},
        instances=len(instances),
        part=part,
        counts={**made.counts, "instances": len(instances), "dropped": made.counts["dropped"] + gone},
        dropped={**made.dropped, **({OTHER_PART[part]: gone} if gone else {})},
        confirmed_by=tuple(sorted({row.confirmation.confirmed_by for row in kept})),
        confirmation=made.confirmation,
        domain=request.domain,
        seed=request.seed,
        synthesised=synthesised(made.target.families),
        canary=mark,
        files=(),
    )
    marked = [instance.model_copy(update={"canary": mark}) for instance in instances]
    answered = [check.model_copy(update={"canary": mark}) for check in checks]
    described, files = contents(manifest, marked, answered, {one.id: one.rubric for one in made.target.families})
    return publish_contents((described, {**files, **_family_files(made.target.families, mark)}), out)


def synthesised(families: Iterable[Family]) -> tuple[dict[str, Any], ...]:
    """What is known of those families that a model wrote."""
    marks = [read_mark(one.folder) for one in families if is_synthesised(one.folder)]
    return tuple({name: told[name] for name in ("family", "query", "rounds", "reviewed_by_people", "digest")} for told in marks)


def _family_files(families: Iterable[Family], mark: str) -> dict[str, bytes]:
    """The files of synthesised families, which no catalogue holds, each with the canary."""
    folders = [one.folder for one in families if is_synthesised(one.folder)]
    paths = {f"family/{name}": folder / name for folder in folders for name in read_mark(folder)["files"]}
    return {name: f"# {mark}\n".encode() + path.read_bytes() for name, path in sorted(paths.items())}


def _answered(row: Worked, target: Target) -> CheckRow:
    """The check row with the confirmation questions and what was answered: the report ends each instance with it."""
    assert row.check is not None
    asked = [
        question.model_copy(update={"ask": f"{family.name}: {question.ask}"}) if target.joint else question
        for family in target.families
        for question in questions(family).values()
    ]
    given: dict[str, str]
    if row.confirmation.answers:
        given = {one.ask: answer.answer for one, answer in zip(asked, row.confirmation.answers, strict=True)}
    else:
        unchecked = set(row.confirmation.unchecked)
        given = {one.ask: NOT_BY_RULE if one.ask in unchecked else f"{one.want}, by rule" for one in asked}
    return row.check.model_copy(update={"answers": given})


def canary(about: str, instances: Sequence[Instance], checks: Sequence[CheckRow]) -> str:
    """A text that occurs nowhere else, made from what the benchmark holds: found in a model's training data, it tells on it."""
    content = runs.lines([*instances, *checks]) + about.encode()
    return f"tracedance canary {UUID(bytes=hashlib.sha256(content).digest()[:16])}"


def write_account(run: Run, made: Sequence[Assembled], store: Store) -> None:
    """The run's tables: what became of every candidate, the check rows of the instances, and what could not be handled."""
    rows = [row for one in made for row in one.rows]
    runs.replace(run.path / CANDIDATES, [_candidate(row) for row in rows])
    runs.replace(run.path / CHECKS, [row.check for one in made for row in one.kept if row.check])
    failed = [
        Failure(
            family=row.place.family, session=row.place.session, turn=row.place.hit.decision, step="confirm", reason=row.confirmation.reason
        )
        for row in rows
        if row.confirmation.status == "failed"
    ]
    raised = [
        Failure(family=failure.family, session=failure.session, turn=None, step="scan", reason=failure.reason)
        for failure in scanned(run, store).failures
    ]
    runs.replace(run.path / FAILURES, [*raised, *failed])


def unreachable(made: Assembled) -> int:
    """How many candidates no model could be reached for."""
    return sum(unreached(row.confirmation) for row in made.rows)


def refuse_if_unreachable(run: Run, made: Assembled) -> None:
    """InputError (5) when too few instances are there and models that could not be reached are why."""
    missing = unreachable(made)
    if missing and len(made.kept) < run.asked.request.minimum:
        why = next(row.confirmation.reason for row in made.rows if unreached(row.confirmation)).partition(": ")[2]
        helps = f" {probe.cure(why)}".rstrip()
        raise InputError(
            f"The confirming model could not be reached for {missing} candidates: {why}.{helps} "
            "Then run the same build again: answers had are kept.",
            5,
        )


def _order(rows: Sequence[Worked], where: Origins, limits: Caps, seed: int) -> dict[str, Any]:
    """How the candidates were ordered, and over how much they and the instances are spread."""

    def over(sessions: set[str]) -> dict[str, Any]:
        repositories = limits.count(sessions)
        return {
            "sessions": len(sessions),
            "repositories": len(repositories.keys() - {""}),
            "without_repository": repositories[""],
            "harnesses": dict(sorted(Counter(where.harness.get(session, "") for session in sessions).items())),
        }

    kept = {row.place.session for row in rows if row.instance is not None and not row.dropped}
    return {"seed": seed, "how": limits.how, "candidates": over({row.place.session for row in rows}), "instances": over(kept)}


def _candidate(row: Worked) -> Candidate:
    made = row.instance.id if row.instance and row.dropped in ("", DUPLICATE) else ""
    return Candidate(place=row.place, confirmation=row.confirmation, dropped=row.dropped, instance=made)


def _in_force(target: Target, request: Request) -> dict[str, Any]:
    """The parameters that the anchors ran with."""
    return {name: request.parameters.get(name, default) for family in target.families for name, default in family.card.parameters.items()}


def _concerns(name: str, target: Target) -> bool:
    kind, _, of = name.partition(":")
    return of in target.ids or kind in ("prompt", "models")
