import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.schema import Benchmark, CallMade, CheckRow, Instance, Manifest, Message, Rubric, SourceTurn, Tool
from tracedance.store.benchmarks import read_benchmark, write_benchmark

FAMILY = "failure/edit_retry_without_reread"
CANARY = "tracedance canary 00000000-0000-0000-0000-000000000000"


def _instance(number: int) -> Instance:
    call = CallMade(id="c1", name="Edit", arguments='{"file_path":"/r/a.py"}')
    return Instance(
        id=f"i{number}",
        family=FAMILY,
        messages=(
            Message(role="user", author="user", content=f"Rename {number}: \u2028 ü", turn=0),
            Message(role="assistant", author="model", content="", tool_calls=(call,), turn=1),
            Message(role="tool", author="tool", content="not found", tool_call_id="c1", turn=2),
        ),
        tools=(Tool(name="Edit", description="", parameters='{"type":"object"}', inferred_from=2),),
        replayability="reconstructed",
        replay_note="Tools inferred.",
        setting="coding",
        harness="claude_code",
        source_model="m",
        session="s",
        tokens=10,
        redaction="r",
        canary=CANARY,
    )


def _publish(out: Path, numbers: Sequence[int] = (1, 2)) -> Path:
    manifest = Manifest(
        name="retries",
        query="edits tried again",
        families=(FAMILY,),
        digests={"anchor:x": "1"},
        instances=0,
        counts={"places": 3},
        dropped={},
        confirmed_by=("rule",),
        seed=0,
        canary=CANARY,
        files=(),
    )
    instances = [_instance(number) for number in numbers]
    source = SourceTurn(text="Again.", tool_calls=(), model="m")
    checks = [CheckRow(instance=one.id, facts={"file": "/r/a.py"}, source=source, confirmed_by="rule", canary=CANARY) for one in instances]
    rubrics = {FAMILY: Rubric(question="Does it look first?", levels={level: f"level {level}" for level in range(6)})}
    return write_benchmark(manifest, instances, checks, rubrics, out)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return _publish(tmp_path / "b")


def _code(path: Path) -> int:
    with pytest.raises(InputError) as refused:
        read_benchmark(path)
    return refused.value.code


def test_a_benchmark_comes_back_as_it_was_written(bench: Path) -> None:
    read = read_benchmark(bench)
    assert isinstance(read, Benchmark)
    assert read.instances == (_instance(1), _instance(2))
    assert read.checks["i2"].facts == {"file": "/r/a.py"}
    assert read.rubrics[FAMILY].levels[5] == "level 5"
    assert read.manifest.instances == 2
    assert [entry.path for entry in read.manifest.files] == [
        "README.md",
        "checks.jsonl",
        "data/test.jsonl",
        "rubrics/failure__edit_retry_without_reread.yaml",
    ]


def test_it_is_read_through_its_pointer_its_folder_or_a_copy(bench: Path, tmp_path: Path) -> None:
    shutil.copytree(bench, tmp_path / "copy")
    read = [read_benchmark(path).instances for path in (bench, bench.resolve(), tmp_path / "copy")]
    assert read[0] == read[1] == read[2]


def test_the_same_content_is_the_same_bytes(bench: Path, tmp_path: Path) -> None:
    assert _publish(tmp_path / "other").resolve().name == bench.resolve().name


def test_one_edited_byte_in_any_file_is_found(bench: Path) -> None:
    for path in [path for path in bench.resolve().rglob("*") if path.is_file()]:
        whole = path.read_bytes()
        for place in range(0, len(whole), max(1, len(whole) // 9)):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert _code(bench) == 6
        path.write_bytes(whole)
    assert read_benchmark(bench)


def test_one_edited_byte_in_a_copied_folder_is_found_and_named(bench: Path, tmp_path: Path) -> None:
    shutil.copytree(bench, tmp_path / "copy")
    path = tmp_path / "copy/data/test.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Rename 1", b"Rename 7"))
    with pytest.raises(InputError, match=r"test\.jsonl.*Build the benchmark again") as refused:
        read_benchmark(tmp_path / "copy")
    assert refused.value.code == 6


def test_a_missing_and_an_added_file_are_found(bench: Path) -> None:
    (bench / "extra.txt").write_text("")
    assert _code(bench) == 6
    (bench / "extra.txt").unlink()
    (bench / "checks.jsonl").unlink()
    assert _code(bench) == 6


def test_a_newer_schema_is_refused_with_the_cure(bench: Path, tmp_path: Path) -> None:
    shutil.copytree(bench, tmp_path / "copy")
    manifest = tmp_path / "copy/benchmark.yaml"
    manifest.write_text(manifest.read_text().replace("tracedance.benchmark/v1", "tracedance.benchmark/v9"))
    with pytest.raises(InputError, match="Update tracedance") as refused:
        read_benchmark(tmp_path / "copy")
    assert refused.value.code == 2


def test_what_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    assert _code(tmp_path / "absent") == 2
    assert _code(tmp_path) == 2


def test_a_benchmark_from_before_why_and_evidence_were_kept_is_read(tmp_path: Path) -> None:
    row = CheckRow(instance="i1", facts={}, source=SourceTurn(text="", tool_calls=(), model="m"), confirmed_by="rule", canary=CANARY)
    older = {name: value for name, value in row.model_dump(mode="json").items() if name not in ("why", "evidence")}
    assert CheckRow.model_validate_json(json.dumps(older)) == row


def test_the_canary_is_in_every_file(bench: Path) -> None:
    assert all(CANARY in path.read_text() for path in bench.resolve().rglob("*") if path.is_file())


def test_the_datasets_library_loads_the_contexts_and_nothing_else(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(bench), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["test"]
    assert loaded["test"]["id"] == ["i1", "i2"]
    assert loaded["test"][0]["messages"][1]["tool_calls"][0]["arguments"] == '{"file_path":"/r/a.py"}'
    assert "facts" not in loaded["test"].column_names


def test_the_datasets_library_sees_a_rebuild_at_the_same_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    for numbers in ((1, 2), (3, 4, 5), (1, 2)):
        loaded = datasets.load_dataset(str(_publish(tmp_path / "b", numbers)), cache_dir=str(tmp_path / "cache"))
        assert loaded["test"]["id"] == [f"i{number}" for number in numbers]
