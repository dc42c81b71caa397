"""Statements about named sources, and whether a name had come up."""

import re

import pytest

from tracedance.kit import sessions, sources


@pytest.mark.parametrize("text", ["`src/a.py` defines two classes", "config.ts doesn't set a timeout", "see line 42"])
def test_words_that_say_something_of_a_source(text: str) -> None:
    assert re.search(rf"(?i)\b{sources.PREDICATE}\b", text)


@pytest.mark.parametrize(
    "text, named",
    [
        ("`src/a.py` defines two classes", ["src/a.py"]),
        ("config.ts doesn't set a timeout", ["config.ts"]),
        ("In `src/b.go`, the loop never ends.", ["src/b.go"]),
        ("https://example.org/x says that it is free", ["https://example.org/x"]),
        ("The leak is at worker.py:88.", ["worker.py"]),
        ("Let me open src/a.py", []),
        ("`src/a.py` will contain the pool", []),
        ("Does src/a.py define it?", []),
        ("I edited src/a.py.", []),
    ],
)
def test_statements_about_a_source(text: str, named: list[str]) -> None:
    assert [each.source for each in sources.said(text)] == named


def test_a_listing_does_not_bring_a_source_up() -> None:
    turns = [{"user": "Go."}, {"call": {"Bash": {"command": "ls src"}}}, {"result": "a.py"}]
    assert sources.named_before(sessions.build(turns), "src/a.py", 3) is None
    read = [{"user": "Go."}, {"call": {"Read": {"file_path": "src/a.py"}}}, {"result": "x = 1"}]
    assert sources.named_before(sessions.build(read), "src/a.py", 3) == 1
