"""tracedance compare, as a user calls it on finished runs."""

import json
from pathlib import Path
from typing import Any

import pytest

import tracedance
from tests.compare.runs import JUDGES, PLANS, READS, Made, passing, publish, write_run
from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, OWN, RETRY
from tracedance.analyse.agreement import Judged
from tracedance.compare.comparison import compare
from tracedance.schema import Benchmark

STRONG = passing(0.8, 0.2)


@pytest.fixture
def one(tmp_path: Path) -> list[Benchmark]:
    """A benchmark of twenty instances."""
    return [publish(tmp_path / "b", Made("commits", size=20))]


@pytest.fixture
def run(tmp_path: Path, one: list[Benchmark]) -> Path:
    """A strong and a weak model on it."""
    return write_run(tmp_path / "r", one, ["weak", "strong"], STRONG)


def test_the_board_is_in_order_with_intervals_ranks_and_groups(command: Command, run: Path) -> None:
    done = command("compare", run, "--json")
    assert done.code == 0
    first, second = done.json["leaderboard"]["rows"]
    assert (first["model"], first["rate"], first["rank"], first["rank_interval"], first["groups"]) == ("strong", 0.8, 1, [1, 1], ["a"])
    assert (second["model"], second["rate"], second["rank"], second["groups"]) == ("weak", 0.2, 2, ["b"])
    assert first["interval"][0] < 0.8 < first["interval"][1] and first["first"] > 0.99
    (pair,) = done.json["pairs"]["rows"]
    assert (pair["first"], pair["difference"], pair["wins"], pair["losses"], pair["differs"]) == ("strong", 0.6, 12, 0, True)
    assert pair["p_mcnemar"] == pytest.approx(2 * 0.5**12, abs=1e-6)


def test_every_board_says_how_not_to_read_it(command: Command, run: Path) -> None:
    said = " ".join(command("compare", run).out.replace("\n", " ").split())
    for words in (
        "Rates are not frequencies",
        "Nothing was executed, so a pass may still fail when run",
        "a turn that plans or gathers information may be followed by an appropriate one",
        "Panels of judges tend to be lenient",
        "Models judged: claude-judge, gemini-judge, gpt-judge",
        "All 20 instances have a valid response from every compared model",
        "there are too few benchmarks to speak of others",
    ):
        assert words in said, words


def test_the_same_runs_give_the_same_bytes_and_the_order_of_models_changes_nothing(
    command: Command, tmp_path: Path, one: list[Benchmark]
) -> None:
    def scores(model: str, benchmark: str, number: int, sample: int) -> Any:
        return {"strong": "refused", "weak": "truncated"}[model] if number == 19 else STRONG(model, benchmark, number, sample)

    run = write_run(tmp_path / "r", one, ["weak", "strong"], scores)
    other = write_run(tmp_path / "turned" / "r", one, ["strong", "weak"], scores)
    text = command("compare", run, "--json").out
    assert text == command("compare", run, "--json").out
    turned = json.loads(command("compare", other, "--json").out)
    told = json.loads(text)
    assert {name: part for name, part in told.items() if name != "runs"} == {name: part for name, part in turned.items() if name != "runs"}
    assert command("compare", run, "--json", "--seed", 1).json["leaderboard"] != told["leaderboard"]


def test_an_instance_one_model_has_no_valid_response_to_counts_for_none(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    def scores(model: str, benchmark: str, number: int, sample: int) -> Any:
        lost = {("weak", 0): "refused", ("weak", 1): "partial", ("strong", 2): "truncated", ("strong", 3): "failed"}
        return lost.get((model, number), STRONG(model, benchmark, number, sample))

    found = command("compare", write_run(tmp_path / "r", one, ["strong", "weak"], scores), "--json").json
    gone = found["excluded"]
    assert (gone["instances"], gone["of"], gone["reasons"]) == (4, 20, {"failed": 1, "partial": 1, "refused": 1, "truncated": 1})
    assert gone["by_model"] == {"strong": {"failed": 1, "truncated": 1}, "weak": {"partial": 1, "refused": 1}}
    assert found["leaderboard"]["rows"][0]["rate"] == 0.75
    used = {name for ids in found["subsets"]["complete"]["ids"].values() for name in ids}
    left_out = {name for ids in gone["ids"].values() for name in ids}
    assert len(used) == 16 and len(used | left_out) == 20


def test_nothing_complete_is_said_and_exits_with_3(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    run = write_run(tmp_path / "r", one, ["mute", "weak"], lambda model, *_: "refused" if model == "mute" else (5, 5, 5))
    done = command("compare", run, "--json")
    assert done.code == 3 and done.json["leaderboard"]["rows"] == [] and "--model" in done.err
    assert command("compare", run).code == 3
    assert command("compare", run, "--model", "weak", "--json").json["leaderboard"]["rows"][0]["rate"] == 1.0


def test_groups_leave_out_and_benchmarks_and_families_also_specifications_of_one_query(command: Command, tmp_path: Path) -> None:
    benchmarks = [
        publish(tmp_path / "b", made)
        for made in (Made("commits"), Made("retries", RETRY), Made("own", OWN), Made("both", COMMIT, also=RETRY))
    ]
    run = write_run(tmp_path / "r", benchmarks, ["strong", "weak"], lambda model, *_: (5, 5, 5) if model == "strong" else (1, 1, 1))
    found = command("compare", run, "--json").json
    assert {name: part["benchmarks"] for name, part in found["subsets"].items()} == {"complete": 4, "single": 3, "catalogue": 2}
    told = {facet: sorted({name for row in part["rows"] for name in row["benchmarks"]}) for facet, part in found["by"].items()}
    assert told["group"] == told["frame"] == ["commits", "own", "retries"]
    assert told["family"] == ["commits", "retries"]
    assert told["harness"] == told["setting"] == ["both", "commits", "own", "retries"]
    led = {row["model"]: row["alone"] for row in found["families_led"]["rows"]}
    assert led == {"strong": sorted([COMMIT, RETRY]), "weak": []}


def test_another_grouping_is_shown_beside_the_catalogues(command: Command, tmp_path: Path) -> None:
    benchmarks = [publish(tmp_path / "b", made) for made in (Made("commits"), Made("retries", RETRY))]
    run = write_run(tmp_path / "r", benchmarks, ["m"], lambda model, name, *_: (5, 5, 5) if name == "retries" else (1, 1, 1))
    path = tmp_path / "groups.yaml"
    path.write_text(f"apart:\n  a: [{COMMIT}]\n  b: [edit_retry_without_reread]\nmerged:\n  all: [{COMMIT}, {RETRY}]\n")
    found = command("compare", run, "--grouping", path, "--json").json["groupings"]
    told = {one["name"]: one for one in found if one["used"] == "single"}
    assert list(told) == ["catalogue's", "apart", "merged"]
    assert told["merged"]["groups"] == {"all": {"mean": 0.5, "benchmarks": 2}} and told["merged"]["gap"] is None
    assert (told["apart"]["order"], told["apart"]["gap"]) == (["b", "a"], 1.0)
    path.write_text(f"one: [{COMMIT}]\nother: [{COMMIT}]\n")
    done = command("compare", run, "--grouping", path)
    assert done.code == 2 and "is in two groups" in done.err


@pytest.mark.parametrize(
    ("member", "said"), [("edit_retry_without_rered", "Did you mean 'edit_retry_without_reread'?"), ("zzz", "'tracedance families' lists")]
)
def test_a_grouping_of_what_is_no_family_is_refused(command: Command, tmp_path: Path, run: Path, member: str, said: str) -> None:
    (tmp_path / "groups.yaml").write_text(f"one: [{COMMIT}, {member}]\n")
    done = command("compare", run, "--grouping", tmp_path / "groups.yaml")
    assert done.code == 2 and f"there is no family '{member}'" in done.err and said in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,x,y,x\nstrong,1,2,3\n", "names the column 'x' a second time (column 4)"),
        ("model,model\nstrong,1\n", "names the column 'model' a second time (column 2)"),
        ("model,x\nstrong,1,2\n", "line 2 has a score without a column name"),
    ],
)
def test_a_table_of_scores_with_a_column_twice_or_unnamed_is_refused(
    command: Command, tmp_path: Path, run: Path, text: str, said: str
) -> None:
    (tmp_path / "scores.csv").write_text(text)
    done = command("compare", run, "--external", tmp_path / "scores.csv")
    assert done.code == 2 and said in done.err


def test_reported_scores_stand_beside_the_rates(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    models = ["a", "b", "c"]
    run = write_run(tmp_path / "r", one, models, passing(0.9, 0.5, 0.1, models=models))
    path = tmp_path / "scores.csv"
    path.write_text("model,swe,other\na,10,1\nb,20,\nc,30,2\nd,40,3\n")
    swe, other = command("compare", run, "--external", path, "--json").json["external"]
    assert (swe["spearman"], swe["kendall"], swe["n"], swe["not_compared"]) == (-1.0, -1.0, 3, ["d"])
    assert (other["spearman"], other["n"], other["not_reported"]) == (None, 2, ["b"])
    assert "Spearman -1.00" in command("compare", run, "--external", path).out
    as_json = tmp_path / "scores.json"
    as_json.write_text(json.dumps({"a": 10, "b": 20, "c": 30}))
    assert command("compare", run, "--external", as_json, "--json").json["external"][0]["spearman"] == -1.0
    path.write_text("model,swe\na,ten\n")
    done = command("compare", run, "--external", path)
    assert done.code == 2 and "line 2" in done.err and "'ten' is no score" in done.err


def test_one_model_in_two_runs_is_compared_with_itself_and_pooled_when_asked(
    command: Command, tmp_path: Path, one: list[Benchmark]
) -> None:
    again = passing(0.8, 0.5)
    runs = [
        write_run(tmp_path / "r1", one, ["strong", "weak"], STRONG, seed=1),
        write_run(tmp_path / "r2", one, ["strong", "weak"], again, seed=2),
    ]
    apart = command("compare", *runs, "--json").json
    assert [row["model"] for row in apart["leaderboard"]["rows"]] == ["strong @ r1", "strong @ r2", "weak @ r2", "weak @ r1"]
    weak = next(row for row in apart["repeats"] if row["model"] == "weak")
    assert (weak["runs"], weak["instances"], weak["difference"], weak["agreement"]) == (["r1", "r2"], 20, -0.3, 0.7)
    assert any("'--samples' pools them" in note for note in apart["notes"])
    pooled = command("compare", *runs, "--samples", "--json").json
    assert {row["model"]: row["rate"] for row in pooled["leaderboard"]["rows"]} == {"strong": 0.8, "weak": 0.35}
    assert any("2 runs are pooled" in note for note in pooled["notes"])


def test_runs_judged_differently_are_refused_or_said_to_be(command: Command, tmp_path: Path, one: list[Benchmark], run: Path) -> None:
    other = write_run(tmp_path / "r2", one, ["third"], lambda *_: (5, 5, 5), judges=("a", "b", "c"))
    done = command("compare", run, other)
    assert done.code == 2 and "judged differently: judges" in done.err and "--mixed" in done.err
    found = command("compare", run, other, "--mixed", "--json").json
    assert found["notes"][0].startswith("Not one yardstick") and found["leaderboard"]["rows"][0]["model"] == "third"
    assert command("compare", run, other, "--mixed", "--samples").code == 2
    rule = write_run(tmp_path / "r3", one, ["third"], lambda *_: (5,), judges=("rule",))
    assert command("compare", rule, "--json").json["notes"][0].startswith("No model judged")


def test_one_run_twice_and_an_unfinished_run_are_refused(command: Command, tmp_path: Path, run: Path) -> None:
    done = command("compare", run, run)
    assert done.code == 2 and "are one run" in done.err
    assert "hold no model 'x'" in command("compare", run, "--model", "x").err
    (run / "rates.json").unlink()
    done = command("compare", run)
    assert done.code in (2, 6) and done.err.startswith("Error: ") and "Traceback" not in done.err
    assert "no run.json" in command("compare", tmp_path).err


def test_pass_rules_and_single_judges_are_compared(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    run = write_run(tmp_path / "r", one, ["a", "b"], lambda model, *_: (5, 3, 3) if model == "a" else (3, 5, 5))
    found = {row["name"]: row for row in command("compare", run, "--json").json["sensitivity"]}
    assert set(found) == {"mean4", "mean3", "all4", "majority", *JUDGES}
    assert found["mean4"]["order"] == ["b", "a"] and found["gpt-judge"]["order"] == ["a", "b"]
    assert found["gpt-judge"]["same_order"] is False and found["claude-judge"]["same_order"] is True
    assert found["mean3"]["gap"] == 0.0
    assert command("compare", run, "--pass-rule", "mean3", "--json").json["leaderboard"]["rows"][0]["rate"] == 1.0


def test_judges_are_compared_with_each_other(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    """The first is a point above the second and passes what that fails; the third agrees with the second on every pass."""
    run = write_run(tmp_path / "r", one, ["m"], lambda model, name, number, sample: (4, 3, 3) if number < 10 else (5, 4, 5))
    found = command("compare", run, "--json").json["judges"]
    told = {row["judge"]: (row["mean"], row["pass_rate"], row["scores"]) for row in found["rows"]}
    assert told["gpt-judge"] == (4.5, 1.0, [0, 0, 0, 0, 10, 10]) and told["claude-judge"] == (3.5, 0.5, [0, 0, 0, 10, 10, 0])
    pairs = {(pair["first"], pair["second"]): (pair["agreement"], pair["kappa"]) for pair in found["pairs"]}
    assert pairs["claude-judge", "gemini-judge"] == (1.0, 1.0) and pairs["claude-judge", "gpt-judge"] == (0.5, 0.0)
    assert 0 < found["alpha"]["ordinal"] < 1 and "does not say that they are right" in command("compare", run).out.replace("\n", " ")


def test_a_judges_preference_for_its_own_maker_is_measured(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    def scores(model: str, *_: Any) -> tuple[int, int, int]:
        return (5, 4, 4) if model == "gpt-9" else (3, 4, 4)

    found = command("compare", write_run(tmp_path / "r", one, ["gpt-9", "llama-7"], scores), "--json").json
    (row,) = found["self_preference"]["rows"]
    assert (row["model"], row["judges"], row["same_model"]) == ("gpt-9", ["gpt-judge"], False)
    assert row["preference"]["difference"] == 2.0 and row["rank_without"] == 1 and row["rate_without"] == 1.0
    assert any(note.startswith("Judged by their own maker among others: gpt-9") for note in found["notes"])


def test_source_families_are_differences_in_differences(command: Command, tmp_path: Path) -> None:
    made = [publish(tmp_path / "b", Made("commits", size=20, source_models=("claude-x", "gpt-x")))]

    def scores(model: str, benchmark: str, number: int, sample: int) -> tuple[int, int, int]:
        hard = number % 2 == 0  # contexts from claude-x, for every model
        return (1, 1, 1) if hard and (model == "claude-y" or number % 4 == 0) else (5, 5, 5)

    found = command("compare", write_run(tmp_path / "r", made, ["claude-y", "gpt-y"], scores), "--json").json["source_families"]["rows"]
    own = next(row for row in found if row["own"] and row["model"] == "claude-y")
    assert (own["source"], own["difference"], own["lead_there"], own["lead_elsewhere"]) == ("anthropic", -0.5, -0.5, 0.0)
    assert own["disadvantages_excluded_above"] == pytest.approx(-own["interval"][0]) and own["interval"][0] < -0.5


def test_first_actions_are_compared_on_the_same_instances(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    def called(model: str, benchmark: str, number: int) -> Any:
        return (READS,) if model == "strong" else (PLANS, READS) if number < 5 else (PLANS,)

    found = command("compare", write_run(tmp_path / "r", one, ["strong", "weak"], STRONG, called=called), "--json").json["first_actions"]
    plan = next(row for row in found["by_class"] if row["action"] == "plan")
    assert (plan["instances"], plan["rate"], plan["rate_of_others"], plan["difference"]) == (20, 0.2, 0.8, -0.6)
    assert {row["action"] for row in found["by_tool"]} == {"TodoWrite", "Read"}
    assert found["plan_first"]["followed"] == {"responses": 5, "passed": 2, "rate": 0.4}
    assert found["plan_first"]["alone"]["responses"] == 15
    assert "association" in found["says"]


def test_labels_of_people_correct_the_rates_and_say_how_lenient_the_panel_is(run: Path) -> None:
    labels = {"": Judged(40, 20, 10, 130), "strong": Judged(30, 15, 5, 50)}
    found = compare([run], {}, labels)
    strong, weak = found["leaderboard"]["rows"]
    assert strong["corrected"]["own_labels"] and not weak["corrected"]["own_labels"]
    assert weak["corrected"]["rate"] == pytest.approx((0.2 + 130 / 150 - 1) / (0.8 + 130 / 150 - 1), abs=1e-6)
    assert strong["corrected"]["by_own_labels"]["rate"] == pytest.approx(0.8 * 30 / 45 + 0.2 * 5 / 55, abs=1e-6)
    assert any("By people's labels of 200 responses the panel is lenient: it passed 5.0 points more" in note for note in found["notes"])


def test_a_moved_benchmark_leaves_instances_alone_and_says_so(command: Command, tmp_path: Path, run: Path) -> None:
    for path in sorted((tmp_path / "b").iterdir()):
        path.rename(tmp_path / f"gone-{path.name}")
    found = command("compare", run, "--json").json
    assert found["leaderboard"]["rows"][0]["rate"] == 0.8 and found["subsets"]["complete"]["sessions"] == 20
    assert any("commits: sessions, harness and source model are not known" in note for note in found["notes"])


def test_a_hostile_name_steers_no_terminal(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    name = "[red]x\x1b[31m\u202ey"
    run = write_run(tmp_path / "r", one, [name, "z"], passing(0.9, 0.1, models=(name, "z")))
    done = command("compare", run)
    assert done.code == 0 and "[red]x" in done.out and "\x1b" not in done.out and "\u202e" not in done.out
    assert command("compare", run, "--json").out.isascii()


def test_a_quorum_of_two_is_said(command: Command, tmp_path: Path, one: list[Benchmark]) -> None:
    run = write_run(tmp_path / "r", one, ["m"], passing(0.5, models=("m",)), quorum=2)
    assert any("2 of 3 judges" in note for note in command("compare", run, "--json").json["notes"])


def test_results_are_pandas_frames(tmp_path: Path, run: Path) -> None:
    found = tracedance.results(run, seed=3)
    assert list(found.leaderboard["model"]) == ["strong", "weak"] and found.leaderboard["low"].lt(found.leaderboard["rate"]).all()
    by_hand = found.responses[found.responses["compared"]].groupby("model")["passed"].mean()
    assert dict(by_hand) == {"strong": 0.8, "weak": 0.2}
    assert len(found.votes) == 20 * 2 * 3 and set(found.votes["judge"]) == set(JUDGES)
    assert {"facet", "value", "model", "rate", "low", "high"} <= set(found.parts.columns)
    assert found.raw["seed"] == 3 and found.notes


def test_scores_of_none_of_the_models_are_refused_by_name(command: Command, tmp_path: Path, run: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,swe\nsomebody,1\n")
    done = command("compare", run, "--external", path)
    assert done.code == 2 and "has a score of none of the compared models" in done.err and "'strong', 'weak'" in done.err
    path = tmp_path / "scores.json"
    path.write_text('{"strong": 1, "\\ud800": 2}')
    done = command("compare", run, "--external", path)
    assert done.code == 2 and f"{path}:1:18: no valid YAML: found invalid Unicode" in done.err


def test_a_seed_is_no_negative_number_anywhere(command: Command, run: Path, tmp_path: Path) -> None:
    for words in (
        ("compare", run),
        ("labels", "sample", "--run", run, "--kind", "response", "--out", tmp_path / "l.csv"),
        ("evaluate", tmp_path / "b", "--model", "x", "--out", tmp_path / "n"),
        ("build", "a question", "--store", tmp_path / "s", "--out", tmp_path / "o"),
        ("synth", "--out", tmp_path / "o"),
        ("demo", "--out", tmp_path / "o"),
    ):
        done = command(*words, "--seed", -1)
        assert done.code == 2 and "'--seed': -1 is not in the range x>=0" in done.err, (words, done.err)
