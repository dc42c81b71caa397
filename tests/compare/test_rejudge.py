"""A run's responses graded anew: no response and no vote is paid twice, and what changed is said by model, seat and response."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, RETRY, committing, published, retrying
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.compare.difference import difference
from tracedance.compare.rejudging import rejudge
from tracedance.errors import InputError
from tracedance.evaluate.run import evaluate
from tracedance.gate.runs import check_complete, read_run
from tracedance.schema import Grade, JudgeScore

PANEL = ("judge-a", "judge-b", "judge-c")


@pytest.fixture
def run(provider: Provider, tmp_path: Path) -> Path:
    """Two models on three instances, judged by three seats."""
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(3)])
    path = profile(tmp_path, provider.base, (*PANEL, "judge-0"))
    models = yaml.safe_load(path.read_text())
    models["roles"]["judge"] = [f"t/{name}" for name in PANEL]
    path.write_text(yaml.safe_dump(models))
    evaluate([commits], ["t/good", "t/bad"], tmp_path / "r", {"profile": str(path)})
    return tmp_path / "r"


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in (".json", ".jsonl", ".parquet")}


def test_the_same_judges_say_the_same_for_nothing_and_the_run_stays_as_it_was(provider: Provider, run: Path) -> None:
    before, paid = held(run), provider.stats()
    found = rejudge(run)
    assert found["difference"]["unchanged"] == 6 and found["difference"]["changes"] == []
    assert provider.stats() == paid and held(run) == before
    new = read_run(Path(found["run"]))
    check_complete(new)
    assert (Path(found["run"]) / "grades.jsonl").read_bytes() == before["grades.jsonl"]
    assert (Path(found["run"]) / new.manifest.rejudges).resolve() == run.resolve()  # type: ignore[operator]


def test_other_judges_are_asked_about_the_same_answers(provider: Provider, run: Path) -> None:
    paid = provider.stats()
    found = rejudge(run, None, {"judges": ("t/judge-a", "t/judge-b", "t/judge-0")})
    assert provider.stats() == {**paid, "judge-0": 2}, "the new seat failed its planted turns; nothing else was asked"
    change = found["difference"]
    assert {row["model"]: row["after"]["scored"] for row in change["models"]} == {"t/good": 0, "t/bad": 0}
    rows = {row["judge"]: (row["scores_before"], row["scores_after"], row["same"]) for row in change["seats"]}
    assert rows == {"t/judge-a": (6, 6, 6), "t/judge-b": (6, 6, 6), "t/judge-c": (6, 0, 0), "t/judge-0": (0, 0, 0)}
    assert change["changes"][0]["seats"]["t/judge-c"][1] is None


def test_a_panel_of_two_is_said_to_be_one(run: Path) -> None:
    found = rejudge(run, None, {"judges": ("t/judge-a", "t/judge-b")})
    assert "The panel has 2 of three seats." in found["judging"]["warnings"]
    assert read_run(Path(found["run"])).manifest.quorum == 2


def test_a_quorum_that_no_vote_could_meet_is_refused(run: Path, command: Command) -> None:
    done = command("rejudge", run, "--quorum", 5)
    assert done.code == 2 and "--quorum 5 is more than the 3 seats of the panel" in done.err and not (run / "rejudged").exists()
    done = command("rejudge", run, "--judge", "t/judge-a", "--judge", "t/judge-b", "--quorum", 3)
    assert done.code == 2 and "the 2 seats of the panel (t/judge-a, t/judge-b)" in done.err
    done = command("rejudge", run, "--profile", "offline", "--quorum", 2)
    assert done.code == 2 and "grades come from checks" in done.err
    assert command("rejudge", run, "--quorum", 2).code == 0


def test_another_rubric_is_another_question_and_runs_judged_by_it_are_not_compared(
    provider: Provider, run: Path, tmp_path: Path, command: Command
) -> None:
    rubric = {"question": "Does the next turn edit a file?", "levels": {level: f"Level {level}." for level in range(6)}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(rubric))
    found = rejudge(run, None, {"rubrics": (str(tmp_path / "mine.yaml"),)})
    asked = [body["messages"][0]["content"] for body in provider.requests if body["model"] == "judge-a"]
    assert any("Does the next turn edit a file?" in text for text in asked)
    done = command("compare", run, found["run"], "--json")
    assert done.code == 2 and "judged differently: rubric:" in done.err


@pytest.mark.parametrize(
    ("rubric", "said"),
    [("question: x\nlevels: {0: a, 5: b}\n", "six levels"), ("question: x\n", "six levels"), ("[", "no valid YAML")],
)
def test_a_file_that_is_no_rubric_is_refused(run: Path, tmp_path: Path, rubric: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(rubric)
    with pytest.raises(InputError, match=said):
        rejudge(run, None, {"rubrics": (str(tmp_path / "mine.yaml"),)})


def test_with_several_families_a_rubric_says_whose_it_is(provider: Provider, tmp_path: Path) -> None:
    both = [published(tmp_path / "b", COMMIT, [committing()]), published(tmp_path / "b", RETRY, [retrying()])]
    evaluate(both, ["offline/source"], tmp_path / "r", {"profile": "offline"})
    with pytest.raises(InputError, match="Say which"):
        rejudge(tmp_path / "r", None, {"rubrics": ("x.yaml",)})
    with pytest.raises(InputError, match="no family 'elsewhere'"):
        rejudge(tmp_path / "r", None, {"rubrics": ("elsewhere=x.yaml",)})


def test_a_run_graded_by_rule_can_be_put_to_judges(provider: Provider, tmp_path: Path) -> None:
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(2)])
    evaluate([commits], ["offline/careful"], tmp_path / "r", {"profile": "offline"})
    found = rejudge(tmp_path / "r", None, {"profile": str(profile(tmp_path, provider.base, PANEL))})
    assert found["judged_by"] == "panel" and found["results"][0]["assessed"] == 2
    assert "careful" not in json.dumps(provider.stats())


def test_a_benchmark_that_is_gone_is_named(run: Path, tmp_path: Path) -> None:
    (tmp_path / "b").rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="Put it back"):
        rejudge(run)


def test_the_command_prints_what_changed(run: Path, command: Command) -> None:
    done = command("rejudge", run, "--json")
    assert done.code == 0 and done.json["difference"]["responses"] == 6 and done.json["spend"]
    assert (Path(done.json["run"]) / "report.html").is_file() and (Path(done.json["run"]) / "difference.json").is_file()
    told = command("rejudge", run, "--judge", "t/judge-a", "--judge", "t/judge-b")
    assert told.code == 0 and "2 of three seats" in told.err


def test_judges_that_were_not_asked_anew_are_no_second_opinion(provider: Provider, run: Path, command: Command) -> None:
    paid = provider.stats()
    for _ in range(2):
        said = " ".join(command("rejudge", run).out.split())
        assert provider.stats() == paid and "No judge was asked anew" in said and "--judge MODEL" in said
        assert "scored both times" not in said and "alike" not in said
    assert command("rejudge", run, "--json").json["difference"]["own_votes"] == [f"t/{name}" for name in PANEL]
    some = " ".join(command("rejudge", run, "--judge", "t/judge-a", "--judge", "t/judge-b").out.split())
    assert "t/judge-a: 6 scores are the run's own votes, not asked anew" in some and "alike" not in some
    anew = command("rejudge", run, "--mode", "independent")
    assert provider.stats() != paid and "t/judge-a: 6 scored both times" in anew.out and "not asked anew" not in anew.out


def test_other_judges_leave_outcomes_as_they_were_in_words_that_say_so(run: Path, tmp_path: Path, command: Command) -> None:
    text = (tmp_path / "models-of-test.yaml").read_text()
    (tmp_path / "others.yaml").write_text(text.replace("t/judge-", "t/other-"))
    done = command("rejudge", run, "--profile", tmp_path / "others.yaml")
    said = " ".join(done.out.split())
    assert "Of 6 responses, 6 come out as before (pass, no pass, or no score), 0 do not." in said
    assert said.count("3 came out as before") == 2 and "are graded as before" not in said
    assert "t/other-a: 0 scores before, 6 now; no response has one of both times" in said


def graded(scores: list[int | None], **given: Any) -> Grade:
    votes = tuple(
        JudgeScore(judge=f"s{seat}", status="error" if score is None else "score", score=score) for seat, score in enumerate(scores)
    )
    told = [score for score in scores if score is not None]
    whole = len(told) == 3
    about: dict[str, Any] = {"instance": "i", "family": COMMIT, "benchmark": "b", "model": "m", "sample": 0} | given
    return Grade(
        **about,
        status="scored" if whole else "partial",
        mean=sum(told) / 3 if whole else None,
        passed=sum(told) >= 12 if whole else None,
        judged_by="panel",
        mode="joint",
        votes=votes,
    )


def test_steps_are_counted_over_what_both_scored_alone() -> None:
    before = [graded([5, 5, 5]), graded([1, 1, None], instance="j")]
    after = [graded([5, 3, 3]), graded([1, 2, 1], instance="j")]
    found = difference(before, after)
    assert found["models"][0] == {
        "model": "m",
        "before": {"scored": 1, "passed": 1},
        "after": {"scored": 2, "passed": 0},
        "both": 1,
        "to_pass": 0,
        "to_fail": 1,
    }
    assert [(row["both"], row["higher"], row["lower"], row["mean_change"]) for row in found["seats"]] == [
        (2, 0, 0, 0.0),
        (2, 1, 1, -0.5),
        (1, 0, 1, -2.0),
    ]


def test_no_grades_of_a_run_are_written_over(run: Path, command: Command) -> None:
    held = {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}
    assert command("rejudge", run, "--out", run).code == 2
    for words in (["compare", run, "--html", run / "grades.jsonl"], ["report", run, "--out", run / "rates.json"]):
        assert command(*words).code == 2
    assert {name: (run / name).read_bytes() for name in held} == held


def test_a_script_is_no_judge(run: Path, command: Command) -> None:
    done = command("rejudge", run, "--judge", "offline/source")
    assert done.code == 2 and "judges nothing" in done.err
