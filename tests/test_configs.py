"""What ships under configs/ and benchmarks/ is read by the code that users run on it."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tracedance.config import build_settings, grade_settings
from tracedance.gate.spec import read_spec
from tracedance.models.config import load

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "configs" / "examples"
DEMO = sorted(path for path in (ROOT / "benchmarks" / "demo").iterdir() if path.is_dir())


def test_the_shipped_settings_are_those_of_the_design() -> None:
    assert (build_settings().minimum, build_settings().maximum, build_settings().context_tokens) == (5, 50, 120_000)
    assert (grade_settings().pass_mark, grade_settings().violates, grade_settings().satisfies) == (4, 1, 5)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("models-*.yaml")), ids=lambda path: path.name)
def test_an_example_of_models_is_a_profile(path: Path) -> None:
    models = load(str(path))
    assert len(models.role("judge")) == 3 and models.role("fast")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("gate-*.yaml")), ids=lambda path: path.name)
def test_an_example_of_a_gate_is_a_policy(path: Path) -> None:
    assert read_spec(path).id != "default"


@pytest.mark.parametrize("path", DEMO, ids=lambda path: path.name)
def test_the_committed_benchmarks_agree_with_their_manifests_and_can_be_evaluated(path: Path, command: Command, tmp_path: Path) -> None:
    assert command("verify", path).code == 0
    run = command("evaluate", path, "--model", "offline/source", "--model", "offline/careful", "--out", tmp_path / "r", "--json")
    assert run.code == 0
    source, careful = (next(row for row in run.json["results"] if row["model"] == name) for name in ("offline/source", "offline/careful"))
    assert source["passed"] == 0 and careful["passed"] == careful["assessed"] > 0


def test_there_are_committed_benchmarks() -> None:
    assert {path.name for path in DEMO} == {"edit_retry_without_reread", "unreviewed_commit_contents"}
