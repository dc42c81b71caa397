"""Which kind of step a call is: every type on a real session, and the user's own rules before ours."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.traces.recorded import Recorded, calls, traces, uses

CLAUDE = "claude_code/"
REAL = [
    (CLAUDE + "JanDeDobbeleer+oh-my-posh/18c09453-70ae-4c1d-813b-4361687351ee.jsonl", "llm", "assistant_turn"),
    (CLAUDE + "JanDeDobbeleer+oh-my-posh/18c09453-70ae-4c1d-813b-4361687351ee.jsonl", "tool", "Bash"),
    (CLAUDE + "JanDeDobbeleer+oh-my-posh/32e7c00e-d1f8-463c-8090-dacd6ba51385.jsonl", "retriever", "Grep"),
    (CLAUDE + "JanDeDobbeleer+oh-my-posh/3b64e48c-b2c8-45bb-a948-4ad6366272ac.jsonl", "retriever", "Bash"),
    (CLAUDE + "PackmindHub+context-evaluator/85ec650c-1911-4729-b965-12859c513c01.jsonl", "handoff", "Task"),
    (CLAUDE + "entireio+cli/2026-01-10-cef3602b-e191-46fd-aa56-68c030df67e5.jsonl", "memory", "Edit"),
    (CLAUDE + "entireio+auth-go/5c7298d0-aeab-4312-b0db-9432417ff7b8.jsonl", "guardrail", "AskUserQuestion"),
    (CLAUDE + "entireio+cli/2026-01-22-48f428f9-72d8-40b2-9594-953019809473.jsonl", "guardrail", "ExitPlanMode"),
    ("pi_openclaw/badlogic+pi-mono/large-session.jsonl", "memory", "read"),
    ("tau_bench/gpt-4o-airline.dev.json", "handoff", "transfer_to_human_agents"),
]


@pytest.mark.parametrize("found", REAL, ids=lambda found: f"{found[1]}-{found[2]}")
def test_each_type_stands_for_something_in_a_real_session(
    found: tuple[str, str, str], real_traces: Path, tmp_path: Path, command: Command
) -> None:
    path, kind, name = found
    assert command("trace", "export", real_traces / path, "--out", tmp_path).code == 0
    assert (kind, name) in {(span["type"], span["name"]) for trace in traces(tmp_path) for span in trace["spans"]}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    recorded = Recorded().user("Go")
    recorded.run("c1", "cd /srv && ls -la | head -3")
    recorded.run("c2", "find . -name '*.tmp' -delete")
    recorded.run("c3", "gitleaks detect && git push")
    recorded.model(uses("c4", "refund_tool", amount=3)).result("c4", "paid")
    recorded.model(uses("c5", "Write", file_path="/srv/CLAUDE.md", content="x")).result("c5", "ok")
    return recorded.write(tmp_path / "in.jsonl")


def test_commands_are_judged_as_parsed_and_by_all_of_them(session: Path, tmp_path: Path, command: Command) -> None:
    command("trace", "export", session, "--out", tmp_path / "t")
    [trace] = traces(tmp_path / "t")
    assert [span["type"] for span in calls(trace)] == ["retriever", "tool", "guardrail", "tool", "memory"]


def test_rules_of_ones_own_come_first(session: Path, tmp_path: Path, command: Command) -> None:
    own = tmp_path / "spans.yaml"
    own.write_text("schema: tracedance.spans/v1\nrules:\n  - {type: handoff, tool: ^refund_}\n  - {type: tool, class: [write]}\n")
    command("trace", "export", session, "--out", tmp_path / "t", "--spans", own)
    [trace] = traces(tmp_path / "t")
    assert [span["type"] for span in calls(trace)] == ["retriever", "tool", "guardrail", "handoff", "tool"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("{type: oracle, tool: x}", ":3:6", "'rules.0.type'"),
        ("{type: tool, tol: x}", ":3:18", "'rules.0.tol'"),
        ("{type: tool, tool: '(?=x)'}", ":3:18", "no pattern that RE2 takes"),
        ("{type: tool}", ":3:5", "a rule without a condition"),
        ("!!python/name:os.system x", ":3:5", "tags"),
    ],
)
def test_a_table_that_is_none_is_named_with_its_place(wrong: tuple[str, str, str], session: Path, tmp_path: Path, command: Command) -> None:
    rule, place, said = wrong
    own = tmp_path / "spans.yaml"
    own.write_text(f"schema: tracedance.spans/v1\nrules:\n  - {rule}\n")
    done = command("trace", "export", session, "--out", tmp_path / "t", "--spans", own)
    assert done.code == 2 and f"spans.yaml{place}: " in done.err and said in done.err and len(done.err.splitlines()) == 1
