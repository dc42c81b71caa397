"""Gemini CLI's sessions, whole and as a log, from hand-written ones in the real shape."""

from pathlib import Path
from typing import Any

from tests.ingest.agents import GEMINI, gemini, ran, reading, said
from tracedance.schema import Session


def only(records: list[Any], folder: Path) -> Session:
    found = reading(records, folder)
    assert (found.format, found.losses, len(found.sessions)) == ("gemini_cli", [], 1)
    return found.sessions[0]


HEAD = {
    "sessionId": "g-1",
    "projectHash": "f00",
    "startTime": "2026-04-29T21:39:22Z",
    "lastUpdated": "2026-04-29T21:39:22Z",
    "kind": "main",
}


def test_a_whole_session_is_read_with_its_calls_and_thoughts(tmp_path: Path) -> None:
    found = reading([GEMINI], tmp_path)
    (session,) = found.sessions
    assert (found.counts.in_, found.counts.kept, found.counts.ignored) == (4, 3, 1)
    assert [turn.role for turn in session.turns] == ["user", "assistant", "tool", "assistant"]
    assert (session.id, session.models, session.turns[1].reasoning) == ("g-1", ["gemini-2.5-flash"], "Look\nFirst.")
    assert [(r.text[:9], r.status, r.exit_code) for r in session.turns[2].results] == [("x = 1", "ok", None), ("Output: F", "error", 1)]


def test_cancelled_calls_did_not_fail(tmp_path: Path) -> None:
    calls = [
        ran("a", "replace", {}, "cancelled", error="[Operation Cancelled] Reason: User denied execution."),
        ran("b", "run_shell_command", {}, "cancelled", error="[Operation Cancelled] Reason: User cancelled tool execution."),
        ran("c", "read_file", {}, "error", error="File not found: x"),
        {"id": "d", "name": "read_file", "args": {}, "status": "executing"},
    ]
    session = only([gemini(said("user", "Go"), said("gemini", "", toolCalls=calls))], tmp_path)
    assert [call.result and call.result.status for call in session.calls()] == ["refused", "interrupted", "error", None]


def test_the_harness_speaks_in_the_users_name_and_pictures_are_named(tmp_path: Path) -> None:
    picture = [{"text": "Look"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    session = only([gemini(said("user", picture), said("user", "System: Please continue."))], tmp_path)
    assert [(turn.author, turn.text) for turn in session.turns] == [("user", "Look\n\n[image]"), ("harness", "System: Please continue.")]


def test_a_cancelled_request_marks_the_turn_that_was_cut_short(tmp_path: Path) -> None:
    session = only([gemini(said("user", "Go"), said("gemini", "I wi"), said("info", "Request cancelled."))], tmp_path)
    assert session.turns[1].mark == "interrupt"


def test_in_a_log_a_message_written_again_replaces_what_it_said(tmp_path: Path) -> None:
    answer = said("gemini", "Looking.", "m2")
    calls = [ran("c", "read_file", {}, output="x")]
    found = reading([HEAD, said("user", "Go"), answer, {"$set": {"lastUpdated": "t"}}, answer | {"toolCalls": calls}], tmp_path)
    (session,) = found.sessions
    assert [turn.role for turn in session.turns] == ["user", "assistant", "tool"]
    assert (found.counts.kept, found.counts.ignored) == (2, 3)


def test_rewound_messages_become_a_session_of_their_own(tmp_path: Path) -> None:
    log = [HEAD, said("user", "One", "u1"), said("gemini", "A", "a1"), said("user", "Two", "u2"), said("gemini", "B", "a2")]
    found = reading([*log, {"$rewindTo": "u2"}, said("user", "Three", "u3"), said("gemini", "C", "a3")], tmp_path)
    main, rewound = found.sessions
    assert [turn.text for turn in main.turns] == ["One", "A", "Three", "C"]
    assert ([turn.text for turn in rewound.turns], rewound.id, rewound.parent) == (["One", "A", "Two", "B"], "g-1.rewound-1", "g-1")
    assert (found.counts.kept, found.counts.lost) == (6, 0)


def test_a_rewind_at_the_end_leaves_the_shorter_session(tmp_path: Path) -> None:
    log = [HEAD, said("user", "One", "u1"), said("gemini", "A", "a1"), said("user", "Two", "u2")]
    assert [[turn.text for turn in session.turns] for session in reading([*log, {"$rewindTo": "u2"}], tmp_path).sessions] == [
        ["One", "A"],
        ["One", "A", "Two"],
    ]
    assert [session.id for session in reading([*log, {"$rewindTo": "u1"}], tmp_path).sessions] == ["g-1.rewound-1"]


def test_a_replaced_history_starts_a_new_context_with_its_summary(tmp_path: Path) -> None:
    log = [HEAD, said("user", "One", "u1"), said("gemini", "A", "a1")]
    history = [said("user", "Summary: one.", "s1"), said("gemini", "Got it.", "s2")]
    session = only([*log, {"$set": {"messages": history}}, said("user", "Two", "u2")], tmp_path)
    assert [(turn.text, turn.mark) for turn in session.turns[2:]] == [("Summary: one.", "compaction"), ("Got it.", ""), ("Two", "")]
    assert session.compactions == [2]


def test_a_session_without_a_word_is_no_session(tmp_path: Path) -> None:
    found = reading([gemini(said("warning", "Hook failed"))], tmp_path)
    assert (found.sessions, found.losses, found.counts.ignored) == ([], [], 1)
