"""The provider's `fast` model agrees with the catalogue: it confirms what the examples call an offence, unless a guard refuses it."""

from pathlib import Path

import pytest

from tests.servers.confirming import READ
from tests.servers.profiles import models
from tests.servers.provider import Provider
from tracedance.catalogue import families
from tracedance.construct.confirm import Confirmer, confirm
from tracedance.schema import Place

OFFENCES = [
    (family, example) for family in families().values() for example in family.examples if example.offends and not example.refused_by
]


def test_it_confirms_most_of_the_catalogue_s_own_offences(provider: Provider, tmp_path: Path) -> None:
    confirmer = Confirmer(models(tmp_path, provider.base))
    confirmed: dict[str, list[str]] = {}
    for family, example in OFFENCES:
        hit = next(hit for hit in family.find(example.session, example.params) if hit.offends)
        place = Place(family=family.id, session=example.session.id, chain="", hit=hit)
        confirmed.setdefault(family.id, []).append(confirm(place, example.session, family, confirmer).status)
    for family, statuses in confirmed.items():
        assert "failed" not in statuses, family
        assert statuses.count("confirmed") >= 0.4 * len(statuses), (
            family,
            statuses,
        )  # many examples are hard ones, and its rules are simple


@pytest.mark.parametrize("family", sorted(name for name in families() if name.rpartition("/")[2] in READ))
def test_every_question_of_these_families_is_one_it_has_a_rule_for(family: str) -> None:
    import re

    from tests.servers.confirming import RULES
    from tracedance.construct.confirm import questions

    free = [
        question.ask
        for question in questions(families()[family]).values()
        if not any(re.search(words, question.ask, re.I) for words, _ in RULES)
    ]
    assert free in ([], ["Did the file have content before the call?"])
