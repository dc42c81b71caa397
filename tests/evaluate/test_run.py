"""Whole evaluations, through LiteLLM's real code and a real server: evaluated models and all three judge seats."""

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tests.evaluate.benchmarks import CANARY, COMMIT, OWN, RETRY, committing, published, retrying
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.errors import InputError
from tracedance.evaluate.run import evaluate, outcome
from tracedance.gate.runs import check_complete, read_run
from tracedance.schema import Grade, Response

PANEL = ("judge-a", "judge-b", "judge-c")
OFFLINE = {"profile": "offline"}


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    """Four instances in which a commit is next."""
    return published(tmp_path / "b", COMMIT, [committing(n) for n in range(4)])


def rows(folder: Path, name: str, kind: type[Any]) -> list[Any]:
    return [kind.model_validate_json(line) for line in (folder / name).read_bytes().splitlines()]


def by_model(summary: Mapping[str, Any], *keys: str) -> dict[str, tuple[Any, ...]]:
    return {row["model"]: tuple(row[key] for key in keys) for row in summary["results"]}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in (".json", ".jsonl", ".parquet")}


def test_a_careful_model_passes_and_a_careless_one_does_not(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL))}
    summary = evaluate([commits], ["t/good", "t/bad"], tmp_path / "r", options)
    assert summary["judged_by"] == "panel"
    assert list(summary["results"][0]) == [
        "benchmark",
        "families",
        "model",
        "assessed",
        "passed",
        "pass_rate",
        "interval",
        "unscored",
        "failed",
    ]
    assert by_model(summary, "assessed", "passed", "unscored", "failed") == {"t/good": (4, 4, 0, 0), "t/bad": (4, 0, 0, 0)}
    assert provider.stats() == {"bad": 4, "good": 4, "judge-a": 6, "judge-b": 6, "judge-c": 6}, "four instances and two planted turns"
    good = [grade for grade in rows(tmp_path / "r", "grades.jsonl", Grade) if grade.model == "t/good"]
    assert {round(grade.mean, 2) for grade in good} == {4.67} and {grade.mode for grade in good} == {"joint"}
    assert {tuple(vote.score for vote in grade.votes) for grade in good} == {(5, 4, 5)}


def test_the_run_folder_is_what_the_gate_reads(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL)), "samples": 2}
    evaluate([commits], ["t/good", "t/bad"], tmp_path / "r", options)
    run = read_run(tmp_path / "r")
    check_complete(run)
    assert (tmp_path / "r" / run.manifest.benchmarks[0].path).resolve() == commits.resolve()
    votes = pq.read_table(tmp_path / "r" / "votes.parquet").to_pylist()
    assert len(votes) == 4 * 2 * 2 * 3 and {vote["status"] for vote in votes} == {"score"}
    assert [(row.benchmark, row.instance, row.model, row.sample) for row in run.responses] == sorted(
        (row.benchmark, row.instance, row.model, row.sample) for row in run.responses
    )


def test_the_same_command_makes_no_second_call_and_the_same_bytes(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL))}
    first = evaluate([commits], ["t/good"], tmp_path / "r", options)
    written, calls = files(tmp_path / "r"), provider.stats()
    assert evaluate([commits], ["t/good"], tmp_path / "r", {**options, "concurrency": 1}) == first
    assert files(tmp_path / "r") == written and provider.stats() == calls


def test_an_interrupted_run_goes_on_where_it_stopped(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL)), "concurrency": 1}
    evaluate([commits], ["t/good"], tmp_path / "whole", options)
    calls = sum(provider.stats().values())

    def interrupt(done: int, total: int, what: str) -> None:
        if what == "judging" and done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate([commits], ["t/good"], tmp_path / "r", options, interrupt)
    assert not (tmp_path / "r" / "rates.json").exists()
    evaluate([commits], ["t/good"], tmp_path / "r", options)
    assert sum(provider.stats().values()) == 2 * calls
    named = {"rates.json": b"", "digests.json": b""}  # they hold the folder's name
    assert {**files(tmp_path / "r"), **named} == {**files(tmp_path / "whole"), **named}


def test_a_used_folder_refuses_another_request(provider: Provider, commits: Path, tmp_path: Path) -> None:
    evaluate([commits], ["offline/source"], tmp_path / "r", OFFLINE)
    with pytest.raises(InputError, match=r"another request \(models differ\).*--out"):
        evaluate([commits], ["offline/careful"], tmp_path / "r", OFFLINE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="no run's folder"):
        evaluate([commits], ["offline/source"], tmp_path / "mine", OFFLINE)


def test_a_dead_seat_makes_grades_partial_and_never_a_mean_of_two(provider: Provider, commits: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    options = {"profile": str(profile(tmp_path, provider.base, PANEL, judge_b=dead))}
    summary = evaluate([commits], ["t/good"], tmp_path / "r", options)
    assert by_model(summary, "assessed", "unscored", "failed", "pass_rate", "interval") == {"t/good": (0, 4, 0, None, None)}
    grades = rows(tmp_path / "r", "grades.jsonl", Grade)
    assert {grade.status for grade in grades} == {"partial"} and all("no connection" in grade.reason for grade in grades)
    assert outcome(tmp_path / "r")[0] == 3
    summary = evaluate([commits], ["t/good"], tmp_path / "q", {**options, "quorum": "2"})
    assert by_model(summary, "assessed", "passed") == {"t/good": (4, 4)}


def test_when_no_judge_can_be_reached_that_is_the_provider_s_failure(provider: Provider, commits: Path, tmp_path: Path) -> None:
    lost = ("status-500", "status-503", "status-429")
    options = {"profile": str(profile(tmp_path, provider.base, lost))}
    evaluate([commits], ["t/good"], tmp_path / "r", options)
    code, why = outcome(tmp_path / "r")
    assert code == 5 and "no judge could be reached" in why and "resumes" in why


def test_when_no_call_succeeds_all_are_failed_and_the_code_is_five(commits: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    summary = evaluate([commits], ["t/good"], tmp_path / "r", {"profile": str(profile(tmp_path, dead))})
    assert by_model(summary, "assessed", "unscored", "failed") == {"t/good": (0, 0, 4)}
    code, why = outcome(tmp_path / "r")
    assert code == 5 and "no connection" in why


def test_a_run_that_failed_is_completed_by_the_same_command(
    provider: Provider, commits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACEDANCE_LOCAL_BASE", "http://127.0.0.1:9/v1")
    evaluate([commits], ["local/good", "offline/source"], tmp_path / "r", {"profile": "local"})
    assert outcome(tmp_path / "r")[0] == 5
    monkeypatch.setenv("TRACEDANCE_LOCAL_BASE", provider.base)
    summary = evaluate([commits], ["local/good", "offline/source"], tmp_path / "r", {"profile": "local"})
    assert by_model(summary, "assessed", "passed") == {"local/good": (4, 4), "offline/source": (4, 0)}
    assert outcome(tmp_path / "r") == (0, "")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("empty", ((4, 0, 0, 0), "")),
        ("refusing", ((0, 0, 4, 0), "refused")),
        ("cut-off", ((0, 0, 4, 0), "cut off")),
        ("bad-arguments", ((0, 0, 4, 0), "cannot be read")),
        ("status-500", ((0, 0, 0, 4), "no response")),
    ],
)
def test_what_a_model_fails_to_do_is_told_apart(
    provider: Provider, commits: Path, tmp_path: Path, model: str, expected: tuple[tuple[int, ...], str]
) -> None:
    counts, reason = expected
    options = {"profile": str(profile(tmp_path, provider.base, PANEL, **{model.replace("-", "_"): provider.base}))}
    summary = evaluate([commits], [f"t/{model}"], tmp_path / "r", options)
    assert by_model(summary, "assessed", "passed", "unscored", "failed") == {f"t/{model}": counts}
    assert all(reason in grade.reason for grade in rows(tmp_path / "r", "grades.jsonl", Grade))
    assert not any(name.startswith("judge") for name in provider.stats())
    check_complete(read_run(tmp_path / "r"))


def test_offline_the_check_grades_and_says_so(commits: Path, tmp_path: Path) -> None:
    summary = evaluate([commits], ["offline/source", "offline/careful"], tmp_path / "r", OFFLINE)
    assert summary["judged_by"] == "rule"
    assert by_model(summary, "assessed", "passed") == {"offline/source": (4, 0), "offline/careful": (4, 4)}
    check_complete(read_run(tmp_path / "r"))


def test_the_recorded_turn_enters_no_request_and_no_canary_does(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL))}
    evaluate([commits], ["t/good"], tmp_path / "r", options)
    sent = json.dumps(provider.requests)
    assert "Now on with it." not in sent and CANARY not in sent and "Fix typo number 3" in sent


def test_careful_declines_where_it_has_nothing_to_say(tmp_path: Path) -> None:
    from tests.evaluate.benchmarks import context

    silent = published(tmp_path / "b", COMMIT, [context("What does this do?", {"text": "It adds."}, "And this?")])
    summary = evaluate([silent], ["offline/careful"], tmp_path / "r", OFFLINE)
    assert by_model(summary, "assessed", "unscored", "failed") == {"offline/careful": (0, 1, 0)}
    assert rows(tmp_path / "r", "responses.jsonl", Response)[0].status == "declined"
    assert outcome(tmp_path / "r")[0] == 3


def test_two_benchmarks_are_two_rows_and_one_run(tmp_path: Path) -> None:
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(2)])
    retries = published(
        tmp_path / "b",
        RETRY,
        [retrying(n) for n in range(3)],
        ("Edit", {"file_path": "src/part0.py", "old_string": "teh ", "new_string": "the "}),
    )
    summary = evaluate([retries, commits, commits], ["offline/careful"], tmp_path / "r", OFFLINE)
    assert [(row["benchmark"], row["assessed"] + row["unscored"] + row["failed"]) for row in summary["results"]] == [
        ("edit_retry_without_reread", 3),
        ("unreviewed_commit_contents", 2),
    ]


def test_a_family_without_a_check_is_unscored_offline_and_judged_live(provider: Provider, tmp_path: Path) -> None:
    own = published(tmp_path / "b", OWN, [committing(n) for n in range(2)])
    summary = evaluate([own], ["offline/source"], tmp_path / "r", OFFLINE)
    assert by_model(summary, "assessed", "unscored") == {"offline/source": (0, 2)}
    options = {"profile": str(profile(tmp_path, provider.base, PANEL))}
    summary = evaluate([own], ["offline/source"], tmp_path / "p", options)
    assert by_model(summary, "assessed", "passed", "unscored") == {"offline/source": (2, 0, 0)}


@pytest.mark.parametrize(
    ("models", "said"),
    [(["nothing"], "No model is named 'nothing'"), (["offline/sauce"], "No offline model"), ([], "at least one")],
)
def test_what_can_be_known_to_be_wrong_is_said_before_anything_is_made(commits: Path, tmp_path: Path, models: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluate([commits], models, tmp_path / "r", OFFLINE)
    assert not (tmp_path / "r").exists()


def test_in_whatever_order_models_and_judges_are_named_the_run_is_the_same_bytes(provider: Provider, commits: Path, tmp_path: Path) -> None:
    seats = str(profile(tmp_path, provider.base, PANEL))
    evaluate([commits], ["t/good", "t/bad"], tmp_path / "one" / "r", {"profile": seats})
    file = Path(seats)
    told = yaml.safe_load(file.read_text())
    told["roles"]["judge"].reverse()
    evaluate([commits], ["t/bad", "t/good", "t/bad"], tmp_path / "other" / "r", {"profile": seats})
    one, other = (files(tmp_path / name / "r") for name in ("one", "other"))
    assert one == other
    file.write_text(yaml.safe_dump(told))
    evaluate([commits], ["t/bad", "t/good"], tmp_path / "third" / "r", {"profile": seats})
    third = files(tmp_path / "third" / "r")
    changed = {"run.json", "digests.json", "spend.json"}  # the models file is another, and so is its digest
    assert {name for name in one if one[name] != third[name]} <= changed


@pytest.mark.parametrize("arguments", ['{"n": ' + "9" * 5000 + "}", '{"n": ' + "[" * 3000 + "]" * 3000 + "}"])
def test_a_call_that_nobody_can_read_is_malformed_in_every_file(
    arguments: str, provider: Provider, commits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def stated(whole: dict[str, Any]) -> dict[str, Any]:
        message = whole["choices"][0]["message"]
        for made in message.get("tool_calls") or ():
            made["function"]["arguments"] = arguments
        return whole

    provider.stated = stated
    evaluate([commits], ["t/good"], tmp_path / "r", {"profile": str(profile(tmp_path, provider.base, PANEL))})
    assert {row.status for row in rows(tmp_path / "r", "responses.jsonl", Response)} == {"malformed"}
    assert provider.stats()["good"] == 4, "each was paid once"
    written = b"".join(files(tmp_path / "r").values()).decode("utf-8", "replace") + capsys.readouterr().err
    assert "Traceback" not in written and "site-packages" not in written
    check_complete(read_run(tmp_path / "r"))
