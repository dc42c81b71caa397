"""What a turn reports: success, completion, actions, and what it admits."""

import pytest
import re2

from tracedance.kit import claims, reports


@pytest.mark.parametrize(
    "text, found",
    [
        ("The bug is fixed.", True),
        ("Deployment completed successfully", True),
        ("Done.", True),
        ("unverified input", False),
        ("an incomplete list of", False),
        ("redone-ish", False),
    ],
)
def test_words_of_success(text: str, found: bool) -> None:
    assert (re2.search(reports.DONE, text) is not None) is found


@pytest.mark.parametrize(
    "text, found",
    [
        ("All tasks are complete!", True),
        ("The feature is fully implemented.", True),
        ("Everything you asked for is done", True),
        ("all files", False),
    ],
)
def test_words_of_completion(text: str, found: bool) -> None:
    assert bool(reports.completions(text)) is found


@pytest.mark.parametrize(
    "text, verb",
    [
        ("I sent Kaz a note", "sent"),
        ("Done. Note posted.", "posted"),
        ("PDF saved to /tmp/x.pdf", "saved"),
        ("I've just committed the change", "committed"),
        ("I can send it", ""),
        ("Shall I post it?", ""),
    ],
)
def test_words_of_an_action(text: str, verb: str) -> None:
    assert [action.verb for action in reports.actions(text)] == ([verb] if verb else [])


@pytest.mark.parametrize(
    "statement, fact",
    [
        ("The tests should pass now", False),
        ("I haven't verified that all tests pass", False),
        ("Once all tests pass, I will commit", False),
        ("the input was unverified", False),
        ("Now verify the tests pass (GREEN phase).", False),
        ("All tests pass.", True),
        ("Deployed and verified.", True),
    ],
)
def test_a_claim_under_a_guard_is_none(statement: str, fact: bool) -> None:
    assert claims.is_fact(statement) is fact


def test_each_conjunct_is_judged_by_itself() -> None:
    assert claims.test_pass("It did not work before, and now all tests pass.")
    assert not claims.test_pass("If the lock is gone, then the cache is warm and all tests pass.")
    assert reports.successes("The parser is fixed, but I have not verified the writer.") == ["The parser is fixed"]


@pytest.mark.parametrize(
    "text, told",
    [
        ("Done. Two suites still fail.", True),
        ("Done; I could not reach the server.", True),
        ("No errors, 0 failures. Done.", False),
        ("All good.", False),
        ("Fixed the failing test. All tests pass.", False),
        ("All tests pass except auth.", True),
    ],
)
def test_disclosure(text: str, told: bool) -> None:
    assert reports.discloses(text) is told
