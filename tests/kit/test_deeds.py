"""Which calls can have done what a verb says."""

from typing import Any

import pytest

from tracedance.kit import deeds, sessions


def call(name: str, arguments: dict[str, Any]) -> Any:
    return sessions.build([{"user": "Go."}, {"call": {name: arguments}}, {"result": "ok"}]).turns[1].calls[0]


@pytest.mark.parametrize(
    "name, arguments, verb, can",
    [
        ("send_email", {"to": "kaz"}, "sent", True),
        ("get_messages", {}, "sent", False),
        ("cancel_reservation", {"reservation_id": "A1"}, "cancelled", True),
        ("get_reservation_details", {"reservation_id": "A1"}, "cancelled", False),
        ("GitHubGetRepositoryDetails", {"name": "x"}, "created", False),
        ("GitHubCreateRepository", {"name": "x"}, "created", True),
        ("Read", {"file_path": "/a"}, "read", True),
        ("Read", {"file_path": "/a"}, "saved", False),
        ("Write", {"file_path": "/a", "content": ""}, "saved", True),
        ("Bash", {"command": "git status"}, "pushed", False),
        ("Bash", {"command": "git push"}, "pushed", True),
        ("Bash", {"command": "cat a"}, "read", True),
        ("Task", {"prompt": "x"}, "sent", True),
    ],
)
def test_a_call_can_have_done_it(name: str, arguments: dict[str, Any], verb: str, can: bool) -> None:
    assert deeds.performs(call(name, arguments), verb) is can


def test_things_are_named_exactly() -> None:
    assert deeds.identifiers("I sent HSR97W to kim@example.org, see src/a.py, e.g. today.") == ["HSR97W", "kim@example.org", "a.py"]
