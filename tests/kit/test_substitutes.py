"""Words for invented content, and values that nothing shows."""

from typing import Any

import pytest

from tracedance.kit import sessions, substitutes


@pytest.mark.parametrize("text", ["Let me create mock data so we can continue", "using simulated results", "fallback values"])
def test_words_for_a_substitute(text: str) -> None:
    assert substitutes.MOCK.search(text)


def test_no_word_for_one() -> None:
    assert not substitutes.MOCK.search("the API returned 200")


@pytest.mark.parametrize(
    "text, offers",
    [
        ("Let me create mock data so we can continue.", True),
        ("Using simulated results for the three firms.", True),
        ("I will not use mock data.", False),
        ("Shall I use mock data?", False),
        ("The mock is in place.", False),
    ],
)
def test_an_offer_is_told_from_a_denial(text: str, offers: bool) -> None:
    assert bool(substitutes.says(text)) == offers


@pytest.mark.parametrize(
    "made, invents",
    [
        ({"Write": {"file_path": "/r/prices.json", "content": '{"note": "fallback data"}'}}, True),
        ({"Write": {"file_path": "/r/mock_data.json", "content": "{}"}}, True),
        ({"Write": {"file_path": "/r/tests/a.py", "content": "mock data"}}, False),
        ({"Edit": {"file_path": "/r/a.tsx", "old_string": "a", "new_string": '<input placeholder="Name" />'}}, False),
        ({"Bash": {"command": "echo 'simulated output: 12'"}}, True),
        ({"Bash": {"command": "grep -rn 'mock data' src"}}, False),
    ],
)
def test_what_is_written_is_read_for_substitutes(made: dict[str, Any], invents: bool) -> None:
    call = sessions.build([{"user": "Go."}, {"call": made}]).turns[1].calls[0]
    assert bool(substitutes.written(call)) == invents


def test_values_that_stand_nowhere_before_are_unseen() -> None:
    assert substitutes.unseen_values("rows 1,048, mean 42.3, in 3 files of v1.2", ["1048 rows"]) == ["42.3"]
