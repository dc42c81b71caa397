"""The Anchor Synthesis Loop: a draft goes through steps of rising cost, and what it fails at goes back to the model that wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.config import build_settings
from tracedance.construct.confirm import Confirmer
from tracedance.construct.run import write_json
from tracedance.models import spending
from tracedance.query.by_model import fitted
from tracedance.store.durable import locked
from tracedance.store.store import Store
from tracedance.synthesis import asking, material, refusing, rejection, sandbox, written
from tracedance.synthesis.keeping import REFUSED, ROUNDS, accepted, keep_family, keep_round, started
from tracedance.synthesis.probing import FEW, probe
from tracedance.synthesis.refusing import Judged
from tracedance.synthesis.trial import Trial, on_examples, on_sample
from tracedance.synthesis.vetting import vetted
from tracedance.synthesis.wanted import SEATS, Desk, Refusal, SynthesisedFamily, Wanted
from tracedance.synthesis.written import FamilyDraft, Read

SETTINGS = build_settings()
Progress = Callable[[int, int, str], None]
UNFIT = ("draft", "lint", "gate")
"""Steps that a draft fails at before anything of it was run or reviewed."""
NO_DRAFT = "(the answer was no draft)"


def synthesise(wanted: Wanted, store: Store, desk: Desk, progress: Progress | None = None) -> SynthesisedFamily | Refusal:
    """Write a family for `wanted` and prove it on `store`, or say why none came of it.

    Done once for a store's state it is not done again. InputError: this system cannot confine a process or a role is not played (2), no
    model could be reached (5), the budget is reached (4), another process writes the same family (7).
    """
    sandbox.available()
    seats = [desk.seat(role) for role in SEATS]
    run = started(wanted, store, desk)
    with locked(run, said=f"Another build writes the same family in {str(run)!r}."):
        if (known := accepted(run)) is not None:
            return known
        if desk.ledger is None:
            return _rounds(wanted, store, desk, run, progress)
        models = spending.opened(desk.ledger, desk.models, run.name, seats)
        with spending.accounted(run, desk.ledger, models, None):
            return _rounds(wanted, store, replace(desk, models=models), run, progress)


def _rounds(wanted: Wanted, store: Store, desk: Desk, run: Path, progress: Progress | None) -> SynthesisedFamily | Refusal:
    answer, before = asking.draft(wanted, desk), None
    scarce = False
    history: list[Judged] = []
    for number in range(1, SETTINGS.synthesis_rounds + 1):
        if progress is not None:
            progress(number - 1, SETTINGS.synthesis_rounds, f"write a family, draft {number}")
        at = _At(wanted, store, desk, run / ROUNDS / f"{number:02d}", before, scarce)
        judged = _judged(answer.value, answer.error, at)
        history.append(judged)
        probed = judged.probe.rows if judged.probe else ()
        keep_round(run, number, answer.value, _record(judged), probed)
        if not judged.step and answer.value is not None:
            return keep_family(run, wanted, answer.value, number, _record(judged))
        left = SETTINGS.synthesis_rounds - number
        if not left or _hopeless(history) or (scarce and answer.value == before):
            break
        before, scarce = answer.value, scarce or any(FEW in problem for problem in judged.problems)
        earlier = [rejection.head(place, one.step, one.problems) for place, one in enumerate(history[:-1], start=1)]
        said = f"{rejection.told(judged.step, judged.problems, left, earlier)}\n\n{judged.told}"
        answer = asking.revise(wanted, material.of_draft(answer.value) if answer.value else NO_DRAFT, said, desk)
    return _refused(history, wanted, run, desk.seat("strong"))


def _hopeless(history: Sequence[Judged]) -> bool:
    """Whether so many drafts in a row failed before anything of them was run or reviewed."""
    last = history[-SETTINGS.synthesis_unfit_drafts :]
    return len(last) == SETTINGS.synthesis_unfit_drafts and all(one.step in UNFIT for one in last)


@dataclass(frozen=True, slots=True)
class _At:
    """What every step of a round needs."""

    wanted: Wanted
    store: Store
    desk: Desk
    folder: Path
    before: FamilyDraft | None
    """The draft that was rejected last."""
    scarce: bool
    """Whether a draft held but for the few places that it finds: the next that does is taken, and the build says what they come to."""


def _judged(draft: FamilyDraft | None, error: str, at: _At) -> Judged:
    """One draft through all steps, the cheap ones first; the first that it fails at ends the round."""
    if draft is None:
        return Judged("draft", [f"the answer could not be read: {error}"])
    if draft == at.before and not at.scarce:
        return Judged("draft", ["it is the draft that was rejected, unchanged"])
    read, problems = written.read(draft, at.folder, [*families(), *at.wanted.taken])
    if read is None:
        return Judged("lint", problems)
    _, strange = fitted(at.wanted.parameters, [read.family])
    if strange:
        return Judged("lint", [f"card.parameters lacks {name}, or its default is of another type than the value given" for name in strange])
    read = replace(read, given=at.wanted.parameters)
    if problems := vetted(draft):
        return Judged("gate", problems)
    if problems := _code_review(draft, at):
        return Judged("code review", problems)
    trial = Trial()
    on_examples(read, trial)
    if not trial.problems:
        on_sample(read, at.store, at.wanted.seed, trial)
    judged = Judged("sandbox" if trial.problems else "", trial.problems, trial, read=read)
    return judged if judged.step else _proved(judged, read, trial, at)


def _code_review(draft: FamilyDraft, at: _At) -> list[str]:
    review = asking.review_code(at.wanted, material.of_draft(draft), at.desk)
    if review.value is None:
        return [f"the reviewer's answer could not be read: {review.error}"]
    return [] if review.value.approved else list(review.value.problems or ("the reviewer does not approve the code, without a reason",))


def _proved(judged: Judged, read: Read, trial: Trial, at: _At) -> Judged:
    """The steps that ask about places: the probe, and the review that is shown what it gave."""
    confirmer = Confirmer(at.desk.models, at.desk.ledger)
    judged.probe = probe(read, at.store, trial, confirmer, at.wanted.seed)
    judged.told = rejection.figures(read, at.store, trial, judged.probe)
    found = judged.probe.problems(trial, at.scarce)
    if trial.warnings or found:
        judged.step, judged.problems = " and ".join(["cut"] * bool(trial.warnings) + ["probe"] * bool(found)), [*trial.warnings, *found]
        return judged
    review = asking.review_fit(at.wanted, material.of_draft(read.draft), judged.told, at.desk)
    against = review.value.against if review.value else [f"the reviewer's answer could not be read: {review.error}"]
    judged.step, judged.problems = "review" if against else "", against
    return judged


def _record(judged: Judged) -> dict[str, Any]:
    """What is kept of a round; no text of a session."""
    return {
        "failed_at": judged.step,
        "problems": judged.problems,
        "run": judged.trial.figures if judged.trial else None,
        "probe": judged.probe.figures if judged.probe else None,
    }


def _refused(history: Sequence[Judged], wanted: Wanted, run: Path, writer: str) -> Refusal:
    refusal = Refusal(
        "unsafe_or_unsound_anchor", refusing.message(history, wanted, run, writer), run, len(history), refusing.counts(history)
    )
    told = {"reason": refusal.reason, "message": refusal.message, "counts": refusal.counts}
    write_json(run / REFUSED, {"schema": "tracedance.synthesis_refused/v1", **told, **_record(history[-1])})
    return refusal
