"""tracedance report and compare --html, as a user calls them on finished runs."""

import json
from pathlib import Path

import pytest

from tests.compare.runs import PLANS, READS, Made, passing, publish, write_run
from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, committing, published
from tests.report.hostile import EVERYTHING
from tests.report.test_html import assert_stands_alone, full_run, poisoned
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.compare.comparison import Options
from tracedance.report.evaluation import gathered
from tracedance.report.excerpts import Clip
from tracedance.report.quoted import quoted, shown_as

WORDS = ("pass", "fail", "partial", "failed")


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of the same two models on two benchmarks."""
    benches = [publish(tmp_path / "b", Made("commits", size=10)), publish(tmp_path / "b", Made("retries", size=6))]
    one = write_run(tmp_path / "one", benches, ["strong", "weak"], passing(0.8, 0.2), called=lambda model, bench, number: (PLANS, READS))
    other = write_run(tmp_path / "two", benches, ["strong", "weak"], passing(0.6, 0.2), seed=1)
    return one, other


def test_several_runs_stand_on_one_page_with_the_models_of_each(command: Command, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    done = command("compare", *runs, "--html", tmp_path / "o.html", "--markdown", tmp_path / "o.md", "--json")
    assert done.code == 0 and len(done.json["leaderboard"]["rows"]) == 4
    words = assert_stands_alone((tmp_path / "o.html").read_text()).words
    for said in (
        "comparison of 2 runs",
        "2 models in 2 runs on 16 recorded decisions",
        "A panel of 3 judges",
        "strong @ one",
        "weak @ two",
        "Models that share a group letter",
        "Rates are not frequencies",
        "plan",
    ):
        assert said in words, said
    text = (tmp_path / "o.md").read_text()
    assert text.startswith("# 2 models in 2 runs on 16 recorded decisions\n")
    assert "| strong @ one |".replace("@", "\\@") in text and "Nothing was executed" in text and "16 instances = 16 compared" in text


def test_pooled_runs_are_samples_on_the_page(command: Command, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    command("compare", *runs, "--samples", "--html", tmp_path / "o.html")
    words = assert_stands_alone((tmp_path / "o.html").read_text()).words
    assert "2 models in 2 runs on 16 recorded decisions" in words and "strong sample 1" in words and "20 of 20 on" not in words


def test_a_headline_counts_what_is_compared(tmp_path: Path, runs: tuple[Path, Path]) -> None:
    assert gathered(runs[:1]).headline == "2 models on 16 recorded decisions"
    assert gathered(runs, Options(models=("weak @ one", "weak @ two"))).headline == "1 of 2 models in 2 runs on 16 recorded decisions"
    two = write_run(tmp_path / "three", [publish(tmp_path / "c", Made("x", size=1))], ["m"], lambda *_: (5, 5), judges=("a", "b"), quorum=2)
    assert gathered([two]).headline == "1 model on 1 recorded decision" and gathered([two]).panel.startswith("A panel of 2 judges")
    assert "A grade needs the scores of 2 of 2 judges." in gathered([two]).found["notes"]


def test_the_report_shows_planted_turns_and_rates_without_own_judges(command: Command, provider: Provider, tmp_path: Path) -> None:
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(2)])
    models = profile(tmp_path, provider.base, ("judge-a", "judge-b", "judge-0"))
    models.write_text(models.read_text().replace("t/good", "gpt-good").replace("t/judge-a", "gpt-judge"))
    run = tmp_path / "r"
    command("evaluate", commits, "--profile", models, "--model", "gpt-good", "--quorum", 2, "--out", run)
    told = command("report", run, "--json", "--out", tmp_path / "r.md", "--out", tmp_path / "r.html").json["judging"]
    rates = json.loads((run / "rates.json").read_text())
    assert told[0]["probes"] == rates["judging"]["probes"] and told[0]["run"] == "r"
    (own,) = told[0]["without_own"]
    assert (own["left_out"], own["model"], own["raw"]) == (["gpt-judge"], "gpt-good", rates["results"][0]["pass_rate"])
    page = assert_stands_alone((tmp_path / "r.html").read_text()).words
    for words in (page, (tmp_path / "r.md").read_text()):
        assert "Judges on planted turns" in words and "Without judges of the model" in words
        assert "(failed)" in words and "void" in words and "t/judge-0" in words and "known to be a 0" in words


def test_a_run_is_reported_in_the_forms_that_the_names_ask_for(command: Command, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    names = [tmp_path / name for name in ("r.html", "r.md", "r.json")]
    assert command("report", runs[0], *(word for name in names for word in ("--out", name))).code == 0
    told = json.loads((tmp_path / "r.json").read_text())
    assert told == command("report", runs[0], "--json").json
    assert told["comparison"] == command("compare", runs[0], "--json").json
    assert told["scores"]["weak"] == [0, 24, 12, 0, 4, 8]
    assert told["first_actions"]["strong"] == {"plan": 16} and not (runs[0] / "report.html").exists()
    done = command("report", runs[0], "--out", tmp_path / "r.pdf")
    assert done.code == 2 and ".html, .md, .json" in done.err


def test_what_a_model_cost_holds_its_part_of_the_judging(command: Command, runs: tuple[Path, Path]) -> None:
    rows = [
        {"stage": "respond", "role": "evaluated", "model": model, "answered": 16, "usd": usd}
        for model, usd in (("strong", 0.4), ("weak", None))
    ]
    rows.append({"stage": "judge", "role": "judge", "model": "j", "answered": 48, "usd": 1.0})
    (runs[0] / "spend.json").write_text(json.dumps({"by": rows, "total": {}}))
    strong, weak = command("report", runs[0], "--json").json["costs"]
    assert (strong["judging"], strong["usd"], strong["each"]) == (0.5, 0.9, 0.9 / 16)
    assert (weak["answering"], weak["usd"]) == (None, None)


def test_hostile_text_is_no_markup_in_markdown(command: Command, tmp_path: Path) -> None:
    run = full_run(tmp_path, WORDS, (EVERYTHING, f"2{EVERYTHING}"), poisoned)
    assert command("report", run, "--out", tmp_path / "r.md").code == 0
    text = (tmp_path / "r.md").read_text()
    assert "<" not in text.replace("\\<", "") and "\x1b" not in text and "\u202e" not in text
    assert "](" not in text and "http://" not in text and "![" not in text


def test_quotes_are_marked_where_they_stand_and_stay_text() -> None:
    text = Clip("Let me  look\nat <b>the</b> file. ", 12, "Then I edit.")
    made = quoted(text, ("look at <b>the", "I edit", "nowhere"))
    assert "<mark>look\nat &lt;b&gt;the</mark>" in made and "<mark>I edit</mark>" in made and made.count("<mark>") == 2
    assert list(shown_as('calls Edit {"file_path": "a.py", "n": 1}')) == ["calls Edit", '{"file_path": "a.py", "n": 1}', "a.py"]


def test_a_page_has_a_place_for_every_instance_that_fits_and_counts_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    from tracedance.report import instances

    monkeypatch.setattr(instances, "MOST_ANSWERS", 5)
    command("report", full_run(tmp_path, ("pass",) * 4), "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page.count('<details class="case"') == 2 and "2 instances more, for which this page has no room" in page
