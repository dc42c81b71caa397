"""Claude Code session files."""

from pathlib import Path

from tests.ingest.claude import Log
from tracedance.ingest.read import FileReading, read
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

KEY = b"k" * 32


def reading(log: Log, folder: Path) -> FileReading:
    return read(log.write(folder / "session.jsonl"), Redactor(KEY))


def session(log: Log, folder: Path) -> Session:
    found = reading(log, folder)
    assert not found.losses, found.losses
    assert len(found.sessions) == 1
    return found.sessions[0]


def said(found: Session) -> list[tuple[str, str, str]]:
    return [(turn.role, turn.author, turn.text) for turn in found.turns]


def test_pieces_of_one_message_are_one_turn_though_results_came_between(tmp_path: Path) -> None:
    log = Log()
    log.user("Fix it")
    log.text("msg_1", "Let me read.")
    log.call("msg_1", "t1", "Read", {"file_path": "/home/dev/shop/a.py"})
    log.result("t1", "1\tx = 1")
    log.call("msg_1", "t2", "Read", {"file_path": "/home/dev/shop/b.py"}, parent=log.records[2]["uuid"])
    log.result("t2", "1\ty = 2")
    log.text("msg_2", "Done.")
    found = session(log, tmp_path)
    assert [turn.role for turn in found.turns] == ["user", "assistant", "tool", "assistant"]
    turn = found.turns[1]
    assert (turn.text, [call.id for call in turn.calls], turn.first, turn.last) == ("Let me read.", ["t1", "t2"], 1, 4)
    assert [(result.call_id, result.ordinal, result.turn) for result in found.turns[2].results] == [("t1", 3, 2), ("t2", 5, 2)]
    assert turn.calls[1].result is found.turns[2].results[1]


def test_parallel_results_beside_the_chain_of_parents_are_kept(tmp_path: Path) -> None:
    log = Log()
    log.user("Look")
    first = log.call("msg_1", "t1", "Bash", {"command": "ls"})
    second = log.call("msg_1", "t2", "Grep", {"pattern": "x"})
    log.result("t1", "a.py", parent=first)
    log.result("t2", "a.py:1", parent=second)
    log.text("msg_2", "Two files.")
    found = session(log, tmp_path)
    assert [result.text for result in found.turns[2].results] == ["a.py", "a.py:1"]


def test_a_result_written_before_its_call_still_finds_it(tmp_path: Path) -> None:
    log = Log()
    log.user("Edit")
    log.text("msg_1", "Editing.")
    log.result("t1", "String to replace not found in file.", error=True)
    log.call("msg_1", "t1", "Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, parent=log.records[1]["uuid"])
    found = session(log, tmp_path)
    assert [turn.role for turn in found.turns] == ["user", "assistant", "tool"]
    assert found.turns[1].calls[0].result is not None
    assert found.turns[2].results[0].error_class == "edit_not_found"


def test_authors_are_told_apart_inside_the_users_role(tmp_path: Path) -> None:
    log = Log()
    log.user("<local-command-caveat>Caveat: ...</local-command-caveat>", isMeta=True)
    log.user("<command-name>/clear</command-name>")
    log.user("Please <b>fix</b> it <system-reminder>Be brief.</system-reminder>")
    log.user("<task-notification>done</task-notification>")
    log.add("attachment", attachment={"type": "queued_command", "prompt": "and add a test", "commandMode": "prompt"})
    log.add("attachment", attachment={"type": "edited_text_file", "filename": "a.py", "snippet": "1\tx"})
    log.add("attachment", attachment={"type": "hook_success", "content": "", "hookEvent": "Stop"})
    found = session(log, tmp_path)
    assert [(author, text[:20]) for _, author, text in said(found)] == [
        ("harness", "<local-command-cavea"),
        ("harness", "<command-name>/clear"),
        ("user", "Please <b>fix</b> it"),
        ("harness", "<system-reminder>Be "),
        ("harness", "<task-notification>d"),
        ("user", "and add a test"),
        ("harness", "[edited_text_file] a"),
    ]


def test_refusals_cancellations_and_interruptions_are_not_errors(tmp_path: Path) -> None:
    log = Log()
    log.user("Go")
    for number, text in enumerate(
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, ...)",
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            "[Request interrupted by user for tool use]",
            "Exit code 1\nboom",
        )
    ):
        log.call(f"msg_{number}", f"t{number}", "Bash", {"command": "make"})
        log.result(f"t{number}", text, error=True)
    log.user([{"type": "text", "text": "[Request interrupted by user]"}])
    found = session(log, tmp_path)
    results = [call.result for call in found.calls() if call.result]
    assert [result.status for result in results] == ["refused", "cancelled", "interrupted", "error"]
    assert [result.error_text for result in results] == ["", "", "", "Exit code 1\nboom"]
    assert results[3].exit_code == 1
    assert (found.turns[-1].author, found.turns[-1].mark) == ("harness", "interrupt")


def test_a_compaction_starts_the_context_at_its_summary(tmp_path: Path) -> None:
    log = Log()
    log.user("Long work")
    last = log.text("msg_1", "On it.")
    log.add("system", parent=None, logicalParentUuid=last, subtype="compact_boundary", content="Conversation compacted")
    log.user("This session is being continued from a previous conversation.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.text("msg_2", "Going on.")
    found = session(log, tmp_path)
    assert list(found.compactions) == [2]
    assert (found.turns[2].mark, found.turns[2].author) == ("compaction", "harness")
    assert found.context_start(3) == 2
    assert found.context_start(1) == 0


def test_a_rewound_branch_is_a_session_of_its_own_with_the_same_chain_up_to_the_fork(tmp_path: Path) -> None:
    log = Log()
    log.user("Build it")
    fork = log.text("msg_1", "Which colour?")
    log.user("Red")
    log.text("msg_2", "Red it is.")
    log.user("Blue", parent=fork)
    log.text("msg_3", "Blue it is.")
    found = reading(log, tmp_path)
    main, branch = found.sessions
    assert [turn.text for turn in main.turns] == ["Build it", "Which colour?", "Blue", "Blue it is."]
    assert [turn.text for turn in branch.turns] == ["Build it", "Which colour?", "Red", "Red it is."]
    assert (main.id, branch.id, branch.parent) == (log.session, f"{log.session}.rewound-1", log.session)
    assert [turn.chain for turn in main.turns[:2]] == [turn.chain for turn in branch.turns[:2]]
    assert main.turns[2].chain != branch.turns[2].chain
    assert (found.counts.in_, found.counts.kept, found.counts.ignored) == (6, 6, 0)


def test_a_second_root_in_one_file_starts_a_new_context(tmp_path: Path) -> None:
    log = Log()
    log.user("Plan it")
    log.text("msg_1", "A plan.")
    log.user("Implement the following plan: ...", parent=None)
    log.text("msg_2", "Doing it.")
    found = session(log, tmp_path)
    assert len(found.turns) == 4
    assert found.context_start(3) == 2


def test_a_lost_line_in_the_middle_does_not_split_the_session(tmp_path: Path) -> None:
    log = Log()
    log.user("One")
    log.text("msg_1", "Two")
    log.user("Three")
    log.text("msg_2", "Four")
    path = log.write(tmp_path / "s.jsonl")
    lines = path.read_bytes().split(b"\n")
    lines[1] = lines[1][:50]
    path.write_bytes(b"\n".join(lines))
    found = read(path, Redactor(KEY))
    assert [turn.text for turn in found.sessions[0].turns] == ["One", "Three", "Four"]
    assert found.losses == [("not JSON", 1, "s.jsonl:2")]


def test_a_resumed_file_keeps_the_shared_chain_and_names_its_parent(tmp_path: Path) -> None:
    old, new = Log("11111111-aaaa-4000-8000-000000000000"), Log("22222222-aaaa-4000-8000-000000000000")
    for log in (old, new):
        log.user("Start")
        log.text("msg_1", "Started.")
    new.records[0]["sessionId"] = new.records[1]["sessionId"] = old.session
    new.user("Go on")
    new.text("msg_2", "Going on.")
    first, second = session(old, tmp_path), session(new, tmp_path)
    assert (second.id, second.parent) == (new.session, old.session)
    assert second.turns[1].chain == first.turns[1].chain


def test_a_record_repeated_word_for_word_is_ignored(tmp_path: Path) -> None:
    log = Log()
    log.user("Start")
    log.records.append(log.records[0])
    found = reading(log, tmp_path)
    assert (found.counts.kept, found.counts.ignored) == (1, 1)


def test_a_sidechain_is_a_session_whose_prompts_are_not_the_users(tmp_path: Path) -> None:
    log = Log()
    log.user("Research it")
    log.call("msg_1", "t1", "Task", {"subagent_type": "Explore", "prompt": "look"})
    log.user("look", isSidechain=True, agentId="a1b2", parent=None)
    log.text("msg_9", "Found it.", isSidechain=True, agentId="a1b2")
    log.result("t1", "Found it.", parent=log.records[1]["uuid"])
    found = reading(log, tmp_path)
    main, agent = found.sessions
    assert [turn.role for turn in main.turns] == ["user", "assistant", "tool"]
    assert (agent.id, agent.parent, said(agent)[0]) == (f"{log.session}.agent-a1b2", log.session, ("user", "harness", "look"))


def test_synthetic_messages_are_marked_and_are_no_model(tmp_path: Path) -> None:
    log = Log()
    log.user("Hi")
    log.text("msg_1", "API Error: overloaded", model="<synthetic>", isApiErrorMessage=True)
    found = session(log, tmp_path)
    assert (found.turns[1].mark, found.models) == ("synthetic", [])


def test_unknown_kinds_of_record_are_lost_and_counted_by_name(tmp_path: Path) -> None:
    log = Log()
    log.user("Hi")
    log.bare("hologram", uuid="x1", parentUuid=log.records[0]["uuid"])
    log.add("attachment", attachment={"type": "smell"})
    log.add("system", subtype="mood")
    log.bare("file-history-snapshot", messageId="m", snapshot={})
    found = reading(log, tmp_path)
    assert dict(found.unknown) == {"claude_code:hologram": 1, "claude_code:attachment smell": 1, "claude_code:system mood": 1}
    assert (found.counts.kept, found.counts.ignored, found.counts.lost) == (1, 1, 3)


def test_repeated_and_wiped_ids_are_made_unique_and_pair_by_nearness(tmp_path: Path) -> None:
    log = Log()
    log.user("Hi")
    for number in range(2):
        log.call(f"msg_{number}", "REDACTED", "Bash", {"command": f"echo {number}"})
        log.result("REDACTED", str(number))
    found = session(log, tmp_path)
    assert len({call.id for call in found.calls()}) == 2
    assert [call.result.text for call in found.calls() if call.result] == ["0", "1"]


def test_what_was_never_shown_to_the_model_is_nowhere_in_the_session(tmp_path: Path) -> None:
    log = Log()
    log.user("Hi")
    log.call("msg_1", "t1", "Bash", {"command": "ls"})
    log.result("t1", [{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "AAAA"}}])
    found = session(log, tmp_path)
    assert found.turns[2].results[0].text == "a\n[image]"
    assert "never shown" not in repr(found.turns)


def test_a_hostile_session_id_becomes_a_digest(tmp_path: Path) -> None:
    for name in ("../../etc/passwd", "CON\u202e", "", "a" * 4096, "x/y", ".hidden"):
        log = Log("12345678")
        log.session = name
        log.user("Hi")
        found = session(log, tmp_path)
        assert found.id.replace("-", "").replace("_", "").isalnum() and len(found.id) <= 128 and not found.id.startswith(".")
