"""OpenCode's exports, from hand-written ones in the real shape."""

import json
from pathlib import Path
from typing import Any

from tests.ingest.agents import OPENCODE, answered, asked, opencode, reading, tool
from tracedance.ingest.read import read
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


def only(record: Any, folder: Path) -> Session:
    found = reading([record], folder)
    assert (found.format, found.losses, len(found.sessions)) == ("opencode", [], 1)
    return found.sessions[0]


def test_a_tool_part_is_a_call_and_its_result(tmp_path: Path) -> None:
    session = only(OPENCODE, tmp_path)
    assert [(turn.role, turn.author) for turn in session.turns] == [
        ("user", "user"),
        ("assistant", "model"),
        ("tool", "tool"),
        ("assistant", "model"),
    ]
    assert [result.text for result in session.turns[2].results] == ["x = 1", "1 failed"]
    assert session.turns[1].reasoning == "Look first."
    assert (session.harness, session.version, session.setting, session.cwd) == ("opencode", "1.2.24", "coding", "/home/dev/shop")
    assert (session.models, session.started) == (["gpt-5.3-codex"], "2026-03-09T15:26:40.000Z")


def test_an_exit_code_beside_a_completed_command_is_a_failure(tmp_path: Path) -> None:
    result = only(OPENCODE, tmp_path).calls()[1].result
    assert result is not None and (result.status, result.exit_code) == ("error", 1)


def test_wiped_and_repeated_ids_do_not_mix_results_up(tmp_path: Path) -> None:
    parts = [tool("bash", {"command": "a"}, "running"), tool("bash", {"command": "b"}, output="B"), tool("bash", {}, call="x", output="1")]
    session = only(opencode(asked("Go"), answered(*parts, tool("bash", {}, call="x", output="2")), id="REDACTED"), tmp_path)
    assert [call.result and call.result.text for call in session.calls()] == [None, "B", "1", "2"]
    assert len({call.id for call in session.calls()}) == 4
    assert session.id.startswith("opencode-") and session.source_id == ""


def test_each_step_of_a_long_message_is_a_turn(tmp_path: Path) -> None:
    step: dict[str, Any] = {"type": "step-start"}
    session = only(opencode(asked("Go"), answered(step, tool("read", {}, output="x"), step, "Done.")), tmp_path)
    assert [turn.role for turn in session.turns] == ["user", "assistant", "tool", "assistant"]


def test_a_refused_and_an_aborted_call_did_not_fail(tmp_path: Path) -> None:
    refused = tool("bash", {"command": "rm -rf x"}, "error", error="The user rejected permission to use this specific tool call.")
    aborted = tool("bash", {"command": "sleep 9"}, "error", error="Tool execution aborted")
    failed = tool("edit", {"filePath": "a"}, "error", error="Error: oldString not found in content")
    session = only(opencode(asked("Go"), answered(refused, aborted, failed)), tmp_path)
    assert [call.result.status for call in session.calls() if call.result] == ["refused", "interrupted", "error"]


def test_a_sub_agents_session_names_its_parent_and_its_prompts_are_no_persons(tmp_path: Path) -> None:
    session = only(opencode(asked("Review it"), answered("Fine."), parentID="ses_0"), tmp_path)
    assert (session.parent, session.turns[0].author) == ("ses_0", "harness")
    wiped = only(opencode(asked("Review it"), answered("Fine."), parentID="REDACTED"), tmp_path)
    assert (wiped.parent, wiped.turns[0].author) == ("", "harness")


def test_a_compacted_context_starts_with_the_question_for_the_summary(tmp_path: Path) -> None:
    pivot = asked({"type": "compaction", "auto": True})
    session = only(opencode(asked("Go"), answered("Hm."), pivot, answered("We did x.", summary=True), asked("On")), tmp_path)
    assert [turn.mark for turn in session.turns] == ["", "", "compaction", "forced", ""]
    assert session.compactions == [2]


def test_synthetic_texts_files_and_pictures_are_kept_and_told_apart(tmp_path: Path) -> None:
    parts = (
        "See this",
        {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"},
        {"type": "file", "mime": "text/plain", "filename": "a.py"},
    )
    session = only(opencode(asked(*parts, {"type": "text", "text": "Called Read", "synthetic": True})), tmp_path)
    assert [(turn.author, turn.text) for turn in session.turns] == [
        ("user", "See this"),
        ("user", "[image]"),
        ("user", "[file: a.py]"),
        ("harness", "Called Read"),
    ]


def test_an_abort_marks_the_turn_that_was_cut_short(tmp_path: Path) -> None:
    error = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    assert only(opencode(asked("Go"), answered("I wi", error=error)), tmp_path).turns[1].mark == "interrupt"


def test_a_part_of_an_unknown_type_is_named_and_its_text_kept(tmp_path: Path) -> None:
    found = reading([opencode(asked("Go"), answered({"type": "hologram", "text": "shimmer"}))], tmp_path)
    assert (found.sessions[0].turns[1].text, dict(found.unknown)) == ("shimmer", {"opencode:part hologram": 1})


def test_a_pretty_printed_export_in_a_jsonl_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "full.jsonl"
    path.write_text(json.dumps(OPENCODE, indent=2))
    found = read(path, Redactor(b"k"))
    assert (found.format, found.counts.in_, found.losses) == ("opencode", 8, [])


def test_a_recorded_system_prompt_is_kept(tmp_path: Path) -> None:
    session = only(opencode(asked("Go"), answered("Ok", system=["You are opencode.", "Be brief."])), tmp_path)
    assert session.system == "You are opencode.\nBe brief."
