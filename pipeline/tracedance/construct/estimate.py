"""What confirming the candidates of a build would cost. Scans and deals like the build itself; no model is asked."""

from __future__ import annotations

import json
from typing import Any

from tracedance.construct.confirm import RULE, Confirmer, questions
from tracedance.construct.excerpt import excerpt
from tracedance.construct.run import BATCH, Run
from tracedance.construct.steps import made_by_step
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
CHARACTERS = 4
"""Characters to a token."""


def estimate(run: Run, store: Store, confirmer: Confirmer) -> dict[str, Any]:
    """Calls and dollars by stage, role and model, of a run whose batches are dealt."""
    if confirmer.name == RULE:
        return estimated([], confirmer.models)
    expected = [one for family in run.asked.request.families if (one := _of_family(run, store, confirmer, family))]
    return estimated(expected, confirmer.models)


def _of_family(run: Run, store: Store, confirmer: Confirmer, name: str) -> Expected | None:
    reserved = store.reserved()
    every = [place for batch in run.batches(name) for place in made_by_step(run.batch(batch), Place)]
    places = [place for place in every if place.session not in reserved]
    if not places:
        return None
    family = next(one for one in run.families if one.id == name)
    asked = questions(family)
    fixed = len(prompts.load("confirm").text) + len(family.card.definition) + sum(len(one.ask) for one in asked.values())
    shown = [excerpt(store.session(place.session), place.hit).text for place in places[:SAMPLE]]
    wanted = -(-int(run.asked.request.maximum / USABLE) // BATCH) * BATCH  # a batch is asked about as a whole
    calls = min(len(places), wanted)
    limit = longest(confirmer.models.endpoint(confirmer.name), "confirm", confirmer.models.parameters("confirm"))
    characters = fixed + sum(map(len, shown)) // len(shown)
    widest = max(len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) for text in shown)
    return Expected(
        stage="confirm",
        model=confirmer.name,
        calls=calls,
        most_calls=2 * len(places),  # one repair each
        input=calls * characters // CHARACTERS,
        output=calls * AN_ANSWER * len(asked),
        most=(2 * fixed + widest + FRAME + A_MESSAGE, limit),
    )
