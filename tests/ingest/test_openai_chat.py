"""Chat message files: tau-bench runs, plain lists, objects with tools, and lines of them."""

import json
from pathlib import Path
from typing import Any

from tracedance.ingest.read import FileReading, read
from tracedance.privacy.redactor import Redactor


def call(identity: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are an airline agent."},
    {"role": "user", "content": "Book it"},
    {"role": "assistant", "content": None, "tool_calls": [call("call_1", "book_reservation", {"b": 1, "a": 2})]},
    {"role": "tool", "tool_call_id": "call_1", "name": "book_reservation", "content": "Error: payment does not add up"},
    {"role": "assistant", "content": None, "tool_calls": [call("call_1", "book_reservation", {"a": 3})]},
    {"role": "tool", "tool_call_id": "call_1", "name": "book_reservation", "content": '{"id": "R1"}'},
    {"role": "assistant", "content": "Booked."},
]
TOOLS = [{"type": "function", "function": {"name": "book_reservation", "description": "Book.", "parameters": {"type": "object"}}}]


def reading(text: str, folder: Path) -> FileReading:
    path = folder / "chat.json"
    path.write_text(text, encoding="utf-8")
    found = read(path, Redactor(b"k"))
    assert found.counts.in_ == found.counts.kept + found.counts.ignored + found.counts.lost
    return found


def test_a_tau_bench_file_is_one_session_a_run_and_errors_are_texts(tmp_path: Path) -> None:
    runs = [{"task_id": task, "trial": 0, "reward": 0.0, "info": {}, "traj": CHAT} for task in (3, 4)]
    found = reading(json.dumps(runs, indent=1), tmp_path)
    first, second = found.sessions
    assert first.id.startswith("task3-trial0-") and second.id.startswith("task4-trial0-")
    assert (first.system, first.setting, first.tools, first.replayability) == (
        "You are an airline agent.",
        "general_tool_use",
        None,
        "reconstructed",
    )
    assert [turn.role for turn in first.turns] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    failed, worked = first.calls()
    assert failed.id != worked.id
    assert (failed.result and failed.result.status, worked.result and worked.result.status) == ("error", "ok")
    assert failed.arguments_json == '{"a":2,"b":1}'
    assert found.counts.in_ == found.counts.kept == 14


def test_recorded_tools_make_a_conversation_replayable(tmp_path: Path) -> None:
    found = reading(json.dumps({"id": "c-1", "messages": CHAT, "tools": TOOLS}), tmp_path)
    session = found.sessions[0]
    assert (session.id, session.replayability) == ("c-1", "replayable")
    assert session.tools and session.tools[0].name == "book_reservation" and session.tools[0].inferred_from == 0


def test_a_plain_list_and_lines_of_messages_and_lines_of_conversations_are_read(tmp_path: Path) -> None:
    plain = reading(json.dumps(CHAT), tmp_path).sessions
    lines = reading("".join(json.dumps(message) + "\n" for message in CHAT), tmp_path).sessions
    assert [turn.chain for turn in plain[0].turns] == [turn.chain for turn in lines[0].turns]
    many = reading("".join(json.dumps({"messages": CHAT, "id": f"c{n}"}) + "\n" for n in range(3)), tmp_path)
    assert [session.id for session in many.sessions] == ["c0", "c1", "c2"]


def test_the_whole_runs_of_a_file_that_was_cut_off_are_kept(tmp_path: Path) -> None:
    text = json.dumps([{"task_id": n, "trial": 0, "traj": CHAT} for n in range(3)], indent=1)
    found = reading(text[: len(text) - 200], tmp_path)
    assert len(found.sessions) == 2
    assert found.losses == [("file cut off", 1, "chat.json:1")]


def test_arguments_that_are_no_object_are_kept_as_text(tmp_path: Path) -> None:
    messages = [CHAT[1], {"role": "assistant", "content": "", "tool_calls": [{"id": "x", "function": {"name": "f", "arguments": "{oops"}}]}]
    found = reading(json.dumps(messages), tmp_path)
    assert found.sessions[0].calls()[0].arguments == {"input": "{oops"}
