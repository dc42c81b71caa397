"""The turn in which a model answers a failure."""

from tracedance.kit import aftermath, sessions

FAILED = [{"user": "Go."}, {"call": {"Bash": {"command": "make"}}}, {"error": "no"}]


def test_the_next_turn_is_the_models_own() -> None:
    session = sessions.build([*FAILED, {"harness": "A note."}, {"text": "I see."}])
    turn = aftermath.after_calls(session, session.turns[1])
    assert turn is not None and turn.index == 4


def test_a_person_who_speaks_or_a_compaction_closes_the_decision() -> None:
    for between in ({"user": "Leave it."}, {"compaction": "So far: nothing."}):
        session = sessions.build([*FAILED, between, {"text": "Yes."}])
        assert aftermath.after_calls(session, session.turns[1]) is None


def test_a_bare_go_on_leaves_it_open() -> None:
    session = sessions.build([*FAILED, {"user": "continue"}, {"text": "Yes."}])
    assert aftermath.after_calls(session, session.turns[1]) is session.turns[4]


def test_a_call_is_found_again_by_its_turn_and_arguments() -> None:
    session = sessions.build([*FAILED, {"text": "Yes."}])
    call = session.turns[1].calls[0]
    assert aftermath.made(session.turns, 1, call.args_hash) is call
    assert aftermath.made(session.turns, 3, call.args_hash) is None
