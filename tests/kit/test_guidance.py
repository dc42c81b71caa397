"""What an error prescribes, and whether a later call follows it."""

from typing import Any

import pytest

from tracedance.kit import guidance, sessions
from tracedance.schema import ToolCall


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use `target` instead of `to`/`channelId`.", True),
        ('Unknown target "slash:2053921472" for Telegram. Hint: <chatId>', True),
        ("File has not been read yet. Read it first before writing to it.", True),
        ("error: The following required argument was not provided; run 'tool --help'", True),
        ("Please rewrite the input so it satisfies the expected schema.", True),
        ("Parameter `subject` is required", True),
        ("do not use the `cat` command", True),
        ("Input should be 'a' or 'b'", True),
        ("Segmentation fault (core dumped)", False),
        ("exit code 1", False),
    ],
)
def test_the_lexicon_of_guidance(text: str, found: bool) -> None:
    assert (guidance.GUIDANCE.search(text) is not None) is found


def calls(name: str, failed: dict[str, Any], error: str, later: dict[str, Any]) -> tuple[ToolCall, ToolCall]:
    turns = [{"call": {name: failed}}, {"error": error}, {"call": {name: later}}]
    one, two = sessions.build(turns).calls()
    return one, two


FIELD = "Error: Use `target` instead of `to`."
PRICE = "Error: total price is 375, but paid 299"
FLAG = "Exit code 2\nerror: unexpected argument '--fo' found\n  tip: a similar argument exists: '--foo'"


@pytest.mark.parametrize(
    ("name", "failed", "error", "later", "follows"),
    [
        ("send", {"to": "kim"}, FIELD, {"target": "kim"}, True),
        ("send", {"to": "kim"}, FIELD, {"to": "Kim"}, False),
        ("send", {"to": "kim", "cc": "x"}, FIELD, {"cc": "x"}, True),
        ("pay", {"parts": [{"amount": 299}]}, PRICE, {"parts": [{"amount": 300}, {"amount": 75}]}, True),
        ("pay", {"parts": [{"amount": 299}]}, PRICE, {"parts": [{"amount": 374}]}, False),
        ("pay", {"amount": 299}, PRICE, {"amount": 375}, True),
        ("Bash", {"command": "x run --fo 1"}, FLAG, {"command": "x run --foo 1"}, True),
        ("Bash", {"command": "x run --fo 1"}, FLAG, {"command": "x run"}, True),
        ("Bash", {"command": "x run --fo 1"}, FLAG, {"command": "x run --fo 2"}, False),
        ("Bash", {"command": "y up"}, "Exit code 1\nTrust it with `y trust`.", {"command": "y trust && y up"}, True),
        ("Bash", {"command": "y up"}, "Exit code 1\nset DATABASE_URL first", {"command": "DATABASE_URL=x y up"}, True),
        ("Skill", {"skill": "a"}, "Error: unknown. Available skills: b, c:d", {"skill": "c:d"}, True),
        ("list", {"n": 1}, "1 validation error for x\nunit\n  Input should be 'C' or 'F'", {"n": 1, "unit": "F"}, True),
    ],
)
def test_a_call_follows_advice_or_not(name: str, failed: dict[str, Any], error: str, later: dict[str, Any], follows: bool) -> None:
    one, two = calls(name, failed, error, later)
    told = guidance.of(one)
    assert told is not None and guidance.follows(told, one, two) is follows


@pytest.mark.parametrize(
    "error",
    [
        "Exit code 1\nFor more information, try 'tool --help'.",
        "Exit code 1\nA new version is available, run `tool self update`",
        "Exit code 1\nsrc/a.ts:4:2: use 'const' instead of 'let'",
        "Exit code 1\n/** @deprecated Use `command` instead */",
        "Exit code 1\n2 failed, 3 passed\nhint: use --lf instead",
        "Permission to use Bash has been denied. Use `ask` instead.",
    ],
)
def test_help_news_code_tests_and_guards_are_no_advice(error: str) -> None:
    assert guidance.of(calls("Bash", {"command": "tool"}, error, {"command": "tool"})[0]) is None


@pytest.mark.parametrize(
    ("failed", "later", "again"),
    [("cd a && gh pr view 5", "gh pr view 6", True), ("gh pr view 5", "gh run list", False), ("cat a && make x", "cat a", False)],
)
def test_the_same_program_and_subcommand_are_another_attempt(failed: str, later: str, again: bool) -> None:
    assert guidance.attempts(*calls("Bash", {"command": failed}, "Exit code 1\nx", {"command": later})) is again


@pytest.mark.parametrize(
    ("command", "finds_out"), [("tool --help", True), ("cd x && cat a | head", True), ("tool run", False), ("git push", False)]
)
def test_looks_and_help_pages_find_things_out(command: str, finds_out: bool) -> None:
    assert guidance.investigates(sessions.build([{"call": {"Bash": {"command": command}}}]).calls()[0]) is finds_out
