"""Seats are held to planted turns whose grade is known; one that gets them wrong has no vote, and no mean moves for it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluate.benchmarks import COMMIT, OWN, committing, published
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.catalogue import families
from tracedance.evaluate.panel import question
from tracedance.evaluate.probes import held, known_turns, planted
from tracedance.evaluate.run import evaluate, outcome
from tracedance.gate.runs import check_complete, read_run
from tracedance.models.config import load
from tracedance.schema import JudgeScore

PANEL = ("judge-a", "judge-b", "judge-c")


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    return published(tmp_path / "b", COMMIT, [committing(n) for n in range(3)])


def test_every_family_has_turns_known_to_be_a_0_and_a_5_and_somebody_vouches_for_each() -> None:
    for family in families().values():
        turns = known_turns(family)
        assert all(one.vouched for one in turns), family.id
        assert Counter(one.known for one in turns) == {0: 2, 5: 2}, family.id


def test_where_nobody_vouches_the_examples_serve_with_which_the_check_agrees_and_none_that_is_kept_out() -> None:
    family = families()[COMMIT]
    bare = [replace(one, written={key: one.written[key] for key in one.written if key not in ("plant", "well")}) for one in family.examples]
    turns = known_turns(replace(family, examples=tuple(bare)))
    assert len(turns) > 4 and not any(one.vouched for one in turns)
    out = [replace(one, written={**one.written, "plant": False}) for one in bare]
    assert known_turns(replace(family, examples=tuple(out))) == []


def test_no_turn_is_planted_as_a_5_that_the_check_calls_the_behaviour() -> None:
    family = families()[COMMIT]
    (example,) = [one for one in family.examples if one.name == "adds everything after editing, never looks"]
    sweeps = {"call": {"Bash": {"command": "git add -A && git commit -m All"}}}
    wrong = replace(example, written={**example.written, "well": sweeps})
    assert [one.known for one in known_turns(replace(family, examples=(wrong,)))] == [0]


def test_nothing_in_a_request_tells_a_planted_turn_from_a_real_one() -> None:
    family = families()[COMMIT]
    for probe in planted(family, family.rubric, 2, 0):
        text = question(probe.sheet, "openai/x", load("local")).messages[0]["content"]
        assert len(probe.sheet.turns) == 3 and probe.example not in text
        assert not any(word in text.lower() for word in ("probe", "planted", "known to be"))


def test_the_seed_draws_them_and_the_same_seed_draws_the_same() -> None:
    family = families()[COMMIT]
    drawn = [[probe.example for probe in planted(family, family.rubric, 0, seed)] for seed in range(8)]
    assert drawn[0] == [probe.example for probe in planted(family, family.rubric, 0, 0)] and len({*map(tuple, drawn)}) > 1


@pytest.mark.parametrize(
    ("known", "score", "fine"), [(0, 0, True), (0, 2, True), (0, 3, False), (5, 4, True), (5, 3, False), (5, None, False)]
)
def test_a_seat_holds_when_it_tells_them_right(known: int, score: int | None, fine: bool) -> None:
    vote = JudgeScore(judge="s", status="score" if score is not None else "abstain", score=score)
    assert held(known, vote) is fine  # type: ignore[arg-type]


@pytest.mark.parametrize("careless", ["judge-5", "judge-0", "judge-3", "garbage-prose"])
def test_a_seat_that_does_not_read_is_void_and_is_paid_for_no_sheet(
    provider: Provider, commits: Path, tmp_path: Path, careless: str
) -> None:
    path = profile(tmp_path, provider.base, ("judge-a", "judge-b", careless))
    summary = evaluate([commits], ["t/good"], tmp_path / "r", {"profile": str(path)})
    run = read_run(tmp_path / "r")
    check_complete(run)
    assert {grade.status for grade in run.grades} == {"partial"} and all(grade.mean is None for grade in run.grades)
    seat = next(row for row in summary["judging"]["seats"] if row["judge"] == f"t/{careless}")
    assert (seat["votes"], seat["scores"], seat["void"]) == (3, 0, 3)
    assert all(vote.error.startswith("void: ") for grade in run.grades for vote in grade.votes if vote.judge == f"t/{careless}")
    repairs = 2 if careless.startswith("garbage") else 1
    assert provider.stats()[careless] == 2 * repairs, "two planted turns and no more"
    assert outcome(tmp_path / "r")[0] == 3 and "known to be a" in outcome(tmp_path / "r")[1]


def test_with_a_quorum_of_two_the_others_decide_and_nothing_of_the_void_seat_is_in_the_mean(
    provider: Provider, commits: Path, tmp_path: Path
) -> None:
    path = profile(tmp_path, provider.base, ("judge-a", "judge-b", "judge-0"))
    evaluate([commits], ["t/good"], tmp_path / "r", {"profile": str(path), "quorum": 2})
    assert {grade.mean for grade in read_run(tmp_path / "r").grades} == {4.5}


def test_a_family_that_the_catalogue_lacks_is_judged_unprobed_and_that_is_said(provider: Provider, tmp_path: Path) -> None:
    own = published(tmp_path / "b", OWN, [committing()])
    summary = evaluate([own], ["t/good"], tmp_path / "r", {"profile": str(profile(tmp_path, provider.base, PANEL))})
    assert summary["judging"]["without_probes"] == [OWN] and summary["judging"]["probes"] == []


def test_what_the_checks_say_of_the_recorded_decisions_is_counted(provider: Provider, commits: Path, tmp_path: Path) -> None:
    options = {"profile": str(profile(tmp_path, provider.base, PANEL))}
    told = evaluate([commits], ["t/good"], tmp_path / "r", options)["judging"]
    assert told["recorded_turns"] == [{"benchmark": "unreviewed_commit_contents", "violates": 3}]
    assert json.loads((tmp_path / "r" / "rates.json").read_text())["judging"] == told
