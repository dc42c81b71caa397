"""The composite action, run step by step with bash as GitHub's runner does it: inputs in variables, output in files."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.ci.sarif_shape import problems
from tests.conftest import ROOT
from tests.evaluation_runs import two_models
from tests.gate.workbench.test_command import folder, spec_file
from tests.gate.workbench.test_rules import ORDER, run
from tracedance.ci.markdown import MARKER

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKBENCH = ROOT / "configs" / "examples" / "workbench"
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


@dataclass(frozen=True)
class Ran:
    code: int
    log: list[str]
    summary: str
    outputs: dict[str, str]

    @property
    def obeyed(self) -> list[str]:
        """The commands that a runner carries out: stop-commands and its token are kept to, as the runner does."""
        found, token = [], ""
        for line in self.log:
            said = line.strip()
            if token:
                token = "" if said == f"::{token}::" else token
            elif stop := re.match(r"::stop-commands::(.*)", said):
                token = stop[1]
            elif said.startswith("::") or "##[" in said:
                found.append(said)
        return found


def gate_step(home: Path, **inputs: str) -> Ran:
    """The action's gate with these inputs, in a folder of its own."""
    values = {name: about.get("default", "") for name, about in ACTION["inputs"].items()} | {"python": sys.executable} | inputs
    values = {name.replace("_", "-"): value for name, value in values.items()}
    step = STEPS["Gate"]
    env = {name: EXPRESSION.sub(lambda found: values[found[1].removeprefix("inputs.")], str(text)) for name, text in step["env"].items()}
    files = {name: home / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.write_text("")
    base = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    base |= {"PYTHONPATH": os.pathsep.join([str(ROOT / "pipeline"), str(ROOT)]), **{name: str(path) for name, path in files.items()}}
    script = home / "step.sh"
    script.write_text(step["run"])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=home, env=base | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return Ran(done.returncode, done.stdout.splitlines(), files["GITHUB_STEP_SUMMARY"].read_text(), outputs)


def refund(home: Path, candidate: str, **inputs: str) -> Ran:
    sides = {"baseline": str(WORKBENCH / "base"), "candidate": str(WORKBENCH / candidate), "spec": str(WORKBENCH / "refund.yaml")}
    return gate_step(home, **{**sides, **inputs})


def test_no_expression_stands_in_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"] and step["shell"] == "bash"
    assert {name for step in STEPS.values() for text in step["env"].values() for name in EXPRESSION.findall(text)} <= {
        f"inputs.{name}" for name in ACTION["inputs"]
    } | {"github.action_path"}


def test_a_failing_candidate_stops_the_job_and_is_shown_everywhere(tmp_path: Path) -> None:
    done = refund(tmp_path, "wrong_order")
    assert (done.code, done.outputs["verdict"]) == (1, "FAIL")
    assert all(line.startswith("::error file=") for line in done.obeyed) and len(done.obeyed) == 3
    assert done.summary == (tmp_path / done.outputs["comment"]).read_text() and done.summary.startswith(MARKER)
    assert json.loads((tmp_path / done.outputs["report"]).read_text())["verdict"] == "FAIL"
    assert all((tmp_path / done.outputs[name]).is_file() for name in ("junit", "sarif"))


def test_a_good_candidate_passes_without_an_annotation(tmp_path: Path) -> None:
    done = refund(tmp_path, "right_order")
    assert (done.code, done.outputs["verdict"], done.obeyed) == (0, "PASS", [])


def test_what_cannot_be_judged_stops_the_job_and_leaves_no_verdict_of_before(tmp_path: Path) -> None:
    assert refund(tmp_path, "right_order").code == 0
    done = refund(tmp_path, "right_order", locked="true")
    assert done.code == 2 and "verdict" not in done.outputs and "nothing could be judged" in done.summary
    assert not (tmp_path / "tracedance-gate" / "gate-report.json").exists()


def test_inputs_are_values_and_never_code_or_options(tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    for text in (f'"; touch {planted}; "$(touch {planted})`touch {planted}`', f"x\ntouch {planted}", "--help"):
        done = gate_step(tmp_path, **dict.fromkeys(("baseline", "candidate", "spec", "representation"), text))
        assert done.code == 2 and not done.obeyed
    assert refund(tmp_path, "right_order", out="a\nverdict=PASS").code == 2
    assert not planted.exists()


def test_a_folder_of_the_repository_is_not_run_as_the_program(tmp_path: Path) -> None:
    for name in ("tracedance", "json", "secrets"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit(0)")
    assert refund(tmp_path, "wrong_order").code == 1


@pytest.mark.parametrize("name", ["\n::error::owned", "##[add-mask]x", "::set-output name=verdict::PASS", "::stop-commands::x"])
def test_hostile_names_of_files_and_traces_are_not_obeyed(tmp_path: Path, name: str) -> None:
    side: list[dict[str, Any]] = [run("policy_check", "refund_tool")]
    base, candidate = folder(tmp_path / "base", side), folder(tmp_path / "cand", side)
    spec = spec_file(tmp_path / "s.yaml", invariants={**ORDER, "expected_output": {name: 1}})
    done = gate_step(tmp_path, baseline=str(base), candidate=str(candidate), spec=str(spec))
    assert done.code == 1 and done.obeyed and all(re.match(r"::error file=\S+,title=FAIL ", line) for line in done.obeyed)
    assert not any("##[" in line or line.count("::") > 2 for line in done.obeyed)
    (candidate / f"{name.strip()}.json").write_text("no trace")
    broken = gate_step(tmp_path, baseline=str(base), candidate=str(candidate), spec=str(spec))
    assert broken.code == 2 and broken.obeyed == []


def test_a_finished_evaluation_is_decided_again_without_a_key(tmp_path: Path) -> None:
    run_folder = two_models(tmp_path / "run", ["pass"] * 12, ["fail"] * 12)
    sides = {"baseline": f"{run_folder}:old", "candidate": f"{run_folder}:new"}
    first = gate_step(tmp_path, **sides)
    held = (tmp_path / first.outputs["report"]).read_bytes()
    assert (first.code, first.outputs["verdict"]) == (1, "FAIL")
    assert problems(json.loads((tmp_path / first.outputs["sarif"]).read_text())) == []
    assert gate_step(tmp_path, **sides).code == 1 and (tmp_path / first.outputs["report"]).read_bytes() == held


@pytest.mark.parametrize("name", ["locked", "block_on_warn", "annotate", "install"])
def test_a_switch_is_true_or_false_in_any_case_and_nothing_else(name: str, tmp_path: Path) -> None:
    for odd in ("yes", "1", "", "true "):
        done = refund(tmp_path, "right_order", **{name: odd})
        assert done.code == 2 and any(f"'{name.replace('_', '-')}' is neither true nor false" in line for line in done.log), odd
        assert "verdict" not in done.outputs
    assert refund(tmp_path, "right_order", **{name: "FALSE"}).code == 0


def test_a_lock_asked_for_as_true_in_any_case_is_held_to(tmp_path: Path) -> None:
    spec = spec_file(tmp_path / "s.yaml", invariants={"max_errors": 0})
    for word in ("True", "TRUE", "true"):
        done = refund(tmp_path, "right_order", spec=str(spec), locked=word)
        assert done.code == 2 and any("is not locked" in line for line in done.log)
