"""Why no family came of a request: what was found, the cause as far as it shows, and a next command that can be followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracedance.synthesis.probing import Probe
from tracedance.synthesis.trial import Trial
from tracedance.synthesis.wanted import Wanted
from tracedance.synthesis.written import Read

SAID = 4
"""Faults of the last draft that are said."""
LONGEST = 400
"""Characters of one of them."""
NEVER_RAN = ("draft", "lint", "gate", "code review")
"""Steps before anything of a draft was run."""


@dataclass(slots=True)
class Judged:
    """How far a draft came."""

    step: str = ""
    """Where it failed; "" when it holds."""
    problems: list[str] = field(default_factory=list)
    trial: Trial | None = None
    probe: Probe | None = None
    read: Read | None = None
    told: str = ""
    """What the run and the sample gave, with excerpts."""


def counts(judged: Sequence[Judged]) -> dict[str, int]:
    """Drafts, and over those whose places were asked about: the most sessions that one ran on and places that one found, and all places
    asked about and confirmed."""
    probed = [(one.trial, one.probe) for one in judged if one.trial is not None and one.probe is not None]
    found = {"drafts": len(judged)}
    if not probed:
        return found
    asked = Counter[str]()
    for _, probe in probed:
        asked.update({name: count for name, count in probe.figures.items() if name.endswith(("judged", "confirmed"))})
    names = ("candidates_judged", "candidates_confirmed", "others_judged", "others_confirmed")
    sessions, candidates = (max(most) for most in zip(*((len(trial.shown), len(trial.candidates)) for trial, _ in probed), strict=True))
    return {**found, "sessions": sessions, "candidates": candidates, **{name: asked[name] for name in names}}


def message(judged: Sequence[Judged], wanted: Wanted, run: Path, writer: str) -> str:
    """What is said of it, in plain sentences; `writer` is the model that wrote."""
    last, steps = judged[-1], Counter(one.step for one in judged)
    drafts = f"{len(judged)} draft{'s' if len(judged) > 1 else ''}"
    failed = ", ".join(f"{step} {count}" for step, count in steps.items())
    faults = "; ".join(problem[:LONGEST] for problem in last.problems[:SAID])
    more = f"; and {len(last.problems) - SAID} more" if len(last.problems) > SAID else ""
    said = [f"No family is the same, and none could be written that holds: {drafts}, failed at {failed}. The last: {faults}{more}."]
    told = counts(judged)
    if "sessions" in told:
        said.append(
            f"Of what drafts found in up to {told['sessions']:,} sessions {told['candidates_confirmed']} of {told['candidates_judged']} "
            f"places asked about were the behaviour, of places beside them {told['others_confirmed']} of {told['others_judged']}."
        )
    said += [_cure(judged, told, run, writer), f"Every draft and what became of it: {str(run / 'rounds')!r}."]
    if wanted.related:
        said.append(f"Related, not the same: {' or '.join(f'tracedance build --family {name}' for name in wanted.related)}.")
    return " ".join(said)


def _cure(judged: Sequence[Judged], told: dict[str, int], run: Path, writer: str) -> str:
    own = "or write a family of your own ('tracedance check-family DIR' says what it lacks)"
    if all(one.step in NEVER_RAN for one in judged):
        return (
            f"{writer!r}, which plays strong, gave nothing that could be run: name another model for it ('tracedance doctor --probe' "
            f"tries it), {own}."
        )
    if "sessions" in told and not told["candidates_confirmed"] and not told["others_confirmed"]:
        store = run.parent.parent
        return (
            "No place at all was confirmed, so this store may hold nothing of the kind: add sessions ('tracedance import PATH --store "
            f"{store}') and build again, {own}."
        )
    best = max(range(len(judged)), key=lambda number: (judged[number].probe is not None, judged[number].trial is not None, number))
    draft = str(run / "rounds" / f"{best + 1:02d}")
    return (
        "Say the behaviour more exactly, by what is seen in the session up to the decision; or mend the draft that came furthest: copy "
        f"{draft!r}, 'tracedance check-family' says what the copy lacks, and build takes it with --family and --catalogue."
    )
