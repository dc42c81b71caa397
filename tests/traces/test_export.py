"""`tracedance trace export` as a user meets it: what a trace holds, what it must not hold, and that it is the same at any time."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.traces.recorded import Recorded, calls, text, traces, uses

QUIET = "zq-private-words"
"""Stands in every content of the session; a trace that holds it leaks."""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    recorded = Recorded("session-of-somebody")
    recorded.user(f"Please fix it {QUIET}")
    recorded.model(text(f"Looking {QUIET}"), uses("c1", "Read", file_path=f"/srv/{QUIET}.py"), tokens=(4827, 12))
    recorded.result("c1", f"content {QUIET}")
    recorded.run("c2", f"pytest -k {QUIET}", f"1 failed {QUIET}", failed=True)
    recorded.model(text(f"All done {QUIET}."))
    return recorded.write(tmp_path / "in" / "session.jsonl")


def exported(command: Command, source: Path, out: Path, *words: object) -> list[dict[str, object]]:
    done = command("trace", "export", source, "--out", out, *words)
    assert done.code == 0, done.err
    return traces(out)


def test_a_trace_tells_every_step_its_kind_its_end_and_what_was_measured(session: Path, tmp_path: Path, command: Command) -> None:
    [trace] = exported(command, session, tmp_path / "t", "--scenario-id", "fix", "--environment", "ci")
    assert [(span["ordinal"], span["type"], span["name"], span["status"], span["duration_ms"]) for span in trace["spans"]] == [
        (0, "llm", "assistant_turn", "success", None),
        (1, "tool", "Read", "success", 5000),
        (2, "llm", "assistant_turn", "success", None),
        (3, "tool", "Bash", "error", 5000),
        (4, "llm", "assistant_turn", "success", None),
    ]
    assert trace["spans"][0]["attributes"] == {
        "model": "claude-test",
        "tool_name": None,
        "token_input_count": 4827,
        "token_output_count": 12,
        "redacted": True,
    }
    assert trace["spans"][1]["started_at"] == "2026-03-01T10:00:05.000Z"
    assert trace["spans"][1]["output_hash"] == sha256(f"content {QUIET}".encode()).hexdigest()
    run = trace["run"]
    assert (run["scenario_id"], run["environment"], run["final_status"], run["canonical_output"]) == ("fix", "ci", "success", None)
    assert run["final_output_hash"] == sha256(f"All done {QUIET}.".encode()).hexdigest()
    assert trace["source"]["exported_at"] == "2026-03-01T10:00:25.000Z"
    assert trace["source"]["source_hash"] == sha256(session.read_bytes()).hexdigest()


def test_nothing_of_what_was_said_is_in_a_trace_nor_in_its_name(session: Path, tmp_path: Path, command: Command) -> None:
    exported(command, session, tmp_path / "t", "--redact")
    [path] = (tmp_path / "t").iterdir()
    for private in (QUIET, "somebody", "/srv", "session.jsonl"):
        assert private not in path.read_text() and private not in path.name
    assert len(path.stem) == 32 and set(path.stem) <= set("0123456789abcdef")


def test_removed_fields_name_what_was_there_and_nothing_else(session: Path, tmp_path: Path, command: Command) -> None:
    [trace] = exported(command, session, tmp_path / "t")
    assert trace["redaction"] == {
        "applied": True,
        "method": "hash-only",
        "removed_fields": [
            "message.content",
            "tool_input",
            "tool_output",
            "file_path",
            "session_id",
            "cwd",
            "harness_version",
            "source_path",
        ],
    }
    talk = Recorded("talk").user("Hello").model({"type": "thinking", "thinking": "Hm."}, text("Hello.")).write(tmp_path / "talk.jsonl")
    [trace] = exported(command, talk, tmp_path / "t2")
    assert set(trace["redaction"]["removed_fields"]) >= {"message.content", "message.reasoning"}
    assert not {"tool_input", "tool_output", "file_path"} & set(trace["redaction"]["removed_fields"])


def test_the_same_source_gives_the_same_bytes_wherever_it_lies(session: Path, tmp_path: Path, command: Command) -> None:
    exported(command, session, tmp_path / "one")
    moved = tmp_path / "elsewhere" / "other.jsonl"
    moved.parent.mkdir()
    shutil.copy(session, moved)
    exported(command, moved, tmp_path / "two")
    [one], [two] = (list(folder.iterdir()) for folder in (tmp_path / "one", tmp_path / "two"))
    assert one.name == two.name and one.read_bytes() == two.read_bytes()
    [given] = exported(command, session, tmp_path / "three", "--exported-at", "2026-05-24T12:00:00.000Z")
    assert given["source"]["exported_at"] == "2026-05-24T12:00:00.000Z"
    assert "no time" in command("trace", "export", session, "--out", tmp_path / "x", "--exported-at", "yesterday").err


def test_under_a_key_every_hash_is_another_and_the_key_is_nowhere(
    session: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    [plain] = exported(command, session, tmp_path / "plain")
    key = "0123456789abcdef-a-key"
    (tmp_path / "key").write_text(f"{key}\n")
    monkeypatch.setenv("TRACE_KEY", key)
    [by_file] = exported(command, session, tmp_path / "file", "--hash-key", tmp_path / "key")
    [by_name] = exported(command, session, tmp_path / "name", "--hash-key", "TRACE_KEY")
    assert by_file == by_name and by_file["redaction"]["method"] == "hmac-sha256" and key not in json.dumps(by_file)
    for place in (("run", "trace_id"), ("run", "final_output_hash"), ("source", "source_hash")):
        assert plain[place[0]][place[1]] != by_file[place[0]][place[1]]
    for one, other in zip(plain["spans"], by_file["spans"], strict=True):
        assert one["input_hash"] != other["input_hash"] and one["span_id"] != other["span_id"]
    (tmp_path / "short").write_text("short\n")
    for wrong in (tmp_path / "short", "NO_SUCH_VARIABLE", "the-key-itself-0123456789"):
        done = command("trace", "export", session, "--out", tmp_path / "x", "--hash-key", wrong)
        assert done.code == 2 and len(done.err.splitlines()) == 1 and "0123456789" not in done.err


def test_only_named_fields_of_the_final_output_stand_as_they_are(tmp_path: Path, command: Command) -> None:
    answer = 'Here it is:\n```json\n{"refund_amount": 1200, "card": "4000-private", "ok": true}\n```\n'
    source = Recorded().user("Refund it").model(text(answer)).write(tmp_path / "in.jsonl")
    [trace] = exported(command, source, tmp_path / "t", "--canonical-output", "refund_amount", "--canonical-output", "absent")
    assert trace["run"]["canonical_output"] == {"refund_amount": 1200}
    assert "4000-private" not in json.dumps(trace)


def test_a_secret_does_not_leave_in_a_field_that_was_asked_for(tmp_path: Path, command: Command) -> None:
    secret = "sk-ant-api03-" + "Zq3xW9vT" * 11 + "AA"
    source = Recorded().user("Go").model(text(json.dumps({"result": f"key {secret}"}))).write(tmp_path / "in.jsonl")
    command("trace", "export", source, "--out", tmp_path / "t", "--canonical-output", "result")
    assert not any(secret in path.read_text() for path in (tmp_path / "t").glob("*"))


def test_a_text_in_the_place_of_a_tools_name_is_hashed_too(tmp_path: Path, command: Command) -> None:
    source = Recorded("../../../etc/x").user("Go").model(uses("c", f"please {QUIET}\n../../x", a=1)).result("c", "no").write(tmp_path / "i")
    [trace] = exported(command, source, tmp_path / "t")
    assert calls(trace)[0]["name"].startswith("name-") and QUIET not in json.dumps(trace)
    assert [path.parent for path in tmp_path.rglob("*.json")] == [tmp_path / "t"]


def test_labels_name_what_a_command_runs_and_not_what_it_quotes(tmp_path: Path, command: Command) -> None:
    recorded = Recorded().user("Go")
    recorded.run("c1", "git -C /repo commit -m 'pytest passes'")
    recorded.run("c2", "cd /repo && go test ./... | tail -3")
    recorded.run("c3", "grep -rn 'git commit' docs")
    recorded.run("c4", "git commit -am x && pytest")
    recorded.run("c5", "python tools/policy_check.py --order 7")
    source = recorded.write(tmp_path / "in.jsonl")
    words = ("--bash-tool-labels", "tests=pytest|go test,commit=git commit,policy_check", "--bash-tool-labels", "idle=sleep [0-9]{1,3}")
    done = command("trace", "export", source, "--out", tmp_path / "t", *words, "--json")
    [trace] = traces(tmp_path / "t")
    assert [(span["name"], span["type"]) for span in calls(trace)] == [
        ("commit", "tool"),
        ("tests", "tool"),
        ("Bash", "retriever"),
        ("tests", "tool"),
        ("policy_check", "guardrail"),
    ]
    assert {span["attributes"]["tool_name"] for span in calls(trace)} == {"Bash"}
    assert done.json["labels"] == {"tests": 2, "commit": 1, "policy_check": 1}
    assert (done.json["several_labels"], done.json["unused_labels"]) == (1, ["idle"])
    assert "1 shell calls fit several labels" in done.err and "'idle'" in done.err


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("commit=git (commit", "no pattern that RE2 takes"),
        ("a=(?=x)y", "no pattern that RE2 takes"),
        ("commit=", "no pattern after '='"),
        ("a b=x", "no name for a label"),
        ("../up", "no name for a label"),
        ("a=x,a=y", "stands there twice"),
    ],
)
def test_a_label_that_cannot_be_used_is_one_line(labels: str, said: str, session: Path, tmp_path: Path, command: Command) -> None:
    done = command("trace", "export", session, "--out", tmp_path / "t", "--bash-tool-labels", labels)
    assert done.code == 2 and said in done.err and len(done.err.splitlines()) == 1 and not (tmp_path / "t").exists()


def test_a_longer_copy_of_a_run_takes_the_place_of_the_shorter(tmp_path: Path, command: Command) -> None:
    recorded = Recorded("same").user("Go").run("c1", "ls")
    recorded.write(tmp_path / "in" / "a.jsonl")
    recorded.run("c2", "pwd").write(tmp_path / "in" / "b.jsonl")
    recorded.write(tmp_path / "in" / "c.jsonl")
    Recorded("quiet").user("Nobody answers").write(tmp_path / "in" / "d.jsonl")
    done = command("trace", "export", tmp_path / "in", "--out", tmp_path / "t", "--json")
    told = done.json
    assert (told["sessions"], len(told["traces"]), told["copies"], told["empty"]) == (4, 1, 2, 1)
    assert told["records"]["in"] == sum(told["records"][name] for name in ("kept", "ignored", "lost"))
    [trace] = traces(tmp_path / "t")
    assert [span["name"] for span in calls(trace)] == ["Bash", "Bash"]


def test_a_store_is_a_source_too_and_keeps_what_was_measured(session: Path, tmp_path: Path, command: Command) -> None:
    assert command("import", session, "--store", tmp_path / "store").code == 0
    [stored] = exported(command, tmp_path / "store", tmp_path / "a")
    [raw] = exported(command, session, tmp_path / "b")
    for one, other in zip(stored["spans"], raw["spans"], strict=True):
        same = ("ordinal", "type", "name", "status", "started_at", "duration_ms", "attributes")
        assert [one[name] for name in same] == [other[name] for name in same]
    assert stored["run"] == raw["run"]


def test_a_run_that_was_broken_off_says_so(tmp_path: Path, command: Command) -> None:
    cut = Recorded("cut").user("Go").model(uses("c1", "Bash", command="make")).write(tmp_path / "cut.jsonl")
    [trace] = exported(command, cut, tmp_path / "a")
    assert (trace["run"]["final_status"], calls(trace)[0]["status"], calls(trace)[0]["output_hash"]) == ("unknown", "unknown", None)
    stopped = Recorded("stop").user("Go").run("c1", "make").user("[Request interrupted by user]").write(tmp_path / "stop.jsonl")
    [trace] = exported(command, stopped, tmp_path / "b")
    assert trace["run"]["final_status"] == "cancelled"


def leaves(value: object, name: str) -> list[dict[str, object]]:
    """Every object under this name in a JSON value."""
    if isinstance(value, list):
        return [found for each in value for found in leaves(each, name)]
    if not isinstance(value, dict):
        return []
    here = [value[name]] if isinstance(value.get(name), dict) else []
    return here + [found for each in value.values() for found in leaves(each, name)]


@pytest.mark.parametrize(
    ("path", "name", "made"),
    [
        ("codex/EntityProcess+agentv/rollout-019f03e0-321f-7eb2-83cc-b54ecd71be23.jsonl", "last_token_usage", "output_tokens"),
        ("opencode/dayhaysoos+nimbus/ses_3255c1f45ffe29vSpWDRti6BEL.json", "tokens", "output"),
        ("pi_openclaw/entireio+auth-go/019e44d4-6ecf-7c1d-96ab-582effc13411.jsonl", "usage", "output"),
    ],
    ids=["codex", "opencode", "pi"],
)
def test_other_harnesses_tokens_and_times_are_those_of_the_source(
    path: str, name: str, made: str, real_traces: Path, request: pytest.FixtureRequest
) -> None:
    command, out = request.getfixturevalue("command"), request.getfixturevalue("tmp_path")
    [trace] = exported(command, real_traces / path, out)
    raw = (real_traces / path).read_text()
    records = [json.loads(line) for line in raw.splitlines()] if path.endswith("l") else json.loads(raw)
    told = {found.get(made) for found in leaves(records, name)}
    turns = [span["attributes"]["token_output_count"] for span in trace["spans"] if span["type"] == "llm"]
    assert {count for count in turns if count is not None} <= told and turns.count(None) <= len(turns) / 10
    measured = [span["duration_ms"] for span in calls(trace)]
    assert measured and measured.count(None) <= len(measured) / 10


@pytest.mark.parametrize(
    ("path", "tokens"),
    [("otel_openinference/ai-generateObject.json", (63, 156)), ("inspect_eval/luce_intercode_ctf.gpt-4o.eval", (424, 146))],
    ids=["vercel_ai", "inspect"],
)
def test_logs_of_model_calls_tell_tokens(path: str, tokens: tuple[int, int], real_traces: Path, tmp_path: Path, command: Command) -> None:
    found = exported(command, real_traces / path, tmp_path)
    spans = [span["attributes"] for trace in found for span in trace["spans"] if span["type"] == "llm"]
    assert tokens in [(span["token_input_count"], span["token_output_count"]) for span in spans]


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_text("hello\n"), lambda path: None])
def test_where_there_is_no_session_the_export_says_so(make: object, tmp_path: Path, command: Command) -> None:
    make(tmp_path / "in")  # type: ignore[operator]
    done = command("trace", "export", tmp_path / "in", "--out", tmp_path / "t")
    assert done.code == 2 and len(done.err.splitlines()) == 1 and not (tmp_path / "t").exists()


def test_traces_that_lie_among_the_sessions_are_not_read_as_sessions(session: Path, tmp_path: Path, command: Command) -> None:
    inside = session.parent / "traces"
    exported(command, session.parent, inside)
    done = command("trace", "export", session.parent, "--out", inside, "--json")
    assert done.code == 0 and len(done.json["traces"]) == 1 and done.json["others"] == 0 and done.json["losses"] == []
    receipt = command("import", session.parent, "--store", tmp_path / "store", "--json").json
    assert receipt["sessions"]["kept"] == 1 and receipt["losses"] == []
