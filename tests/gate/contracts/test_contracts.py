"""Contracts as a person makes them: derived from good runs, locked, compared, compiled."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT, Command
from tests.gate.traces_by_hand import folder


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    return folder(tmp_path / "base", "look check pay mail", "look look check pay mail", "look check! check pay mail!")


def spec_of(path: Path) -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load(path.read_text())
    return made


def test_a_first_contract_is_what_every_good_run_keeps(baseline: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "behavior.yaml"
    assert command("contract", "init", "--baseline", baseline, "--out", out).code == 0
    spec = spec_of(out)
    assert (spec["id"], spec["invariants"]["required_tools"]) == ("behavior", ["check", "look", "pay"])
    assert {name: spec["invariants"][name] for name in ("max_path_length", "max_errors", "max_retries")} == {
        "max_path_length": 7,  # 1.25 times 5 steps is 6.25
        "max_errors": 2,
        "max_retries": 1,
    }
    assert spec["invariants"]["required_order"] == [] and "must be written by a person" in out.read_text()
    assert '#   "mail": 2 of 3 runs' in out.read_text()
    assert command("gate", "--baseline", baseline, "--candidate", baseline, "--spec", out).code == 0
    worse = folder(tmp_path / "worse", "look pay")
    assert command("gate", "--baseline", baseline, "--candidate", worse, "--spec", out).code == 1


def test_the_seeds_rule_requires_what_appeared_in_any_run(baseline: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "behavior.yaml"
    command("contract", "init", "--baseline", baseline, "--out", out, "--require", "any")
    assert spec_of(out)["invariants"]["required_tools"] == ["check", "look", "mail", "pay"]
    assert spec_of(out)["invariants"]["required_status"] == "any"
    apart = folder(tmp_path / "apart", "look", "pay")
    command("contract", "init", "--baseline", apart, "--out", out, "--require", "any", "--force")
    assert command("gate", "--baseline", apart, "--candidate", apart, "--spec", out).code == 1


def test_a_contract_that_a_person_wrote_on_is_not_written_over(baseline: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "behavior.yaml"
    words = ("contract", "init", "--baseline", baseline, "--out", out)
    assert command(*words).code == 0 and command(*words).code == 0
    out.write_text(out.read_text().replace("max_errors: 2", "max_errors: 0"))
    done = command(*words)
    assert done.code == 2 and "is there already" in done.err and spec_of(out)["invariants"]["max_errors"] == 0
    assert command(*words, "--force").code == 0 and spec_of(out)["invariants"]["max_errors"] == 2


def test_a_hostile_name_stays_a_name(tmp_path: Path, command: Command) -> None:
    runs = folder(tmp_path / "t", "look pay")
    file = runs / "run-00.json"
    held = json.loads(file.read_text())
    held["spans"][0]["name"] = "x: y\nforbidden_tools: [pay] # \u2028 {{"
    held["spans"][1]["name"] = "sneak*"
    file.write_text(json.dumps(held))
    out = tmp_path / "behavior.yaml"
    assert command("contract", "init", "--baseline", runs, "--out", out).code == 0
    spec = spec_of(out)["invariants"]
    assert (spec["required_tools"], spec["forbidden_tools"]) == ([held["spans"][0]["name"]], [])
    assert command("gate", "--baseline", runs, "--candidate", runs, "--spec", out).code == 0


def test_a_locked_contract_cannot_be_changed_unseen(baseline: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "behavior.yaml"
    command("contract", "init", "--baseline", baseline, "--out", out)
    gate = ("gate", "--locked", "--baseline", baseline, "--candidate", baseline, "--spec", out, "--json")
    done = command(*gate)
    assert done.code == 2 and "is not locked" in done.err
    locked = command("contract", "lock", out, "--json")
    assert locked.code == 0 and "no order constraint" in locked.err
    report = command(*gate)
    assert report.code == 0 and report.json["spec_digest"] == locked.json["digest"] and report.json["locked"] is True
    out.write_text("# A remark changes nothing.\n" + out.read_text())
    assert command(*gate).code == 0
    out.write_text(out.read_text().replace("max_errors: 2", "max_errors: 3"))
    done = command(*gate)
    assert done.code == 2 and "is not the spec that was locked" in done.err and len(done.err.splitlines()) == 1
    assert command("contract", "lock", out, "--json").json["before"] == locked.json["digest"]
    assert command(*gate).code == 0
    (tmp_path / "behavior.yaml.lock").write_text("{}")
    assert "behavior.yaml.lock" in command(*gate).err and command(*gate).code == 2


def test_two_folders_side_by_side(tmp_path: Path, command: Command) -> None:
    base = folder(tmp_path / "base", "look check pay", "look check pay", "look check pay mail")
    other = folder(tmp_path / "other", "look pay check", "look check pay")
    found = command("contract", "diff", base, other, "--json").json
    assert found["path_edit_distance"] == {"mean": pytest.approx(1 / 3), "max": pytest.approx(2 / 3), "bounded_runs": 0}
    assert found["fingerprint_distance"] == pytest.approx(1 / 3)
    assert found["tool_jaccard"] == pytest.approx(1 / 4) and found["only_baseline"] == ["mail"]
    assert found["first_divergent_step"] == {"step": 1, "baseline": "check", "candidate": [{"name": "pay", "runs": 1}]}
    assert found["medoid"]["path"] == ["look", "check", "pay"]
    shown = command("contract", "diff", base, other)
    assert shown.code == 0 and "at step 1: baseline check, candidate pay (1)" in shown.out


def documented() -> str:
    return re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "agent-behavior-contract.md").read_text(), flags=re.S)[0]


def test_a_formal_contract_becomes_a_spec_and_says_what_is_lost(tmp_path: Path, command: Command) -> None:
    contract, out = tmp_path / "contract.yaml", tmp_path / "spec.yaml"
    contract.write_text(documented())
    done = command("contract", "compile", contract, "--out", out, "--json")
    assert [(each["letter"], each["clause"], each["rule"]) for each in done.json["unexpressed"]] == [
        ("G", "polite", None),
        ("R", "lookup-again", "recovers"),
    ]
    assert spec_of(out)["invariants"] == {
        "required_order": [{"before": "policy_check", "after": "refund_tool"}],
        "required_tools": ["classify", "lookup_order"],
        "forbidden_tools": ["admin_console"],
        "max_path_length": 5,
        "max_retries": 1,
    }
    assert "#   G polite: it has no rule" in out.read_text()
    base = folder(tmp_path / "base", *["classify lookup_order policy_check refund_tool"] * 40)
    wrong = folder(tmp_path / "wrong", *["classify lookup_order refund_tool policy_check"] * 40)
    assert command("gate", "--baseline", base, "--candidate", base, "--spec", out).code == 0
    assert command("gate", "--baseline", base, "--candidate", wrong, "--spec", out).code == 1


def test_the_lower_of_two_limits_holds_and_soft_clauses_stay_out(tmp_path: Path, command: Command) -> None:
    def clause(name: str, **rest: Any) -> dict[str, Any]:
        return {"id": name, "says": name, **rest}

    contract = {"schema_version": "agent-behavior-contract/v0", "id": "a b", "governance": []}
    limits = [clause("a", rule={"max_errors": 3, "max_path_length": 9}), clause("b", rule={"max_errors": 1})]
    contract["governance"] = [*limits, clause("c\nthresholds: 1", rule={"max_path_length": 2}, strength="soft")]  # type: ignore[assignment]
    (tmp_path / "c.json").write_text(json.dumps(contract))
    shown = command("contract", "compile", tmp_path / "c.json", "--out", tmp_path / "s.yaml")
    assert shown.code == 0 and "3: 2 in the spec, 1 not or not wholly" in shown.out
    assert spec_of(tmp_path / "s.yaml")["invariants"] == {"max_errors": 1, "max_path_length": 9}
    contract["governance"] = [clause("c")]  # type: ignore[assignment]
    (tmp_path / "c.json").write_text(json.dumps(contract))
    done = command("contract", "compile", tmp_path / "c.json", "--out", tmp_path / "none.yaml")
    assert done.code == 2 and "No clause" in done.err and not (tmp_path / "none.yaml").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("order: {before", "forbidden_tools: {before", ":8:7: 'preconditions.0.rule.forbidden_tools'"),
        ("id: polite", "id: no-admin", "two clauses have the id 'no-admin'"),
        ("pass_rate: 0.9", "pass_rate: 90", "'satisfaction.pass_rate'"),
        ("contract/v0", "contract/v1", "'schema_version'"),
        ("      max_retries: 1\n", "      max_tries: 1\n", "'recovery.0.rule.max_tries'"),
        ("says: The bot stays polite.", "says: !!python/name:os.system x", "tags"),
    ],
)
def test_a_contract_that_is_none_is_named_with_its_place(old: str, new: str, said: str, tmp_path: Path, command: Command) -> None:
    assert old in documented()
    (tmp_path / "c.yaml").write_text(documented().replace(old, new))
    done = command("contract", "compile", tmp_path / "c.yaml", "--out", tmp_path / "s.yaml")
    assert done.code == 2 and "c.yaml:" in done.err and said in done.err and len(done.err.splitlines()) == 1
