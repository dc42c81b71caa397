"""The page of a scan stands alone, shows each place with the turn that decides, and says what it leaves out."""

import re
from pathlib import Path

import pytest

from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.catalogue import family
from tracedance.report import scan_page
from tracedance.report.scan_page import choose, render_scan
from tracedance.scan.engine import scan
from tracedance.scan.table import table
from tracedance.schema import Hit, Place
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

EVIL = "<script>alert(1)</script> \u202e {{ 7*7 }} <img src=//evil>"


def page(tmp_path: Path, sessions: int = 1) -> str:
    for number in range(sessions):
        turns = [{"user": f"{EVIL} {number}"}, *FIRST_EDIT[1:], *SECOND_EDIT]
        write_session(tmp_path / f"in/{number}.jsonl", f"s{number}", turns)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    store = Store.open(tmp_path / "s")
    chosen = [family("unchanged_retry"), family("edit_retry_without_reread")]
    result = scan(store, chosen)
    return render_scan(store, result, chosen, table(result, chosen, ("model",), store.sessions()))


def test_a_place_is_shown_with_the_turn_that_decides(tmp_path: Path) -> None:
    text = page(tmp_path)
    assert text.count('<div class="decides">') >= 1
    assert re.search(r'<div class="decides">\s*<div class="said model">.*?decides.*?turn 3', text, flags=re.S)
    assert "By rule and unconfirmed" in text and "By model" in text


def test_nothing_in_a_trace_is_obeyed(tmp_path: Path) -> None:
    text = page(tmp_path)
    assert "<script" not in text and "<img" not in text and "\u202e" not in text
    assert "\\u202e" in text and "&lt;script&gt;" in text and "{{ 7*7 }}" in text
    assert not re.search(r'(?:src|href)="(?!#)', text)


def test_what_is_left_out_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_page, "PER_FAMILY", 2)
    text = page(tmp_path, sessions=5)
    assert "3 more left out beyond the first 2" in text


def test_a_session_does_not_fill_a_family() -> None:
    places = [
        Place(family="f/x", session=name, chain=f"{name}{turn}", hit=Hit(decision=turn, offends=True, why="w"))
        for name, turns in (("a", 5), ("b", 1))
        for turn in range(turns)
    ]
    shown, beyond_session, beyond_family = choose(places)
    assert ([place.session for place in shown], beyond_session, beyond_family) == (["a", "a", "b"], 3, 0)
