"""Trace files of any producer: what is unknown is counted, what is broken is one line with file and position."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import ROOT, Command
from tests.gate.traces_by_hand import folder, trace
from tests.traces.recorded import Recorded, traces, uses
from tracedance.gate.schemas import FORMS, page_file, schema_file, schema_text, updated
from tracedance.gate.traces import load_traces, parse_trace
from tracedance.schema import BehaviorTrace, GateSpec


def printed(seed: str, start: str, end: str) -> str:
    """What the seed prints from one line up to another."""
    return seed[seed.index(start) : seed.index(end, seed.index(start))]


@pytest.fixture
def seed(real_traces: Path) -> str:
    path = real_traces.parent / "seeds" / "agent-behavior-workbench.txt"
    if not path.is_file():
        pytest.skip("the seed is not here")
    return path.read_text()


def test_the_trace_that_the_seed_prints_loads(seed: str) -> None:
    text = printed(seed, '{\n  "schema_version"', "\nRedaction is always on")
    plain = re.sub(r",(\s*[\]}])", r"\1", re.sub(r"\s//.*|, \.\.\.(?=])", "", text))
    loaded = parse_trace(plain.encode(), "printed.json")
    assert [(span.ordinal, span.type, span.name) for span in loaded.trace.spans] == [
        (0, "llm", "assistant_turn"),
        (1, "guardrail", "policy_check"),
        (2, "tool", "refund_commit"),
    ]
    assert not loaded.unknown and loaded.trace.run.canonical_output == {"fraud_check_passed": True, "refund_amount": 1200}
    assert loaded.trace.spans[0].attributes.token_input_count == 4827


def test_the_spec_that_the_seed_prints_loads(seed: str) -> None:
    text = printed(seed, "schema_version: behavior-spec/v0", "\nThe required_order constraints")
    spec = GateSpec.model_validate_json(json.dumps(yaml.safe_load(text)), strict=True)
    assert spec.invariants is not None and spec.invariants.required_order[0].after == "refund_tool"


def test_fields_that_nobody_knows_are_counted_and_change_nothing(tmp_path: Path, command: Command) -> None:
    one = trace("a", "look", "pay")
    other: dict[str, Any] = json.loads(json.dumps(one))
    other["vendor"] = {"spans": 1}
    for span in other["spans"]:
        span["cost"] = 0.1
    other["spans"][0]["attributes"] = {"region": "eu"}
    plain, rich = (parse_trace(json.dumps(each).encode(), "x.json") for each in (one, other))
    assert rich.unknown == {"spans[].attributes.region": 1, "spans[].cost": 2, "vendor": 1} and not plain.unknown
    assert [span.name for span in rich.trace.trajectory()] == ["look", "pay"]
    runs = folder(tmp_path / "t", "look pay")
    (runs / "rich.json").write_text(json.dumps(other))
    assert command("contract", "diff", runs, runs, "--json").json["unknown_fields"] == 8
    assert command("contract", "init", "--baseline", runs, "--out", tmp_path / "s.yaml", "--json").json["unknown_fields"] == rich.unknown


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:40], "no valid JSON: EOF while parsing a string at line 1 column"),
        (lambda text: text.replace("trace/v0", "trace/v9"), "schema_version: it is"),
        (lambda text: text.replace('"tool"', '"oracle"', 1), "spans[0].type: input should be"),
        (lambda text: text.replace('"ordinal": 1', '"ordinal": true'), "spans[1].ordinal: input should be a valid integer"),
        (lambda text: text.replace('"ordinal": 1', '"ordinal": 0'), "the whole: two spans have the same ordinal"),
        (lambda text: "[" * 100_000, "no valid JSON: recursion limit"),
        (lambda text: text.replace('"status": "success"', '"status": "done"', 1), "spans[0].status: input should be"),
        (lambda text: "", "no valid JSON"),
    ],
)
def test_one_broken_file_in_a_folder_is_one_line_with_its_place(change: Any, said: str, tmp_path: Path, command: Command) -> None:
    runs = folder(tmp_path / "t", "look pay", "look pay", "look pay")
    broken = runs / "run-01.json"
    text = json.dumps(trace("b", "look", "pay"))
    assert change(text) != text
    broken.write_text(change(text))
    done = command("contract", "init", "--baseline", runs, "--out", tmp_path / "spec.yaml")
    assert done.code == 2 and "run-01.json" in done.err and said in done.err and len(done.err.splitlines()) == 1
    assert not (tmp_path / "spec.yaml").exists()


def test_the_same_run_twice_is_no_further_evidence(tmp_path: Path, command: Command) -> None:
    runs = folder(tmp_path / "t", "look pay")
    (runs / "copy.json").write_bytes((runs / "run-00.json").read_bytes())
    done = command("contract", "diff", runs, runs)
    assert done.code == 2 and "is the same run as 'copy.json'" in done.err
    (runs / "copy.json").unlink()
    (tmp_path / "empty").mkdir()
    assert "holds no trace" in command("contract", "diff", tmp_path / "empty", runs).err
    assert "no folder of traces" in command("contract", "diff", runs, tmp_path / "gone").err


def test_what_is_exported_is_what_the_schema_says(tmp_path: Path, command: Command) -> None:
    source = Recorded().user("Go").run("c1", "ls").model(uses("c2", "Task", prompt="x")).write(tmp_path / "in.jsonl")
    assert command("trace", "export", source, "--out", tmp_path / "t", "--scenario-id", "s").code == 0
    schema = json.loads((ROOT / "docs" / "schemas" / "agent-behavior-trace.v0.json").read_text())
    [made] = traces(tmp_path / "t")
    jsonschema.Draft202012Validator(schema).validate(made)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(made | {"spans": [{"type": "oracle"}]})
    assert [each.trace for each in load_traces(tmp_path / "t")] == [BehaviorTrace.model_validate(made)]


@pytest.mark.parametrize("form", FORMS)
def test_schemas_and_pages_are_those_of_the_records(form: str) -> None:
    docs = ROOT / "docs"
    assert (docs / "schemas" / schema_file(form)).read_text() == schema_text(form), "run make schemas"
    page = (docs / page_file(form)).read_text()
    assert page == updated(page, form), "run make schemas"
    schema = json.loads(schema_text(form))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(form.replace("/", ":"))
