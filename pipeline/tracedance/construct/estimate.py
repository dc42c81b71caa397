"""What confirming the candidates of a build would cost. Scans and deals like the build itself; no model is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.catalogue import Family
from tracedance.construct.confirm import PROMPT, RULE, Confirmer, questions
from tracedance.construct.domain import DOMAIN, SUMMARY
from tracedance.construct.excerpt import excerpt, outline
from tracedance.construct.run import Run
from tracedance.construct.steps import made_by_step
from tracedance.construct.target import Target, targets
from tracedance.models import prompts
from tracedance.models.fitting import longest
from tracedance.models.prices import A_MESSAGE, FRAME
from tracedance.models.spending import Expected, estimated
from tracedance.schema import Place
from tracedance.store.store import Store

SAMPLE = 20
"""Candidates whose excerpts are measured."""
USABLE = 0.6
"""Share of confirmed candidates that becomes an instance, as it was in builds from real sessions."""
AN_ANSWER = 60
"""Tokens of the answer to one question."""
A_SUMMARY = 150
"""Tokens of a session's summary."""
CHARACTERS = 4
"""Characters to a token."""


def estimate(run: Run, store: Store, confirmer: Confirmer) -> dict[str, Any]:
    """Calls and dollars by stage, role and model, of a run whose batches are dealt."""
    if confirmer.name == RULE:
        return estimated([], confirmer.models)
    expected = [one for target in targets(run) for family in target.families for one in _of_family(run, store, confirmer, (target, family))]
    return estimated(expected, confirmer.models)


def _of_family(run: Run, store: Store, confirmer: Confirmer, about: tuple[Target, Family]) -> list[Expected]:
    (target, family), reserved, request = about, store.reserved(), run.asked.request
    batches = [
        [place for place in made_by_step(run.batch(batch), Place) if place.session not in reserved] for batch in run.batches(target.id)
    ]
    places = [place for batch in batches for place in batch]
    if not places:
        return []
    probes = 0 if target.joint else 2 * request.probe
    calls, most = _asked_about(batches, request.maximum) + probes, len(places) + probes
    sample = [(store.session(place.session), place) for place in places[:SAMPLE]]
    asked = questions(family)
    fixed = (
        len(prompts.load(PROMPT).text)
        + len(family.card.definition)
        + sum(map(len, family.card.not_this))
        + sum(len(one.ask) for one in asked.values())
    )
    stages = [_Stage(PROMPT, fixed, [excerpt(session, place.hit).text for session, place in sample], AN_ANSWER * len(asked))]
    if request.domain is not None:
        stages.append(_Stage(SUMMARY, len(prompts.load(SUMMARY).text), [outline(session) for session, _ in sample], A_SUMMARY))
        stages.append(_Stage(DOMAIN, len(prompts.load(DOMAIN).text), ["x" * A_SUMMARY * CHARACTERS], AN_ANSWER))
    return [_expected(stage, calls, most, confirmer) for stage in stages]


def _asked_about(batches: list[list[Place]], maximum: int) -> int:
    """Candidates asked about until there are enough: whole batches, since a batch is asked about as a whole."""
    wanted, calls = maximum / USABLE, 0
    for batch in batches:
        calls += len(batch) if calls < wanted else 0
    return calls


@dataclass(frozen=True, slots=True)
class _Stage:
    """What one kind of call holds: its fixed text, what is shown in a sample of calls, and the tokens of its answer."""

    purpose: Literal["confirm", "summary", "domain"]
    fixed: int
    shown: list[str]
    answer: int


def _expected(stage: _Stage, calls: int, most_calls: int, confirmer: Confirmer) -> Expected:
    limit = longest(confirmer.models.endpoint(confirmer.name), stage.purpose, confirmer.models.parameters(stage.purpose))
    characters = stage.fixed + sum(map(len, stage.shown)) // len(stage.shown)
    widest = max(len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) for text in stage.shown)
    return Expected(
        stage=stage.purpose,
        model=confirmer.name,
        calls=calls,
        most_calls=2 * most_calls,  # one repair each
        input=calls * characters // CHARACTERS,
        output=calls * stage.answer,
        most=(2 * stage.fixed + widest + FRAME + A_MESSAGE, limit),
    )
