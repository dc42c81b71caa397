"""Messages as turns."""

from tests.evaluate.benchmarks import context, retrying
from tracedance.kit.turns import turns_of


def test_results_of_one_turn_are_one_turn_and_know_their_calls() -> None:
    two = {"calls": [("Bash", {"command": "ls"}), ("Read", {"file_path": "a.py"})]}
    turns = turns_of(context("Look.", two, ["a.py", "text"], {"text": "Seen."}))
    assert [(turn.index, turn.role, turn.author) for turn in turns] == [
        (0, "user", "user"),
        (1, "assistant", "model"),
        (2, "tool", "tool"),
        (3, "assistant", "model"),
    ]
    assert [call.result.text for call in turns[1].calls if call.result] == ["a.py", "text"]
    assert all(turn.chain for turn in turns)


def test_a_failed_edit_is_known_by_its_text() -> None:
    turns = turns_of(retrying())
    assert turns[-1].results[0].error_class == "edit_not_found" and turns[-1].results[0].is_error
