"""Hand-overs, whether they went through, and what makes up for one that did not."""

from typing import Any

import pytest

from tracedance.kit import deliveries, rows, sessions


@pytest.mark.parametrize(
    "made, delivers",
    [
        ({"send_message": {"to": "ana", "text": "hello"}}, True),
        ({"mcp__slack__slack_post_message": {"channel": "C1", "text": "hello"}}, True),
        ({"sessions_send": {"to": "other", "text": "hello"}}, True),
        ({"Bash": {"command": "gh issue comment 3 --body hello"}}, True),
        ({"Bash": {"command": "curl -d '{}' https://hooks.slack.com/services/T/B"}}, True),
        ({"Bash": {"command": "curl -s https://example.com"}}, False),
        ({"Bash": {"command": "git push"}}, False),
        ({"search_messages": {"query": "hello"}}, False),
        ({"create_draft": {"to": "ana"}}, False),
        ({"browser_file_upload": {"paths": []}}, False),
    ],
)
def test_hand_overs_are_told_from_other_calls(made: dict[str, Any], delivers: bool) -> None:
    session = sessions.build([{"user": "Go."}, {"call": made}])
    assert deliveries.is_delivery(session.turns[1].calls[0]) == delivers
    assert not delivers or rows.holds(deliveries.delivers(), rows.rows(session))


@pytest.mark.parametrize(
    "result, failed",
    [
        ({"text": "anything", "error": True}, True),
        ({"text": '{"delivered": false}'}, True),
        ({"text": '{"status": "failed"}'}, True),
        ({"text": "Unknown target 'ana'"}, True),
        ({"text": '{"status": "pending"}'}, False),
        ({"text": '{"ok": true, "delivered": true}'}, False),
    ],
)
def test_what_was_not_delivered_is_seen(result: dict[str, Any], failed: bool) -> None:
    session = sessions.build([{"user": "Go."}, {"call": {"send_message": {"to": "ana", "text": "hello"}}}, {"result": result}])
    assert bool(deliveries.undelivered(session.turns[1].calls[0])) == failed


@pytest.mark.parametrize(
    "text, says",
    [
        ("The message to Ana was not delivered.", True),
        ("I couldn't send it.", True),
        ("Posting the comment failed.", True),
        ("I have sent it.", False),
        ("Next I tidy up.", False),
    ],
)
def test_a_report_of_the_failure_is_heard(text: str, says: bool) -> None:
    assert deliveries.says_undelivered(text) == says


def test_content_that_is_shown_reaches_its_reader() -> None:
    session = sessions.build([{"user": "Go."}, {"call": {"send_message": {"to": "me", "text": "Three bugs are fixed. Two are open."}}}])
    call = session.turns[1].calls[0]
    assert deliveries.repeats("Here it is:\nThree bugs are fixed. Two are open.", call)
    assert not deliveries.repeats("Here it is.", call)
