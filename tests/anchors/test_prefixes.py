"""No shipped family decides by what came later: where a session ends behind a decision, it says the same of it, its guards among it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tracedance.catalogue import Family, families
from tracedance.ingest.shapes import shapes
from tracedance.kit.chain import canonical
from tracedance.schema import Hit, Session
from tracedance.synthesis.plain import prefix


def settled(session: Session, decision: int) -> int:
    """How many turns may be read to judge a decision: up to it, and the results of its own calls."""
    return decision + 1 + bool(session.turns[decision].calls)


def told(family: Family, session: Session, hit: Hit) -> tuple[object, ...]:
    refusing = sorted(name for name, guard in family.guards.items() if guard(session, hit))
    return hit.decision, hit.offends, hit.evidence, hit.why, canonical(dict(hit.facts)), refusing


def offences(family: Family, session: Session, cut: int, params: dict[str, object]) -> Iterator[tuple[object, ...]]:
    """What is said of the offences that are settled within the first `cut` turns."""
    for hit in family.find(session, params):
        if hit.offends and settled(session, hit.decision) <= cut:
            yield told(family, session, hit)


@pytest.mark.parametrize("family", families().values(), ids=lambda family: family.id)
def test_a_family_decides_on_what_was_known(family: Family) -> None:
    for example in family.examples:
        # As importers do, from the whole session: an anchor that reads them knows of later calls.
        session = replace(example.session, shapes=shapes(example.session.calls()))
        params = dict(example.params)
        for cut in range(1, len(session.turns)):
            early = prefix(session, cut)
            assert list(offences(family, early, cut, params)) == list(offences(family, session, cut, params)), (example.name, cut)
