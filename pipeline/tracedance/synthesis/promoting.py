"""From a family that a model wrote to one that a person answers for: what must be read first, and the move to a catalogue folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tracedance.catalogue import files
from tracedance.catalogue.confined import read_mark
from tracedance.construct.run import RUNS, write_json
from tracedance.errors import InputError
from tracedance.schema import FamilyCard, Rubric
from tracedance.store.durable import write_durably
from tracedance.synthesis.keeping import accepted
from tracedance.synthesis.wanted import SynthesisedFamily

PROMOTED = "promoted"
"""Folder of a catalogue that says where its promoted families come from."""
TO_CHECK = (
    "The definition is what you asked for, and what it is not is left out.",
    "The anchor decides by the state at the decision, from what came before it, and finds what the definition says. So far its code was "
    "only run in the sandbox; in a catalogue of yours it is your code.",
    "The questions, answered as wanted, leave no place that you would not call an occurrence.",
    "The rubric's levels go from the behaviour (0) to the response that you want (5), each to be told from one turn.",
    "The examples are what the definition says, and hold no text of somebody's session that must not leave.",
)
"""What only a person can say of a family."""


def found(run: str, store: Path) -> SynthesisedFamily:
    """The accepted family of a run, given by its folder or by the folder's name in the store. InputError where there is none."""
    folder = Path(run) if Path(run).is_dir() else store / RUNS / Path(run).name
    made = accepted(folder)
    if made is None:
        raise InputError(
            f"{run!r} holds no family that was accepted, or a file of it was changed. Name the run that 'tracedance build' printed; the "
            "same build again makes it anew."
        )
    return made


def told(made: SynthesisedFamily) -> Iterator[str]:
    """All that a person must look at, line by line: the words, the figures, every file, and the list of what to check."""
    mark = read_mark(made.folder)
    stem = made.folder / "anchors" / f"{made.id}.yaml"
    card = files.read_record(stem, FamilyCard)
    rubric = files.read_record(made.folder / "rubrics" / f"{made.id}.yaml", Rubric)
    yield f"{made.id}: {card.title}"
    yield f"Asked for: {mark['query']}"
    yield f"Definition: {card.definition}"
    yield from (f"  not: {one}" for one in card.not_this)
    yield from (f"  question (wants {one.want}): {one.ask}" for one in card.confirm)
    yield f"Graded: {rubric.question}"
    yield from (f"  {level}: {text}" for level, text in rubric.levels.items())
    probe = made.figures.get("probe") or {}
    yield (
        f"Proved in {made.rounds} drafts: {probe.get('candidates_confirmed')} of {probe.get('candidates_judged')} places confirmed, "
        f"{probe.get('others_confirmed')} of {probe.get('others_judged')} beside them."
    )
    for name in sorted(mark["files"]):
        yield f"\n=== {name} ==="
        yield _text(made.folder / name)
    yield "\nBefore you keep it, check that:"
    yield from (f"  [ ] {one}" for one in TO_CHECK)
    if f"rubrics/{made.id}.py" in mark["files"]:
        yield "  [ ] The check in rubrics/ grades as the rubric does. It has never been run."


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").rstrip()
    except UnicodeDecodeError:
        raise InputError(f"{files.shown(path)} is no text in UTF-8, so nobody can read it. Name another run.") from None


def promote(made: SynthesisedFamily, to: Path) -> list[Path]:
    """Copy the family's files to a catalogue folder. InputError: one of them is there already; it is left as it is."""
    mark = read_mark(made.folder)
    origin = to / PROMOTED / f"{made.id.replace('/', '.')}.json"
    targets = {to / name: made.folder / name for name in sorted(mark["files"])}
    if taken := next((path for path in (*targets, origin) if path.exists()), None):
        raise InputError(f"{str(taken)!r} is there already. Remove that family first, or give another folder with --to.")
    for target, source in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_durably(target, source.read_bytes())
    origin.parent.mkdir(parents=True, exist_ok=True)
    write_json(origin, {**mark, "reviewed_by_people": True})
    return list(targets)
