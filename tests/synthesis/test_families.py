"""The shipped anchors find in the sandbox what they find without it. TRACEDANCE_ATTACKS=all runs all of them, with the checks."""

import os
from typing import Any

import msgspec
import pytest

from tracedance.catalogue import Family, families
from tracedance.kit.chain import canonical
from tracedance.schema import Hit
from tracedance.synthesis.sandbox import Checks, Draft, run

ALL = os.environ.get("TRACEDANCE_ATTACKS") == "all"
FEW = ("action/secret_exposure", "action/hallucinated_command", "claim/completion_claim_with_open_items", "failure/unchanged_retry")
"""Of every frame, with classes, RE2, guards and shell readers among them."""


def plain(hits: Any) -> list[tuple[Any, ...]]:
    def told(hit: Hit) -> tuple[Any, ...]:
        facts = msgspec.json.decode(msgspec.json.encode(hit.facts))
        return (hit.decision, hit.evidence, hit.offends, hit.why, facts)

    return [told(hit) for hit in hits]


@pytest.mark.parametrize("family", [each for each in families().values() if ALL or each.id in FEW], ids=lambda family: family.id)
def test_a_shipped_anchor_finds_the_same_in_the_sandbox(family: Family) -> None:
    source = (family.folder / "anchors" / family.frame / f"{family.name}.py").read_text()
    by_params: dict[str, list[Any]] = {}
    for example in family.examples:
        by_params.setdefault(canonical(dict(example.params)), []).append(example)
    for examples in by_params.values() if ALL else [by_params["{}"]]:
        params = {**family.card.parameters, **examples[0].params}
        draft = Draft(family.name, source, params, tuple(family.guards), gated=False)
        outcome = run(draft, [each.session for each in examples], checks=Checks(most_share=1.0) if ALL else None)
        assert outcome.refusal is None and outcome.needs == family.needs and not outcome.lost
        for example in examples:
            assert plain(outcome.hits[example.session.id]) == plain(family.find(example.session, example.params)), example.name
            refusing = {name for found in outcome.found[example.session.id] for name in found.refused_by}
            assert refusing == ({example.refused_by} if example.refused_by else set()), example.name
