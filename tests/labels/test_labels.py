"""tracedance labels, as a user calls it: draw, fill in, take in, read what people say."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

import tracedance
from tests.compare.runs import JUDGES, Made, passing, publish, write_run
from tests.conftest import ROOT, Command
from tests.evaluate.benchmarks import COMMIT, committing, published
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.analyse.agreement import Judged
from tracedance.analyse.corrected import corrected
from tracedance.compare.comparison import compare
from tracedance.schema import Benchmark
from tracedance.store import beside
from tracedance.store.benchmarks import read_benchmark, write_benchmark

MODELS = ("weak", "strong")
SCORES = passing(0.8, 0.2)
Row = dict[str, str]


def tells_model(model: str, benchmark: str, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """A call that says whose it is, so that a test can fill in labels by model."""
    return (("Read", {"file_path": f"{model}.py"}),)


@pytest.fixture
def benchmarks(tmp_path: Path) -> list[Benchmark]:
    return [publish(tmp_path / "b", Made("commits", size=20)), publish(tmp_path / "b", Made("others", size=10))]


@pytest.fixture
def run(tmp_path: Path, benchmarks: list[Benchmark]) -> Path:
    """60 responses; the panel passes 80% of the strong model's and 20% of the weak one's."""
    return write_run(tmp_path / "r", benchmarks, MODELS, SCORES)


@pytest.fixture
def told(tmp_path: Path, benchmarks: list[Benchmark]) -> Path:
    """The same, with responses that say whose they are."""
    return write_run(tmp_path / "t" / "r", benchmarks, MODELS, SCORES, called=tells_model)


def rows_of(path: Path) -> list[Row]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def fill(path: Path, say: Callable[[Row], object]) -> list[Row]:
    """Writes a label into every row, as a script would."""
    rows = rows_of(path)
    for row in rows:
        row["label"] = str(say(row))
    save(path, rows)
    return rows


def save(path: Path, rows: Sequence[Row], **how: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), **how)
        writer.writeheader()
        writer.writerows(rows)


def number_of(row: Row) -> int:
    found = re.search(r"typo number (\d+)", row["context"])
    assert found
    return int(found.group(1))


def people(row: Row) -> int:
    """People pass the strong model's first six of ten and the weak one's first two."""
    return 5 if number_of(row) % 10 < (6 if "strong.py" in row["response"] else 2) else 1


def sample(command: Command, place: Path, out: Path, *more: object, kind: str = "response") -> Any:
    return command("labels", "sample", "--kind", kind, "--run", place, "--out", out, *more, "--json")


def test_a_sheet_tells_no_model_no_grade_and_no_other_rater(command: Command, run: Path, tmp_path: Path) -> None:
    done = sample(command, run, tmp_path / "l.csv", "--n", 30, "--raters", 3, "--each")
    assert done.code == 0
    for name in ["l.csv", *(f"l.r{number}.{form}" for number in (1, 2, 3) for form in ("csv", "html"))]:
        text = (tmp_path / name).read_text("utf-8").rpartition("</style>")[2]
        for word in (*MODELS, *JUDGES, "some-model", "offends", "Said."):
            assert word not in text, (name, word)
    mine = rows_of(tmp_path / "l.r2.csv")
    assert {row["rater"] for row in mine} == {"r2"} and len(mine) == 20
    assert all(row["label"] == "" and row["rubric"] and row["context"] and "says On with it." in row["response"] for row in mine)
    page = (tmp_path / "l.r2.html").read_text("utf-8")
    assert all(row["item"] in page for row in mine) and "<script" not in page and "<input" not in page


def test_the_same_seed_draws_the_same_sheet_and_another_another(command: Command, run: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        sample(command, run, tmp_path / f"{name}.csv", "--n", 10, "--raters", 2, "--seed", seed)
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b != c


def test_work_is_spread_evenly_over_raters_pairs_models_and_benchmarks(command: Command, told: Path, tmp_path: Path) -> None:
    done = sample(command, told, tmp_path / "l.csv", "--n", 40, "--raters", 8, "--per-item", 2)
    assert set(done.json["raters"].values()) == {10} and done.json["rows"] == 80
    raters: dict[str, set[str]] = {}
    first: dict[str, Row] = {}
    for row in rows_of(tmp_path / "l.csv"):
        raters.setdefault(row["item"], set()).add(row["rater"])
        first[row["item"]] = row
    assert {len(names) for names in raters.values()} == {2} and len(raters) == 40
    together = Counter(pair for names in raters.values() for pair in combinations(sorted(names), 2))
    assert len(together) == 28 and max(together.values()) <= 3
    models = Counter("strong.py" in row["response"] for row in first.values())
    assert models == {True: 20, False: 20}


def test_a_sample_larger_than_the_supply_is_said_to_be(command: Command, tmp_path: Path, benchmarks: list[Benchmark]) -> None:
    def scores(model: str, benchmark: str, number: int, sample: int) -> Any:
        return "refused" if (model, number) == ("weak", 0) else SCORES(model, benchmark, number, sample)

    done = sample(command, write_run(tmp_path / "r", benchmarks, MODELS, scores), tmp_path / "l.csv", "--n", 100, "--raters", 2)
    assert (done.json["supply"], done.json["items"], done.json["short"]) == (58, 58, 42)
    assert done.json["left_out"] == {"refused": 2}
    assert "100 items were asked for and there are 58" in done.err


def test_a_sheet_that_somebody_filled_in_is_not_overwritten(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 10, "--raters", 2)
    assert sample(command, run, sheet, "--n", 10, "--raters", 2).code == 0
    fill(sheet, lambda row: 4)
    done = sample(command, run, sheet, "--n", 10, "--raters", 2)
    assert done.code == 2 and "may hold labels" in done.err and rows_of(sheet)[0]["label"] == "4"


def test_nothing_in_a_sheet_is_run_by_a_spreadsheet_or_a_browser(command: Command, tmp_path: Path, benchmarks: list[Benchmark]) -> None:
    def hostile(model: str, benchmark: str, number: int) -> Sequence[tuple[str, Mapping[str, Any]]]:
        return (("Read", {"file_path": "</pre><script>alert(1)</script>\u202e\x1b[2J"}),)

    run = write_run(tmp_path / "r", benchmarks[:1], ["one"], passing(1.0, models=("one",)), called=hostile)
    sample(command, run, tmp_path / "l.csv", "--n", 4, "--raters", 2, "--each")
    page = (tmp_path / "l.r1.html").read_text("utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    for text in (page, (tmp_path / "l.csv").read_text("utf-8")):
        assert "\u202e" not in text and "\x1b" not in text and "\\u202e" in text


@pytest.mark.parametrize("begin", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\n=1", "\uff1d1", "|cmd"])
def test_what_begins_like_a_formula_is_text(begin: str) -> None:
    from tracedance.report.label_sheet import harmless

    assert harmless(begin).startswith("'") and harmless(begin)[1:].strip() == begin.strip()


def test_ordinary_text_stays_as_it_is() -> None:
    from tracedance.report.label_sheet import harmless

    assert harmless("says hello = world\nand more") == "says hello = world\nand more" and harmless("") == ""
    assert len(harmless("x" * 100_000)) < 32_767 and "70,000 characters left out" in harmless("x" * 100_000)


def test_a_filled_sheet_is_taken_in_once_and_changes_nothing_else(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 20, "--raters", 2)
    rows = fill(sheet, lambda row: 4)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    first = command("labels", "import", sheet, "--run", run, "--json").json
    assert first["rows"] == {"in": 40, "kept": 40, "ignored": 0, "lost": 0} and first["labels"] == 40
    held = (run / "labels.jsonl").read_bytes()
    again = command("labels", "import", sheet, "--run", run, "--json").json
    assert again["rows"] == {"in": 40, "kept": 0, "ignored": 40, "lost": 0} and (run / "labels.jsonl").read_bytes() == held
    before.pop("beside.sha256")  # the list of what lives on beside the results names the labels now
    assert {path.name: path.read_bytes() for path in run.iterdir() if path.name in before} == before
    rows[0]["label"] = "0"
    save(sheet, rows)
    third = command("labels", "import", sheet, "--run", run, "--json").json
    assert third["kept"] == {"new": 0, "changed": 1} and third["labels"] == 40


def test_a_half_filled_sheet_is_welcome_and_the_rest_comes_later(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 10, "--raters", 2)
    rows = rows_of(sheet)
    for row in rows[:7]:
        row["label"] = "3"
    save(sheet, rows)
    first = command("labels", "import", sheet, "--run", run, "--json").json
    assert first["rows"] == {"in": 20, "kept": 7, "ignored": 13, "lost": 0} and first["ignored"] == {"empty": 13, "known": 0}
    fill(sheet, lambda row: 3)
    assert command("labels", "import", sheet, "--run", run, "--json").json["kept"] == {"new": 13, "changed": 0}


def test_sheets_come_back_as_spreadsheets_and_programs_write_them(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 10, "--raters", 2)
    rows = [{**row, "label": " 4.0 "} for row in rows_of(sheet)]
    save(sheet, rows, delimiter=";")
    sheet.write_bytes(b"\xef\xbb\xbf" + sheet.read_bytes())
    assert command("labels", "import", sheet, "--run", run, "--json").json["rows"]["kept"] == 20
    lines = tmp_path / "l.jsonl"
    sample(command, run, lines, "--n", 10, "--raters", 2)
    told = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
    lines.write_text("".join(json.dumps({**one, "label": 4}) + "\n" for one in told))
    assert command("labels", "import", lines, "--run", run, "--json").json["ignored"] == {"empty": 0, "known": 20}


BAD = {
    "the label '6' is none of 0, 1, 2, 3, 4, 5": {"label": "6"},
    "the label 'good' is none of": {"label": "good"},
    "the item 'response-0' is none of": {"item": "response-0"},
    "names no rater": {"rater": ""},
    "is no name of up to 40": {"rater": "=1+1"},
    "says 'rubric', and its item is a response": {"kind": "rubric"},
    "its note may hold a secret": {"note": "see token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
}


@pytest.mark.parametrize("problem", BAD)
def test_a_bad_row_is_named_by_its_line_and_nothing_goes_in(command: Command, run: Path, tmp_path: Path, problem: str) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 5, "--raters", 2)
    rows = fill(sheet, lambda row: 4)
    rows[2] |= BAD[problem]
    for row in rows:
        row.pop("context"), row.pop("rubric"), row.pop("response")
    save(sheet, rows)
    done = command("labels", "import", sheet, "--run", run)
    assert done.code == 2 and problem in done.err and "line 4 " in done.err and "ghp_" not in done.err
    assert not (run / "labels.jsonl").exists()
    some = command("labels", "import", sheet, "--run", run, "--skip-bad", "--json").json
    assert some["rows"] == {"in": 10, "kept": 9, "ignored": 0, "lost": 1}
    assert [one["line"] for one in some["lost"]] == [4]


def test_a_row_given_twice_is_named_with_the_line_it_repeats(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.csv"
    sample(command, run, sheet, "--n", 5, "--raters", 2)
    rows = [{name: row[name] for name in ("rater", "item", "label")} for row in fill(sheet, lambda row: 4)]
    save(sheet, [*rows, {**rows[0], "label": "1"}])
    done = command("labels", "import", sheet, "--run", run)
    assert done.code == 2 and "line 12 repeats the item and rater of line 2" in done.err


@pytest.mark.parametrize("text", ["", "rater,item\n", 'rater,item,label\n"r1', "rater,item,label,label\n", "rater,item,label\na,b,c,d\n"])
def test_what_is_no_sheet_is_refused_in_a_line(command: Command, run: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "l.csv").write_text(text)
    done = command("labels", "import", tmp_path / "l.csv", "--run", run)
    assert done.code == 2 and "Give a sheet that 'tracedance labels sample' wrote" in done.err and "Traceback" not in done.err


def labelled(command: Command, run: Path, folder: Path, say: Callable[[Row], object], *more: object, kind: str = "response") -> None:
    """Draws, fills in and takes in."""
    sheet = folder / f"{kind}.csv"
    assert sample(command, run, sheet, *more, kind=kind).code == 0
    fill(sheet, say)
    assert command("labels", "import", sheet, "--run", run).code == 0


def test_the_panel_is_measured_by_people(command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 60, "--raters", 2)
    found = command("labels", "report", "--run", told, "--json").json["response"]
    panel = found["panel"]
    # 30 instances: the panel passes 24 and 6, people 18 and 6 of them.
    assert [panel[name] for name in ("both", "panel_only", "people_only", "neither")] == [24, 6, 0, 30]
    assert (panel["precision"], panel["recall"], panel["agreement"], panel["leniency"]) == (0.8, 1.0, 0.9, 0.1)
    assert panel["kappa"] == pytest.approx((0.9 - 0.5) / 0.5, abs=1e-6)
    strong, weak = panel["by_model"]
    assert (strong["model"], strong["precision"], strong["leniency"]) == ("strong", 0.75, 0.2) and weak["leniency"] == 0
    assert [row["judge"] for row in panel["judges"]] == sorted(JUDGES) and panel["size"]["seats"] == 3
    assert 1 <= panel["size"]["effective"] < 1.5  # the three score alike, so they err alike
    assert (found["agreement"]["raw"], found["agreement"]["kappa"], found["passes"]["share"]) == (1.0, 1.0, 0.4)


def test_raters_who_differ_are_measured_against_each_other(command: Command, told: Path, tmp_path: Path) -> None:
    def say(row: Row) -> int:
        if row["rater"] == "r1":
            return 5 if number_of(row) % 2 else 1
        return 5 if number_of(row) % 4 == 1 else 1

    labelled(command, told, tmp_path, say, "--n", 60, "--raters", 2)
    told_of = command("labels", "report", "--run", told, "--json").json["response"]["agreement"]
    # r1 passes 15 of 30 numbers, r2 those 8 of them that are 1 modulo 4 (5 of 20 and 3 of 10); they differ on 7 of 30.
    assert told_of["items"] == 60 and told_of["raw"] == pytest.approx(1 - 7 / 30, abs=1e-6)
    chance = 0.5 * 8 / 30 + 0.5 * 22 / 30
    assert told_of["kappa"] == pytest.approx((23 / 30 - chance) / (1 - chance), abs=1e-6)
    (pair,) = told_of["pairs"]
    assert (pair["first"], pair["second"], pair["kappa"]) == ("r1", "r2", told_of["kappa"])
    assert told_of["alpha"]["nominal"] == told_of["alpha"]["interval"]


def test_requests_instances_and_rubrics_have_their_own_figures(command: Command, run: Path, tmp_path: Path) -> None:
    labelled(
        command,
        run,
        tmp_path,
        lambda row: "no" if row["rater"] == "r2" and number_of(row) < 3 else "yes",
        "--n",
        30,
        "--raters",
        2,
        kind="instance",
    )
    labelled(command, run, tmp_path, lambda row: 3 if number_of(row) == 15 else 5, "--n", 30, "--raters", 2, kind="rubric")
    done = command("labels", "report", "--run", run, "--json")
    found = done.json
    # Two benchmarks hold numbers 0 to 2 each.
    assert (found["instance"]["both_confirm"]["share"], found["instance"]["both_confirm"]["of"]) == (0.8, 30)
    assert found["instance"]["shares"]["yes"]["share"] == 0.9 and found["instance"]["agreement"]["raw"] == 0.8
    assert found["rubric"]["both_at_least_4"]["share"] == pytest.approx(29 / 30, abs=1e-6)
    assert found["rubric"]["mean"] == pytest.approx((29 * 5 + 3) / 30, abs=1e-6)
    assert found["query"] is None and found["response"] is None and found["rates"] is None
    said = command("labels", "report", "--run", run).out
    assert "Confirmed by all their raters: 80.0%" in said and "Mean 4.93 of 5" in said


def test_a_benchmarks_labels_lie_beside_it_and_leave_it_as_it_was(
    command: Command, tmp_path: Path, benchmarks: list[Benchmark], run: Path
) -> None:
    place = tmp_path / "b" / "commits"
    sheet = tmp_path / "i.csv"
    assert command("labels", "sample", "--kind", "instance", "--benchmark", place, "--n", 5, "--raters", 2, "--out", sheet).code == 0
    row = rows_of(sheet)[0]
    assert "Now on with it." in row["the agent's turn"] and "some-model" not in str(row)
    fill(sheet, lambda row: "unclear")
    assert command("labels", "import", sheet, "--benchmark", place, "--json").json["path"] == str(tmp_path / "b" / "commits.labels.jsonl")
    assert len(read_benchmark(place).instances) == 20 and command("verify", place).code == 0
    of_benchmark = command("labels", "report", "--benchmark", place, "--json").json["instance"]
    assert of_benchmark["shares"]["unclear"]["share"] == 1
    assert command("labels", "report", "--run", run, "--json").json["instance"] == of_benchmark
    assert command("labels", "sample", "--kind", "response", "--benchmark", place, "--out", tmp_path / "x.csv").code == 2
    none = command("labels", "sample", "--kind", "query", "--benchmark", place, "--out", tmp_path / "q.csv", "--json")
    assert none.code == 3 and none.json["left_out"] == {"built_without_a_request": 1}


def test_a_request_is_labelled_by_what_was_made_of_it(command: Command, tmp_path: Path, benchmarks: list[Benchmark]) -> None:
    one = benchmarks[0]
    about = one.manifest.model_copy(update={"query": "=commits nobody looked at"})
    place = write_benchmark(about, one.instances, list(one.checks.values()), one.rubrics, tmp_path / "asked")
    sheet = tmp_path / "q.csv"
    command("labels", "sample", "--kind", "query", "--benchmark", place, "--raters", 2, "--out", sheet)
    row, _ = rows_of(sheet)
    assert (
        row["request"] == "'=commits nobody looked at" and "commit" in row["understood as"] and row["answers"] == "accurate partial wrong"
    )
    fill(sheet, lambda row: "Accurate" if row["rater"] == "r1" else "partial")
    assert command("labels", "import", sheet, "--benchmark", place).code == 0
    found = command("labels", "report", "--benchmark", place, "--json").json["query"]
    assert {word: one["share"] for word, one in found["shares"].items()} == {"accurate": 0.5, "partial": 0.5, "wrong": 0}


def test_compare_and_results_correct_the_rates_once_there_are_labels(command: Command, told: Path, tmp_path: Path) -> None:
    assert compare([told])["leaderboard"]["rows"][0]["corrected"] is None
    labelled(command, told, tmp_path, people, "--n", 60, "--raters", 2)
    found = command("compare", told, "--json").json
    strong, weak = found["leaderboard"]["rows"]
    made = corrected(0.8, 1000.0, Judged(both=18, panel_only=6, people_only=0, neither=6))
    assert strong["corrected"]["rate"] == pytest.approx(made.rate, abs=1e-6) == pytest.approx(0.6)
    assert strong["corrected"]["own_labels"] and strong["corrected"]["labels"] == 30
    assert strong["corrected"]["interval"][0] < 0.6 < strong["corrected"]["interval"][1]
    assert weak["corrected"]["rate"] == pytest.approx(0.2)
    assert any("responses the panel is lenient: it passed 10.0 points more than they did" in note for note in found["notes"])
    said = command("compare", told).out
    assert "orrected" in said and "60.0%" in said
    assert tracedance.results(told).raw == found
    assert command("labels", "report", "--run", told, "--json").json["rates"][0]["corrected"] == strong["corrected"]


def test_labels_that_do_not_tell_say_so_in_every_form(command: Command, told: Path, tmp_path: Path) -> None:
    """People who pass every other instance, whatever was answered: the panel's passes say nothing of theirs."""
    labelled(command, told, tmp_path, lambda row: 5 if number_of(row) % 2 else 0, "--n", 60, "--raters", 2)
    names = [tmp_path / f"told.{form}" for form in ("html", "md")]
    assert command("report", told, *(word for name in names for word in ("--out", name))).code == 0
    shown = [command("compare", told).out, command("labels", "report", "--run", told).out, *(name.read_text() for name in names)]
    for text in (" ".join(one.split()) for one in shown):
        assert "labels do not tell" in text and "labels sample --kind response" in text and "% (0.0 to 100.0)" not in text
    found = command("compare", told, "--json").json
    assert all(row["corrected"]["rate"] is None and row["corrected"]["note"] for row in found["leaderboard"]["rows"])
    assert any(note.startswith("No corrected rate of ") and "draws more to label" in note for note in found["notes"])


def test_the_report_says_which_instances_its_rates_leave_out_and_rates_the_models_that_are_named(
    command: Command, tmp_path: Path, benchmarks: list[Benchmark]
) -> None:
    """The strong model passes all ten instances that the weak one answers, and none of the others."""

    def scores(model: str, benchmark: str, number: int, sample: int) -> Any:
        answered = benchmark == "commits" and number < 10
        return ((5, 5, 5) if answered else (1, 1, 1)) if model == "strong" else (5, 5, 5) if answered else "declined"

    run = write_run(tmp_path / "r", benchmarks, MODELS, scores)
    labelled(command, run, tmp_path, lambda row: 5, "--n", 10, "--raters", 2)
    told = command("labels", "report", "--run", run, "--json").json
    assert {row["model"]: row["rate"] for row in told["rates"]} == {"strong": 1.0, "weak": 1.0}
    gone = told["rates_excluded"]
    assert (gone["instances"], gone["of"], gone["by_model"]) == (20, 30, {"weak": {"declined": 20}})
    said = " ".join(command("labels", "report", "--run", run).out.split())
    assert "20 of 30 instances are left out" in said and "weak 20 declined" in said and "--model" in said
    alone = ("labels", "report", "--run", run, "--model", "strong")
    assert [(row["model"], row["rate"]) for row in command(*alone, "--json").json["rates"]] == [("strong", 0.25)]
    assert "All 30 instances have a valid response" in " ".join(command(*alone).out.split())
    assert command("labels", "report", "--run", run, "--model", "nobody").code == 2
    assert command("labels", "report", "--benchmark", benchmarks[0].path, "--model", "strong").code == 2


def test_evaluate_given_again_shows_the_labelled_rates(command: Command, tmp_path: Path) -> None:
    demo = Path(__file__).resolve().parents[2] / "benchmarks" / "demo" / "unreviewed_commit_contents"
    asked = ("evaluate", demo, "--model", "offline/source", "--model", "offline/careful", "--out", tmp_path / "r")
    assert "labelled" not in command(*asked, "--json").json
    labelled(command, tmp_path / "r", tmp_path, lambda row: 5 if row["rater"] == "r1" else 3, "--n", 9, "--raters", 2)
    again = command(*asked, "--json")
    assert again.code == 0 and {row["model"]: row["corrected"]["labels"] for row in again.json["labelled"]} == {
        "offline/careful": 4,
        "offline/source": 4,
    }
    said, gone = " ".join(command(*asked).out.split()), again.json["labelled_excluded"]
    left = f"{gone['instances']} of {gone['of']} instances are left out"
    assert "corrected by people's labels" in said and (left if gone["instances"] else "none is left out") in said


def test_another_pass_rule_is_put_to_peoples_labels_too(command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, lambda row: 3 if people(row) == 5 else 1, "--n", 60, "--raters", 2)
    as_graded = command("compare", told, "--json").json
    assert all(row["corrected"]["rate"] is None for row in as_graded["leaderboard"]["rows"])  # nobody passes a 3
    rows = command("compare", told, "--pass-rule", "mean3", "--json").json["leaderboard"]["rows"]
    assert [row["corrected"]["rate"] for row in rows] == pytest.approx([0.6, 0.2])


def test_labels_of_a_response_that_is_no_longer_there_count_for_nothing(command: Command, told: Path, run: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 10, "--raters", 2)
    (run / "labels.jsonl").write_bytes((told / "labels.jsonl").read_bytes())
    beside.seal(run, ("labels.jsonl",))
    found = command("labels", "report", "--run", run, "--json")
    assert found.code == 3 and (found.json["labels"], found.json["stale"]) == (0, 20)
    assert command("compare", run, "--json").json["leaderboard"]["rows"][0]["corrected"] is None


def test_labels_of_a_damaged_file_are_not_read(command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 10, "--raters", 2)
    path = told / "labels.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"kind":"response"', b'"kind":"nonsense"', 1))
    done = command("compare", told)
    assert done.code == 6 and "labels.jsonl" in done.err and "import the sheets again" in done.err


def test_labels_correct_a_model_in_every_run_that_was_judged_alike(
    command: Command, told: Path, benchmarks: list[Benchmark], tmp_path: Path
) -> None:
    labelled(command, told, tmp_path, people, "--n", 60, "--raters", 2)
    twin = write_run(tmp_path / "twin", benchmarks, MODELS, SCORES, called=tells_model, seed=1)
    third = write_run(tmp_path / "third", benchmarks, ("third",), lambda *_: (5, 5, 5))
    found = command("compare", told, twin, third, "--json").json
    rows = {row["model"]: row["corrected"] for row in found["leaderboard"]["rows"]}
    for model in MODELS:
        mine, other = rows[f"{model} @ r"], rows[f"{model} @ twin"]
        assert {**mine, "by_own_labels": None} == other and mine["own_labels"] and mine["labels"] == 30 and mine["by_own_labels"]
    assert not rows["third"]["own_labels"] and rows["third"]["labels"] == 60
    assert any(note.startswith("No response of third is labelled") for note in found["notes"])
    said = command("compare", told, twin).out
    assert "orrected" in said and "own labels" in said.replace("\n", " ")


def test_labels_do_not_correct_a_run_that_was_judged_otherwise(
    command: Command, told: Path, benchmarks: list[Benchmark], tmp_path: Path
) -> None:
    labelled(command, told, tmp_path, people, "--n", 60, "--raters", 2)
    other = write_run(tmp_path / "other", benchmarks, MODELS, SCORES, mode="independent")
    rows = command("compare", told, other, "--mixed", "--json").json["leaderboard"]["rows"]
    assert {row["model"] for row in rows if row["corrected"]} == {f"{model} @ r" for model in MODELS}


def test_where_the_panel_passes_all_its_labels_are_the_estimate(command: Command, benchmarks: list[Benchmark], tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", benchmarks, ("strong",), lambda *_: (5, 5, 5), called=tells_model)
    labelled(command, run, tmp_path, people, "--n", 30, "--raters", 2)
    (row,) = command("compare", run, "--json").json["leaderboard"]["rows"]
    assert row["corrected"]["rate"] is None and row["corrected"]["by_own_labels"]["rate"] == pytest.approx(0.6)
    assert "60.0%" in command("compare", run).out


def test_a_regraded_run_has_the_labels_of_its_responses(provider: Provider, command: Command, tmp_path: Path) -> None:
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(3)])
    models = profile(tmp_path, provider.base, ("judge-a", "judge-b", "judge-c"))
    run = tmp_path / "r"
    assert command("evaluate", commits, "--profile", models, "--model", "t/good", "--out", run).code == 0
    labelled(command, run, tmp_path, lambda row: 4, "--raters", 2)
    labelled(command, run, tmp_path, lambda row: 5, "--raters", 2, kind="rubric")
    rubric = read_benchmark(commits).rubrics[COMMIT].model_dump(mode="json")
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({**rubric, "question": f"{rubric['question']} Be strict."}))
    again = Path(command("rejudge", run, "--mode", "joint", "--json").json["run"])
    other = Path(command("rejudge", run, "--rubric", tmp_path / "mine.yaml", "--json").json["run"])
    assert again != other and not (again / "labels.jsonl").exists()
    found = {place: command("labels", "report", "--run", place, "--json").json for place in (run, again, other)}
    assert found[again]["response"]["items"] == found[other]["response"]["items"] == found[run]["response"]["items"] == 3
    assert found[again]["rubric"] == found[run]["rubric"] and found[other]["rubric"] is None and found[other]["stale"] == 6
    sample(command, other, tmp_path / "o.csv", "--n", 3, "--raters", 2)
    assert all("Be strict." in row["rubric"] for row in rows_of(tmp_path / "o.csv"))
    assert sample(command, other, tmp_path / "none.csv", kind="rubric").json["left_out"] == {"graded_by_another_rubric": 3}
    fill(tmp_path / "o.csv", lambda row: 0)
    taken = command("labels", "import", tmp_path / "o.csv", "--run", other, "--json").json
    assert taken["path"] == str(run / "labels.jsonl") and taken["kept"] == {"new": 0, "changed": 6}
    assert command("labels", "report", "--run", run, "--json").json["response"]["mean"] == 0
    assert command("report", other, "--out", tmp_path / "r.html").code == 0 and "Be strict." in (tmp_path / "r.html").read_text()
    assert command("verify", run).code == 0
    run.rename(tmp_path / "moved")
    (tmp_path / "moved" / "rejudged" / again.name).rename(tmp_path / "alone")
    assert command("labels", "report", "--run", tmp_path / "alone").code == 3, "away from its run it has none"


def value(line: str, given: object) -> str:
    return json.dumps({**json.loads(line), "value": given})


EDITS: dict[str, tuple[Callable[[list[str]], str], str]] = {
    "below": (lambda lines: "\n".join([value(lines[0], -50), *lines[1:], ""]), "line 1: '-50' is none of 0, 1, 2, 3, 4, 5"),
    "above": (lambda lines: "\n".join([*lines[:-1], value(lines[-1], 9), ""]), "line 12: '9' is none of"),
    "text": (lambda lines: "\n".join([lines[0], value(lines[1], "5"), *lines[2:], ""]), "line 2: '5' is none of"),
    "true": (lambda lines: "\n".join([value(lines[0], True), *lines[1:], ""]), "line 1: value"),
    "torn": (lambda lines: "\n".join(lines)[:-9], "line 12 is cut off"),
    "brace": (lambda lines: "{", "line 1 is cut off"),
    "no JSON": (lambda lines: "\n".join(["{", *lines[1:], ""]), "line 1: Invalid JSON"),
    "twice": (lambda lines: "\n".join([*lines, lines[0], ""]), "line 13 repeats the item and rater"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_labels_that_nobody_can_have_given_are_refused_by_every_reader(edit: str, command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 12, "--raters", 1, "--per-item", 1)
    path = told / "labels.jsonl"
    change, said = EDITS[edit]
    path.write_text(change(path.read_text().splitlines()))
    beside.seal(told, (path.name,))
    for words in (("compare", told), ("labels", "report", "--run", told), ("labels", "import", tmp_path / "response.csv", "--run", told)):
        done = command(*words)
        assert done.code == 6 and done.err.count("\n") == 1 and said in done.err and str(path) in done.err, (words, done.err)
        assert "import the sheets again" in done.err


def test_labels_that_are_not_those_which_were_sealed_are_refused(command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 12, "--raters", 1, "--per-item", 1)
    path, listed = told / "labels.jsonl", told / "beside.sha256"
    held, sealed = path.read_bytes(), listed.read_bytes()
    lines = path.read_text().splitlines()
    for content in ("\n".join([value(lines[0], 5 - json.loads(lines[0])["value"]), *lines[1:], ""]), "\n".join([*lines[:-1], ""]), ""):
        path.write_text(content)
        for words in (("compare", told), ("labels", "report", "--run", told)):
            done = command(*words)
            assert done.code == 6 and "it was edited" in done.err
    path.unlink()
    assert command("compare", told).code == 6
    assert command("labels", "import", tmp_path / "response.csv", "--run", told).code == 0
    assert (path.read_bytes(), listed.read_bytes()) == (held, sealed)
    listed.write_bytes(b"")
    assert "beside.sha256 does not list it" in command("compare", told).err
    assert command("verify", told).code == 6


def test_an_import_that_was_killed_loses_nothing_and_is_taken_up(command: Command, told: Path, tmp_path: Path) -> None:
    labelled(command, told, tmp_path, people, "--n", 6, "--raters", 1, "--per-item", 1)
    sheet = tmp_path / "more.csv"
    assert sample(command, told, sheet, "--n", 20, "--raters", 1, "--per-item", 1).code == 0
    fill(sheet, people)
    for point, held in (("labels.writing", 6), ("file.written:2", 6), ("labels.written", 20)):
        words = [sys.executable, "-m", "tracedance", "labels", "import", str(sheet), "--run", str(told)]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}{os.pathsep}{ROOT}", "FAILPOINT": point}
        assert subprocess.run(words, env=environment, cwd=ROOT, capture_output=True).returncode == -signal.SIGKILL, point
        found = command("verify", told, "--json")
        if point == "file.written:2":
            assert found.code == 6 and "added: '.tmp-" in found.err
        else:
            assert found.json["unsealed"] == [str(told / "labels.jsonl")]
        assert command("labels", "report", "--run", told, "--json").json["labels"] == held
    assert command("labels", "import", sheet, "--run", told, "--json").json["labels"] == 20
    assert command("verify", told, "--json").json["unsealed"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"note": "\\ud800"', "line 2 holds half a character in 'note'"),
        ('"rater": "r\\udfff"', "line 2 holds half a character in 'rater'"),
        ('"\\ud800": 1', "line 2 holds half a character in '\\ud800'"),
        ('"label": 1, "label": 4', "line 2 gives 'label' twice"),
        ('"label": ' + "9" * 5000, "line 2 is no JSON"),
    ],
)
def test_a_line_that_says_what_cannot_be_read_is_named(text: str, said: str, command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.jsonl"
    sample(command, run, sheet, "--n", 3, "--raters", 1, "--per-item", 1)
    told = [json.loads(line) for line in sheet.read_text("utf-8").splitlines()]
    field = text.split('"')[1]
    lines = [
        json.dumps({name: one[name] for name in ("rater", "item", "label") if name != field or not place}) for place, one in enumerate(told)
    ]
    lines[1] = lines[1][:-1] + ", " + text + "}"
    sheet.write_text("\n".join(lines) + "\n")
    for more in ((), ("--skip-bad",)):
        done = command("labels", "import", sheet, "--run", run, *more)
        assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    assert not (run / "labels.jsonl").exists()


def test_raters_whose_names_differ_in_capitals_alone_are_one(command: Command, run: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "l.jsonl"
    sample(command, run, sheet, "--n", 2, "--raters", 1, "--per-item", 1)
    told = [{**json.loads(line), "label": "4"} for line in sheet.read_text("utf-8").splitlines()]
    sheet.write_text(json.dumps(told[0]) + "\n" + json.dumps({**told[0], "rater": "R1", "label": "1"}) + "\n")
    assert "line 2 repeats the item and rater of line 1" in command("labels", "import", sheet, "--run", run).err
    for rater, known in (("r1", 0), ("R1", 1)):
        sheet.write_text(json.dumps({**told[0], "rater": rater}) + "\n")
        assert command("labels", "import", sheet, "--run", run, "--json").json["ignored"]["known"] == known
    assert '"rater":"r1"' in (run / "labels.jsonl").read_text() and '"R1"' not in (run / "labels.jsonl").read_text()
