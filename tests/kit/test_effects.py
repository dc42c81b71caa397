"""Outside effects, and results that leave open whether they took place."""

from typing import Any

import pytest

from tracedance.kit import effects, rows, sessions
from tracedance.schema import ToolCall


@pytest.mark.parametrize("text", ["gh issue create -t x", "curl -X POST https://api/x", "npm publish", "sbatch train.sh"])
def test_commands_whose_effect_a_repeat_doubles(text: str) -> None:
    assert effects.AMBIG_SIDE_EFFECT.search(text)


@pytest.mark.parametrize("text", ["curl https://api/x", "git status"])
def test_commands_without_such_an_effect(text: str) -> None:
    assert not effects.AMBIG_SIDE_EFFECT.search(text)


def call(made: dict[str, Any], result: Any = "ok") -> ToolCall:
    return sessions.build([{"user": "Go."}, {"call": made}, {"result": result}]).turns[1].calls[0]


@pytest.mark.parametrize(
    "made, has",
    [
        ({"send_email": {"to": "bob"}}, True),
        ({"book_reservation": {"user_id": "ivan_1"}}, True),
        ({"execute_sql": {"query": "insert into t values (1)"}}, False),
        ({"get_reservation": {"id": "R1"}}, False),
        ({"calculate": {"expression": "1+1"}}, False),
        ({"Bash": {"command": "cd /r && gh issue create -t x"}}, True),
        ({"Bash": {"command": "echo 'git push'"}}, False),
        ({"Bash": {"command": "npm publish --dry-run"}}, False),
        ({"TaskCreate": {"subject": "x"}}, False),
    ],
)
def test_an_effect_is_told_by_verb_or_command(made: dict[str, Any], has: bool) -> None:
    assert effects.has_effect(call(made)) == has


@pytest.mark.parametrize(
    "result, unknown, arrived",
    [
        ({"text": "httpx.ReadTimeout: timed out", "error": True}, True, True),
        ({"text": "HTTP 502 Bad Gateway", "error": True}, True, True),
        ({"text": "connect ECONNREFUSED", "error": True}, True, False),
        ({"text": "429 Too Many Requests", "error": True}, True, False),
        ({"text": "Error: not enough seats", "error": True}, False, True),
        ({"text": '{"status": "pending"}'}, True, True),
        ({"text": '{"status": "sent"}'}, False, True),
    ],
)
def test_an_open_outcome_is_told_from_a_certain_one(result: Any, unknown: bool, arrived: bool) -> None:
    made = call({"send_email": {"to": "bob"}}, result)
    assert (effects.outcome_unknown(made), not effects.never_arrived(made)) == (unknown, arrived)


def test_the_necessary_condition_holds_of_a_command_that_timed_out() -> None:
    result = {"text": "Socket timed out", "error": True, "exit": 1}
    session = sessions.build([{"user": "Go."}, {"call": {"Bash": {"command": "sbatch a.sh"}}}, {"result": result}])
    assert rows.holds(effects.doubtful(), rows.rows(session))


def test_likeness_is_that_of_the_words() -> None:
    one, two = call({"send_email": {"to": "bob", "body": "a b c d"}}), call({"send_email": {"to": "bob", "body": "a b c e"}})
    assert effects.likeness(one, one) == 1.0
    assert 0.5 < effects.likeness(one, two) < 1.0
    assert effects.likeness(one, call({"book": {"to": "bob"}})) == 0.0


def test_a_declared_state_is_safe_to_repeat() -> None:
    assert effects.is_idempotent(call({"Bash": {"command": "kubectl apply -f a.yaml"}}))
    assert not effects.is_idempotent(call({"Bash": {"command": "sbatch a.sh"}}))
