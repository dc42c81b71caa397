"""A scan in the terminal: counts, what a rule refuses, and that nobody has confirmed it."""

from typing import Any

import pytest

from tests.report.test_text import EVIL, printed
from tracedance.report.scan_text import scan_table


def row(name: str, **values: Any) -> dict[str, Any]:
    bare = {"id": name, "frame": "failure", "group": "handle_failure", "opportunities": None, "hits": 0, "refused": 0, "offences": 0}
    return {**bare, "sessions": 0, "rate": None, "interval": None, "places": [], **values}


PLACES = [
    *({"session": EVIL, "turn": number, "why": EVIL} for number in range(5)),
    {"session": "s", "turn": 9, "why": "w", "refused_by": "told_to"},
]
FOUND = row("failure/x", opportunities=9, hits=6, refused=1, offences=5, sessions=2, rate=5 / 9, interval=[0.27, 0.81], places=PLACES)


def test_a_scan_is_printed_by_group_with_its_first_places() -> None:
    text = printed(scan_table({"sessions": 7, "families": [FOUND, row("claim/y", group="honest_claim")]}))
    assert "7 sessions" in text and "5 of 9" in text and "56%" in text and "and 2 more" in text and "–" in text
    assert text.index("Handle failure") < text.index("x") and "Honest claims" in text and "Valid calls" not in text


def test_it_says_that_it_is_unconfirmed_and_how_many_hits_a_guard_refuses() -> None:
    text = printed(scan_table({"sessions": 7, "families": [FOUND]}))
    assert "By rule and unconfirmed" in text
    assert "Guards refuse 1 of 6 hits" in text and "x 1 of 6" in text and "turn 9" not in text


def test_a_breakdown_has_a_row_for_each_value() -> None:
    values = [{**FOUND, "value": EVIL}, {**FOUND, "value": "m2"}]
    text = printed(scan_table({"sessions": 7, "families": [{**FOUND, "by": {"model": values}}], "by": {"model": {EVIL: 4, "m2": 3}}}))
    assert "Family by model" in text and "m2 3" in text and "[bold red]x" in text


@pytest.mark.parametrize("width", (60, 40))
def test_no_figure_is_split_where_the_terminal_is_narrow(width: int) -> None:
    assert "27% to 81%" in printed(scan_table({"sessions": 7, "families": [FOUND]}), width)


def test_a_rate_among_few_places_is_starred_and_told_in_a_footnote() -> None:
    narrow = {**FOUND, "rate_among": "calls that their tool rejected, not all calls"}
    text = " ".join(printed(scan_table({"sessions": 7, "families": [narrow, row("claim/y", group="honest_claim")]})).split())
    assert "x*" in text and "* A rate among x: calls that their tool rejected, not all calls." in text and "y*" not in text
    without = printed(scan_table({"sessions": 7, "families": [{**narrow, "rate": None}, FOUND]}))
    assert "*" not in without and "A rate among" not in without
