"""What results say of the work, and which failures nothing made good."""

from typing import Any

import pytest

from tracedance.kit import sessions, verdicts


def left(*turns: dict[str, Any]) -> list[str]:
    session = sessions.build([{"user": "Go."}, *turns])
    return [each.kind for each in verdicts.unresolved(session, 0, len(session.turns))]


def bash(command: str) -> dict[str, Any]:
    return {"call": {"Bash": {"command": command}}}


@pytest.mark.parametrize(
    "command, output",
    [
        ("mysql app < a.sql", "Query OK, 0 rows affected, 3 warnings"),
        ("git merge work", "CONFLICT (content): Merge conflict in a.c"),
        ("./deploy", "Traceback (most recent call last):"),
        ("./notify", '"delivered": false'),
        ("pytest", "2 failed, 10 passed in 1s"),
        ("pytest", "FAILED tests/test_a.py::test_x"),
        ("npx jest", "Tests: 1 failed"),
    ],
)
def test_failures_that_no_status_shows(command: str, output: str) -> None:
    assert left(bash(command), {"result": output})


@pytest.mark.parametrize(
    "command, output",
    [
        ("./deploy", "All good"),
        ("tsc", "0 errors"),
        ("git commit -m x", "[SKIPPED] lint-staged could not find any staged files"),
        ("git commit -m x", "error: a hook printed this\n[main 1a2b3c] x"),
        ("pytest", "0 failed"),
        ("npx jest", "0 failures"),
        ("cat build.log", "Traceback (most recent call last):"),
    ],
)
def test_what_is_no_failure(command: str, output: str) -> None:
    assert not left(bash(command), {"result": output})


def test_a_later_success_of_the_kind_makes_good() -> None:
    failed = {"text": "Exit code 1", "error": True, "exit": 1}
    assert left(bash("make build"), {"result": failed}, bash("make all"), {"result": "ok"}) == []
    assert left(bash("make build"), {"result": failed}, bash("pytest"), {"result": "3 passed"}) == ["run"]
    # The same command: that it now prints a runner's summary makes it no other work.
    assert left(bash("./ci.sh"), {"result": failed}, bash("./ci.sh"), {"result": "3 passed"}) == []


def test_verdicts_from_the_end_are_those_from_the_start() -> None:
    made = [
        turn
        for number, output in enumerate(("2 failed", "ok", "3 passed"))
        for turn in (bash(("pytest", "./deploy", "pytest")[number]), {"result": output})
    ]
    session = sessions.build([{"user": "Go."}, *made])
    told = list(verdicts.verdicts(session, 0, len(session.turns)))
    assert len(told) == 3 and list(verdicts.backwards(session, 0, len(session.turns))) == told[::-1]


def test_of_several_failures_the_kind_that_was_tried_first_stands_first() -> None:
    failing = [bash("pytest"), {"result": "2 failed"}, bash("./deploy"), {"result": "Traceback (most recent call last):"}]
    assert left(*failing, bash("pytest"), {"result": "2 failed"}) == ["tests", "run"]
