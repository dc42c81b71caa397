"""Cursor's transcripts and Factory Droid's session files, from hand-written ones in the real shape."""

from pathlib import Path

from tests.ingest.agents import CURSOR, DROID, body, cursor, droid, reading


def test_a_cursor_transcript_has_calls_without_results(tmp_path: Path) -> None:
    found = reading(CURSOR, tmp_path)
    (session,) = found.sessions
    assert (found.format, found.losses, found.counts.ignored) == ("cursor", [], 1)
    assert [(turn.author, turn.text) for turn in session.turns] == [("user", "Fix it"), ("model", "Looking."), ("model", "Done.")]
    assert [(call.cmd, call.result) for call in session.calls()] == [("ls", None)]


def test_what_cursor_adds_to_a_query_is_not_the_persons(tmp_path: Path) -> None:
    wrapped = (
        "<external_links>\n### Potentially relevant\n</external_links>\n<user_query>\nFix it\n</user_query>\n<timestamp>now</timestamp>"
    )
    (session,) = reading([cursor("user", wrapped), cursor("user", "<attached_files>a</attached_files>", "Bare words")], tmp_path).sessions
    assert [turn.author for turn in session.turns] == ["harness", "user", "harness", "harness", "user"]
    assert session.turns[1].text == "Fix it"


def test_a_cursor_result_answers_the_first_open_call(tmp_path: Path) -> None:
    call = {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}
    answers = [
        {"type": "tool_result", "tool_use_id": f"t{number}", "content": [{"type": "text", "text": f"{number}"}]} for number in (1, 2)
    ]
    (session,) = reading([cursor("user", "Go"), cursor("assistant", call, call), cursor("user", *answers)], tmp_path).sessions
    assert [call.result and call.result.text for call in session.calls()] == ["1", "2"]


def test_a_cursor_transcript_is_named_after_its_file_alone(tmp_path: Path) -> None:
    name = "e13fc9ba-0fe8-455e-b069-a0eb0b374502"
    assert reading(CURSOR, tmp_path, f"{name}.jsonl").sessions[0].id == name
    assert reading(CURSOR, tmp_path, "notes.jsonl").sessions[0].id.startswith("cursor-")


def test_a_droid_session_is_read_with_the_exit_code_in_its_text(tmp_path: Path) -> None:
    found = reading(DROID, tmp_path)
    (session,) = found.sessions
    assert (found.format, found.losses, session.id, session.models) == ("factory_droid", [], "d-1", ["glm-5"])
    assert [turn.author for turn in session.turns] == ["harness", "user", "model", "tool", "model"]
    assert session.calls()[0].result and (session.calls()[0].result.status, session.calls()[0].result.exit_code) == ("error", 2)


def test_what_droid_shows_its_user_alone_is_left_out_and_what_it_tells_the_model_is_the_harnesss(tmp_path: Path) -> None:
    records = droid(
        body("user", "Go"), body("user", "Tip: try /model", visibility="user_only"), body("user", "IDE: a.py", visibility="llm_only")
    )
    found = reading(records, tmp_path)
    assert [(turn.author, turn.text) for turn in found.sessions[0].turns] == [("user", "Go"), ("harness", "IDE: a.py")]
    assert found.counts.ignored == 2


def test_a_droid_that_another_session_called_names_its_parent(tmp_path: Path) -> None:
    (session,) = reading(droid(body("user", "Find it"), callingSessionId="d-0"), tmp_path).sessions
    assert (session.parent, session.turns[0].author) == ("d-0", "harness")


def test_a_droid_compaction_starts_a_new_context(tmp_path: Path) -> None:
    records = droid(body("user", "Go"), body("assistant", "Ok"), {"type": "compaction_state", "summaryText": "So far."}, body("user", "On"))
    (session,) = reading(records, tmp_path).sessions
    assert ([turn.mark for turn in session.turns], session.compactions) == (["", "", "compaction", ""], [2])


def test_a_rewound_droid_branch_is_a_session_of_its_own(tmp_path: Path) -> None:
    records = droid(body("user", "One"), body("assistant", "A"), body("user", "Two"), body("user", "Three") | {"parentId": "n1"})
    main, rewound = reading(records, tmp_path).sessions
    assert [[turn.text for turn in session.turns] for session in (main, rewound)] == [["One", "A", "Three"], ["One", "A", "Two"]]
