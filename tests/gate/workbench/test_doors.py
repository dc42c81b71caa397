"""What other programs hand in: the Python door, report files that were changed, names and outputs that hold personal data."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.gate.workbench.test_command import REFUND, refund
from tests.traces.recorded import Recorded, text, traces, uses
from tracedance import Contract, Trace, gate
from tracedance.errors import InputError

GOOD: dict[str, Any] = {"baseline": REFUND / "base", "candidate": REFUND / "right_order", "contract": REFUND / "refund.yaml"}


@pytest.mark.parametrize("name", ["baseline", "candidate", "contract"])
@pytest.mark.parametrize("odd", [None, "", "a\0b", 5, b"x"])
def test_the_function_refuses_what_is_no_side_and_no_contract(name: str, odd: object) -> None:
    with pytest.raises(InputError):
        gate(**{**GOOD, name: odd})


def test_paths_of_traces_and_contracts_are_looked_at() -> None:
    for call in (Trace.read, Trace.read_all, Contract.read):
        for odd in ("\0", "", None):
            with pytest.raises(InputError):
                call(odd)  # type: ignore[operator]


def test_a_trace_is_written_inside_its_folder_alone(tmp_path: Path) -> None:
    content = (REFUND / "base" / "run-01.json").read_bytes()
    for name in ("../../x.json", "/x.json", "a/b.json", "..", "", "..\\x.json"):
        with pytest.raises(InputError):
            Trace(name, content).write(tmp_path / "a" / "b")
    assert Trace("x.json", content).write(tmp_path / "a").parent == tmp_path / "a"
    assert [path.name for path in tmp_path.rglob("*.json")] == ["x.json"]


def test_a_report_that_contradicts_itself_is_not_shown(command: Command, tmp_path: Path) -> None:
    right = refund(command, "right_order", "--json").json
    path = tmp_path / "g.json"
    failing = [{**right["checks"][0], "verdict": "FAIL"}, *right["checks"][1:]]
    for wrong, said in (
        ({"traces": [{}]}, "traces[0]"),
        ({"traces": [{**right["traces"][0], "violations": "x"}]}, "traces[0]"),
        ({"checks": failing}, "FAIL"),
        ({"checks": []}, "INCONCLUSIVE"),
        ({"categories": [{"name": "behavior_contract", "verdict": "FAIL"}]}, "behavior_contract"),
    ):
        path.write_text(json.dumps({**right, **wrong}))
        done = command("report", path)
        assert done.code == 2 and said in done.err and "Traceback" not in done.err
    path.write_text(json.dumps(right))
    assert command("report", path).code == 0


def test_names_and_canonical_outputs_hold_nobodys_data(command: Command, tmp_path: Path) -> None:
    said = {"mail": "bob.smith@acme-corp.com", "card": "4539578763621486", "ssn": "536-90-4399", "number": 4539578763621486, "refund": 1200}
    names = ["mcp__bob.smith@acme-corp.com__send", "tool_4539578763621486", "mcp__github__get_me"]
    session = Recorded().user("go")
    for number, name in enumerate(names):
        session.model(uses(f"c{number}", name, x=1)).result(f"c{number}", "ok")
    session.model(text("```json\n" + json.dumps(said) + "\n```")).write(tmp_path / "s" / "a.jsonl")
    wanted = [word for name in said for word in ("--canonical-output", name)]
    assert command("trace", "export", tmp_path / "s", "--out", tmp_path / "t", *wanted).code == 0
    live = Trace.live("live")
    live.finish(said, canonical=list(said))
    for trace in (traces(tmp_path / "t")[0], json.loads(Trace.of(live).content)):
        whole = json.dumps(trace)
        assert not any(secret in whole for secret in ("bob.smith", "acme-corp", "4539578763621486", "536-90-4399"))
        assert trace["run"]["canonical_output"]["refund"] == 1200
    assert "mcp__github__get_me" in json.dumps(traces(tmp_path / "t")[0])
