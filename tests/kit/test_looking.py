"""Calls that only look, and what calls are about."""

from typing import Any

import pytest

from tracedance.kit import looking, sessions
from tracedance.schema import ToolCall


def call(made: dict[str, Any]) -> ToolCall:
    return sessions.build([{"user": "Go."}, {"call": made}]).turns[1].calls[0]


@pytest.mark.parametrize(
    "made, look, change",
    [
        ({"Read": {"file_path": "a.py"}}, True, False),
        ({"Bash": {"command": "cd /repo && git status --short | head -5"}}, True, False),
        ({"Bash": {"command": "gh run view 12 --log-failed 2>/dev/null"}}, True, False),
        ({"Bash": {"command": "curl -s http://localhost:1/x"}}, True, False),
        ({"Bash": {"command": "curl -X POST http://localhost:1/x"}}, False, True),
        ({"Bash": {"command": "sed -n 1,5p a.py"}}, True, False),
        ({"Bash": {"command": "sed -i s/a/b/ a.py"}}, False, True),
        ({"Bash": {"command": "ls > files.txt"}}, False, True),
        ({"Bash": {"command": "pytest -q"}}, False, False),
        ({"Bash": {"command": "npm install && pytest"}}, False, True),
        ({"Bash": {"command": "python -c 'print(1)'"}}, False, True),
        ({"get_order_details": {"id": "W1"}}, True, False),
        ({"mcp__shop__cancel_order": {"id": "W1"}}, False, True),
        ({"execute_sql": {"query": "select 1"}}, True, False),
        ({"execute_sql": {"query": "delete from t"}}, False, True),
        ({"TodoWrite": {"todos": []}}, False, False),
        ({"BashOutput": {"bash_id": "b1"}}, True, False),
        ({"KillShell": {"shell_id": "b1"}}, False, True),
    ],
)
def test_looks_are_told_from_changes(made: dict[str, Any], look: bool, change: bool) -> None:
    assert (looking.looks_only(call(made)), looking.may_change(call(made))) == (look, change)


def test_objects_are_what_the_values_name() -> None:
    found = looking.objects(call({"book": {"user_id": "ivan_1", "cabin": "economy", "note": "see teams/data.txt", "n": 3}}))
    assert found == {"ivan_1", "data.txt"}


def test_two_calls_share_a_file_by_its_name() -> None:
    assert looking.shares_object(call({"Read": {"file_path": "/repo/src/a.py"}}), call({"Bash": {"command": "python src/a.py"}}))
    assert not looking.shares_object(call({"Read": {"file_path": "/repo/src/a.py"}}), call({"Bash": {"command": "ls src"}}))
