"""Benchmarks in the forms of other tools, each proved by the tool itself."""

import importlib.util
import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command
from tests.evaluate.benchmarks import CANARY, COMMIT, committing, published
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


def test_an_export_gives_the_same_bytes_and_never_replaces_what_is_not_its_own(command: Command, commits: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        command("export", commits, "--to", "parquet", "--out", tmp_path / name)
    assert (tmp_path / "one").resolve() == (tmp_path / "two").resolve()
    (tmp_path / "mine").mkdir()
    done = command("export", commits, "--to", "parquet", "--out", tmp_path / "mine")
    assert done.code == 2 and "was not published from here" in done.err


def inspected(folder: Path, *words: str, base: str = "http://127.0.0.1:9/v1") -> list[dict[str, object]]:
    """Runs `inspect eval tracedance/benchmark` as a user does; returns each sample's value and metadata."""
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("inspect-ai is not installed: pip install 'tracedance[inspect]'")
    if not any(point.value == "tracedance.exports.inspect_task" for point in entry_points(group="inspect_ai")):
        pytest.skip("this tracedance is installed without its entry point for Inspect: pip install -e .")
    environment = {**os.environ, "HERE_BASE_URL": base, "HERE_API_KEY": "none", "INSPECT_LOG_FORMAT": "json"}
    environment["PYTHONPATH"] = f"{ROOT / 'pipeline'}"
    tool = [sys.executable, "-m", "inspect_ai", "eval", "tracedance/benchmark", *words, "--display", "none", "--log-dir", str(folder)]
    done = subprocess.run(tool, env=environment, capture_output=True, text=True, timeout=300, cwd=folder.parent)
    (log,) = folder.glob("*.json")
    told = json.loads(log.read_text())
    assert told["status"] == "success", done.stdout + done.stderr
    return [sample["scores"]["rubric"] for sample in told["samples"]]


def test_inspect_runs_the_benchmark_by_its_entry_point_and_nobody_is_scored_without_a_grade(commits: Path, tmp_path: Path) -> None:
    scores = inspected(tmp_path / "logs", "-T", f"path={commits}", "--model", "mockllm/model")
    assert len(scores) == 4
    assert all(score["value"] != score["value"] and score["reason"] == "unscored" for score in scores)


def test_inspect_grades_by_our_rubric_with_three_judges(commits: Path, tmp_path: Path, provider: Provider) -> None:
    judges = "judges=openai-api/here/judge-a,openai-api/here/judge-b,openai-api/here/judge-c"
    for model, value in (("good", 1.0), ("bad", 0.0)):
        scores = inspected(
            tmp_path / model, "-T", f"path={commits}", "-T", judges, "--model", f"openai-api/here/{model}", base=provider.base
        )
        assert [score["value"] for score in scores] == [value] * 4
        assert all(len(score["metadata"]["votes"]) == 3 for score in scores)  # type: ignore[index, call-overload]
    assert CANARY not in json.dumps(provider.requests)
    assert provider.stats() == {"bad": 4, "good": 4, "judge-a": 8, "judge-b": 8, "judge-c": 8}


def test_an_export_never_replaces_a_benchmark(tmp_path: Path, command: Command) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/benchmark.yaml").write_text("schema: tracedance.benchmark/v1\n")
    done = command("export", tmp_path / "b", "--to", "openai", "--out", tmp_path / "b")
    assert done.code == 2 and (tmp_path / "b/benchmark.yaml").exists()
