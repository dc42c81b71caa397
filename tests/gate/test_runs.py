"""Run folders that are missing, torn, incomplete or inconsistent are refused with one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation_runs import seal, two_models
from tracedance.errors import InputError
from tracedance.gate.report import gate
from tracedance.gate.runs import load, resolve
from tracedance.schema import BenchmarkResultsSpec, GateSpec

SPEC = GateSpec(schema_version="behavior-spec/v0", id="test", benchmark_results=BenchmarkResultsSpec())
FILES = ("run.json", "responses.jsonl", "grades.jsonl", "rates.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return two_models(tmp_path / "r", ["pass"] * 6, ["fail"] * 6)


def refused(run: Path, model: str = "new") -> str:
    """The one line with which a gate refuses a run that was edited by somebody who made its digests right."""
    seal(run)
    with pytest.raises(InputError) as caught:
        gate(resolve(f"{run}:old"), resolve(f"{run}:{model}"), SPEC)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def edit(path: Path, line: int, **values: Any) -> None:
    lines = path.read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | values)
    path.write_text("\n".join(lines) + "\n")


def test_model_names_may_hold_slashes_and_colons(run: Path) -> None:
    assert resolve(f"{run}:ollama/llama3:8b").model == "ollama/llama3:8b"
    assert resolve(str(run)).model is None


def test_a_folder_with_a_colon_is_found(tmp_path: Path) -> None:
    run = two_models(tmp_path / "a:b" / "r", ["pass"], ["pass"])
    (tmp_path / "a").mkdir()
    assert resolve(f"{run}:new").folder == run
    assert resolve(f"{run}:new").model == "new"


def test_a_run_of_one_model_needs_no_name(tmp_path: Path) -> None:
    from tests.evaluation_runs import FAMILY, write_run

    run = write_run(tmp_path / "one", {"offline/careful": {FAMILY: ["pass"]}})
    assert load(resolve(str(run)))[1] == "offline/careful"


@pytest.mark.parametrize("text", ["", ":", "nowhere:model", ":model"])
def test_what_names_no_run_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="RUN:MODEL"):
        resolve(text)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run\.json"):
        resolve(f"{tmp_path}:model")


def test_an_unknown_model_is_answered_with_those_there_are(run: Path) -> None:
    assert "'old', 'new'" in refused(run, "other")
    with pytest.raises(InputError, match="names no model"):
        load(resolve(str(run)))


@pytest.mark.parametrize("name", FILES[1:])
def test_a_missing_file_is_refused(run: Path, name: str) -> None:
    (run / name).unlink()
    assert name in refused(run)


@pytest.mark.parametrize("name", FILES)
def test_no_cut_of_a_file_passes(run: Path, name: str) -> None:
    whole = (run / name).read_bytes()
    ends = range(0, len(whole) - 1) if len(whole) < 1000 else [*range(0, len(whole) - 1, 97), len(whole) - 2, whole.index(b"\n") + 1]
    for end in ends:
        (run / name).write_bytes(whole[:end])
        refused(run)
    (run / name).write_bytes(whole)


@pytest.mark.parametrize("name", FILES)
def test_any_byte_that_the_run_did_not_write_is_told_with_exit_code_6(run: Path, name: str) -> None:
    whole = (run / name).read_bytes()
    for place in [*range(0, len(whole), 61), len(whole) - 1]:
        (run / name).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError, match=name) as caught:
            gate(resolve(f"{run}:old"), resolve(f"{run}:new"), SPEC)
        assert caught.value.code == 6


def test_a_run_without_its_digests_is_not_finished(run: Path) -> None:
    (run / "digests.json").unlink()
    with pytest.raises(InputError, match="not finished"):
        gate(resolve(f"{run}:old"), resolve(f"{run}:new"), SPEC)


@pytest.mark.parametrize("model", ["old", "new"])
def test_the_worst_instances_cannot_be_left_out_of_a_run(run: Path, model: str) -> None:
    """Every row of two instances is taken out of every file, and the digests are made right: run.json still knows how many there were."""
    gone = {json.loads(line)["instance"] for line in (run / "grades.jsonl").read_text().splitlines()[:2]}
    for name in ("responses.jsonl", "grades.jsonl"):
        kept = [line for line in (run / name).read_text().splitlines(keepends=True) if json.loads(line)["instance"] not in gone]
        (run / name).write_text("".join(kept))
    rates = json.loads((run / "rates.json").read_text())
    for row in rates["results"]:
        row["assessed"] -= len(gone)
        row["passed"] -= len(gone) if row["model"] == "old" else 0
    (run / "rates.json").write_text(json.dumps(rates))
    assert "not whole" in refused(run, model)


@pytest.mark.parametrize(
    "votes, says",
    [
        ([], "without a vote"),
        ([{"judge": "judge/0", "status": "score", "score": 4}] * 3, "votes twice"),
        ([{"judge": f"judge/{seat}", "status": "score", "score": 99} for seat in range(3)], "none of 0 to 5"),
    ],
)
def test_votes_that_no_panel_gives_are_refused(run: Path, votes: list[dict[str, Any]], says: str) -> None:
    edit(run / "grades.jsonl", 0, votes=votes)
    assert says in refused(run)


@pytest.mark.parametrize("junk", [b"\x00" * 50 + b"\n", b"[]\n", b"null\n", b'{"a": NaN}\n', b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
@pytest.mark.parametrize("name", FILES)
def test_junk_is_refused(run: Path, name: str, junk: bytes) -> None:
    (run / name).write_bytes(junk)
    refused(run)


@pytest.mark.parametrize("name", ["responses.jsonl", "grades.jsonl"])
def test_a_lost_or_doubled_line_is_refused(run: Path, name: str) -> None:
    lines = (run / name).read_text().splitlines(keepends=True)
    (run / name).write_text("".join(lines[1:]))
    refused(run)
    (run / name).write_text("".join([*lines, lines[0]]))
    assert "repeats" in refused(run)


def test_a_grade_that_contradicts_its_votes_is_refused(run: Path) -> None:
    edit(run / "grades.jsonl", 7, passed=True, mean=4.2)
    assert "does not follow from its votes" in refused(run)


def test_a_grade_of_too_few_judges_is_refused(run: Path) -> None:
    row = json.loads((run / "grades.jsonl").read_text().splitlines()[0])
    edit(run / "grades.jsonl", 0, votes=row["votes"][:2])
    assert "2 of 3 judges" in refused(run)


def test_rates_that_the_rows_do_not_bear_out_are_refused(run: Path) -> None:
    rates = json.loads((run / "rates.json").read_text())
    rates["results"][0]["passed"] -= 1
    (run / "rates.json").write_text(json.dumps(rates))
    assert "rates.json" in refused(run)


def test_a_newer_form_is_refused_with_the_cure(run: Path) -> None:
    about = json.loads((run / "run.json").read_text()) | {"schema": "tracedance.run/v2"}
    (run / "run.json").write_text(json.dumps(about))
    assert "Upgrade" in refused(run)


def test_unknown_fields_of_run_json_are_tolerated(run: Path) -> None:
    (run / "run.json").write_text(json.dumps(json.loads((run / "run.json").read_text()) | {"later": 1}))
    seal(run)
    assert gate(resolve(f"{run}:old"), resolve(f"{run}:new"), SPEC).verdict == "FAIL"


def test_runs_judged_in_different_ways_are_refused(run: Path, tmp_path: Path) -> None:
    by_rule = two_models(tmp_path / "rule", ["pass"] * 6, ["fail"] * 6, rule=True)
    with pytest.raises(InputError, match="judged by 'panel' and 'rule'"):
        gate(resolve(f"{run}:old"), resolve(f"{by_rule}:new"), SPEC)
    other = two_models(tmp_path / "quorum", ["pass"] * 6, ["fail"] * 6, run={"quorum": 2})
    with pytest.raises(InputError, match="quorum"):
        gate(resolve(f"{run}:old"), resolve(f"{other}:new"), SPEC)


def test_other_judges_are_refused(run: Path, tmp_path: Path) -> None:
    other = two_models(tmp_path / "judges", ["pass"] * 6, ["fail"] * 6)
    (other / "grades.jsonl").write_text((other / "grades.jsonl").read_text().replace("judge/2", "judge/9"))
    seal(other)
    with pytest.raises(InputError, match="judges 'judge/0, judge/1, judge/2' and"):
        gate(resolve(f"{run}:old"), resolve(f"{other}:new"), SPEC)


def test_another_judge_prompt_is_refused(run: Path, tmp_path: Path) -> None:
    one = two_models(tmp_path / "one", ["pass"] * 6, ["fail"] * 6, run={"digests": {"prompt:judge": "a", "models": "x"}})
    other = two_models(tmp_path / "other", ["pass"] * 6, ["fail"] * 6, run={"digests": {"prompt:judge": "b", "models": "y"}})
    with pytest.raises(InputError, match="prompt:judge"):
        gate(resolve(f"{one}:old"), resolve(f"{other}:new"), SPEC)
    assert gate(resolve(f"{one}:old"), resolve(f"{one}:new"), SPEC).verdict == "FAIL"
