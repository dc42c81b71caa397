"""Next turns, as they come from a model's answer."""

import base64
import json
from pathlib import Path

import pytest

from tests.evaluate.benchmarks import COMMIT, COMMITS_ALL, committing, read
from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.evaluate import folder
from tracedance.evaluate import respond as step
from tracedance.evaluate.folder import held
from tracedance.models import replay
from tracedance.models.config import load
from tracedance.privacy.redactor import Redactor
from tracedance.schema import CallMade, ModelAnswer, Response


def test_a_secret_in_a_turn_is_replaced_before_anyone_sees_it(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    (turn,) = step.wanted([read(tmp_path / "b", COMMIT, [committing()])], [f"replay/{tmp_path}"], 1)
    digest = replay.digest_of(replay.content_of(step.request(turn, load("offline"))))
    call = {"id": "c", "type": "function", "function": {"name": "Bash", "arguments": json.dumps({"command": f"echo {secret}"})}}
    message = {"role": "assistant", "content": f"The token is {secret}.", "tool_calls": [call]}
    answer = {"model": "m", "choices": [{"finish_reason": "tool_calls", "message": message}]}
    (tmp_path / "answers.jsonl").write_text(json.dumps({"request": digest, "response": answer}) + "\n")
    response = step.respond(turn, load("offline"), None)
    assert response.status == "ok" and secret not in response.model_dump_json()
    assert "[[SECRET:" in response.text and "[[SECRET:" in json.loads(response.tool_calls[0].arguments)["command"]


def test_no_part_of_an_answer_keeps_the_export_door_shut(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    (turn,) = step.wanted([read(tmp_path / "b", COMMIT, [committing()])], ["offline/source"], 1)
    arguments = json.dumps({"headers": {"Authorization": "Bearer abc12345def"}, "x": f"a\n{secret}"})
    call = {"id": secret, "name": f"tool {secret}", "arguments": arguments}
    answer = ModelAnswer(status="malformed", text=secret, tool_calls=(call,), model_version=secret, error=f"no {secret}")
    response = Response(**step.identity(turn), **step.said(answer, Redactor(b"k")))
    pair = CallMade(id="password", name="x", arguments='["Authorization","Bearer abc12345def"]')
    side_by_side = response.model_copy(update={"tool_calls": (pair,)})
    (tmp_path / "run.json").write_text("{}")
    folder.finish(tmp_path, [response, side_by_side], [], {})
    written = (tmp_path / "responses.jsonl").read_text()
    assert secret not in written and "abc12345def" not in written
    assert all(Response.model_validate_json(line) for line in written.splitlines())


def test_the_recorded_turn_is_what_was_recorded(tmp_path: Path) -> None:
    (turn,) = step.wanted([read(tmp_path / "b", COMMIT, [committing()])], ["offline/source"], 1)
    response = step.respond(turn, load("offline"), None)
    assert (response.text, response.model_version) == ("Now on with it.", "some-model")
    assert json.loads(response.tool_calls[0].arguments) == COMMITS_ALL[1]


def test_turns_come_in_the_order_of_all_tables(tmp_path: Path) -> None:
    benchmark = read(tmp_path / "b", COMMIT, [committing(n) for n in range(3)])
    keys = [turn.key for turn in step.wanted([benchmark], ["z", "a"], 2)]
    assert keys == sorted(keys) and len(keys) == 12


def test_a_folder_at_work_is_busy(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(InputError) as busy, held(tmp_path):
        pass
    assert busy.value.code == 7


def test_what_redaction_leaves_in_an_answer_and_the_door_finds_does_not_keep_a_run_from_its_end() -> None:
    value = "gl" + "pat-" + "Ab1" * 8
    text = f"Use {base64.b64encode(f'token {value} for it'.encode()).decode()} or mcp__{value}__list."
    row = Response(instance="i", family="f", benchmark="b", model="m", sample=0, status="ok", text=text)
    clean = folder.without_secrets(row)
    assert not scan.unapproved(scan.in_value(clean.model_dump(mode="json")))
    assert (clean.instance, clean.status) == ("i", "ok")


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("TodoWrite", {"todos": []}, "plan"),
        ("ExitPlanMode", {"plan": "x"}, "plan"),
        ("Skill", {"skill": "review"}, "skill"),
        ("Grep", {"pattern": "x"}, "read or search"),
        ("Read", {"file_path": "a.py"}, "read or search"),
        ("Edit", {"file_path": "a.py"}, "edit"),
        ("exec_command", {"cmd": "ls"}, "run"),
        ("exec_command", {"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\nEOF"}, "edit"),
        ("Task", {"prompt": "x"}, "delegate"),
        ("AskUserQuestion", {"questions": []}, "ask user"),
        ("send_message", {"text": "x"}, "deliver"),
        ("book_flight", {"flight": "x"}, "other"),
        ("", {}, "text only"),
    ],
)
def test_a_response_keeps_what_it_does_first(tool: str, arguments: dict[str, object], kind: str) -> None:
    first = ({"id": "a", "name": tool, "arguments": json.dumps(arguments)},) if tool else ()
    later = ({"id": "b", "name": "Bash", "arguments": "{}"},) if tool else ()
    said = step.said(ModelAnswer(status="ok", text="On with it.", tool_calls=(*first, *later)), Redactor(b"k"))
    assert (said["first_action"], said["action_class"]) == (tool or "text only", kind)


@pytest.mark.parametrize("status", ["refused", "truncated", "malformed", "failed", "declined"])
def test_a_turn_that_is_not_whole_has_no_first_action(status: str) -> None:
    call = {"id": "a", "name": "Bash", "arguments": "{}"}
    said = step.said(ModelAnswer.model_validate({"status": status, "text": "On", "tool_calls": (call,)}), Redactor(b"k"))
    assert (said["status"], said["first_action"], said["action_class"]) == (status, "", "")


def test_a_turn_of_reasoning_alone_is_empty_and_says_so() -> None:
    said = step.said(ModelAnswer(status="ok", text="<think>This is a 5.</think>\n"), Redactor(b"k"))
    assert (said["status"], said["text"], said["reasoning_removed"]) == ("empty", "", 28)
