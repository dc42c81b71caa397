"""What a request would cost before its first call: reading, matching, the writing of a family as far as it may come to that, and the build.

Rules read the sentence for it, and only a model will tell whether a family must be written. So that is counted at nothing where rules find
a family, and at its bound, calls times rounds, in the most that it can cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.config import build_settings
from tracedance.construct import build
from tracedance.construct.confirm import PROMPT
from tracedance.construct.estimate import AN_ANSWER, CHARACTERS
from tracedance.models import prompts, spending
from tracedance.models.config import Models, Purpose, Role
from tracedance.models.fitting import longest
from tracedance.models.prices import A_MESSAGE, FRAME
from tracedance.models.spending import Expected
from tracedance.query.by_model import MOST
from tracedance.query.matching import SELECTIONS
from tracedance.query.request import understand
from tracedance.schema import Outcome, Request
from tracedance.store.store import Store
from tracedance.synthesis import material
from tracedance.synthesis.asking import GIVEN
from tracedance.synthesis.loop import Progress
from tracedance.synthesis.rejection import EXCERPT, SHOWN
from tracedance.synthesis.wanted import able

SETTINGS = build_settings()
ROUNDS, PROBED = 3, 2
"""Drafts that a family takes, and of those how many come as far as the probe: docs/synthesis.md had 2, 2 and 4 drafts."""
A_READING, A_CHOICE, A_REVIEW = 250, 120, 300
"""Tokens of an answer."""
REPAIRED = 2
"""Calls of one question, at most."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """Calls of one kind."""

    name: str
    role: Role
    purpose: Purpose
    calls: int
    most_calls: int
    characters: int
    """Of one call's text."""
    answer: int
    """Tokens of one answer."""


def estimate(
    query: str | None, names: Sequence[str], options: Mapping[str, Any], at: tuple[Path, Models, Progress]
) -> Outcome | dict[str, Any]:
    """Calls and dollars by stage, role and model, and `note`, what is not known yet; the outcome where nothing would be asked or built.

    `at` is the store's folder, who would be asked, and who is told how far the scan is.
    """
    folder, models, progress = at
    found = understand(query, names, options)
    reads = query is not None and bool(models.role("strong")) and not (isinstance(found, Outcome) and not found.request.get("query"))
    if isinstance(found, Outcome) and (not reads or found.outcome == "dry_run"):
        return found
    stages = _stages(query or "", found, models) if reads else ()
    rows = [_expected(stage, models).row(models.price(models.role(stage.role)[0])) for stage in stages]
    if isinstance(found, Outcome):
        return {**spending.estimate_of(rows), "note": UNREAD}
    whole = build.estimate(found, Store.open(folder), models, progress)
    return {**spending.estimate_of([*rows, *whole["by"]]), "note": READ if reads and able(models) else ""}


UNREAD = "Rules did not read the sentence, so what the build itself would ask is not known before a model has read it."
READ = "Whether a family must be written only the reading tells: it counts in the most, not in what is expected."


def _stages(query: str, found: Request | Outcome, models: Models) -> Iterator[_Stage]:
    """Reading and matching, and the rounds of a family that may have to be written."""
    known = families()
    listed = sum(len(one.id) + len(one.card.title) + len(one.card.definition) for one in known.values())
    card = max(
        len(one.card.definition) + sum(map(len, one.card.not_this)) + sum(len(q.ask) for q in one.card.confirm) for one in known.values()
    )
    behaviours = len(found.families) if isinstance(found, Request) else 1
    yield _Stage("interpret", "strong", "interpret", 1, REPAIRED, _text("interpret") + len(query) + listed // 4, A_READING)
    match = (_text("select") + listed + _text("equivalent") + card) // 2 + len(query)
    yield _Stage("match", "strong", "interpret", 2 * SELECTIONS * behaviours, 2 * SELECTIONS * MOST * REPAIRED, match, A_CHOICE)
    if able(models):
        yield from _writing(query, isinstance(found, Outcome))


def _writing(query: str, likely: bool) -> Iterator[_Stage]:
    fixed = sum(map(len, GIVEN.values())) + len(material.kit()) + len(query)
    files = len(material.example())
    excerpts = 3 * SHOWN * EXCERPT
    most, probes = MOST * SETTINGS.synthesis_rounds * REPAIRED, 2 * SETTINGS.synthesis_probe
    rounds, probed = (ROUNDS, PROBED) if likely else (0, 0)
    draft = max(_text("draft") + files, _text("revise") + files + excerpts) + fixed
    yield _Stage("synthesise", "strong", "synthesise", rounds, most, draft, files // CHARACTERS)
    review = max(_text("review_code"), _text("review_fit") + excerpts) + files + len(query)
    yield _Stage("review", "reviewer", "review", rounds + probed, 2 * most, review, A_REVIEW)
    yield _Stage("probe", "fast", "confirm", probes * probed, probes * most, _text(PROMPT) + SETTINGS.excerpt // 2, 4 * AN_ANSWER)


def _text(name: str) -> int:
    return len(prompts.load(name).text)


def _expected(stage: _Stage, models: Models) -> Expected:
    """The line of a stage. At most a call is of twice the text, a byte a token, and of two longest answers repeated."""
    name = models.role(stage.role)[0]
    limit = longest(models.endpoint(name), stage.purpose, models.parameters(stage.purpose))
    return Expected(
        stage=stage.name,
        model=name,
        calls=stage.calls,
        most_calls=stage.most_calls,
        input=stage.calls * stage.characters // CHARACTERS,
        output=stage.calls * stage.answer,
        most=(2 * stage.characters + 2 * limit * CHARACTERS + FRAME + A_MESSAGE, limit),
    )
