"""The short form of sessions."""

import pytest

from tracedance.kit import rows, sessions
from tracedance.kit.needs import among, matching


def test_a_session_in_short_form_is_what_an_importer_would_make() -> None:
    session = sessions.build(
        [
            {"system": "Be careful."},
            {"user": "Fix it."},
            {"text": "Looking.", "calls": [{"Read": {"file_path": "a.py"}}, {"Bash": {"command": "pytest"}}]},
            {"results": ["     1→x", {"text": "Exit code 1\n1 failed", "error": True, "exit": 1}]},
            {"compaction": "So far: a look."},
            {"call": {"Edit": {"file_path": "a.py", "old_string": "x", "new_string": "y"}}},
            {"error": "<tool_use_error>String to replace not found in file.</tool_use_error>"},
        ],
        cwd="/repo",
    )
    assert session.system == "Be careful." and session.cwd == "/repo"
    assert [(turn.role, turn.author, turn.mark) for turn in session.turns[:4]] == [
        ("user", "user", ""),
        ("assistant", "model", ""),
        ("tool", "tool", ""),
        ("user", "harness", "compaction"),
    ]
    assert session.context_start(4) == 3 and session.context_start(2) == 0
    read, run = session.turns[1].calls
    assert (read.tool_class, read.cmd, run.cmd) == ("read", "a.py", "pytest")
    assert run.result is not None and (run.result.status, run.result.error_class, run.result.exit_code) == ("error", "test_fail", 1)
    edit = session.turns[4].calls[0]
    assert edit.result is not None and edit.result.error_class == "edit_not_found" and edit.result.turn == 5
    assert len({turn.chain for turn in session.turns}) == len(session.turns)


@pytest.mark.parametrize("items", [[{"says": "x"}], [{"user": "x", "result": "y"}], [{"user": "x"}, {"result": "y"}], [{}]])
def test_what_is_no_short_form_is_refused(items: list[dict[str, str]]) -> None:
    with pytest.raises(ValueError):
        sessions.build(items)


def test_conditions_are_about_single_rows() -> None:
    session = sessions.build([{"user": "git add"}, {"call": {"Bash": {"command": "ls"}}}, {"result": "x"}, {"text": "git add"}])
    held = rows.rows(session)
    assert rows.holds(matching("git", "text", among("role", "assistant")), held)
    assert not rows.holds(matching("git", "cmd"), held)
    assert not rows.holds(matching("ls", "cmd", among("tool_class", "edit")), held)
    assert rows.holds(among("tool_class", "edit") | matching("^l", "cmd"), held)
    assert not rows.holds(among("tool_class", "edit") & matching("^l", "cmd"), held)
    assert rows.holds(among("tool_class", "shell") & among("author", "user"), held)
