"""A failed test run behind a pipe or `|| true` is a failure."""

import pytest

from tracedance.kit.errors import outcome

PYTEST = "tests/test_a.py F.\n==== short test summary info ====\nFAILED tests/test_a.py::test_x\n==== 1 failed, 1 passed in 0.03s ===="


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest -q 2>&1 | tail -20", PYTEST),
        ("cd app && python -m pytest || true", PYTEST),
        ("pytest -q; echo done", "F.\n1 failed, 1 passed in 0.12s\ndone"),
        ("pytest | tail -3", f"\x1b[31m{PYTEST}\x1b[0m"),
        ("python -m unittest 2>&1 | tail -5", "Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)"),
        ("cargo test 2>&1 | grep -v warning", "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
        ("go test ./... | tee out.log", "--- FAIL: TestSum (0.00s)\nFAIL\nFAIL\texample.com/sum\t0.004s"),
        ("npm test 2>&1 | tail -8", "Tests:       2 failed, 11 passed, 13 total\nTime:        1.2 s"),
        ("npx mocha | cat", "  4 passing (12ms)\n  1 failing\n"),
        ("mvn -q test | tail -3", "[ERROR] BUILD FAILURE"),
    ],
)
@pytest.mark.parametrize("flagged", [None, False])
def test_a_hidden_failure_is_an_error(command: str, text: str, flagged: bool | None) -> None:
    assert outcome("shell", text, flagged, 0, command)[:2] == ("error", "test_fail")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest -q | tail -1", "2 passed in 0.03s"),
        ("pytest -q | tail -1", "0 failed, 2 passed in 0.03s"),
        ("pytest -q", PYTEST),  # nothing hides its exit code, which is 0: the text is somebody's log
        ("cat build.log | tail -20", PYTEST),
        ("git log -3 | cat", "fix: 1 failed, 1 passed in 0.03s"),
        ("set -o pipefail; pytest | tail -20", PYTEST),
        ("go test ./... | tail -5", "ok  \texample.com/sum\t0.004s"),
        ("pytest -q | tail", "tests/test_a.py:3: the old code said: 1 failed, 1 passed\n2 passed in 0.03s"),
    ],
)
def test_what_only_looks_like_one_is_none(command: str, text: str) -> None:
    assert outcome("shell", text, None, 0, command)[0] == "ok"


def test_a_masked_run_that_the_harness_stopped_never_failed() -> None:
    assert outcome("shell", "[Request interrupted by user for tool use]", True, None, "pytest | tail")[0] == "interrupted"
