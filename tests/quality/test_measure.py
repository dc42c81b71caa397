"""Quality is measured from labels in one form, and a label that no longer matches is told."""

from pathlib import Path
from typing import Any

import pytest

from tests.quality.measure import Label, below, by_labels, by_planted, imported, invented, labels, say, share, spread
from tests.store.recorded import write_session
from tracedance.catalogue import families


def label(turn: int, verdict: str, found: str) -> Label:
    return Label.model_validate({"session": "s", "turn": turn, "verdict": verdict, "found": found, "why": "w"})


def test_every_label_is_of_a_family_and_in_its_form() -> None:
    found = labels()
    assert sum(map(len, found.values())) > 200 and set(found) <= set(families())


def test_labels_give_precision_and_recall() -> None:
    read = [label(1, "offends", "hit"), label(2, "met", "hit"), label(3, "offends", "missed"), label(4, "met", "opportunity")]
    score = by_labels(read, {("s", 1): "hit", ("s", 2): "hit", ("s", 4): "opportunity", ("s", 9): "hit"}, ["s"])
    assert (score.precision, score.recall) == ((1, 2), (1, 2))
    assert score.notes == ["1 offences that nobody has read"]


def test_a_label_that_no_longer_matches_is_told() -> None:
    score = by_labels([label(1, "offends", "hit"), label(2, "none", "hit")], {("s", 2): "refused"}, ["s"])
    assert score.notes == ["s turn 1: offends, was hit, is missed"]
    assert (score.right, score.wrong, score.missed) == (0, 0, 1)
    assert by_labels([label(1, "met", "opportunity")], {}, []).notes == ["s is not in these traces"]


def test_one_source_counts_only_so_often() -> None:
    read = [label(turn, "offends", "hit") for turn in range(30)]
    other = Label.model_validate({"session": "t", "turn": 1, "verdict": "offends", "found": "hit", "why": "w"})
    drawn = spread([*read, other], {"s": "/traces/one", "t": "/traces/two"}, most=4)
    assert len(drawn) == 5 and other in drawn
    assert drawn == spread([other, *reversed(read)], {"s": "/traces/one", "t": "/traces/two"}, most=4)


def test_an_offence_planted_behind_the_same_opening_in_two_sessions_counts_in_each(tmp_path: Path) -> None:
    tries: list[dict[str, Any]] = [{"user": "What is on today?"}, {"text": "", "call": ("Bash", {"command": "git stats --weekly"})}]
    failed = [{"result": "git: 'stats' is not a git command. See 'git --help'.", "error": True}]
    for name, answer in (("one", "Nothing."), ("two", "A meeting.")):
        write_session(tmp_path / f"in/{name}.jsonl", name, [*tries, *failed, {"text": answer}])
    store = imported([tmp_path / "in"], tmp_path / "s")
    places = [(place.session, place.hit.decision) for place in invented(store) if place.family == "action/hallucinated_command"]
    assert sorted(places) == [("one", 1), ("two", 1)]


def test_planted_offences_are_compared_with_hits() -> None:
    score = by_planted([("a", 1), ("a", 2)], {("a", 1): "hit", ("a", 2): "refused", ("b", 1): "hit", ("b", 2): "opportunity"})
    assert (score.precision, score.recall) == ((1, 2), (1, 2))
    assert share((0, 0)) == "-" and share((1, 2)).startswith("0.50 (0.")


def test_a_family_below_its_target_is_marked_and_the_rest_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    real = {"precision": (1, 1), "recall": (1, 1)}
    figures = {
        "f/good": ((95, 100), (98, 100)),
        "f/deaf": ((95, 95), (95, 97)),
        "f/loud": ((94, 100), (94, 94)),
        "f/none": ((0, 0), (0, 0)),
    }
    rows = [
        {"family": name, "labels": 0, "real": real, "spread": real, "synthetic": {"precision": told[0], "recall": told[1]}, "notes": []}
        for name, told in figures.items()
    ]
    assert [below(row) for row in rows] == [[], ["recall"], ["precision"], ["precision", "recall"]]
    say(rows)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if "below target" in line] == ["f/deaf", "f/loud", "f/none"]
    assert any(line.endswith("precision >= 0.95): 1 of 4") for line in lines)
