"""`tracedance gate` and `report` on folders of traces, as a user calls them."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Command
from tests.evaluation_runs import two_models
from tests.gate.workbench.cases import trace
from tests.gate.workbench.test_rules import ORDER, run
from tracedance.errors import InputError
from tracedance.gate.spec import read_spec
from tracedance.gate.traces import parse_trace
from tracedance.gate.workbench.reading import parse_run, run_of
from tracedance.schema import GateReport

ROOT = Path(__file__).resolve().parents[3]
REFUND = ROOT / "configs" / "examples" / "workbench"
SEED = Path(__file__).with_name("seed_spec.yaml")


def folder(path: Path, traces: list[dict[str, Any]]) -> Path:
    path.mkdir()
    for number, one in enumerate(traces):
        (path / f"run-{number}.json").write_text(json.dumps(one))
    return path


def spec_file(path: Path, **sections: Any) -> Path:
    path.write_text(json.dumps({"schema_version": "behavior-spec/v0", "id": "mine", **sections}))
    return path


def refund(command: Command, candidate: str, *more: object) -> Any:
    return command("gate", "--spec", REFUND / "refund.yaml", "--baseline", REFUND / "base", "--candidate", REFUND / candidate, *more)


def test_the_refund_case_fails_in_the_wrong_order_and_passes_in_the_right_one(command: Command) -> None:
    wrong, right = refund(command, "wrong_order", "--json"), refund(command, "right_order", "--json")
    assert (wrong.code, wrong.json["verdict"], right.code, right.json["verdict"]) == (1, "FAIL", 0, "PASS")
    for report in (wrong.json, right.json):
        assert report["diff"]["canonical_outputs_equal"] is True
        assert next(row["verdict"] for row in report["categories"] if row["name"] == "output_eval") == "PASS"
        assert report["candidate"]["traces"] >= 9 and report["baseline"]["traces"] >= 9
    outputs = {
        (REFUND / side / "run-01.json").read_text().partition('"canonical_output"')[2].partition("}")[0] for side in ("base", "wrong_order")
    }
    assert len(outputs) == 1


def test_the_spec_printed_in_the_seed_is_read_with_its_values() -> None:
    spec = read_spec(SEED)
    assert spec.invariants is not None and spec.thresholds is not None
    assert [(order.before, order.after) for order in spec.invariants.required_order] == [("policy_check", "refund_tool")]
    assert (spec.invariants.max_path_length, spec.thresholds.path_edit_distance_fail, spec.thresholds.min_wilson_pass_rate) == (
        5,
        0.25,
        0.7,
    )
    assert (spec.thresholds.wilson_z, spec.thresholds.sprt.enabled, spec.thresholds.sprt.p1) == (1.96, False, 0.8)


def test_specs_and_reports_are_what_their_schemas_say(command: Command) -> None:
    forms = {name: json.loads((ROOT / "docs" / "schemas" / f"{name}.v0.json").read_text()) for name in ("behavior-spec", "gate-report")}
    for path in (SEED, REFUND / "refund.yaml"):
        jsonschema.Draft202012Validator(forms["behavior-spec"]).validate(yaml.safe_load(path.read_text()))
    report = refund(command, "wrong_order", "--json").json
    jsonschema.Draft202012Validator(forms["gate-report"]).validate(report)
    for schema, wrong in (
        (forms["behavior-spec"], {"schema_version": "behavior-spec/v0", "id": "x", "invariant": {}}),
        (forms["gate-report"], {**report, "verdict": "MAYBE"}),
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(wrong)


def test_the_seeds_spec_needs_nine_runs(command: Command, tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.mkdir()
    (one / "r.json").write_bytes((REFUND / "base" / "run-01.json").read_bytes())
    few = command("gate", "--spec", SEED, "--baseline", REFUND / "base", "--candidate", one, "--json")
    assert few.code == 1 and [check["name"] for check in few.json["checks"] if check["verdict"] == "FAIL"] == ["wilson"]
    assert command("gate", "--spec", SEED, "--baseline", REFUND / "base", "--candidate", REFUND / "right_order").code == 0


def test_a_warning_passes_unless_it_is_to_block(command: Command, tmp_path: Path) -> None:
    side = folder(tmp_path / "a", [run("a")]), folder(tmp_path / "b", [run("a", "b")])
    spec = spec_file(tmp_path / "s.yaml", thresholds={"path_edit_distance_warn": 0.1})
    words = ["gate", "--spec", spec, "--baseline", side[0], "--candidate", side[1]]
    assert command(*words).code == 0 and "WARN" in command(*words).out
    assert command(*words, "--block-on-warn").code == 1


def test_too_few_runs_end_with_three(command: Command, tmp_path: Path) -> None:
    side = folder(tmp_path / "a", [run("policy_check")])
    spec = spec_file(tmp_path / "s.yaml", invariants=ORDER, thresholds={"min_runs": 2})
    assert command("gate", "--spec", spec, "--baseline", side, "--candidate", side).code == 3


def test_a_changed_spec_is_refused_where_it_was_locked(command: Command, tmp_path: Path) -> None:
    spec = tmp_path / "behavior.yaml"
    spec.write_text((REFUND / "refund.yaml").read_text())
    words = ["gate", "--spec", spec, "--baseline", REFUND / "base", "--candidate", REFUND / "right_order", "--locked", "--json"]
    assert command(*words).code == 2
    assert command("contract", "lock", spec).code == 0
    passed = command(*words)
    assert passed.code == 0 and passed.json["locked"] is True
    spec.write_text(spec.read_text().replace("before: policy_check", "before: classify"))
    refused = command(*words)
    assert refused.code == 2 and "locked" in refused.err and refused.err.count("\n") == 1


def test_the_report_shows_everything_as_text_and_as_a_page(command: Command, tmp_path: Path) -> None:
    spec = read_spec(REFUND / "refund.yaml").model_dump(mode="json")
    spec["thresholds"]["sprt"]["enabled"] = True
    del spec["benchmark_results"]
    path = spec_file(tmp_path / "s.yaml", **{name: spec[name] for name in ("invariants", "thresholds")})
    words = ["gate", "--spec", path, "--baseline", REFUND / "base", "--candidate", REFUND / "wrong_order", "--out", tmp_path / "g.json"]
    assert command(*words).code == 1
    shown = command("report", tmp_path / "g.json")
    page = (tmp_path / "g.html").read_text()
    assert shown.code == 0 and "<script" not in page
    for text in (shown.out, page):
        for part in (
            "required_order: policy_check before refund_tool",
            "Wilson interval",
            "SPRT first crossing",
            "run 3 (run-03.json) at 4.1589",
            "First divergent step",
            "open-model representation trajectory",
            "advisory",
            "private reasoning",
            "run-09.json",
        ):
            assert " ".join(part.split()) in " ".join(text.replace("<wbr>", "").split()), part


def broken(path: Path, what: bytes | dict[str, Any]) -> Path:
    """A folder with one good trace and a bad one."""
    made = folder(path, [run("policy_check")])
    (made / "bad.json").write_bytes(what if isinstance(what, bytes) else json.dumps(what).encode())
    return made


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (b"{", "bad.json"),
        (b"", "bad.json"),
        (b"\xff\xfe", "bad.json"),
        (b"[" * 100_000, "bad.json"),
        (b"[]", "bad.json"),
        ({**run("a", number=9), "schema_version": "agent-behavior-trace/v1"}, "schema_version"),
        ({**run("a", number=9), "spans": [{"ordinal": 0, "type": "oracle", "name": "a"}]}, "spans[0].type"),
        ({**run("a", number=9), "spans": [{"ordinal": "0", "type": "tool", "name": "a"}]}, "spans[0].ordinal"),
        ({**run("a", number=9), "spans": [{"ordinal": 0, "type": "tool", "name": "a"}] * 2}, "same ordinal"),
        ({key: value for key, value in run("a").items() if key != "redaction"}, "redaction"),
        (run("policy_check"), "same run"),
    ],
)
def test_one_broken_file_in_a_folder_is_refused_with_its_place(what: Any, said: str, command: Command, tmp_path: Path) -> None:
    spec = spec_file(tmp_path / "s.yaml", invariants=ORDER)
    good, bad = folder(tmp_path / "good", [run("policy_check")]), broken(tmp_path / "bad", what)
    for sides in ((good, bad), (bad, good)):
        done = command("gate", "--spec", spec, "--baseline", sides[0], "--candidate", sides[1])
        assert done.code == 2 and done.err.count("\n") == 1 and said in done.err and "bad.json" in done.err, done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("invariants: {must_precede: [a]}", "s.yaml:3:14"),
        ("invariants: {required_tool: [a]}", "'required_tools'"),
        ("invariants: {required_order: [{before: a, then: b}]}", "s.yaml:3:"),
        ("invariants: {required_order: [{before: a, after: a}]}", "before itself"),
        ("invariants: {required_tools: a}", "s.yaml:3:14"),
        ("invariants: {required_tools: [7]}", "s.yaml:3:"),
        ("invariants: {max_errors: '0'}", "s.yaml:3:"),
        ("invariants: {max_errors: -1}", "s.yaml:3:"),
        ("invariants: {forbidden_tools: ['rm_(.*']}", "bad pattern"),
        ("invariants: {required_tools: [a], forbidden_tools: [a]}", "both required and forbidden"),
        ("invariants: !!python/object:os.system {}", "no tags"),
        ("invariants: {required_tools: [" + ", ".join(["*a"] * 40) + "]}\na: &a [x]", "s.yaml:3:"),
        ("thresholds: {min_wilson_pass_rate: 1.5}", "s.yaml:3:14"),
        ("thresholds: {tool_jaccard_warn: 0.5, tool_jaccard_fail: 0.4}", "above tool_jaccard_fail"),
        ("thresholds: {sprt: {enabled: true, p0: 0.8, p1: 0.9}}", "below p0"),
        ("thresholds: {sprt: {enabled: true, alpha: 0.6, beta: 0.5}}", "alpha + beta"),
        ("thresholds: {sprt: {enabled: 1}}", "s.yaml:3:"),
        ("thresholds: {violating_runs: count}", "needs what decides"),
        ("thresholds: {min_runs: 3}", "asks for nothing"),
        ("invariants: {}", "asks for nothing"),
        ("benchmark_results: {}", "says nothing about traces"),
    ],
)
def test_a_bad_spec_is_one_line_with_file_and_position(text: str, said: str, command: Command, tmp_path: Path) -> None:
    side = folder(tmp_path / "a", [run("policy_check")])
    (tmp_path / "s.yaml").write_text(f"schema_version: behavior-spec/v0\nid: mine\n{text}\n")
    done = command("gate", "--spec", tmp_path / "s.yaml", "--baseline", side, "--candidate", side)
    assert done.code == 2 and done.err.count("\n") == 1 and said in done.err, done.err


def test_nothing_missing_passes(command: Command, tmp_path: Path) -> None:
    side, spec = folder(tmp_path / "a", [run("policy_check")]), spec_file(tmp_path / "s.yaml", invariants=ORDER)
    (tmp_path / "empty").mkdir()
    both = two_models(tmp_path / "r", ["pass"] * 6, ["pass"] * 6)
    for words, said in (
        (["--baseline", side], "No --candidate"),
        (["--candidate", side], "No --baseline"),
        (["--baseline", tmp_path / "empty", "--candidate", side], "empty"),
        (["--baseline", side, "--candidate", tmp_path / "empty"], "empty"),
        (["--baseline", side, "--candidate", tmp_path / "gone"], "gone"),
        (["--baseline", side, "--candidate", f"{both}:new"], "Only one side"),
        (["--baseline", side, "--baseline", side, "--candidate", side], "second folder"),
    ):
        done = command("gate", "--spec", spec, *words)
        assert done.code == 2 and done.err.count("\n") == 1 and said in done.err, done.err
    assert "--spec" in command("gate", "--baseline", side, "--candidate", side).err


def test_traces_and_runs_are_judged_in_one_report(command: Command, tmp_path: Path) -> None:
    both = two_models(tmp_path / "r", ["pass"] * 6, ["fail"] * 6)
    side = folder(tmp_path / "a", [run("policy_check", "refund_tool")])
    spec = spec_file(tmp_path / "s.yaml", invariants=ORDER, benchmark_results={})
    sides = ["--baseline", side, "--baseline", f"{both}:old", "--candidate", side, "--candidate", f"{both}:new"]
    done = command("gate", "--spec", spec, *sides, "--json")
    words = {row["name"]: row["verdict"] for row in done.json["categories"]}
    assert (done.code, words["behavior_contract"], words["benchmark_results"]) == (1, "PASS", "FAIL")
    assert done.json["pairs"] and done.json["traces"]


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    rng = random.Random(8)
    made = [trace(rng, number) for number in range(12)]
    folder(tmp_path / "b", made[:6])
    folder(tmp_path / "c", made[6:])
    (tmp_path / "d").mkdir()
    for path in sorted((tmp_path / "c").iterdir(), reverse=True):
        (tmp_path / "d" / path.name).write_bytes(path.read_bytes())
    limits = {"path_edit_distance_warn": 0.1, "min_wilson_pass_rate": 0.3, "sprt": {"enabled": True}, "comparison": {}}
    spec = spec_file(tmp_path / "s.yaml", invariants={"required_tools": ["look"], "max_retries": 0}, thresholds=limits)
    seen = set()
    for seed, candidate in (("0", "c"), ("1", "c"), ("2", "d")):
        words = ["gate", "--spec", spec, "--baseline", tmp_path / "b", "--candidate", tmp_path / candidate, "--out", tmp_path / "g.json"]
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(ROOT / "pipeline"), str(ROOT)]), "TZ": f"UTC{seed}"}
        subprocess.run([sys.executable, "-m", "tracedance", *map(str, words)], env=env, check=False, capture_output=True)
        seen.add((tmp_path / "g.json").read_bytes())
        (tmp_path / "g.json").unlink()
    assert len(seen) == 1
    assert GateReport.model_validate_json(seen.pop()).traces


ODD = st.sampled_from([None, 1, -1, 1.0, True, "x", "", [], {}, "success", "tool", 10**30])
FIELDS = ["ordinal", "type", "name", "status", "input_hash", "duration_ms", "started_at", "attributes", "cost"]


@settings(max_examples=400, deadline=None)
@given(
    st.integers(0, 10_000),
    st.lists(st.tuples(st.sampled_from(FIELDS), ODD), max_size=2),
    st.sampled_from(["", "run", "source", "redaction"]),
    ODD,
)
def test_the_short_road_and_the_long_one_read_the_same(seed: int, changes: list[tuple[str, Any]], part: str, value: Any) -> None:
    made = trace(random.Random(seed), seed)
    for name, odd in changes:
        for span in made.get("spans", [])[:1]:
            span[name] = odd
    if part and seed % 2:
        made[part] = {**made[part], random.Random(seed).choice(["final_status", "canonical_output", "applied", "platform", "note"]): value}
    raw = json.dumps(made).encode()
    try:
        loaded = parse_trace(raw, "t.json")
    except InputError as error:
        with pytest.raises(InputError) as caught:
            parse_run(raw, Path("t.json"))
        assert str(caught.value).partition(",")[2] == str(error).partition(",")[2]
        return
    assert parse_run(raw, Path("t.json")) == run_of(loaded.trace, loaded.name, loaded.digest, sum(loaded.unknown.values()))
