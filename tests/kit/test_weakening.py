"""Test paths, failing runs, and what weakens a test."""

from typing import Any

import pytest

from tracedance.kit import evidence, sessions, testing, weakening


@pytest.mark.parametrize("path", ["tests/test_a.py", "src/a.test.ts", "pkg/foo_test.go", "conftest.py"])
def test_test_paths(path: str) -> None:
    assert evidence.is_test_path(path)


@pytest.mark.parametrize("path", ["src/latest.py", "src/contest.ts"])
def test_other_paths(path: str) -> None:
    assert not evidence.is_test_path(path)


@pytest.mark.parametrize(
    "text",
    [
        "@unittest.skip('pre-existing')",
        "it.skip('x', () => {})",
        "pytest.mark.xfail",
        "npm test || true",
        "#[ignore]",
        '  xit "ranks" do',
        'it "ranks", :skip do',
        "@tag :skip",
        "TEST(Rank, DISABLED_Ties) {",
        "throw XCTSkip()",
    ],
)
def test_marks_that_weaken(text: str) -> None:
    assert weakening.WEAKEN.search(text)


@pytest.mark.parametrize("text", ["skipped lines", "def test_skip_list(): assert f() == 1", "testing", "disabled_rows = 3", 'exit "x"'])
def test_words_that_do_not(text: str) -> None:
    assert not weakening.WEAKEN.search(text)


@pytest.mark.parametrize(
    "text", ["2 failed, 10 passed in 1s", "FAILED tests/test_a.py::test_x", "Tests: 1 failed", "AssertionError: 1 != 2"]
)
def test_failures(text: str) -> None:
    assert testing.shows_failure(text)


@pytest.mark.parametrize("text", ["0 failed", "0 failures"])
def test_no_failures(text: str) -> None:
    assert not testing.shows_failure(text)


def test_test_out_of_the_lexicon() -> None:
    wanted = [
        "3 passed in 0.01s",
        "Ran 12 tests in 0.4s",
        "test result: ok. 5 passed; 0 failed",
        "Tests:       1 failed, 11 passed, 12 total",
    ]
    assert all(testing.shows_run(text) for text in [*wanted, "1321 pass\n0 fail"])
    assert not any(testing.shows_run(text) for text in ("passed the argument", "tests are in tests/"))


TEST = "tests/test_a.py"


@pytest.mark.parametrize(
    "old, new, failure, wanted",
    [
        ("def test_a():", "@unittest.skip('flaky')\ndef test_a():", "", True),
        ("assert f() == 1\nassert g() == 2", "assert f() == 1", "", True),
        ("assert total() == 42", "assert total() == 41", "E   assert 41 == 42", True),
        ("expect(t).toBe(42)", "expect(t).toBe(41)", "Expected: 42\nReceived: 41", True),
        ("wait(timeout=5)", "wait(timeout=60)", "", True),
        ("import a", "import a.b", "", False),
        ("assert f() == 1", "assert f() == 1\nassert g() == 2", "", False),
        ("assert total() == 42", "assert total() == 40", "E   assert 41 == 42", False),
    ],
)
def test_edits_are_compared(old: str, new: str, failure: str, wanted: bool) -> None:
    call: dict[str, Any] = {"Edit": {"file_path": TEST, "old_string": old, "new_string": new}}
    assert bool(weakening.weakened(sessions.build([{"call": call}]).turns[0], failure)) == wanted


def test_assertions_that_move_are_kept() -> None:
    cut = {"Edit": {"file_path": TEST, "old_string": "assert f() == 1\nx", "new_string": "x"}}
    put = {"Write": {"file_path": "tests/test_b.py", "content": "assert f() == 1"}}
    assert weakening.weakened(sessions.build([{"calls": [cut, put]}]).turns[0]) == []
