"""What a writer is told of a draft that did not hold: the step, errors, figures, and places confirmed, refused, missed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tracedance.construct.confirm import questions
from tracedance.construct.excerpt import excerpt
from tracedance.store.store import Store
from tracedance.synthesis.probing import Probe, Sampled
from tracedance.synthesis.trial import Trial
from tracedance.synthesis.written import Read

EXCERPT = 2_500
"""Characters of a place."""
LONGEST = 600
"""Characters of an earlier draft's failure."""
SHOWN = 3
"""Places of each kind that are told."""


def told(step: str, problems: Sequence[str], left: int, earlier: Sequence[str]) -> str:
    """The head of a rejection; `earlier` are the heads of the drafts before, so that no fault comes back."""
    more = f"{left} more draft{'s' if left != 1 else ''} may follow."
    before = ["", "Earlier drafts, the first first:", *earlier] if earlier else []
    return "\n".join([f"It failed at: {step}. {more}", "Errors:", *(f"- {problem}" for problem in problems), *before])


def head(number: int, step: str, problems: Sequence[str]) -> str:
    """One draft's failure in one line."""
    return f"- draft {number} failed at {step}: {'; '.join(problems)}"[:LONGEST]


def figures(read: Read, store: Store, trial: Trial, probe: Probe | None) -> str:
    """What the run and the sample gave."""
    lines = [f"The run: {json.dumps(trial.figures, sort_keys=True)}"]
    if probe is not None:
        lines += [f"The sample: {json.dumps(probe.figures, sort_keys=True)}", *_places(read, store, probe)]
    return "\n".join(lines)


def _places(read: Read, store: Store, probe: Probe) -> Iterator[str]:
    found, others = probe.of("candidate"), probe.of("opportunity", "near")
    groups = {
        "Found and confirmed": [row for row in found if row.confirmed],
        "Found and refused by the reader": [row for row in found if not row.confirmed],
        "Not found, and the behaviour by the reader's word (missed)": [row for row in others if row.confirmed],
    }
    for name, rows in groups.items():
        yield f"\n{name}: {len(rows)}"
        for row in rows[:SHOWN]:
            yield f"\n--- {row.kind}: {row.place.hit.why}{_why(read, row)}"
            yield excerpt(store.session(row.place.session), row.place.hit, EXCERPT).text


def _why(read: Read, row: Sampled) -> str:
    """The question that a place was refused on."""
    if row.ruled_out_later:
        return " [a candidate where the session ends with its results]"
    if row.confirmed:
        return ""
    name, _, answer = row.confirmation.reason.partition(": ")
    question = questions(read.family).get(name)
    return f" [refused: {question.ask if question else name} -> {answer}]"
