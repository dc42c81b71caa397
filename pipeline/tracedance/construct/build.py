"""A whole build as one call: scan, confirm, cut and publish, for each family of a request. Flows call the same steps one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.construct import estimate as costs
from tracedance.construct.assemble import Assembled, Published, assemble, publish, refuse_if_unreachable, write_account
from tracedance.construct.confirm import RULE, UNREADABLE, Confirmer
from tracedance.construct.doubts import doubts
from tracedance.construct.run import RECEIPT, Run, held, start, write_json
from tracedance.construct.steps import confirm_batch, cut_batch, make_batches, probe_family, scan_group
from tracedance.construct.target import targets
from tracedance.failpoint import failpoint
from tracedance.models import fitting, replay, spending
from tracedance.models.config import Models, Purpose
from tracedance.models.ledger import Ledger
from tracedance.query.match import match
from tracedance.schema import Built, Near, Outcome, Request
from tracedance.store import quarantine
from tracedance.store.store import Store

NAMED = 3
"""Nearest families named where there are too few instances."""
LEDGER = "ledger.sqlite"
PARAMETERS = "parameters.json"
Progress = Callable[[int, int, str], None]
UNCHECKABLE = (
    "Whether sessions are about {field} only a model can tell, no event says it, and none plays the role fast. "
    "Set a key ('tracedance doctor' names it), give --profile, or leave the field out."
)


def build(request: Request, store: Store, models: Models, out: Path, progress: Progress | None = None) -> Outcome:
    """Build the benchmarks of `request` from `store` and publish them under `out`, one for each family.

    A family with fewer instances than asked for is not published: the outcome is `rejected` when that is so for all, and says what `--min`
    would do. InputError: the store cannot be read, or the confirming model could not be reached (5).
    """
    advance = progress or (lambda done, total, what: None)
    with confirming(models, store.path) as confirmer:
        if refused := uncheckable(request, confirmer):
            return refused
        run = start(request, store, confirmer)
        with held(run.path):
            failpoint("build.started")
            dealt(run, store, advance)
            with paying(run, store, confirmer) as payer:
                for name in run.benchmarks:
                    names = run.batches(name)
                    for number, batch in enumerate(names, start=1):
                        confirm_batch(run, store, batch, payer)
                        cut_batch(run, store, batch)
                        advance(number, len(names), f"confirm and cut {name}")
                    probe_family(run, store, name, payer)
            return finish(run, store, out)


def uncheckable(request: Request, confirmer: Confirmer) -> Outcome | None:
    """The rejection of a request that is limited to a field where no model can tell a session's field; None where one can."""
    if request.domain is None or confirmer.name != RULE:
        return None
    message = UNCHECKABLE.format(field=repr(request.domain))
    return Outcome(outcome="rejected", reason="not_observable", message=message, request=request.model_dump(mode="json"))


def foretold(found: Outcome, models: Models) -> Outcome:
    """A dry run's outcome, which says too that the build itself would be rejected where no model can tell a session's field."""
    field = found.request.get("domain")
    if found.outcome != "dry_run" or field is None or Confirmer(models).name != RULE:
        return found
    note = UNCHECKABLE.format(field=repr(field))
    return found.model_copy(update={"message": f"{found.message} The build itself would be rejected (not_observable): {note}"})


def estimate(request: Request, store: Store, models: Models, progress: Progress | None = None) -> dict[str, Any]:
    """What the build of `request` would cost, by stage, role and model. Scans, and asks no model."""
    with confirming(models, store.path) as confirmer:
        run = start(request, store, confirmer)
        with held(run.path):
            dealt(run, store, progress or (lambda done, total, what: None))
            return costs.estimate(run, store, confirmer)


def dealt(run: Run, store: Store, advance: Progress) -> None:
    """Scans, and deals the candidates into batches."""
    for group in range(run.groups):
        scan_group(run, store, group)
        failpoint("build.scanned")
        advance(group + 1, run.groups, "scan")
    make_batches(run, store)
    failpoint("build.dealt")


@contextmanager
def paying(run: Run, store: Store, confirmer: Confirmer) -> Iterator[Confirmer]:
    """The confirmer under the run's terms; where a model is asked, the run's account is written however it ends."""
    if confirmer.ledger is None:
        yield confirmer
        return
    if not (run.path / PARAMETERS).exists():
        write_json(run.path / PARAMETERS, parameters(run.asked.request, confirmer.models))
    expected = costs.estimate(run, store, confirmer) if not (run.path / spending.FILE).exists() else None
    models = spending.opened(confirmer.ledger, confirmer.models, run.path.name, [confirmer.name])
    with spending.accounted(run.path, confirmer.ledger, models, expected):
        yield replace(confirmer, models=models)


def parameters(request: Request, models: Models) -> dict[str, Any]:
    """What the models that a build asks are sent and not sent, by purpose; {} where it asks none."""
    purposes: list[Purpose] = ["confirm"] if request.domain is None else ["confirm", "domain", "summary"]
    return fitting.parameters({purpose: models.role("fast") for purpose in purposes}, models)


def spend_of(request: Request, store: Store, models: Models) -> dict[str, Any] | None:
    """What the run of a request has come to; None where no model was asked."""
    path = start(request, store, Confirmer(models)).path / spending.FILE
    return dict(json.loads(path.read_bytes())) if path.exists() else None


def recorded(store: Store, folder: Path) -> None:
    """Writes the answers in the store's ledger to a folder that `replay/FOLDER` plays."""
    if (store.path / LEDGER).exists():
        with Ledger(store.path / LEDGER) as ledger:
            replay.write(folder, ledger)


@contextmanager
def confirming(models: Models, store: Path) -> Iterator[Confirmer]:
    """The confirmer of a profile; the store's ledger is opened only where a model will be called."""
    if Confirmer(models).name == RULE:
        yield Confirmer(models)
        return
    with Ledger(store / LEDGER) as ledger:
        yield Confirmer(models, ledger)


def finish(run: Run, store: Store, out: Path) -> Outcome:
    """Assemble and publish what the batches gave, write the run's account, and say how it ended."""
    quarantine.let_approved_pass(store.path)
    made = [assemble(run, store, target) for target in targets(run)]
    write_account(run, made, store)
    failpoint("build.accounted")
    built = []
    for one in made:
        refuse_if_unreachable(run, one)
        enough = len(one.kept) >= run.asked.request.minimum
        done = publish(run, one, store, out) if enough else Published(None)
        failpoint("build.published")
        built.append(_built(one, done))
    outcome = _outcome(run, made, built, doubts(run, store))
    write_json(run.path / RECEIPT, {"schema": "tracedance.receipt/v1", **outcome.model_dump(mode="json")})
    failpoint("build.receipt")
    return outcome


def _built(made: Assembled, done: Published) -> Built:
    return Built(
        path=str(done.path) if done.path else None,
        private=str(done.private) if done.private else None,
        families=made.target.ids,
        instances=len(made.kept),
        dropped={**made.dropped, **made.failures},
        confirmation=made.confirmation,
    )


def outcome_of(receipt: Path) -> Outcome:
    """How a finished run ended, from its receipt."""
    written = json.loads(receipt.read_bytes())
    return Outcome.model_validate({name: value for name, value in written.items() if name != "schema"})


def _outcome(run: Run, made: Sequence[Assembled], built: Sequence[Built], doubted: Iterable[str]) -> Outcome:
    request = run.asked.request
    published = any(one.path or one.private for one in built)
    unreadable = any(_spoilt(one, request.minimum) for one in made)
    said = [_told(one, result, request) for one, result in zip(made, built, strict=True)]
    none = not published and not unreadable
    counts = {name: sum(one.counts[name] for one in made) for name in made[0].counts} if made else {}
    return Outcome(
        outcome="built" if published else "rejected",
        reason=None if published else "insufficient_yield",
        message=" ".join(filter(None, [*said, _confirmed_by(run), *doubted])),
        nearest=_nearest(run) if none else (),
        benchmarks=tuple(built),
        request=request.model_dump(mode="json"),
        counts=counts,
    )


def _nearest(run: Run) -> tuple[Near, ...]:
    """The families that lie near those of a request, by what their cards say: what might be asked for instead."""
    cards = {name: one.card for name, one in families([Path(folder) for folder in run.asked.request.catalogues]).items()}
    found = [near for one in run.families for near in match(one.card.title, cards, second_opinion=False).nearest]
    others = {near.family: near for near in found if near.family not in run.asked.request.families}
    return tuple(sorted(others.values(), key=lambda near: -near.score))[:NAMED]


def _told(made: Assembled, result: Built, request: Request) -> str:
    counts = made.counts
    funnel = f"{counts['places']} places, {counts['candidates']} candidates, {counts['confirmed']} confirmed"
    if counts["failed"]:
        funnel += f", {counts['failed']} without an answer that could be used"
    if result.path or result.private:
        return f"Built {result.instances} instances of {made.target.id} ({funnel})."
    found = f"{result.instances} of the {request.minimum} instances wanted of {made.target.id} could be made ({funnel})"
    only = f"Only {found}" if result.instances else f"None {found.partition(' ')[2]}"
    if _spoilt(made, request.minimum):
        why = f"{made.failures[UNREADABLE]} answers of the confirming model could not be read, twice each: no want of sessions"
        return f"{only}; {why}. Name another model for the role fast ('tracedance doctor --probe' tries it), or give it more max_tokens."
    if made.target.joint:
        only += "; both behaviours must be shown by one decision. Side by side they are: tracedance build " + " ".join(
            f"--family {name}" for name in made.target.ids
        )
    if result.instances:
        return f"{only}. --min {result.instances} would do; more sessions give more."
    return f"{only}. No --min would do: import more sessions ('tracedance scan' shows what the store can feed)."


def _spoilt(made: Assembled, minimum: int) -> bool:
    """Whether there might be instances enough, had the confirmer's answers been readable."""
    return len(made.kept) < minimum <= len(made.kept) + made.failures.get(UNREADABLE, 0)


def _confirmed_by(run: Run) -> str:
    return "Confirmed by rule, no model judged." if run.asked.confirmer == RULE else ""
