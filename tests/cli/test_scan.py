"""`scan` as a user meets it: a table that says what it is worth, the same as JSON, and a page."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, Step, write_session

FIGURES = {"opportunities", "hits", "refused", "offences", "sessions", "rate", "interval"}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    write_session(tmp_path / "in/a.jsonl", "again", [*FIRST_EDIT, *SECOND_EDIT])
    return tmp_path / "in"


def test_the_json_has_the_figures_and_its_breakdown(command: Command, traces: Path, tmp_path: Path) -> None:
    told = command("scan", traces, "--store", tmp_path / "s", "--by", "model", "--by", "month", "--json").json
    assert told["sessions"] == 1 and "no model has looked" in told["note"] and told["confirmed_by"] is None
    rows = {row["id"]: row for row in told["families"]}
    assert len(rows) >= 28 and rows["failure/edit_retry_without_reread"]["offences"] == 1
    assert all(set(row) == {"id", "frame", "group", "title", "rate_among", "places", "by"} | FIGURES for row in rows.values())
    assert all(set(part) == {"value"} | FIGURES for row in rows.values() for parts in row["by"].values() for part in parts)
    assert set(told["by"]) == {"model", "month"} and told["failures"] == []


def test_met_opportunities_are_named_on_request(command: Command, tmp_path: Path) -> None:
    looked: list[Step] = [{"text": "Looking.", "call": ("Read", {"file_path": "/r/app.py"})}, {"result": "b"}, {"text": "Done."}]
    write_session(tmp_path / "in/a.jsonl", "again", [*FIRST_EDIT, *looked])
    asked = ("scan", tmp_path / "in", "--store", tmp_path / "s", "--family", "edit_retry_without_reread", "--json")
    (row,) = command(*asked, "--met").json["families"]
    assert [(place["session"], place["turn"]) for place in row["met"]] == [("again", 3)] and row["places"] == []
    assert "met" not in command(*asked).json["families"][0]
    refused = command("scan", "--store", tmp_path / "s", "--met")
    assert refused.code == 2 and "Give --json too" in refused.err


def test_the_table_and_the_page_say_that_nobody_confirmed(command: Command, traces: Path, tmp_path: Path) -> None:
    done = command("scan", traces, "--store", tmp_path / "s", "--html", tmp_path / "scan.html", "--check-needs", "5")
    assert done.code == 0 and "By rule and unconfirmed" in done.out and "scan.html" in done.out
    assert "By rule and unconfirmed" in (tmp_path / "scan.html").read_text()


def test_a_condition_that_hides_a_hit_fails_the_check(command: Command, traces: Path, tmp_path: Path) -> None:
    from tracedance.resources import home

    for file in (home() / "configs/examples/family").rglob("*.*"):
        target = tmp_path / "mine" / file.relative_to(home() / "configs/examples/family")
        if file.suffix in (".py", ".yaml"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    anchor = tmp_path / "mine/anchors/action/force_push_unasked.py"
    hit = "\n\ndef force_push_unasked(session, params):\n    yield Hit(decision=1, offends=True, why='always')\n"
    anchor.write_text(anchor.read_text().replace("def force_push_unasked(", "def _before(") + hit)
    told = (
        "scan",
        traces,
        "--store",
        tmp_path / "s",
        "--catalogue",
        tmp_path / "mine",
        "--family",
        "force_push_unasked",
        "--check-needs",
        "5",
    )
    done = command(*told)
    assert done.code == 1 and "NEEDS of action/force_push_unasked is not necessary" in done.err
