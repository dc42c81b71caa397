"""A comparison says the same in every form: terminal, page, Markdown and JSON, as a user calls for them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.compare.runs import PLANS, READS, Made, publish, write_run
from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, RETRY
from tests.evaluation_runs import benchmark, instance
from tests.report.test_html import assert_stands_alone
from tracedance.report.chapters import chapters
from tracedance.report.evaluation import funnel
from tracedance.report.markdown import cell

ABOUT = {"schema", "models", "seed", "notes"}
"""What of a comparison's JSON is no table."""
WHOLE = {
    "Leaderboard",
    "Pairs of models",
    "Left out, by model",
    "Families led",
    "Groupings",
    "Self-preference",
    "Source families",
    "One model in several runs",
    "First actions and passing",
    "Plan first",
    "Scores reported elsewhere",
    "Judges among themselves",
    "Panel against the families' checks",
    "Under other pass rules and single judges",
    "What analyses rest on",
    "Runs",
    "By family",
    "By frame",
}


def scores(model: str, name: str, number: int, sample: int) -> Any:
    if name == "commits" and number < 3:
        return {"claude-bad": "refused", "gpt-good": "truncated"}[model] if number < 2 else "empty"
    return (5, 4, 5) if (model == "gpt-good") == (number % 4 != 0) else (2, 3, 1)


def called(model: str, name: str, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
    plans = (PLANS, READS) if number % 2 else (PLANS,)
    return plans if model == "gpt-good" else (READS,) if number % 2 else ()


@pytest.fixture
def runs(tmp_path: Path) -> list[object]:
    """Two runs in which every analysis has something to say, and the options that ask for the rest."""
    sources = ("claude-x", "gpt-x")
    made = [
        Made("commits", size=12, source_models=sources),
        Made("retries", RETRY, size=8, source_models=sources[::-1]),
        Made("both", COMMIT, size=4, also=RETRY),
    ]
    benches = [publish(tmp_path / "b", one) for one in made]
    models = ["gpt-good", "claude-bad"]
    one = write_run(tmp_path / "one", benches, models, scores, called=called, check=lambda *_: "violates")
    two = write_run(tmp_path / "two", benches, ["gpt-good"], lambda *_: (5, 5, 5), seed=1)
    (tmp_path / "x.csv").write_text("model,swe\ngpt-good @ one,0.7\nclaude-bad,0.3\ngpt-good @ two,0.8\n")
    (tmp_path / "g.yaml").write_text(f"mine:\n  a: [{COMMIT}]\n  b: [{RETRY}]\n")
    return [one, two, "--external", tmp_path / "x.csv", "--grouping", tmp_path / "g.yaml"]


def bare(text: str) -> str:
    """Without spaces and breaks, which each form sets in its own way."""
    return re.sub(r"\s+", "", text)


def test_every_table_of_the_json_stands_in_each_form(
    command: Command, tmp_path: Path, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    asked = ("compare", *runs, "--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md")
    found, terminal = command(*asked, "--json").json, bare(command("compare", *runs).out)
    page, markdown = bare(assert_stands_alone((tmp_path / "o.html").read_text()).words), bare((tmp_path / "o.md").read_text())
    told = chapters(found)
    assert {key.partition(".")[0] for chapter in told for key in chapter.keys} == set(found) - ABOUT, "no table is forgotten"
    assert {f"by.{facet}" for facet in found["by"]} <= {key for chapter in told for key in chapter.keys}
    assert {chapter.title for chapter in told if chapter.tables} >= WHOLE
    for chapter in told:
        # What there is nothing of is said on the pages alone.
        assert all(bare(chapter.title) in form for form in (page, markdown)), chapter.title
        said = [*chapter.says, *(word for one in chapter.tables for row in one.rows for word in (row[:1] if chapter.facet else row))]
        heads = [] if chapter.facet else [head for one in chapter.tables for head in (*one.text, *one.figures)]
        for word in (*said, *heads):
            assert bare(word) in page and bare(cell(word, 900)) in markdown, (chapter.title, word)
            assert bare(word) in terminal or not chapter.tables, (chapter.title, word)


def test_what_notes_point_to_is_there_and_p_values_say_that_they_are_adjusted(command: Command, tmp_path: Path, runs: list[object]) -> None:
    command("compare", *runs, "--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md")
    page = (tmp_path / "o.html").read_text()
    assert ">p bootstrap (Holm)</th>" in page and ">p McNemar (Holm)</th>" in page
    assert "<h3>Self-preference</h3>" in page and "## Self-preference" in (tmp_path / "o.md").read_text()
    assert any("See 'Self-preference'" in note for note in command("compare", *runs, "--json").json["notes"])


def test_whose_responses_are_lacking_is_said_by_model(command: Command, tmp_path: Path) -> None:
    bench = [publish(tmp_path / "b", Made("commits", size=14))]
    words = {"bad": "malformed", "cut": "truncated", "shy": "refused", "good": (5, 5, 5)}
    run = write_run(tmp_path / "r", bench, list(words), lambda model, name, number, sample: words[model] if number < 7 else (5, 5, 5))
    asked = ("compare", run, "--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md")
    said = " ".join(command(*asked).out.split())
    page, markdown = assert_stands_alone((tmp_path / "o.html").read_text()).words, (tmp_path / "o.md").read_text()
    for form in (said, page, markdown):
        assert "By model, an instance may be named for several: bad 7 malformed; cut 7 truncated; shy 7 refused." in form
        assert "response (7 malformed)" not in form
    assert "14 instances = 7 compared + 7 left out" in page and "| cut | truncated | 7 |" in markdown


def test_a_model_that_was_not_asked_for_is_on_no_page(command: Command, tmp_path: Path) -> None:
    bench = [publish(tmp_path / "b", Made("commits", size=8))]
    run = write_run(
        tmp_path / "r", bench, ["gpt-one", "claude-two"], lambda model, *_: "refused" if model == "claude-two" else (5, 5, 5), called=called
    )
    asked = ("--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md")
    assert command("compare", run, "--model", "gpt-one", *asked).code == 0
    page, markdown = assert_stands_alone((tmp_path / "o.html").read_text()).words, (tmp_path / "o.md").read_text()
    for form in (page, markdown):
        assert "1 of 2 models" in form and form.count("claude-two") == 1, "named once, as left aside"
        assert "Left aside, since others were asked for: claude-two." in form and "refused" not in form
    assert "0 unscored (0 for want of a judge) and 0 failed of 8 responses" in page and "none is left out" in page
    assert command("compare", run, *asked).code == 3 and (tmp_path / "o.md").read_text().count("claude-two unscored") == 8


def test_where_checks_contradict_the_panel_is_said_in_every_form(command: Command, tmp_path: Path) -> None:
    bench = [publish(tmp_path / "b", Made("commits", size=8))]
    run = write_run(tmp_path / "r", bench, ["m"], lambda *_: (5, 5, 5), check=lambda *_: "violates")
    found = command("compare", run, "--json", "--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md").json
    assert found["checks"]["rows"] == [{"model": "m", "compared": 8, "contradictions": 8, "panel_passes": 8, "panel_fails": 0}]
    said = "deterministic checks contradict the panel on 8 of 8 responses that both decide"
    page = assert_stands_alone((tmp_path / "o.html").read_text()).words
    for form in (" ".join(command("compare", run).out.split()), page, (tmp_path / "o.md").read_text()):
        assert said in form
    agreed = write_run(tmp_path / "s", bench, ["m"], lambda *_: (5, 5, 5), check=lambda *_: "satisfies")
    assert not any("contradict" in note for note in command("compare", agreed, "--json").json["notes"])


def test_an_empty_turn_has_no_first_action_and_text_is_no_tool(command: Command, tmp_path: Path) -> None:
    bench = [publish(tmp_path / "b", Made("commits", size=8))]
    words = ("empty", "refused", "truncated", "malformed")

    def mixed(model: str, name: str, number: int, sample: int) -> Any:
        return words[number] if model == "a" and number < 4 else (5, 5, 5) if model == "a" else (1, 1, 1)

    run = write_run(tmp_path / "r", bench, ["a", "b"], mixed, called=lambda model, name, number: () if model == "a" else (READS,))
    told = command("report", run, "--json", "--out", tmp_path / "r.html", "--out", tmp_path / "r.md").json
    assert told["first_actions"] == {"a": {"text only": 4}, "b": {"read or search": 8}}
    assert told["statuses"]["a"] == {"ok": 4, "empty": 1, "malformed": 1, "refused": 1, "truncated": 1}
    actions = told["comparison"]["first_actions"]
    assert [row["action"] for row in actions["by_class"]] == ["read or search", "text only"]
    assert [row["action"] for row in actions["by_tool"]] == ["Read"] and actions["without"] == 1
    assert "| a | 4 | 1 | 1 | 1 | 1 |" in (tmp_path / "r.md").read_text()
    assert "What came back" in (tmp_path / "r.html").read_text()


def test_a_benchmark_of_two_behaviours_says_why_it_counts_no_opportunities() -> None:
    made = benchmark([instance()])
    counts = {"places": 5, "opportunities": 0, "candidates": 5, "confirmed": 1, "instances": 1}
    both = made.manifest.model_copy(update={"families": (COMMIT, RETRY), "counts": counts})
    told = funnel(made.model_copy(update={"manifest": both}))
    assert told and [count for _, count in told.steps] == [5, 5, 1, 1]
    assert "opportunities are not counted" in told.steps[0][0]
    plain = funnel(made)
    assert plain and json.dumps(plain.steps).count("opportunities") == 1 and len(plain.steps) == 5
