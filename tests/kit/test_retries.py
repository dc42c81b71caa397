"""What counts as the same call sent again."""

from typing import Any

import pytest

from tracedance.kit import retries, sessions
from tracedance.schema import ToolCall


def calls(first: dict[str, Any], second: dict[str, Any], error: str = "Error: no") -> tuple[ToolCall, ToolCall]:
    session = sessions.build([{"user": "Go."}, {"call": first}, {"error": error}, {"call": second}])
    return session.turns[3].calls[0], session.turns[1].calls[0]


def bash(command: str, **more: Any) -> dict[str, Any]:
    return {"Bash": {"command": command, **more}}


@pytest.mark.parametrize(
    "first, second",
    [
        (bash("npm run build"), bash("npm run build 2>&1 | tail -20")),
        (bash("npm run build 2>&1"), bash("npm run  build", description="Build again", timeout=9000)),
        (bash("make || true"), bash("make;")),
        ({"get_order": {"id": "W1", "reason": "look"}}, {"get_order": {"reason": "look again", "id": "W1"}}),
    ],
)
def test_looks_make_no_other_call(first: dict[str, Any], second: dict[str, Any]) -> None:
    again, earlier = calls(first, second)
    assert retries.same_effect(again, earlier)
    assert not retries.same_effect(again, earlier, strict=True)


@pytest.mark.parametrize(
    "first, second, error",
    [
        (bash("npm run build"), bash("npm run build -- --verbose"), "no"),
        (bash("cat <<'E'\na  b\nE"), bash("cat <<'E'\na b\nE"), "no"),
        (bash('echo "a  b"'), bash('echo "a b"'), "no"),
        (bash("make", timeout=1), bash("make", timeout=9), "Command timed out after 1s"),
        ({"note": {"id": "W1", "reason": ""}}, {"note": {"id": "W1", "reason": "moved"}}, "reason must not be empty"),
        ({"Edit": {"file_path": "a", "old_string": " x"}}, {"Edit": {"file_path": "a", "old_string": "x"}}, "no"),
        ({"get_order": {"id": "W1"}}, {"get_user": {"id": "W1"}}, "no"),
    ],
)
def test_what_matters_makes_another_call(first: dict[str, Any], second: dict[str, Any], error: str) -> None:
    assert not retries.same_effect(*calls(first, second, error))


def test_a_long_command_of_spaces_is_read_in_bounded_time() -> None:
    assert retries.plain_command("make" + " " * 200_000 + "| tail -5")
