"""`families`, `show`, `report` and the shapes of their JSON, as a user meets them."""

from pathlib import Path

import pytest

from tests.conftest import Command

DEMO = Path(__file__).resolve().parents[2] / "benchmarks" / "demo"
BUILD_KEYS = {"outcome", "reason", "message", "nearest", "benchmarks", "request", "counts"}


def test_families_lists_the_catalogue_in_its_stable_shape(command: Command) -> None:
    listed = command("families", "--json").json
    assert set(listed) == {"families"} and len(listed["families"]) >= 4
    assert all(set(row) == {"id", "title", "label", "group", "frame"} for row in listed["families"])
    assert all(row["id"].startswith(f"{row['frame']}/") for row in listed["families"])
    assert command("families").out.count("\n") == len(listed["families"])


@pytest.mark.parametrize("name", ["unreviewed_commit_contents", "action/unreviewed_commit_contents"])
def test_show_tells_everything_about_one_family(command: Command, name: str) -> None:
    shown = command("show", name)
    assert shown.code == 0
    for part in ("Why it matters", "Not this", "Opportunity", "Confirmed when", "Rubric", "Asked as", "  5  "):
        assert part in shown.out
    assert set(command("show", name, "--json").json) == {"id", "title", "label", "group", "frame", "card", "rubric", "digests"}


def test_report_writes_one_page_for_a_run_and_for_a_verdict(command: Command, tmp_path: Path) -> None:
    run, verdict = tmp_path / "run", tmp_path / "gate.json"
    models = ("--model", "offline/source", "--model", "offline/careful")
    assert command("evaluate", DEMO / "edit_retry_without_reread", *models, "--out", run).code == 0
    command("gate", "--baseline", f"{run}:offline/careful", "--candidate", f"{run}:offline/source", "--out", verdict)
    for path, page in ((run, run / "report.html"), (verdict, tmp_path / "gate.html")):
        page.unlink(missing_ok=True)
        assert command("report", path).code == 0
        assert page.read_text().startswith("<!doctype html>")


def test_build_answers_in_its_stable_shape_also_when_nothing_comes_of_it(command: Command, tmp_path: Path) -> None:
    session = '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}\n'
    (tmp_path / "chat.jsonl").write_text(session)
    assert command("import", tmp_path / "chat.jsonl", "--store", tmp_path / "s").code == 0
    poor = command("build", "--family", "edit_without_reading", "--store", tmp_path / "s", "--json")
    dry = command("build", "--family", "edit_without_reading", "--store", tmp_path / "s", "--dry-run", "--json")
    assert poor.code == 3 and set(poor.json) == BUILD_KEYS and poor.json["reason"] == "insufficient_yield"
    assert set(poor.json["benchmarks"][0]) == {"path", "families", "instances", "dropped", "confirmation", "private"}
    assert dry.code == 0 and set(dry.json) == BUILD_KEYS and dry.json["outcome"] == "dry_run"
