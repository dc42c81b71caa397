"""Benchmarks in the forms of other tools, each proved by the tool itself."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Command
from tests.evaluate.benchmarks import CANARY, COMMIT, RETRY, both, committing, published
from tests.servers.provider import Provider


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    """Four instances in which a commit is next."""
    return published(tmp_path / "b", COMMIT, [committing(number) for number in range(4)])


def test_the_datasets_library_loads_the_parquet_and_it_says_the_same_as_the_json_lines(
    command: Command, commits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    done = command("export", commits, "--to", "parquet", "--out", tmp_path / "p", "--json")
    assert (done.code, done.json["instances"], done.json["left_out"]) == (0, 4, {})
    rows = datasets.load_dataset(str(tmp_path / "p"), cache_dir=str(tmp_path / "cache"))["test"].to_list()
    lines = [json.loads(line) for line in (commits / "data" / "test.jsonl").read_text().splitlines()]
    assert [{**row, "replaced": json.loads(row["replaced"])} for row in rows] == lines


def test_the_openai_client_sends_the_lines_and_no_prompt_holds_the_canary(
    command: Command, commits: Path, tmp_path: Path, provider: Provider
) -> None:
    openai = pytest.importorskip("openai")
    assert command("export", commits, "--to", "openai", "--out", tmp_path / "o").code == 0
    rows = [json.loads(line) for line in (tmp_path / "o" / "data" / "test.jsonl").read_text().splitlines()]
    client = openai.OpenAI(base_url=provider.base, api_key="none", max_retries=0)
    answers = [client.chat.completions.create(model="good", messages=row["messages"], tools=row["tools"]) for row in rows]
    assert len(answers) == 4 and all(answer.choices[0].message.tool_calls for answer in answers)
    assert CANARY not in json.dumps(provider.requests)
    assert [row["metadata"]["canary"] for row in rows] == [CANARY] * 4


def test_every_exported_file_holds_the_canary_and_an_edited_one_is_told(command: Command, commits: Path, tmp_path: Path) -> None:
    for form in ("openai", "parquet"):
        out = tmp_path / form
        command("export", commits, "--to", form, "--out", out)
        files = [path for path in out.resolve().rglob("*") if path.is_file()]
        assert len(files) == 4 and all(CANARY.encode() in path.read_bytes() for path in files)
        assert command("verify", out, "--json").json["kind"] == "export"
        (rubric,) = (out / "rubrics").iterdir()
        rubric.write_text(rubric.read_text().replace("unseen", "seen"))
        done = command("verify", out)
        assert done.code == 6 and rubric.name in done.err
        assert "checks.jsonl" not in {path.name for path in files}
        assert "checks.jsonl" not in (out / "README.md").read_text()
    assert "checks.jsonl" in (commits / "README.md").read_text()


def test_an_export_gives_the_same_bytes_and_never_replaces_what_is_not_its_own(command: Command, commits: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        command("export", commits, "--to", "parquet", "--out", tmp_path / name)
    assert (tmp_path / "one").resolve() == (tmp_path / "two").resolve()
    (tmp_path / "mine").mkdir()
    done = command("export", commits, "--to", "parquet", "--out", tmp_path / "mine")
    assert done.code == 2 and "was not published from here" in done.err


def inspected(folder: Path, *words: str, base: str = "http://127.0.0.1:9/v1") -> tuple[list[dict[str, Any]], dict[str, dict[str, float]]]:
    """Runs `inspect eval tracedance/benchmark` as a user does; returns each sample's scores and, by scorer, the metrics."""
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("inspect-ai is not installed: pip install 'tracedance[inspect]'")
    if not any(point.value == "tracedance.exports.inspect_task" for point in entry_points(group="inspect_ai")):
        pytest.skip("this tracedance is installed without its entry point for Inspect: pip install -e .")
    environment = {**os.environ, "HERE_BASE_URL": base, "HERE_API_KEY": "none", "INSPECT_LOG_FORMAT": "json"}
    environment["PYTHONPATH"] = f"{ROOT / 'pipeline'}"
    tool = [sys.executable, "-m", "inspect_ai", "eval", "tracedance/benchmark", *words, "--display", "none", "--log-dir", str(folder)]
    done = subprocess.run(tool, env=environment, capture_output=True, text=True, timeout=300, cwd=folder.parent)
    logs = list(folder.glob("*.json"))
    assert len(logs) == 1, done.stdout + done.stderr
    told = json.loads(logs[0].read_text())
    assert told["status"] == "success", done.stdout + done.stderr
    metrics = {one["name"]: {name: metric["value"] for name, metric in one["metrics"].items()} for one in told["results"]["scores"]}
    return [sample["scores"] for sample in told["samples"]], metrics


def test_make_test_installs_inspect_so_that_these_tests_run_there() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras["inspect"]) <= set(extras["dev"])
    recipe = (ROOT / "Makefile").read_text().partition("dev.stamp: $(VENV)/core.stamp")[2].partition("\n\n")[0]
    assert re.search(r'-e "\.\[[a-z,]*\bdev\]"', recipe)


def test_inspect_runs_the_benchmark_by_its_entry_point_and_counts_apart_what_the_check_cannot_tell(commits: Path, tmp_path: Path) -> None:
    scores, metrics = inspected(tmp_path / "logs", "-T", f"path={commits}", "--model", "mockllm/model")
    assert [(one["rubric"]["reason"], one["outcomes"]["answer"]) for one in scores] == [("unscored", "undecided")] * 4
    assert metrics["rubric"] == {"assessed": 0}, "no rate of nothing"
    assert metrics["outcomes"] == {"passed": 0, "not_passed": 0, "undecided": 4, "partial": 0, "unscored": 0, "failed": 0}


HERE = "openai-api/here/"
JUDGES = f"judges={HERE}judge-a,{HERE}judge-b,{HERE}judge-c"


def test_inspect_grades_by_our_rubric_with_three_judges_that_are_held_to_planted_turns(
    commits: Path, tmp_path: Path, provider: Provider
) -> None:
    for model, value in (("good", 1.0), ("bad", 0.0)):
        scores, metrics = inspected(
            tmp_path / model, "-T", f"path={commits}", "-T", JUDGES, "--model", f"{HERE}{model}", base=provider.base
        )
        assert [one["rubric"]["value"] for one in scores] == [value] * 4
        assert all(len(one["rubric"]["metadata"]["votes"]) == 3 for one in scores)
        low, high = metrics["rubric"].pop("interval_low"), metrics["rubric"].pop("interval_high")
        assert metrics["rubric"] == {"pass_rate": value, "assessed": 4} and 0 <= low <= value <= high <= 1 and high - low > 0.4
        assert metrics["outcomes"]["passed" if value else "not_passed"] == 4
    assert CANARY not in json.dumps(provider.requests)
    assert provider.stats() == {"bad": 4, "good": 4, "judge-a": 12, "judge-b": 12, "judge-c": 12}, "two planted turns for each judge"


def test_inspect_has_no_vote_of_a_judge_that_gets_planted_turns_wrong(commits: Path, tmp_path: Path, provider: Provider) -> None:
    scores, metrics = inspected(
        tmp_path / "logs",
        "-T",
        f"path={commits}",
        "-T",
        "judges=openai-api/here/judge-5",
        "--model",
        "openai-api/here/good",
        base=provider.base,
    )
    assert {one["outcomes"]["answer"] for one in scores} == {"partial"} and metrics["rubric"] == {"assessed": 0}
    assert all(one["rubric"]["metadata"]["votes"][0]["error"].startswith("void: ") for one in scores)
    assert provider.stats()["judge-5"] == 2


def test_inspect_passes_a_turn_of_two_behaviours_only_where_both_rubrics_do(tmp_path: Path, provider: Provider) -> None:
    path = both(tmp_path / "b")
    scores, metrics = inspected(
        tmp_path / "logs",
        "-T",
        f"path={path}",
        "-T",
        "judges=openai-api/here/judge-a",
        "--model",
        "openai-api/here/good",
        base=provider.base,
    )
    for one in scores:
        votes = {vote["rubric"]: vote["score"] for vote in one["rubric"]["metadata"]["votes"]}
        assert set(votes) == {COMMIT, RETRY} and votes[COMMIT] == 5 and votes[RETRY] < 4
    assert metrics["outcomes"]["not_passed"] == 1 and metrics["rubric"]["pass_rate"] == 0


def test_an_export_never_replaces_a_benchmark(tmp_path: Path, command: Command) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/benchmark.yaml").write_text("schema: tracedance.benchmark/v1\n")
    done = command("export", tmp_path / "b", "--to", "openai", "--out", tmp_path / "b")
    assert done.code == 2 and (tmp_path / "b/benchmark.yaml").exists()
