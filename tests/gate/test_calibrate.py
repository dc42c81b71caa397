"""A/A: what is said of chance is what chance does."""

import random
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.evaluation_runs import FAMILY, two_models, write_run
from tests.gate.test_gate import item
from tracedance.gate.benchmark_results import checks, worst
from tracedance.gate.calibrate import Noise, calibrate, flips, next_size, power
from tracedance.gate.exact import decimal
from tracedance.gate.runs import resolve
from tracedance.schema import BenchmarkResultsSpec


def words(rng: random.Random, n: int, rate: float) -> list[str]:
    return ["pass" if rng.random() < rate else "fail" for _ in range(n)]


def test_two_runs_of_a_model_show_its_noise(tmp_path: Path) -> None:
    steady, torn = ["pass"] * 30, ["pass"] * 10
    first = two_models(tmp_path / "a", steady + torn, ["pass"] * 40)
    second = two_models(tmp_path / "b", steady + ["fail"] * 5 + ["pass"] * 5, ["pass"] * 40)
    found = calibrate([resolve(f"{first}:old"), resolve(f"{second}:old")], BenchmarkResultsSpec())
    assert (found.instances, found.left_out, found.flip_rate, found.pass_rate) == (40, 0, 0.125, 0.9375)
    # Five instances differ and the second run lost them all, so the policy fails it: chance, which 1 in 32 such comparisons is.
    assert found.comparisons == {"FAIL": 1}


def test_the_suggested_policy_lets_the_model_pass_against_itself(tmp_path: Path) -> None:
    rng = random.Random(4)
    first, second = (two_models(tmp_path / name, words(rng, 60, 0.97), ["pass"] * 60) for name in "ab")
    refs = [resolve(f"{first}:old"), resolve(f"{second}:old")]
    before = calibrate(refs, BenchmarkResultsSpec())
    assert before.comparisons == {"INCONCLUSIVE": 1} and before.too_few > 0.5
    after = calibrate(
        refs, BenchmarkResultsSpec(tolerated_drop=before.suggested["tolerated_drop"], warn_drop=before.suggested["warn_drop"])
    )
    assert after.comparisons == {"PASS": 1}


def test_the_chances_are_those_of_simulated_comparisons() -> None:
    rng, n, rate, spec = random.Random(1), 60, 0.5, BenchmarkResultsSpec(alpha=0.05)
    noise = Noise([0.5] * n)
    assert sum(noise.discordant()) == pytest.approx(1) and noise.mean == 0.5
    found = power(n, noise.mean, 0.2, decimal(spec.alpha))
    told = []
    for _ in range(400):
        rows = []
        for number in range(n):
            draw = rng.random()
            kind = (True, False) if draw < rate / 2 + 0.2 else (False, True) if draw < rate + 0.2 else (True, True)
            rows.append(item(number, kind[:1], kind[1:]))
        told.append(worst(checks(rows, spec)) == "FAIL")
    assert sum(told) / len(told) == pytest.approx(found, abs=0.07)
    size = next_size(0.5, 0.2, decimal(0.05))
    assert size is not None and power(size, 0.5, 0.2, decimal(0.05)) == pytest.approx(0.8, abs=0.05)


def test_flips_are_counted_over_all_pairs_of_samples() -> None:
    assert (flips(1, 2), flips(2, 2), flips(1, 3), flips(2, 4)) == (1, 0, pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_what_is_no_repetition_is_refused(command: Command, tmp_path: Path) -> None:
    run = two_models(tmp_path / "a", ["pass"] * 6, ["fail"] * 6)
    for refs, said in (
        ([f"{run}:old"], "No instance was judged twice"),
        ([f"{run}:old", f"{run}:old"], "a copy is no repetition"),
        ([f"{run}:old", f"{run}:new"], "one model against itself"),
    ):
        done = command("gate", "calibrate", *refs)
        assert done.code == 2 and done.err.count("\n") == 1 and said in done.err, done.err


def test_samples_of_one_run_are_repetitions(command: Command, tmp_path: Path) -> None:
    told = ["pass", "fail", "pass", "pass", "pass", "pass", "fail", "fail"] * 5
    run = write_run(tmp_path / "r", {"old": {FAMILY: told}}, samples=2)
    done = command("gate", "calibrate", f"{run}:old")
    assert done.code == 0 and "differ in 25% of the cases" in done.out and "warn_drop" in done.out
    assert command("gate", "calibrate", f"{run}:old", "--json").json["flip_rate"] == 0.25
