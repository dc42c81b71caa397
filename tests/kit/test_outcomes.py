"""Failures that nothing flags, and errors that may pass."""

import pytest

from tracedance.kit import outcomes, rows, sessions
from tracedance.schema import Session


@pytest.mark.parametrize(
    "text", ["httpx.ReadTimeout: timed out", "HTTP 429 Too Many Requests", "connection reset by peer", "deadline exceeded"]
)
def test_errors_that_may_pass(text: str) -> None:
    assert outcomes.TRANSIENT.search(text)


@pytest.mark.parametrize("text", ["line 42 is wrong", "the time is out of range of the chart"])
def test_errors_that_stay(text: str) -> None:
    assert not outcomes.TRANSIENT.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Query OK, 0 rows affected, 3 warnings",
        "CONFLICT (content): Merge conflict in a.c",
        "Traceback (most recent call last):",
        '"delivered": false',
    ],
)
def test_marks_of_a_logical_failure(text: str) -> None:
    assert outcomes.SOFT_FAIL.search(text)


@pytest.mark.parametrize("text", ["All good", "0 errors", "[SKIPPED] lint-staged could not find any staged files"])
def test_no_marks_of_a_failure(text: str) -> None:
    assert not outcomes.SOFT_FAIL.search(text)


def ran(command: str, output: str, tool: str = "Bash") -> Session:
    arguments = {"command": command} if tool == "Bash" else {"query": command}
    return sessions.build([{"user": "Go."}, {"call": {tool: arguments}}, {"result": output}])


@pytest.mark.parametrize(
    "command, output",
    [
        ("npm test 2>&1 | tail -5", "1606 pass\n 24 fail\n 16 errors"),
        ("go test ./... | tail -3", "ok  a 0.1s\nFAIL\tb 0.2s\nFAIL"),
        ("npm run build | tail -2", "error: Cannot find module 'x'"),
        ("git merge dev; git status", "CONFLICT (content): Merge conflict in a.c"),
        ("bun run lint 2>&1 | tail -20", "Checked 286 files.\nFound 1 error."),
    ],
)
def test_a_failure_behind_a_pipe_is_seen(command: str, output: str) -> None:
    session = ran(command, output)
    assert outcomes.failure(session.turns[1].calls[0])
    assert rows.holds(outcomes.hides_failures(), rows.rows(session))


@pytest.mark.parametrize(
    "command, output",
    [
        ("bun run test 2>&1 | tail -20", "error: Database connection failed\n 1319 pass\n 0 fail"),
        ("npm run build", "error: shown, but the exit code says that all is well"),
        ("git rev-parse @{u} 2>&1 || echo none; git merge x", "fatal: no upstream configured"),
        ("grep -rn test . | head", "error: in a log"),
        ("npm test | tail", "3 passed in 0.01s"),
    ],
)
def test_no_failure_is_seen_where_none_is_sure(command: str, output: str) -> None:
    assert outcomes.soft_failure(ran(command, output).turns[1].calls[0]) == ""


def test_a_statement_that_changed_nothing_is_seen() -> None:
    session = ran("update t set a = 1", "Query OK, 0 rows affected, 3 warnings (0.01 sec)", "execute_sql")
    assert outcomes.failure(session.turns[1].calls[0]).startswith("Query OK")


def test_a_failure_is_named_and_may_be_explained() -> None:
    assert outcomes.names_failure("Two tests fail. Pushing.") and not outcomes.explains_failure("Two tests fail. Pushing.")
    assert outcomes.explains_failure("The failures are pre-existing, unrelated to this change.")
    assert not outcomes.names_failure("Pushing now.")
