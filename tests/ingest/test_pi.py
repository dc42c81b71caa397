"""Pi's and OpenClaw's session files, from hand-written ones in the real shape."""

from pathlib import Path
from typing import Any

from tests.ingest.agents import PI, Record, calls, pi, reading, replied, returned, spoke
from tracedance.schema import Session


def only(records: list[Record], folder: Path) -> Session:
    found = reading(records, folder)
    assert (found.format, found.losses, len(found.sessions)) == ("pi", [], 1)
    return found.sessions[0]


def test_a_session_is_read_with_its_results_and_failures(tmp_path: Path) -> None:
    session = only(PI, tmp_path)
    assert [turn.role for turn in session.turns] == ["user", "assistant", "tool", "assistant"]
    assert [(result.status, result.exit_code) for result in session.turns[2].results] == [("ok", None), ("error", 1)]
    assert (session.turns[1].reasoning, session.models) == ("Look first.", ["gpt-5.5"])
    assert (session.id, session.harness, session.setting, session.cwd) == ("p-1", "pi", "coding", "/home/dev/shop")


def test_a_branch_left_behind_is_a_rewound_session(tmp_path: Path) -> None:
    records = pi(spoke("One"), replied("A"), spoke("Two"), replied("B"), spoke("Three", parentId="n1"), replied("C"))
    main, rewound = reading(records, tmp_path).sessions
    assert [turn.text for turn in main.turns] == ["One", "A", "Three", "C"]
    assert ([turn.text for turn in rewound.turns], rewound.id, rewound.parent) == (["One", "A", "Two", "B"], "p-1.rewound-1", "p-1")


def test_going_back_to_before_the_first_message_leaves_all_of_it_behind(tmp_path: Path) -> None:
    records = pi(spoke("One"), replied("A"), spoke("Other", parentId=None), replied("C"))
    main, rewound = reading(records, tmp_path).sessions
    assert [[turn.text for turn in session.turns] for session in (main, rewound)] == [["Other", "C"], ["One", "A"]]


def test_the_summary_of_a_branch_is_the_harnesss(tmp_path: Path) -> None:
    records = pi(
        spoke("One"), replied("A"), spoke("Two"), {"type": "branch_summary", "fromId": "n2", "summary": "Tried two.", "parentId": "n1"}
    )
    main, _ = reading(records, tmp_path).sessions
    assert main.turns[2].author == "harness" and "Tried two." in main.turns[2].text


def test_a_compaction_holds_the_summary_and_the_messages_that_were_kept(tmp_path: Path) -> None:
    compaction = {"type": "compaction", "summary": "We did x.", "firstKeptEntryId": "n2", "tokensBefore": 9}
    session = only(pi(spoke("One"), replied("A"), spoke("Two"), replied(calls("c", "read", path="p")), compaction, spoke("On")), tmp_path)
    mark = session.turns[4]
    assert (mark.mark, mark.author, session.compactions) == ("compaction", "harness", [4])
    assert "We did x." in mark.text and "[user]\nTwo" in mark.text and '[call read] {"path":"p"}' in mark.text and "One" not in mark.text


def test_files_of_the_first_version_have_no_ids_and_no_branches(tmp_path: Path) -> None:
    head = {"type": "session", "id": "p-0", "timestamp": "t", "cwd": "/x", "provider": "anthropic", "modelId": "claude-sonnet-4-5"}
    body = [{key: value for key, value in entry.items() if key not in ("id", "parentId")} for entry in PI[1:]]
    assert len(only([head, *body], tmp_path).turns) == 4


def test_wiped_ids_and_unknown_parents_follow_the_record_before(tmp_path: Path) -> None:
    wiped = [PI[0], *(entry | {"id": "REDACTED", "parentId": "REDACTED"} for entry in PI[1:])]
    assert len(only(wiped, tmp_path).turns) == 4
    torn = [PI[0], *(entry | {"parentId": f"gone-{number}"} for number, entry in enumerate(PI[1:]))]
    assert len(only(torn, tmp_path).turns) == 4


def test_an_aborted_answer_is_marked_and_an_aborted_command_did_not_fail(tmp_path: Path) -> None:
    run = replied(calls("c", "bash", command="sleep 9"), stop="toolUse")
    session = only(pi(spoke("Go"), run, returned("c", "started\n\nCommand aborted", error=True), replied("I wi", stop="aborted")), tmp_path)
    assert session.calls()[0].result and session.calls()[0].result.status == "interrupted"
    assert session.turns[3].mark == "interrupt"


def test_a_search_that_found_nothing_did_not_fail(tmp_path: Path) -> None:
    run = replied(calls("c", "bash", command="cd a && grep x y"), stop="toolUse")
    session = only(pi(spoke("Go"), run, returned("c", "(no output)\n\nCommand exited with code 1", error=True)), tmp_path)
    assert session.calls()[0].result and session.calls()[0].result.status == "ok"


def test_a_command_of_the_users_is_theirs_and_its_output_the_harnesss(tmp_path: Path) -> None:
    run: Any = {"type": "message", "message": {"role": "bashExecution", "command": "make", "output": "no rule", "exitCode": 2}}
    hidden = {"type": "message", "message": run["message"] | {"excludeFromContext": True}}
    session = only(pi(run, hidden), tmp_path)
    assert [(turn.author, turn.text) for turn in session.turns] == [
        ("user", "Ran `make`"),
        ("harness", "no rule\n\nCommand exited with code 2"),
    ]


def test_a_forked_session_names_the_one_that_it_came_from(tmp_path: Path) -> None:
    records = pi(spoke("Go"), parentSession="/home/dev/.pi/agent/sessions/x/2026-05-20T10-00-33Z_aaaa-bbbb.jsonl")
    assert only(records, tmp_path).parent == "aaaa-bbbb"


def test_openclaw_is_told_by_what_it_alone_writes(tmp_path: Path) -> None:
    context = {"type": "custom_message", "customType": "openclaw.runtime-context", "content": "Channel: x", "display": False}
    meta = spoke('Conversation info (untrusted metadata):\n```json\n{"sender": "Ann"}\n```\n\nBook a table')
    folder = pi(spoke("Hi"), cwd="/home/dev/.openclaw/workspace")
    for records in (pi(context, spoke("Hi")), pi(meta), folder):
        session = only(records, tmp_path)
        assert (session.harness, session.setting, session.format) == ("openclaw", "general_tool_use", "pi")


def test_openclaws_wrapping_heartbeats_and_jobs_are_not_the_persons(tmp_path: Path) -> None:
    block = 'Sender (untrusted metadata):\n```json\n{"name": "Ann"}\n```'
    texts = (
        f"{block}\n\n{block}\n\nBook a table",
        "Read HEARTBEAT.md if it exists.",
        "System: [2026-05-22] Slack joined",
        "[cron:1] Report",
    )
    session = only(pi(*(spoke(text) for text in texts), cwd="/home/dev/.openclaw/workspace"), tmp_path)
    assert [turn.author for turn in session.turns] == ["harness", "user", "harness", "harness", "harness"]
    assert session.turns[1].text == "Book a table"


def test_an_entry_of_an_unknown_type_is_lost_by_name_and_pictures_are_named(tmp_path: Path) -> None:
    found = reading(pi(spoke([{"type": "image", "data": "AAAA", "mimeType": "image/png"}]), {"type": "hologram"}), tmp_path)
    assert (found.sessions[0].turns[0].text, dict(found.unknown)) == ("[image]", {"pi:hologram": 1})


def test_the_harnesss_own_entries_beside_the_path_make_no_session(tmp_path: Path) -> None:
    note = {"type": "custom_message", "customType": "x", "content": "note", "parentId": "n0"}
    session = only(pi(spoke("One"), note, replied("A", parentId="n0")), tmp_path)
    assert [turn.text for turn in session.turns] == ["One", "note", "A"]


def test_more_branches_than_are_kept_are_lost_by_name(tmp_path: Path) -> None:
    found = reading(pi(spoke("One"), *(spoke(f"Try {number}", parentId="n0") for number in range(60))), tmp_path)
    assert (len(found.sessions), found.losses) == (51, [("rewound branch beyond the fiftieth", 9, "file.jsonl:3")])
