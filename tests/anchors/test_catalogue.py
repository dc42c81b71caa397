"""The whole catalogue: every anchor finds exactly what its examples say, and every guard is needed by one of them."""

import dataclasses
import time
from pathlib import Path
from typing import Any

import pytest

from tracedance.catalogue import Example, Family, families
from tracedance.kit import rows, sessions
from tracedance.schema import Hit

EXAMPLE_FAMILY = Path(__file__).resolve().parents[2] / "configs" / "examples" / "family"
CATALOGUE = families([EXAMPLE_FAMILY])
"""What ships, and the worked example of docs/new-family.md."""


def examples() -> list[object]:
    return [
        pytest.param(family, example, id=f"{family.name}: {example.name}") for family in CATALOGUE.values() for example in family.examples
    ]


def guards() -> list[object]:
    return [pytest.param(family, name, id=f"{family.name}: {name}") for family in CATALOGUE.values() for name in family.guards]


def found(family: Family, example: Example) -> list[Hit]:
    return list(family.find(example.session, example.params))


def refusals(family: Family, example: Example) -> list[str]:
    """Guards that are true of an offence of the example."""
    offences = [hit for hit in found(family, example) if hit.offends]
    return sorted({name for name, guard in family.guards.items() for hit in offences if guard(example.session, hit)})


def misjudged(family: Family) -> list[str]:
    """Examples whose offences a family's guards do not treat as the example says."""
    wanted = {example.name: [example.refused_by] if example.refused_by else [] for example in family.examples}
    return [example.name for example in family.examples if refusals(family, example) != wanted[example.name]]


@pytest.mark.parametrize("family, example", examples())
def test_an_anchor_finds_exactly_what_its_example_says(family: Family, example: Example) -> None:
    hits = found(family, example)
    assert tuple(hit.decision for hit in hits if hit.offends) == example.offends
    assert tuple(hit.decision for hit in hits if not hit.offends) == example.opportunities


@pytest.mark.parametrize("family, example", examples())
def test_the_necessary_condition_holds_wherever_an_example_has_a_hit(family: Family, example: Example) -> None:
    if found(family, example):
        assert rows.holds(family.needs, rows.rows(example.session))


@pytest.mark.parametrize("family, example", examples())
def test_a_hit_is_a_place_that_can_be_cut(family: Family, example: Example) -> None:
    for hit in found(family, example):
        turn = example.session.turns[hit.decision]
        assert turn.role == "assistant" and turn.mark == ""
        assert all(0 <= mark < hit.decision for mark in hit.evidence)
        assert 0 < len(hit.why) <= 300 and "\n" not in hit.why
        assert Hit.model_validate_json(hit.model_dump_json()) == hit


@pytest.mark.parametrize("family", CATALOGUE.values(), ids=lambda family: family.name)
def test_guards_refuse_the_examples_that_name_them_and_no_others(family: Family) -> None:
    assert misjudged(family) == []


@pytest.mark.parametrize("family, name", guards())
def test_without_a_guard_the_example_that_it_alone_refuses_fails_by_name(family: Family, name: str) -> None:
    less = dataclasses.replace(family, guards={other: guard for other, guard in family.guards.items() if other != name})
    assert misjudged(less) == [example.name for example in family.examples if example.refused_by == name] != []


@pytest.mark.parametrize("family", CATALOGUE.values(), ids=lambda family: family.name)
def test_every_session_without_its_condition_has_no_hit(family: Family) -> None:
    """Sessions of the other families' examples are fair samples of sessions that do not meet the condition."""
    for other in CATALOGUE.values():
        for example in other.examples:
            if not rows.holds(family.needs, rows.rows(example.session)):
                assert list(family.find(example.session)) == [], example.name


@pytest.mark.parametrize("family", CATALOGUE.values(), ids=lambda family: family.name)
def test_a_family_is_described_for_people(family: Family) -> None:
    card = family.card
    assert 6 <= len(card.asked_as) <= 16 and len({phrase.lower() for phrase in card.asked_as}) == len(card.asked_as)
    assert sum(any(ord(sign) > 127 for sign in phrase) or " el " in phrase for phrase in card.asked_as) >= 1
    assert len(card.not_this) >= 3 and card.opportunity
    assert card.cut.keeps and card.cut.open_if
    assert sorted(family.rubric.levels) == [0, 1, 2, 3, 4, 5]
    assert set(family.digests) == {"anchor", "family", "rubric", "check"}


FLOODS = {
    "commits in one call": [{"call": {"Bash": {"command": "git init\n" + "git add -A; git commit -m x\n" * 500}}}],
    "commands": [{"call": {"Bash": {"command": "git " * 50_000}}}, {"result": "sed " * 50_000}, {"text": "All tests pass. " * 5_000}],
    "blank lines": [
        {"call": {"Bash": {"command": "git status"}}},
        {"result": "\n" * 200_000},
        {"call": {"Bash": {"command": "git add . && git commit -m x"}}},
    ],
    "spaces": [{"text": " " * 200_000 + "tests pass"}, {"call": {"Bash": {"command": "git add" + " " * 200_000 + "-A; git commit"}}}],
    "brackets": [
        {"call": {"Bash": {"command": "git status"}}},
        {"result": "\tmodified:   " + " (" * 100_000},
        {"call": {"Bash": {"command": "git add -A; git commit"}}},
    ],
    "edits": [
        {"calls": [{"Edit": {"file_path": f"/r/{number}/a.py", "old_string": "x\n" * 50, "new_string": "y"}} for number in range(300)]},
        {"results": [{"text": "String to replace not found in file.", "error": True}] * 300},
        {"calls": [{"Edit": {"file_path": f"/r/{number}/a.py", "old_string": "z", "new_string": "y"}} for number in range(300)]},
    ],
    "half a surrogate": [
        {"text": "All tests pass \ud800."},
        {"call": {"Edit": {"file_path": "\ud800", "old_string": "\ud800", "new_string": ""}}},
    ],
}


@pytest.mark.parametrize("turns", FLOODS.values(), ids=FLOODS.keys())
@pytest.mark.parametrize("family", CATALOGUE.values(), ids=lambda family: family.name)
def test_floods_are_survived_in_bounded_time(family: Family, turns: list[dict[str, Any]]) -> None:
    session = sessions.build([{"user": "go " * 10_000}, *turns])
    started = time.process_time()
    for hit in family.find(session):
        for guard in family.guards.values():
            guard(session, hit)
        assert family.check is not None
        family.check(session.turns[: hit.decision], session.turns[hit.decision], hit.facts)
    assert time.process_time() - started < 5
