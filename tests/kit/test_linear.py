"""The quick search agrees with the library that it stands before."""

import re

import pytest
import re2

from tracedance.kit import linear, standing

TEXTS = ["", "it failed", "2 failed, 10 passed", "… 3 failed\nand 4 failed", "FAILED", "naïve: 5 failed ✗", "nothing"]


@pytest.mark.parametrize("pattern", [r"(\d+) failed", r"(?i)^failed", r"failed$", r"…|✗", r""])
def test_a_quick_search_finds_what_the_library_finds(pattern: str) -> None:
    ours, theirs = linear.compile(pattern), re2.compile(pattern)
    for text in TEXTS:
        first, expected = ours.search(text), theirs.search(text)
        assert (first and first.span(), ours.holds(text)) == (expected and expected.span(), expected is not None)
        assert [match.span() for match in ours.finditer(text)] == [match.span() for match in theirs.finditer(text)]
        assert (ours.findall(text), ours.sub("*", text)) == (theirs.findall(text), theirs.sub("*", text))


def test_a_text_may_be_searched_encoded() -> None:
    assert linear.compile("é+".encode()).holds("caféé".encode()) and linear.compile("fail").search(b"it fails").start() == 3


def test_the_library_is_asked_where_its_engine_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_QUICK", False)
    pattern = linear.compile(r"\d+ failed")
    assert [pattern.holds(text) for text in TEXTS] == [False, False, True, True, False, True, False]


@pytest.mark.parametrize("name", ["bob", "bob@corp.com", "a+b", "42"])
def test_a_name_stands_where_a_pattern_of_it_matches(name: str) -> None:
    text = "bob, bobby, x.bob and bob's; _bob bob@corp.com a+b 42 421 éa+b\nbob"
    matches = re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
    assert list(standing.places(text, name)) == [match.start() for match in matches]


def test_a_name_is_near_on_the_same_line_only() -> None:
    text = "tell the others that bob\nis here"
    assert standing.near(text, 4, [21]) and not standing.near(text, 4, [27]) and not standing.near(text, 22, [21])
    assert not standing.near("tell" + " " * 161 + "bob", 4, [165]) and standing.near("tell" + " " * 160 + "bob", 4, [164])
