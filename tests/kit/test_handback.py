"""Turns that give the work back."""

import pytest
import re2

from tracedance.kit import handback


@pytest.mark.parametrize(
    "text, found",
    [
        ("You'll need to run this yourself.", True),
        ("Unfortunately I can't access it", True),
        ("Here's what I recommend doing manually", True),
        ("Running it again with sudo off", False),
    ],
)
def test_words_of_handing_back(text: str, found: bool) -> None:
    assert (re2.search(handback.HANDBACK, text) is not None) is found
    assert handback.hands_back(text) is found


@pytest.mark.parametrize(
    "text",
    [
        "You can see the result below.",
        "I couldn't find a second caller, so the change is safe.",
        "```\nPlease run this\n```",
        "It can be parsed manually.",
    ],
)
def test_what_hands_nothing_back(text: str) -> None:
    assert not handback.hands_back(text)


def test_what_follows_is_told_apart() -> None:
    assert handback.goes_on("I couldn't run it; I'll try another way.") and not handback.goes_on("Please let me know.")
    assert handback.offers_choice("Which one do you prefer?") and not handback.offers_choice("Please run it.")
    assert handback.needs_person("The registry wants your password.") and not handback.needs_person("File not found.")
