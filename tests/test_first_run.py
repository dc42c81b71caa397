"""From real sessions to a verdict through the command line alone."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tracedance.catalogue import families
from tracedance.cli.main import COMMANDS


@pytest.fixture
def imported(command: Command, real_traces: Path, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A store of the three formats, and the receipt."""
    done = command("import", *[real_traces / name for name in ("claude_code", "codex", "tau_bench")], "--store", tmp_path / "s", "--json")
    assert done.code == 0, done.err
    return tmp_path / "s", done.json


def test_every_record_of_real_sessions_is_accounted_for(imported: tuple[Path, dict[str, Any]], command: Command, real_traces: Path) -> None:
    store, receipt = imported
    sessions, records = receipt["sessions"], receipt["records"]
    assert {"sessions", "records", "formats", "losses"} <= set(receipt)
    assert records["in"] == records["kept"] + records["ignored"] + records["lost"] > 0
    assert sessions["seen"] == sessions["kept"] + sessions["duplicate"] + sessions["replaced"] + sessions["skipped"]
    assert sum(loss["count"] for loss in receipt["losses"]) == records["lost"]
    assert receipt["formats"] == {"claude_code": 73, "codex": 16, "openai_chat": 1}
    again = command("import", real_traces / "claude_code", "--store", store, "--json")
    assert again.code == 0 and again.json["sessions"]["kept"] == 0 and again.json["records"]["in"] == 0


def test_a_scan_of_real_sessions_says_the_same_twice(imported: tuple[Path, dict[str, Any]], command: Command) -> None:
    store, receipt = imported
    first, second = (command("scan", "--store", store, "--json") for _ in range(2))
    assert first.code == 0 and first.out == second.out
    assert first.json["sessions"] == receipt["sessions"]["kept"]
    assert {family["id"] for family in first.json["families"]} == set(families())
    for family in first.json["families"]:
        assert {"id", "group", "opportunities", "hits", "refused", "offences", "sessions", "rate", "interval", "places"} <= set(family)
        assert family["hits"] == len(family["places"])
        assert family["offences"] == family["hits"] - family["refused"]
        standing = [place for place in family["places"] if "refused_by" not in place]
        assert family["offences"] == len(standing) and family["sessions"] == len({place["session"] for place in standing})


def test_real_sessions_lead_to_a_verdict(imported: tuple[Path, dict[str, Any]], command: Command, tmp_path: Path) -> None:
    store, _ = imported
    built = command("build", "--family", "unreviewed_commit_contents", "--store", store, "--out", tmp_path / "b", "--min", 1, "--json")
    assert built.code == 0, built.out
    assert built.json["outcome"] == "built" and built.json["reason"] is None
    (benchmark,) = built.json["benchmarks"]
    assert command("verify", benchmark["path"]).code == 0
    models = ["--model", "offline/source", "--model", "offline/careful"]
    run = command("evaluate", benchmark["path"], *models, "--out", tmp_path / "r", "--json")
    assert run.code == 0, run.err
    assert run.json["judged_by"] == "rule"
    for result in run.json["results"]:
        assert result["assessed"] + result["unscored"] + result["failed"] == benchmark["instances"]
    gated = command("gate", "--baseline", f"{tmp_path / 'r'}:offline/careful", "--candidate", f"{tmp_path / 'r'}:offline/source", "--json")
    assert gated.code == {"PASS": 0, "WARN": 0, "FAIL": 1, "INCONCLUSIVE": 3}[gated.json["verdict"]]
    assert gated.json["verdict"] in ("FAIL", "INCONCLUSIVE")
    assert "no model judged" in (tmp_path / "r" / "report.html").read_text().lower()


def test_a_sentence_finds_its_family_or_says_why_not(imported: tuple[Path, dict[str, Any]], command: Command, tmp_path: Path) -> None:
    store, _ = imported
    sentence = "commits without looking at what is staged"
    built = command("build", sentence, "--store", store, "--out", tmp_path / "b", "--min", 1, "--json")
    assert built.json["request"]["families"] == ["action/unreviewed_commit_contents"]
    again = command("build", sentence, "--store", store, "--out", tmp_path / "b", "--min", 1, "--json")
    assert "replaced" not in again.json and "another benchmark" not in again.err, "the same request is the same benchmark"
    other = command("build", f"{sentence}, please", "--store", store, "--out", tmp_path / "b", "--min", 1, "--json")
    (former,) = other.json["replaced"]
    assert (former["path"], former["query"]) == (built.json["benchmarks"][0]["path"], sentence)
    assert "is another benchmark than before" in other.err and command("verify", former["former"]).code == 0
    moon = command("build", "sessions where the moon was full", "--store", store, "--json")
    assert moon.code == 3
    assert (moon.json["outcome"], moon.json["reason"], moon.json["benchmarks"]) == ("rejected", "no_family_matches", [])
    assert len(moon.json["nearest"]) == 3
    told = command("build", "sessions where the moon was full", "--store", store)
    assert told.code == 3 and "no_family_matches" in told.out and all(near["family"] in told.out for near in moon.json["nearest"])


def test_too_few_places_is_said_with_the_number_that_would_do(
    imported: tuple[Path, dict[str, Any]], command: Command, tmp_path: Path
) -> None:
    store, _ = imported
    done = command("build", "--family", "edit_without_reading", "--store", store, "--out", tmp_path / "b", "--min", 50, "--json")
    assert done.code == 3 and done.json["reason"] == "insufficient_yield"
    assert "--min" in done.json["message"]
    assert not (tmp_path / "b").exists() or not list((tmp_path / "b").iterdir())


def test_every_command_of_the_table_is_used_here_or_in_the_demo() -> None:
    """Guards this file: a command added later needs its own test through the command line."""
    text = "".join(path.read_text() for path in Path(__file__).parent.rglob("test_*.py"))
    for name in COMMANDS:
        assert f'"{name}"' in text, name


def test_the_worked_example_of_a_family_is_sound(command: Command) -> None:
    done = command("check-family", Path(__file__).parents[1] / "configs/examples/family", "--json")
    assert done.code == 0 and done.json["problems"] == []
