"""Codex rollout files."""

import json
from pathlib import Path
from typing import Any

from tracedance.ingest.read import FileReading, read
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session


def rollout(*items: dict[str, Any], meta: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    head = {"id": "019d95a4-64c6-7b20-97f0-81e518d38258", "cwd": "/home/dev/shop", "cli_version": "0.142.2", "source": "cli"}
    head |= {"base_instructions": {"text": "You are Codex."}} | (meta or {})
    records = [("session_meta", head), ("turn_context", {"model": "gpt-5.4", "cwd": "/home/dev/shop"})]
    records += [(item.get("record", "response_item"), {key: item[key] for key in item if key != "record"}) for item in items]
    return [{"timestamp": f"2026-04-16T09:34:{n % 60:02d}.000Z", "type": kind, "payload": body} for n, (kind, body) in enumerate(records)]


def user(text: str, role: str = "user") -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def answer(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}], "phase": "commentary"}


def shell(call: str, cmd: str) -> dict[str, Any]:
    return {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": cmd, "workdir": "/w"}), "call_id": call}


def output(call: str, text: str, code: int | None = 0) -> dict[str, Any]:
    state = f"Process exited with code {code}" if code is not None else "Process running with session ID 4711"
    return {
        "type": "function_call_output",
        "call_id": call,
        "output": f"Chunk ID: 1\nWall time: 0.1 seconds\n{state}\nOriginal token count: 1\nOutput:\n{text}",
    }


def reading(records: list[dict[str, Any]], folder: Path) -> FileReading:
    path = folder / "rollout.jsonl"
    path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records))
    return read(path, Redactor(b"k"))


def session(records: list[dict[str, Any]], folder: Path) -> Session:
    found = reading(records, folder)
    assert not found.losses, found.losses
    return found.sessions[0]


def test_a_turn_is_a_run_of_the_models_items_and_parallel_results_follow_it(tmp_path: Path) -> None:
    items = (
        user("# AGENTS.md instructions for /w\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
        user("Check it"),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA"},
        answer("Looking."),
        shell("c1", "git status"),
        shell("c2", "go test ./..."),
        {"record": "event_msg", "type": "agent_message", "message": "Looking."},
        output("c1", "clean"),
        output("c2", "--- FAIL: TestX\nFAIL", code=1),
        answer("A test fails."),
    )
    found = session(rollout(*items), tmp_path)
    assert [turn.role for turn in found.turns] == ["user", "user", "assistant", "tool", "assistant"]
    assert [turn.author for turn in found.turns[:2]] == ["harness", "user"]
    turn = found.turns[2]
    assert (turn.text, turn.reasoning, turn.model, [call.cmd for call in turn.calls]) == (
        "Looking.",
        "Hm.",
        "gpt-5.4",
        ["git status", "go test ./..."],
    )
    assert [(result.status, result.error_class, result.exit_code) for result in found.turns[3].results] == [
        ("ok", None, 0),
        ("error", "test_fail", 1),
    ]
    assert (found.system, found.version, found.setting, found.replayability) == ("You are Codex.", "0.142.2", "coding", "reconstructed")


def test_a_poll_goes_on_with_the_command_it_polls(tmp_path: Path) -> None:
    poll = {"type": "function_call", "name": "write_stdin", "arguments": '{"session_id":4711,"chars":""}', "call_id": "c2"}
    found = session(rollout(user("Test"), shell("c1", "make test"), output("c1", "", None), poll, output("c2", "FAIL", 1)), tmp_path)
    start, polled = found.calls()
    assert (start.tool_class, start.result and start.result.status) == ("shell", "ok")
    assert (polled.tool_class, polled.cmd, polled.result and polled.result.error_class) == ("job", "make test", "test_fail")


def test_patches_and_scripts_are_unpacked(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch"
    script = 'const r = await tools.exec_command({cmd: "git diff --stat"}); print(r)'
    items = (
        user("Go"),
        {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c1"},
        {
            "type": "custom_tool_call_output",
            "call_id": "c1",
            "output": "apply_patch verification failed: Failed to find expected lines in src/a.py",
        },
        {"type": "custom_tool_call", "name": "exec", "input": script, "call_id": "c2"},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls -l | head"]}', "call_id": "c3"},
        {"type": "function_call_output", "call_id": "c3", "output": '{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}'},
    )
    edit, scripted, wrapped = session(rollout(*items), tmp_path).calls()
    assert (edit.tool_class, edit.cmd, edit.result and edit.result.error_class) == ("edit", "src/a.py\nsrc/b.py", "edit_not_found")
    assert edit.arguments == {"input": patch}
    assert (scripted.tool_class, scripted.cmd) == ("shell", "git diff --stat")
    assert (wrapped.cmd, wrapped.result and wrapped.result.exit_code) == ("ls -l | head", 2)


def test_a_compaction_holds_what_the_model_saw_from_there_on(tmp_path: Path) -> None:
    history = [user("First wish"), {"type": "compaction", "id": "x", "encrypted_content": "gAAA"}]
    found = session(
        rollout(user("First wish"), answer("Done."), {"record": "compacted", "message": "", "replacement_history": history}, answer("On.")),
        tmp_path,
    )
    assert (list(found.compactions), found.turns[2].mark, found.turns[2].author) == ([2], "compaction", "harness")
    assert found.turns[2].text.startswith("[user]\nFirst wish\n\n[A summary of the earlier conversation stood here")


def test_an_interruption_is_marked_whether_or_not_a_message_says_so(tmp_path: Path) -> None:
    event = {"record": "event_msg", "type": "turn_aborted", "reason": "interrupted"}
    said = session(rollout(user("Go"), answer("Going."), user("<turn_aborted>\nThe user interrupted"), event), tmp_path)
    assert [turn.mark for turn in said.turns] == ["", "", "interrupt"]
    unsaid = session(rollout(user("Go"), answer("Going."), event), tmp_path)
    assert [turn.mark for turn in unsaid.turns] == ["", "interrupt"]


def test_a_sub_agents_prompts_are_not_the_users_and_its_parent_is_named(tmp_path: Path) -> None:
    meta = {"parent_thread_id": "019d95a4-0000-7b20-97f0-000000000000", "source": {"subagent": "review"}}
    found = session(rollout(user("Review the changes"), answer("Fine."), meta=meta), tmp_path)
    assert (found.parent, found.turns[0].author) == (meta["parent_thread_id"], "harness")


def test_a_later_header_is_the_session_that_this_one_was_forked_from(tmp_path: Path) -> None:
    found = session(rollout({"record": "session_meta", "id": "019d95a4-1111-7b20-97f0-000000000000"}, user("Hi")), tmp_path)
    assert (found.id, found.parent) == ("019d95a4-64c6-7b20-97f0-81e518d38258", "019d95a4-1111-7b20-97f0-000000000000")


def test_web_searches_have_no_output_and_unknown_items_are_lost_by_name(tmp_path: Path) -> None:
    items = (user("Hi"), {"type": "web_search_call", "action": {"type": "search", "query": "x"}}, {"type": "dream"}, {"record": "mood"})
    found = reading(rollout(*items), tmp_path)
    call = found.sessions[0].calls()[0]
    assert (call.name, call.tool_class, call.cmd, call.result) == ("web_search", "web", "x", None)
    assert dict(found.unknown) == {"codex:response_item dream": 1, "codex:mood": 1}
    assert found.counts.in_ == found.counts.kept + found.counts.ignored + found.counts.lost
