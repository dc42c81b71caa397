"""The engine of ordered items: what each predicate says, and that what is unknown settles nothing."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracedance.gate.ordered import Finding, Item, Outcome, Picked, Why, before, count, each, eventually, never, pick, sequence, within


def items(names: str) -> list[Item]:
    return [Item.at(place, name) for place, name in enumerate(names)]


def of(names: str, name: str) -> Picked:
    """The items of that letter; an upper-case one may or may not be one."""
    told = {name: True, name.upper(): None}
    return pick(items(names), lambda item: told.get(item.name, False))


def outcome(finding: Finding) -> str:
    return finding.outcome.value


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("ab", "pass"),
        ("ba", "fail"),
        ("bab", "fail"),
        ("abab", "pass"),
        ("a", "not_applicable"),
        ("", "not_applicable"),
        ("b", "fail"),
        ("Ab", "unknown"),
        ("aB", "pass"),
        ("B", "unknown"),
        ("Ba", "unknown"),
        ("Bab", "unknown"),
        ("bAb", "fail"),
        ("AB", "unknown"),
    ],
)
def test_before_is_decided_by_the_earliest_trigger(names: str, said: str) -> None:
    assert outcome(before(of(names, "a"), of(names, "b"))) == said


def test_an_item_with_duration_precedes_nothing_that_starts_before_its_end() -> None:
    long, short = Item(0, 0, 5, "a"), Item(1, 3, 4, "b")
    assert outcome(before(Picked((long,), (long,)), Picked((short,), (short,)))) == "fail"
    later = Item(1, 6, 7, "b")
    assert outcome(before(Picked((long,), (long,)), Picked((later,), (later,)))) == "pass"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("ab", "pass"),
        ("abab", "pass"),
        ("aabb", "fail"),
        ("abb", "fail"),
        ("a", "not_applicable"),
        ("b", "fail"),
        ("Ab", "unknown"),
        ("abB", "unknown"),
        ("aAbAb", "unknown"),
        ("ba", "fail"),
    ],
)
def test_each_match_needs_a_partner_of_its_own(names: str, said: str) -> None:
    assert outcome(each(of(names, "b"), of(names, "a"))) == said


def test_never_and_eventually_apply_to_an_empty_unit() -> None:
    assert (outcome(never(of("", "a"))), outcome(eventually(of("", "a")))) == ("pass", "fail")
    assert (outcome(never(of("A", "a"))), outcome(eventually(of("A", "a")))) == ("unknown", "unknown")
    assert (outcome(never(of("aA", "a"))), outcome(eventually(of("aA", "a")))) == ("fail", "pass")


def test_a_finding_names_the_items_that_broke_it() -> None:
    found = before(of("bcab", "a"), of("bcab", "b"))
    assert (found.why, [item.place for item in found.items]) == (Why.OUT_OF_ORDER, [0])
    assert [item.place for item in never(of("cacA", "a")).items] == [1]


@pytest.mark.parametrize(
    ("names", "low", "high", "said"), [("aa", 2, 2, "pass"), ("aa", 3, None, "fail"), ("aa", 0, 1, "fail"), ("aA", 2, 2, "unknown")]
)
def test_count_has_inclusive_bounds(names: str, low: int, high: int | None, said: str) -> None:
    assert outcome(count(of(names, "a"), low, high)) == said


@pytest.mark.parametrize(
    ("names", "steps", "said"),
    [
        ("abc", "abc", "pass"),
        ("axbxc", "abc", "pass"),
        ("acb", "abc", "fail"),
        ("ab", "aa", "fail"),
        ("aa", "aa", "pass"),
        ("", "", "pass"),
        ("aBc", "abc", "unknown"),
        ("bab", "ab", "pass"),
    ],
)
def test_sequence_takes_the_earliest_of_each_step(names: str, steps: str, said: str) -> None:
    assert outcome(sequence([of(names, step) for step in steps])) == said


@pytest.mark.parametrize(
    ("names", "most", "said"),
    [
        ("axxb", 2, "fail"),
        ("axxb", 3, "pass"),
        ("axxbab", 2, "fail"),
        ("b", 9, "fail"),
        ("ab", 0, "fail"),
        ("Ab", 1, "unknown"),
    ],
)
def test_within_counts_from_the_first_trigger(names: str, most: int, said: str) -> None:
    assert outcome(within(of(names, "a"), of(names, "b"), most)) == said


PREDICATES = {
    "before": lambda names: before(of(names, "a"), of(names, "b")),
    "each": lambda names: each(of(names, "b"), of(names, "a")),
    "never": lambda names: never(of(names, "a")),
    "eventually": lambda names: eventually(of(names, "a")),
    "count": lambda names: count(of(names, "a"), 1, 2),
    "sequence": lambda names: sequence([of(names, "a"), of(names, "b")]),
}


@settings(max_examples=300, deadline=None)
@given(st.text("abxAB", max_size=6))
def test_what_is_unknown_is_settled_only_where_every_reading_agrees(names: str) -> None:
    doubtful = [place for place, name in enumerate(names) if name.isupper()]
    for judge in PREDICATES.values():
        readings = set()
        for kept in product([True, False], repeat=len(doubtful)):
            read = [
                name.lower() if place not in doubtful else name.lower() if kept[doubtful.index(place)] else "x"
                for place, name in enumerate(names)
            ]
            readings.add(judge("".join(read)).outcome)
        said = judge(names).outcome
        if said is Outcome.PASS:
            assert readings <= {Outcome.PASS, Outcome.NOT_APPLICABLE}
        elif said is Outcome.UNKNOWN:
            assert len(readings) > 1
        else:
            assert readings == {said}
