"""What a plan's calls tick off."""

from tracedance.kit import plans, sessions


def test_items_of_a_list_and_single_updates_are_ticked() -> None:
    session = sessions.build(
        [
            {"user": "Go."},
            {"call": {"TodoWrite": {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]}}},
            {"call": {"TodoWrite": {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "completed"}]}}},
            {"call": {"TaskUpdate": {"taskId": "7", "status": "completed"}}},
            {"call": {"Bash": {"command": "true", "status": "completed"}}},
        ]
    )
    first, second, task, shell = (session.turns[index].calls[0] for index in (1, 2, 3, 4))
    assert plans.ticked(first) == ["a"] and plans.newly_ticked(second, [first]) == ["b"]
    assert plans.ticked(task) == ["7"] and plans.ticked(shell) == []
