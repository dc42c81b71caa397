"""Numbers beyond what a program's integers hold: in sessions, in values that are given, and in what a model says."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.synthesis.sample import HEAD, SESSIONS, sound
from tracedance.catalogue import families
from tracedance.query.by_model import fitted
from tracedance.resources import home
from tracedance.schema import ToolDefinition
from tracedance.synthesis.sandbox import Draft, run

HUGE = 10**26
READS = """
def reads(session, params):
    yield hits.hit(decision=1, offends=False, why="it reads", facts={"schema": session.tools[0].parameters, "given": params})
"""


@pytest.mark.parametrize(("number", "seen"), [(HUGE, 1e26), (-HUGE, -1e26), (10**400, 1.7976931348623157e308), (2**64 - 1, 2**64 - 1)])
def test_a_number_of_any_size_in_a_session_or_a_parameter_reaches_the_anchor(number: int, seen: float) -> None:
    tool = ToolDefinition("Bash", "\ud800", {"properties": {"n": {"maximum": number}, "m": [number]}})
    outcome = run(Draft("reads", HEAD + READS, {"most": number, "word": "\ud800"}), [replace(SESSIONS[0], tools=[tool])], checks=None)
    (hit,) = outcome.hits["s0"]
    assert outcome.refusal is None and hit.facts["schema"] == {"properties": {"n": {"maximum": seen}, "m": [seen]}}
    assert hit.facts["given"] == {"most": seen, "word": "?"} and type(hit.facts["given"]["most"]) is type(seen)


def test_a_session_that_is_nested_too_deeply_is_lost_and_the_others_are_not() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    odd = replace(SESSIONS[0], id="deep", tools=[ToolDefinition("Bash", "", {"deep": deep})])
    outcome = run(sound(), [odd, *SESSIONS])
    assert outcome.refusal is None and [(lost.session, lost.reason) for lost in outcome.lost] == [
        ("deep", "something in it is nested too deeply")
    ]
    assert len(outcome.found) == len(SESSIONS)


def test_an_own_anchor_is_shown_a_session_whose_tools_have_a_huge_bound(command: Command, tmp_path: Path) -> None:
    bash = {"name": "Bash", "description": "x", "parameters": {"type": "object", "properties": {"n": {"maximum": HUGE}}}}
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "git push --force origin work"}'}}
    messages = [
        {"role": "user", "content": "Push it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": messages, "tools": [{"type": "function", "function": bash}]}) + "\n")
    own = ("--catalogue", home() / "configs/examples/family", "--family", "force_push_unasked")
    done = command("scan", tmp_path / "a.jsonl", "--store", tmp_path / "s", *own, "--json")
    assert done.code == 0 and done.json["failures"] == [] and done.json["families"][0]["hits"] == 1, done.out + done.err


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e999, 2.5, HUGE, 10**400, "9" * 5000, "many", [HUGE]])
def test_a_model_s_number_that_a_parameter_cannot_take_is_asked_back(value: Any) -> None:
    known = families()["failure/unchanged_retry"]
    (whole,) = [name for name, default in known.card.parameters.items() if type(default) is int][:1]
    assert fitted({whole: value}, [known]) == ({}, [whole])
    assert fitted({whole: 3.0}, [known]) == ({whole: 3}, [])
