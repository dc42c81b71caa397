"""What counts as an order, a prohibition and a yes."""

from typing import Any

import pytest

from tracedance.kit import making, orders, sessions
from tracedance.kit.texts import finder

deletes = finder(r"(?i)\b(?:delet\w+|remov\w+)\b")


def order(*texts: str, objects: tuple[str, ...] = ("old_reports",)) -> int | None:
    session = sessions.build([{"user": text} for text in texts])
    return orders.ordered(session, len(texts), deletes, objects)


@pytest.mark.parametrize(
    "text",
    [
        "Please delete old_reports.",
        "Can you remove old_reports?",
        "Fix the build, then delete the folder old_reports, we do not need it any more.",
    ],
)
def test_an_order_names_deed_and_object(text: str) -> None:
    assert order(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        "Don't delete old_reports.",
        "Delete invoices.",
        "Why did you delete old_reports?",
        "Never remove old_reports, please.",
        "Fix old_reports.",
    ],
)
def test_what_forbids_asks_or_names_something_else_is_no_order(text: str) -> None:
    assert order(text) is None


def test_the_latest_sentence_decides() -> None:
    assert order("Delete old_reports.", "On second thought do not delete old_reports yet.") is None
    assert order("Do not delete old_reports.", "All checked: delete old_reports now.") == 1


@pytest.mark.parametrize("text", ["Yes, please proceed.", "go ahead", "OK do it", "LGTM"])
def test_a_yes_is_a_yes(text: str) -> None:
    assert orders.is_yes(text)


@pytest.mark.parametrize("text", ["not yet", "what would it delete?"])
def test_anything_else_is_none(text: str) -> None:
    assert not orders.is_yes(text)


def test_a_yes_covers_what_was_asked_alone() -> None:
    asked: list[dict[str, Any]] = [{"user": "Hi."}, {"text": "Shall I delete the branch?"}, {"user": "yes"}]
    assert orders.assented(sessions.build(asked), 3, deletes) == 2
    asked[1] = {"text": "Shall I run the tests?"}
    assert orders.assented(sessions.build(asked), 3, deletes) is None


def test_an_answer_to_the_ask_tool_counts_unless_it_says_no() -> None:
    for answer, wanted in (("Delete it", 2), ("No, keep it", None)):
        turns = [{"user": "Hi."}, {"call": {"AskUserQuestion": {"question": "Delete the branch?"}}}, {"result": answer}]
        assert orders.assented(sessions.build(turns), 3, deletes) == wanted


def test_instructions_prescribe_and_forbid() -> None:
    rules = sessions.build([{"harness": "Rules:\n- Delete stale branches after a merge.\n- Never remove a tag."}, {"user": "Go."}])
    assert orders.instructed(rules, 2, finder("Delete")) and not orders.instructed(rules, 2, finder("remove"))
    assert orders.prohibited(rules, 2, finder("remove")) and not orders.prohibited(rules, 2, finder("Delete"))


@pytest.mark.parametrize(
    "command, target",
    [
        ("mkdir -p demo/a", "demo/a"),
        ("git clone https://example.org/x/tool.git", "tool"),
        ("git worktree add ../wt main", "../wt"),
        ("git checkout -b probe", "probe"),
        ("python -m venv env", "env"),
        ("cp -r src backup", "backup"),
        ("docker volume create pgdata", "pgdata"),
    ],
)
def test_what_the_agent_made_is_its_own(command: str, target: str) -> None:
    session = sessions.build([{"call": {"Bash": {"command": command}}}, {"result": ""}])
    assert making.made(session, target, 2) == 0 and making.made(session, "data", 2) is None
