"""What stands open on an agent's own list."""

import pytest

from tracedance.kit import sessions, todos


def test_the_last_list_counts_and_single_updates_change_it() -> None:
    session = sessions.build(
        [
            {"user": "Go."},
            {"call": {"TodoWrite": {"todos": [{"content": "One", "status": "pending"}, {"content": "Two", "status": "completed"}]}}},
            {"result": "ok"},
            {"call": {"update_plan": {"plan": [{"step": "Three", "status": "in_progress"}]}}},
            {"result": "ok"},
            {"call": {"TaskCreate": {"subject": "Four"}}},
            {"result": "Task #7 created successfully: Four"},
            {"call": {"TaskUpdate": {"taskId": "7", "status": "completed"}}},
            {"result": "ok"},
        ]
    )
    assert [(item.title, item.open) for item in todos.items(session, 3)] == [("One", True), ("Two", False)]
    assert [(item.title, item.open, item.turn) for item in todos.items(session, 9)] == [("Three", True, 3), ("Four", False, 7)]


@pytest.mark.parametrize(
    "text, found",
    [
        ("raise NotImplementedError", True),
        ("// TODO: wire up Clerk", True),
        ("throw new Error('Not implemented')", True),
        ("the todo app works", False),
        ('<input placeholder="Search" />', False),
    ],
)
def test_unfinished_code(text: str, found: bool) -> None:
    assert (todos.STUB.search(text) is not None) is found
