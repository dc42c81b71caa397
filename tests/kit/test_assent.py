"""Tools that bind or reach somebody, and what counts as a person's yes to their details."""

import pytest
import re2

from tracedance.kit import assent, sessions

ACTING = ["send_email", "gmail_send_draft", "cancel_reservation", "book_reservation", "message", "modify_pending_order_items"]
ACTING += ["update_reservation_flights", "GmailSendEmail", "AugustSmartLockGrantGuestAccess", "BankManagerPayBill"]
LOOKING = ["search_messages", "get_order_details", "list_events", "read_inbox", "transfer_to_human_agents", "ScheduleWakeup", "TeamDelete"]
LOOKING += ["BinanceGetOrderHistory", "submit", "GoogleCalendarReadEvents"]


@pytest.mark.parametrize("name", ACTING)
def test_tools_with_consequences(name: str) -> None:
    assert assent.is_consequential(name) and re2.search(assent.NAMES, name)


@pytest.mark.parametrize("name", LOOKING)
def test_tools_without(name: str) -> None:
    assert not assent.is_consequential(name)
    assert assent.is_consequential(name, (name,))


@pytest.mark.parametrize(
    "text, yes",
    [
        ("Yes, please proceed.", True),
        ("go ahead", True),
        ("OK do it", True),
        ("LGTM", True),
        ("Oh, I see. Yes, please use the card.", True),
        ("Everything looks good! Use the certificate.", True),
        ("not yet", False),
        ("what would it delete?", False),
        ("I'll go with the first option.", False),
        ("Yes, but first tell me the fee.", False),
        ("No, thanks.", False),
    ],
)
def test_a_yes(text: str, yes: bool) -> None:
    assert assent.agrees(text) is yes


@pytest.mark.parametrize(
    "text, value, stated",
    [
        ("on may 21 to seattle", "2024-05-21", True),
        ("the card ending in 7447", "credit_card_7447", True),
        ("flight hat083", "HAT083", True),
        ("on may 20", "2024-05-21", False),
        ("to kim", "bob@corp.test", False),
    ],
)
def test_a_value_is_stated(text: str, value: str, stated: bool) -> None:
    assert assent.states(text, value) is stated


def test_amounts_follow_from_stated_ones_or_do_not() -> None:
    session = sessions.build([{"user": "Go."}, {"call": {"book_reservation": {"payment_methods": [{"payment_id": "x", "amount": 348}]}}}])
    call = session.turns[1].calls[0]
    assert assent.sums_stated(call, "two tickets at $174 each") and assent.sums_stated(call, "$150 and $198")
    assert not assent.sums_stated(call, "the total is $299")
