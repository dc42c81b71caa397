"""Copilot CLI's event logs, from hand-written ones in the real shape."""

from pathlib import Path

from tests.ingest.agents import COPILOT, START, completed, events, message, reading
from tracedance.schema import Session


def only(records: list[dict[str, object]], folder: Path) -> Session:
    found = reading(records, folder)
    assert (found.format, found.losses, len(found.sessions)) == ("copilot_cli", [], 1)
    return found.sessions[0]


USER = ("user.message", {"content": "Go", "attachments": []})


def test_parallel_calls_and_their_results_stand_together_and_hooks_do_not_count(tmp_path: Path) -> None:
    session = only(COPILOT, tmp_path)
    assert [turn.role for turn in session.turns] == ["user", "user", "assistant", "tool", "assistant"]
    assert [result.text for result in session.turns[3].results] == ["a.py\n<shellId: 0 completed with exit code 0>", "x = 1"]
    assert (session.turns[2].reasoning, session.models) == ("Look first.", ["claude-sonnet-4.6"])
    assert (session.id, session.version, session.cwd, session.setting) == ("c-1", "1.0.64", "/home/dev/shop", "coding")


def test_the_system_prompt_is_recorded_and_no_turn(tmp_path: Path) -> None:
    session = only(COPILOT, tmp_path)
    assert session.system == "You are Copilot." and session.replayability == "reconstructed"


def test_what_the_harness_wraps_around_a_persons_words_is_its_own(tmp_path: Path) -> None:
    sent = "<current_datetime>now</current_datetime>\n\nGo\n\n<system_reminder>\nTables\n</system_reminder>"
    session = only(events(START, ("user.message", {"content": "Go", "transformedContent": sent})), tmp_path)
    assert [turn.author for turn in session.turns] == ["harness", "user", "harness"]
    assert session.turns[1].text == "Go"


def test_an_exit_code_in_the_text_of_a_successful_execution_is_a_failure_of_the_command(tmp_path: Path) -> None:
    run = message("", ("a", "bash", {"command": "make"}), ("b", "bash", {"command": "make"}), ("c", "bash", {"command": "grep x y"}))
    ends = ("<exited with exit code 2>", "<shellId: 7 completed with exit code 1>", "<shellId: 8 completed with exit code 1>")
    records = events(START, USER, run, *(completed(call, f"\n{end}") for call, end in zip("abc", ends, strict=True)))
    session = only(records, tmp_path)
    assert [(call.result.status, call.result.exit_code) for call in session.calls() if call.result] == [
        ("error", 2),
        ("error", 1),
        ("ok", 1),
    ]


def test_an_error_is_read_and_a_refusal_is_none(tmp_path: Path) -> None:
    run = message("", ("a", "bash", {}), ("b", "bash", {}), ("c", "bash", {}))
    records = events(
        START,
        USER,
        run,
        completed("a", "", False, result=None, error={"message": "shellId 3 is gone", "code": "failure"}),
        ("permission.requested", {"requestId": "r", "permissionRequest": {"kind": "shell", "toolCallId": "b"}}),
        ("permission.completed", {"requestId": "r", "result": {"kind": "denied-interactively-by-user"}}),
        completed("b", "", False, result=None, error={"message": "Permission denied.", "code": "denied"}),
        completed("c", "", False, result=None, error={"message": "No.", "code": "rejected"}),
    )
    session = only(records, tmp_path)
    assert [call.result.status for call in session.calls() if call.result] == ["error", "refused", "refused"]
    assert session.calls()[0].result and session.calls()[0].result.error_text == "shellId 3 is gone"


def test_a_sub_agents_events_become_a_session_that_names_its_parent(tmp_path: Path) -> None:
    child = {"parentToolCallId": "task-1"}
    records = events(
        START,
        USER,
        message("", ("task-1", "task", {"agent_type": "explore", "prompt": "Find it"})),
        ("subagent.started", {"toolCallId": "task-1", "agentName": "explore"}, {"agentId": "a-9"}),
        message("", ("s1", "view", {"path": "x"}), **child),
        ("tool.execution_complete", {"toolCallId": "s1", "success": True, "result": {"content": "x"}}, {"agentId": "a-9"}),
        message("Found.", **child),
        completed("task-1", "Found."),
        message("Done."),
    )
    found = reading(records, tmp_path)
    main, agent = found.sessions
    assert (agent.id, agent.parent) == ("c-1.agent-task-1", "c-1")
    assert [(turn.author, turn.text) for turn in agent.turns] == [("harness", "Find it"), ("model", ""), ("tool", ""), ("model", "Found.")]
    assert [turn.role for turn in main.turns] == ["user", "assistant", "tool", "assistant"]


def test_notices_and_compactions_are_the_harnesss(tmp_path: Path) -> None:
    records = events(
        START,
        USER,
        message("Hm."),
        ("system.notification", {"content": "<system_notification>\nDone\n</system_notification>", "kind": {"type": "shell_completed"}}),
        ("session.compaction_complete", {"success": True, "summaryContent": "So far: nothing."}),
        message("On."),
    )
    session = only(records, tmp_path)
    assert [(turn.author, turn.mark) for turn in session.turns[2:4]] == [("harness", ""), ("harness", "compaction")]
    assert session.compactions == [3]


def test_an_abort_marks_the_turn_that_was_cut_short(tmp_path: Path) -> None:
    session = only(events(START, USER, message("I wi"), ("abort", {"reason": "user initiated"})), tmp_path)
    assert session.turns[1].mark == "interrupt"


def test_reasoning_ahead_of_its_message_and_pieces_of_one_message_are_one_turn(tmp_path: Path) -> None:
    pieces = (message("One", messageId="m", model="gpt-5"), message("two", messageId="m", model="gpt-5"))
    session = only(events(START, USER, ("assistant.reasoning", {"content": "Think"}), *pieces, message("Three")), tmp_path)
    assert [(turn.text, turn.reasoning) for turn in session.turns[1:]] == [("One\n\ntwo", "Think"), ("Three", "")]


def test_a_call_whose_message_is_missing_is_had_from_its_start(tmp_path: Path) -> None:
    start = ("tool.execution_start", {"toolCallId": "z", "toolName": "bash", "arguments": {"command": "ls"}, "model": "gpt-5"})
    session = only(events(START, USER, start, completed("z", "a.py")), tmp_path)
    assert [(call.cmd, call.result and call.result.text) for call in session.calls()] == [("ls", "a.py")]


def test_an_event_of_an_unknown_type_is_lost_by_name(tmp_path: Path) -> None:
    found = reading(events(START, USER, ("session.hologram", {"x": 1})), tmp_path)
    assert dict(found.unknown) == {"copilot_cli:session.hologram": 1}
