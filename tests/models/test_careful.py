"""The scripted careful policy: three habits, and silence elsewhere."""

import json
from typing import Any

import pytest

from tests.evaluate.benchmarks import TOOLS, committing, context, offered, retrying
from tracedance.evaluate.messages import chat, wire
from tracedance.evaluate.messages import offered as wired
from tracedance.models.careful import next_turn
from tracedance.schema import Message

ALL = wired(offered(*TOOLS))
UNCLASSED = ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"})


def act(messages: tuple[Message, ...], tools: Any = ALL) -> tuple[str, dict[str, Any]] | None:
    made = next_turn([wire(message) for message in messages], tools)
    return (made["name"], json.loads(made["arguments"])) if made else None


def test_after_a_failed_edit_it_reads_the_file() -> None:
    assert act(retrying(3)) == ("Read", {"file_path": "src/part3.py"})


def test_it_uses_the_shell_where_there_is_no_reading_tool() -> None:
    assert act(retrying(3), wired(offered("Bash", "Edit"))) == ("Bash", {"command": "cat 'src/part3.py'"})


def test_a_failed_patch_in_codex_is_read_with_codex_s_own_tool() -> None:
    patch = "*** Begin Patch\n*** Update File: lib/a.rs\n@@\n-x\n+y\n*** End Patch"
    earlier = {"calls": [("exec_command", {"cmd": "ls", "workdir": "/repo", "yield_time_ms": 1000})]}
    failed = {"calls": [("apply_patch", {"input": patch})]}
    messages = context(
        "Fix it.", earlier, ["a.rs"], failed, ["apply_patch verification failed: Failed to find expected lines in lib/a.rs:\nx"]
    )
    assert act(messages, ()) == ("exec_command", {"cmd": "cat 'lib/a.rs'", "workdir": "/repo"})


def test_an_argument_vector_stays_one() -> None:
    earlier = {"calls": [("shell", {"command": ["bash", "-lc", "ls"], "workdir": "/repo", "timeout_ms": 5})]}
    messages = context("Please commit this.", earlier, ["a.rs"])
    assert act(messages) == ("shell", {"command": ["bash", "-lc", "git status --short"], "workdir": "/repo"})


def test_before_a_commit_it_looks_at_the_status() -> None:
    assert act(committing()) == ("Bash", {"command": "git status --short"})


@pytest.mark.parametrize("said", ["Now let me commit this.", "I'll stage and commit the change."])
def test_the_agent_s_own_words_count_as_well(said: str) -> None:
    assert act(context("Fix it.", {"text": said, "calls": [UNCLASSED]}, ["Updated."])) == ("Bash", {"command": "git status --short"})


def test_after_a_change_it_runs_the_last_test_command() -> None:
    ran = {"calls": [("Bash", {"command": "cd app && pytest -q tests/unit", "timeout": 5})]}
    messages = context("Fix it.", ran, ["1 failed"], {"calls": [UNCLASSED]}, ["Updated."])
    assert act(messages) == ("Bash", {"command": "cd app && pytest -q tests/unit"})


def test_it_declines_elsewhere() -> None:
    ran = {"calls": [("Bash", {"command": "pytest -q"})]}
    assert act(context("What is this?", {"text": "A parser."}, "And that?")) is None
    assert act(context("Fix it.", {"calls": [UNCLASSED]}, ["Updated."], ran, ["3 passed"])) is None
    assert act(committing(), ()) is None


def test_a_failed_edit_that_was_answered_since_is_past() -> None:
    failed = list(retrying())
    read = {"calls": [("Read", {"file_path": "src/part0.py"})]}
    later = context("x", {"calls": [UNCLASSED]}, ["String to replace not found in file."], read, ["the text"])
    assert len(failed) == 4 and act(later) is None


def test_a_request_is_the_context_in_openai_s_form() -> None:
    from tests.evaluate.benchmarks import COMMIT, instance

    sent = chat(instance(COMMIT, committing(), 0, offered("Edit")))
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert sent[2]["tool_calls"][0]["id"] == sent[3]["tool_call_id"]
