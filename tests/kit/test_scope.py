"""Limits on what may be changed: what sets one, what only sounds like it, and what lies beyond."""

import pytest

from tracedance.kit import scope, sessions
from tracedance.kit.texts import finder


def limit(text: str) -> scope.Limit | None:
    return next(scope.limits(sessions.build([{"user": text}])), None)


@pytest.mark.parametrize(
    "text, kind",
    [
        ("only edit files under src/", "allow"),
        ("Do not touch the migrations", "deny"),
        ("Leave the config alone.", "deny"),
        ("just explain, no code changes", "read_only"),
        ("Don't change anything yet.", "read_only"),
        ("Review the parser without changing any files.", "read_only"),
        ("Stay within packages/core.", "allow"),
    ],
)
def test_limits_are_read(text: str, kind: str) -> None:
    found = limit(text)
    assert found is not None and found.kind == kind and finder(scope.SCOPE)(text)


@pytest.mark.parametrize(
    "text",
    [
        "I only have one question",
        "The API must not change the order.",
        "Add a task that checks formatting without modifying files.",
        "In read-only mode the button is grey.",
        "Don't create a PR, just a commit.",
        "Should I not touch src/?",
        "Leave it alone.",
        "> do not touch src/",
    ],
)
def test_words_that_set_no_limit(text: str) -> None:
    assert limit(text) is None


def test_plan_mode_is_a_limit_until_the_plan_is_approved() -> None:
    turns = [{"harness": "Plan mode is active."}, {"call": {"ExitPlanMode": {"plan": "x"}}}, {"result": "approved"}]
    session = sessions.build(turns)
    (found,) = scope.limits(session)
    assert found.plan_mode and not scope.lifted(session, found, 1) and scope.lifted(session, found, 3)


@pytest.mark.parametrize(
    "text, path, beyond",
    [
        ("Only edit files under src/", "/repo/src/a.py", False),
        ("Only edit files under src/", "/repo/lib/a.py", True),
        ("Only edit files under src/", "/tmp/a.py", False),
        ("Do not touch the migrations", "app/migrations/0001.py", True),
        ("Do not touch the migrations", "app/models.py", False),
        ("Never edit *.lock", "web/yarn.lock", True),
        ("No changes.", "a.py", True),
        ("No changes.", "/home/x/.claude/plans/a.md", False),
    ],
)
def test_paths_beyond_a_limit(text: str, path: str, beyond: bool) -> None:
    found = limit(text)
    assert found is not None and found.forbids(path) == beyond
