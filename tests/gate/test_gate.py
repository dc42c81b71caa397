"""The gate through its public door, on run folders of real files."""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import product
from math import comb, prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.evaluation_runs import FAMILY, two_models, write_run
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.pairing import Item
from tracedance.gate.report import gate, report_json
from tracedance.gate.runs import resolve
from tracedance.gate.spec import read_spec
from tracedance.schema import BenchmarkResultsSpec, GateReport, GateSpec

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = ROOT / "configs" / "gate.yaml"
OTHER = "action/unreviewed_commit_contents"


def policy(**values: Any) -> GateSpec:
    return GateSpec(schema_version="behavior-spec/v0", id="test", benchmark_results=BenchmarkResultsSpec(**values))


def compare(run: Path, spec: GateSpec | None = None, baseline: str = "old", candidate: str = "new") -> GateReport:
    return gate(resolve(f"{run}:{baseline}"), resolve(f"{run}:{candidate}"), spec or read_spec(DEFAULT))


def overall(report: GateReport) -> Any:
    return next(check for check in report.checks if check.name == "overall")


def item(number: int, baseline: tuple[Any, ...], candidate: tuple[Any, ...], family: str = "failure/f") -> Item:
    return Item(("d", family, f"{number:06}"), baseline, candidate)


def test_five_pairs_all_lost_fail_and_the_reverse_passes(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5, rule=True)
    assert compare(run).verdict == "FAIL"
    assert compare(run, baseline="new", candidate="old").verdict == "PASS"


def test_four_pairs_all_lost_are_inconclusive_and_it_says_how_many_would_do(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["pass"] * 10, ["fail"] * 4 + ["pass"] * 6))
    assert report.verdict == "INCONCLUSIVE"
    assert "4 discordant pairs" in overall(report).reason
    assert "5 would do" in overall(report).reason


def test_a_level_that_is_just_reached_fails(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 4 + ["pass"])
    assert compare(run, policy(alpha=0.0625)).verdict == "FAIL"
    assert compare(run, policy(alpha=0.0624)).verdict == "INCONCLUSIVE"


def test_a_tie_at_four_is_a_pass_and_eleven_thirds_is_not(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["tie"] * 6, ["near"] * 6))
    assert report.verdict == "FAIL"
    assert overall(report).facts["worse"] == 6


def test_nothing_judged_never_passes(tmp_path: Path) -> None:
    for number, word in enumerate(("undecided", "declined", "failed", "partial")):
        report = compare(two_models(tmp_path / str(number), ["pass"] * 9, [word] * 9))
        assert report.verdict == "INCONCLUSIVE", word
    assert compare(two_models(tmp_path / "none", [], [])).verdict == "INCONCLUSIVE"


def test_failed_calls_have_their_own_denominator_and_withhold_a_pass(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["fail"] * 8 + ["pass"] * 2, ["pass"] * 8 + ["failed"] * 2))
    pairing = report.checks[0]
    assert report.verdict == "INCONCLUSIVE"
    assert pairing.facts["samples"]["candidate"] == {"asked": 10, "judged": 8, "failed": 2}
    assert pairing.facts["samples"]["baseline"]["failed"] == 0
    assert pairing.facts["unpaired"] == {"candidate failed": 2}
    assert overall(report).facts["pairs"] == 8


def test_a_regression_fails_though_much_is_missing(tmp_path: Path) -> None:
    assert compare(two_models(tmp_path / "r", ["pass"] * 10, ["fail"] * 5 + ["undecided"] * 5)).verdict == "FAIL"


def test_a_policy_that_declines_is_no_missing_evidence(tmp_path: Path) -> None:
    words = {"old": {FAMILY: ["fail"] * 10}, "offline/careful": {FAMILY: ["pass"] * 6 + ["declined"] * 4}}
    report = compare(write_run(tmp_path / "r", words, rule=True), candidate="offline/careful")
    assert report.verdict == "PASS"
    assert report.checks[0].facts["declined"] == 4


def test_only_a_scripted_policy_may_decline_and_not_most_of_the_time(tmp_path: Path) -> None:
    live = two_models(tmp_path / "live", ["fail"] * 10, ["pass"] * 6 + ["declined"] * 4, rule=True)
    assert compare(live).verdict == "INCONCLUSIVE"
    words = {"old": {FAMILY: ["fail"] * 20}, "offline/careful": {FAMILY: ["pass"] * 9 + ["declined"] * 11}}
    report = compare(write_run(tmp_path / "scripted", words, rule=True), candidate="offline/careful")
    assert report.verdict == "INCONCLUSIVE" and "more than half" in report.checks[0].reason


def test_a_fall_that_chance_could_explain_warns(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["pass"] * 5 + ["fail"] * 3 + ["pass"] * 4, ["fail"] * 5 + ["pass"] * 3 + ["pass"] * 4))
    assert report.verdict == "WARN"


def test_a_tolerated_drop_lets_like_runs_pass_when_there_are_enough_pairs(tmp_path: Path) -> None:
    same = two_models(tmp_path / "same", ["pass"] * 29, ["pass"] * 29)
    assert compare(same).verdict == "INCONCLUSIVE"
    assert compare(same, policy(tolerated_drop=0.1)).verdict == "PASS"
    fewer = two_models(tmp_path / "fewer", ["pass"] * 28, ["pass"] * 28)
    assert compare(fewer, policy(tolerated_drop=0.1)).verdict == "INCONCLUSIVE"


def test_where_nothing_differs_it_names_the_policy_that_passes_and_not_more_instances(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 10, ["pass"] * 10)
    said = overall(compare(run)).reason
    assert "more instances cannot help" in said and "tolerated_drop in the policy (0.26 or more" in said
    assert compare(run, policy(tolerated_drop=0.26)).verdict == "PASS"
    stricter = compare(run, policy(tolerated_drop=0.25))
    assert stricter.verdict == "INCONCLUSIVE"
    assert "At the policy's tolerated_drop of 0.25, 11 pairs with 0 lost would pass" in overall(stricter).reason


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_value_that_it_names_is_the_least_that_passes(pairs: list[tuple[bool, bool]]) -> None:
    items = [item(number, (old,), (new,)) for number, (old, new) in enumerate(pairs)]

    def verdict(**values: Any) -> Any:
        return next(check for check in checks(items, BenchmarkResultsSpec(min_pairs=1, **values)) if check.name == "overall")

    named = re.search(r"\((0\.\d+) or more", verdict().reason)
    if named:
        assert verdict(tolerated_drop=float(named[1])).verdict == "PASS"
        assert verdict(tolerated_drop=max(0.001, float(named[1]) - 0.011)).verdict == "INCONCLUSIVE"


def test_a_floor_fails_warns_or_holds(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["fail"] * 20, ["pass"] * 12 + ["fail"] * 8)
    assert compare(run, policy(min_pass_rate=0.9)).verdict == "FAIL"
    assert compare(run, policy(min_pass_rate=0.7)).verdict == "WARN"
    assert compare(run, policy(min_pass_rate=0.5)).verdict == "PASS"


def test_a_family_that_the_whole_hides_warns_or_decides(tmp_path: Path) -> None:
    good, bad = ["pass"] * 8, ["fail"] * 8
    run = write_run(tmp_path / "r", {"old": {FAMILY: good, OTHER: bad}, "new": {FAMILY: bad, OTHER: good}})
    informed = compare(run)
    assert informed.verdict == "WARN"
    assert [check.verdict for check in informed.checks if check.name == FAMILY] == ["WARN"]
    assert compare(run, policy(family_checks="decide")).verdict == "FAIL"


def test_several_samples_of_an_instance_are_one_pair(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["pass"] * 9, ["fail"] * 9, samples=3))
    assert report.verdict == "INCONCLUSIVE"
    assert overall(report).facts["pairs"] == 3
    assert [row["candidate"] for row in report.pairs] == [{"passed": 0, "samples": 3, "judged": 3, "asked": 3}] * 3


def test_a_smaller_share_is_lost_a_larger_gained_and_an_equal_one_neither(tmp_path: Path) -> None:
    old, new = ["pass", "pass", "pass", "fail", "fail", "pass"], ["pass", "fail", "pass", "pass", "pass", "fail"]
    facts = overall(compare(two_models(tmp_path / "r", old, new, samples=2), policy(min_pairs=1))).facts
    assert (facts["worse"], facts["better"], facts["same_share"]) == (1, 1, 1)
    assert facts["drop"] == 0


def test_an_instance_is_unpaired_only_when_a_side_has_no_judged_sample(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["pass"] * 6, ["fail", "failed", "undecided", "failed", "pass", "pass"], samples=2))
    assert report.checks[0].facts["unpaired"] == {"candidate failed or unscored": 1}
    assert [row["candidate"] for row in report.pairs if isinstance(row["candidate"], dict) and row["candidate"]["judged"] == 1]
    assert "some samples were not judged" in report.checks[0].reason


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_a_side_with_more_samples_is_no_more_often_lost_than_gained(chance: float) -> None:
    """Every way in which one sample against three can fall, when both sides pass with the same chance."""
    lost = gained = 0.0
    for old in product([True, False], repeat=1):
        for new in product([True, False], repeat=3):
            weight = prod(chance if passed else 1 - chance for passed in (*old, *new))
            before, after = item(0, old, new).shares
            lost, gained = lost + weight * (after < before), gained + weight * (after > before)
    assert lost == pytest.approx(gained)


def test_what_the_candidate_leaves_out_never_turns_a_fail_into_a_pass(tmp_path: Path) -> None:
    """Nine lost and two gained of fifty fail; with five of the nine unanswered there is no PASS either."""
    old = ["pass"] * 48 + ["fail"] * 2
    whole = compare(two_models(tmp_path / "whole", old, ["fail"] * 9 + ["pass"] * 41))
    gaps = compare(two_models(tmp_path / "gaps", old, ["failed"] * 5 + ["fail"] * 4 + ["pass"] * 41))
    assert (whole.verdict, gaps.verdict) == ("FAIL", "INCONCLUSIVE")
    assert "may hide a drop" in next(check.reason for check in gaps.checks if check.name == "missing")


def test_a_floor_counts_instances_and_not_samples(tmp_path: Path) -> None:
    thrice = two_models(tmp_path / "r", ["fail"] * 15, ["pass"] * 9 + ["fail"] * 6, samples=3)
    floor = next(check for check in compare(thrice, policy(min_pass_rate=0.85)).checks if check.name == "floor")
    assert floor.verdict == "WARN" and "9 of 15 samples of 5 instances" in floor.reason
    single = two_models(tmp_path / "s", ["fail"] * 15, ["pass"] * 9 + ["fail"] * 6)
    assert compare(single, policy(min_pass_rate=0.85)).verdict == "FAIL"


def test_other_versions_of_a_benchmark_are_no_match(tmp_path: Path) -> None:
    old = two_models(tmp_path / "a", ["pass"] * 6, ["pass"] * 6, digest="a" * 64)
    new = two_models(tmp_path / "b", ["pass"] * 6, ["fail"] * 6, digest="b" * 64)
    report = gate(resolve(f"{old}:old"), resolve(f"{new}:new"), read_spec(DEFAULT))
    assert report.verdict == "INCONCLUSIVE"
    assert "without the benchmark" in report.checks[0].reason


def test_the_evidence_names_every_file_read(tmp_path: Path) -> None:
    report = compare(two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5))
    rows = {row.source: (row.status, row.digest) for row in report.evidence}
    assert rows["open-model representation trajectory"] == ("advisory", None)
    assert rows["private reasoning"] == ("not_used", None)
    for name in ("run.json", "responses.jsonl", "grades.jsonl", "rates.json"):
        assert rows[f"candidate/{name}"][0] == "used" and len(str(rows[f"candidate/{name}"][1])) == 64


def test_the_order_of_lines_changes_no_verdict(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 9 + ["undecided"], ["fail"] * 6 + ["pass"] * 4)
    before = compare(run)
    for name in ("responses.jsonl", "grades.jsonl"):
        lines = (run / name).read_text().splitlines(keepends=True)
        random.Random(3).shuffle(lines)
        (run / name).write_text("".join(lines))
    after = compare(run)
    assert (after.verdict, after.checks, after.pairs) == (before.verdict, before.checks, before.pairs)


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 9, ["fail"] * 6 + ["pass"] * 3)
    moved = two_models(tmp_path / "elsewhere" / "r", ["pass"] * 9, ["fail"] * 6 + ["pass"] * 3)
    code = (
        "import sys; from pathlib import Path; from tracedance.gate.report import gate, report_json;"
        "from tracedance.gate.runs import resolve; from tracedance.gate.spec import read_spec;"
        "sys.stdout.write(report_json(gate(resolve(sys.argv[1] + ':old'), resolve(sys.argv[1] + ':new'), read_spec(Path(sys.argv[2])))))"
    )
    found = set()
    for folder, seed, locale in ((run, "0", "C"), (moved, "1", "C.UTF-8"), (run, "4242", "tr_TR.UTF-8")):
        env = os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": f"UTC+{seed[0]}", "PYTHONPATH": str(ROOT / "pipeline")}
        done = subprocess.run([sys.executable, "-c", code, str(folder), str(DEFAULT)], env=env, capture_output=True, check=True)
        found.add(done.stdout)
    assert found == {report_json(compare(run)).encode()}
    assert json.loads(found.pop())["verdict"] == "FAIL"


def oracle(pairs: Sequence[tuple[Sequence[object], Sequence[object]]], spec: BenchmarkResultsSpec) -> str:
    """The verdict as a plain reading of the policy gives it, with scipy's test, for one family and no floor."""
    known = [tuple([word for word in side if word in (True, False)] for side in pair) for pair in pairs]
    sizes = [min(len(old), len(new)) for old, new in known]
    judged = [(sum(old[:n]) / n, sum(new[:n]) / n) for (old, new), n in zip(known, sizes, strict=True) if n]  # type: ignore[arg-type]
    silent = [
        any("declined" in side and not got for side, got in zip(pair, has, strict=True)) for pair, has in zip(pairs, known, strict=True)
    ]
    asked = [pair for pair, declined in zip(pairs, silent, strict=True) if not declined]
    worse, better = sum(new < old for old, new in judged), sum(new > old for old, new in judged)
    drop = sum(old - new for old, new in judged)
    if len(judged) < max(1, spec.min_pairs):
        return "INCONCLUSIVE"
    if worse + better and binomtest(worse, worse + better, 0.5, alternative="greater").pvalue <= spec.alpha:
        return "FAIL"
    if (
        sum(silent) > len(pairs) / 2
        or (len(asked) - len(judged)) / len(asked) > spec.max_unpaired_share
        or 0.5 ** (worse + better) > spec.alpha
    ):
        return "INCONCLUSIVE"
    gaps = sum(True in old and not new and not quiet for (old, new), quiet in zip(known, silent, strict=True))
    if gaps and binomtest(worse + gaps, worse + better + gaps, 0.5, alternative="greater").pvalue <= spec.alpha:
        return "INCONCLUSIVE"
    return "WARN" if drop / len(judged) > spec.warn_drop + 1e-12 else "PASS"


WORDS = st.sampled_from([True, True, True, False, False, False, "unscored", "partial", "failed", "missing", "declined"])
SAMPLES = st.lists(WORDS, min_size=1, max_size=4).map(tuple)


@settings(max_examples=3000, deadline=None)
@given(
    st.lists(st.one_of(st.tuples(*[st.tuples(st.booleans())] * 2), st.tuples(SAMPLES, SAMPLES)), max_size=40),
    st.sampled_from([0.01, 0.05, 0.1, 0.2]),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    st.sampled_from([0.0, 0.05, 0.2]),
)
def test_the_verdict_is_that_of_an_independent_reading(
    pairs: list[tuple[Any, Any]], alpha: float, min_pairs: int, share: float, drop: float
) -> None:
    spec = BenchmarkResultsSpec(alpha=alpha, min_pairs=min_pairs, max_unpaired_share=share, warn_drop=drop)
    items = [item(number, *pair) for number, pair in enumerate(pairs)]
    assert worst(checks(items, spec)) == oracle(pairs, spec)


@pytest.mark.parametrize("mode", ["inform", "decide"])
def test_a_candidate_as_good_as_the_baseline_fails_no_more_often_than_alpha(mode: Any) -> None:
    """Every way in which the discordant pairs of three families can fall, each as likely as its mirror image."""
    spec = BenchmarkResultsSpec(alpha=0.05, family_checks=mode)
    sizes, failed = (6, 7, 8), 0.0
    for lost in [(a, b, c) for a in range(sizes[0] + 1) for b in range(sizes[1] + 1) for c in range(sizes[2] + 1)]:
        items = [
            item(number, (number < count,), (number >= count,), f"failure/f{family}")
            for family, (size, count) in enumerate(zip(sizes, lost, strict=True))
            for number in range(size)
        ]
        if worst(checks(items, spec)) == "FAIL":
            failed += float(binom(sizes, lost))
    assert 0.01 < failed <= 0.05


def binom(sizes: Sequence[int], lost: Sequence[int]) -> float:
    return prod(comb(size, count) for size, count in zip(sizes, lost, strict=True)) / 2 ** sum(sizes)


def test_five_thousand_instances_take_under_a_second() -> None:
    rng = random.Random(1)
    items = [item(number, (rng.random() < 0.5,), (rng.random() < 0.5,)) for number in range(5000)]
    start = time.process_time()
    checks(items, BenchmarkResultsSpec(min_pass_rate=0.3, tolerated_drop=0.1))
    assert time.process_time() - start < 1.0
