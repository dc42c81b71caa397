"""The ledger: written before and after, answered once, refused when newer or damaged."""

import hashlib
import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from tests.servers.profiles import models
from tests.servers.provider import Provider
from tracedance.errors import InputError
from tracedance.models.call import call
from tracedance.models.ledger import VERSION, Ledger, canonical, key_of
from tracedance.models.spending import spent
from tracedance.schema import ModelRequest

SUBJECT = {"model": "openai/x", "messages": [{"role": "user", "content": "hi"}], "sample": 0}


def test_an_intent_is_durable_before_the_answer_and_the_answer_before_anyone_reads_it(tmp_path: Path) -> None:
    key = key_of(SUBJECT)
    with Ledger(tmp_path / "l") as ledger, sqlite3.connect(tmp_path / "l") as onlooker:
        attempt = ledger.intend(key, SUBJECT, "respond")
        assert onlooker.execute("SELECT state FROM attempt").fetchall() == [("intent",)]
        assert ledger.answered(key) is None
        ledger.answer(attempt, b"not even JSON")
        assert onlooker.execute("SELECT state FROM attempt").fetchall() == [("answered",)]
        assert ledger.answered(key) == b"not even JSON"


def test_a_failed_call_may_be_made_again(tmp_path: Path) -> None:
    key = key_of(SUBJECT)
    with Ledger(tmp_path / "l") as ledger:
        ledger.fail(ledger.intend(key, SUBJECT, "respond"), "no connection")
        assert ledger.answered(key) is None
        ledger.answer(ledger.intend(key, SUBJECT, "respond"), b"{}")
        assert ledger.counts() == {"answered": 1, "failed": 1}


def test_a_key_follows_from_everything_that_changes_the_answer() -> None:
    assert key_of(SUBJECT) == key_of(dict(reversed(SUBJECT.items())))
    assert len({key_of({**SUBJECT, **change}) for change in ({}, {"sample": 1}, {"model": "openai/y"}, {"messages": []})}) == 4


def test_a_newer_ledger_is_refused_untouched(tmp_path: Path) -> None:
    Ledger(tmp_path / "l").close()
    with sqlite3.connect(tmp_path / "l") as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = (tmp_path / "l").read_bytes()
    with pytest.raises(InputError, match="newer tracedance"):
        Ledger(tmp_path / "l")
    assert (tmp_path / "l").read_bytes() == before


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l").write_bytes(b"hello" * 1000)
    with pytest.raises(InputError) as refused:
        Ledger(tmp_path / "l")
    assert refused.value.code == 6
    with sqlite3.connect(tmp_path / "other") as db:
        db.execute("CREATE TABLE mine (x)")
    with pytest.raises(InputError, match="no ledger of ours"):
        Ledger(tmp_path / "other")


def test_a_changed_answer_is_never_used(tmp_path: Path) -> None:
    key = key_of(SUBJECT)
    with Ledger(tmp_path / "l") as ledger:
        ledger.answer(ledger.intend(key, SUBJECT, "respond"), b'{"score": 5}')
    for damage in (zlib.compress(b'{"score": 0}'), b"\x00"):
        with sqlite3.connect(tmp_path / "l") as db:
            db.execute("UPDATE attempt SET response = ?", (damage,))
        with Ledger(tmp_path / "l") as ledger, pytest.raises(InputError) as refused:
            ledger.answered(key)
        assert refused.value.code == 6


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Ledger(tmp_path / "file" / "l")


def test_every_damaged_page_ends_with_6_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    with Ledger(path) as ledger:
        keys = [f"{number:064x}" for number in range(40)]
        for key in keys:
            ledger.answer(ledger.intend(key, {"model": "m", "text": key * 20}, "p"), key.encode() * 50)
    whole = path.read_bytes()
    for page in range(0, len(whole), 4096):
        path.write_bytes(whole[: page + 100] + b"\xa5" * 2000 + whole[page + 2100 :])
        try:
            with Ledger(path) as ledger:
                answers = [ledger.answered(key) for key in keys]
        except InputError as error:
            assert error.code == 6
        except sqlite3.DatabaseError as error:
            assert not isinstance(error, sqlite3.OperationalError), "the command line ends these with 6"
        else:
            assert all(answer in (None, key.encode() * 50) for key, answer in zip(keys, answers, strict=True))


VERSION_1 = """
CREATE TABLE call (key TEXT PRIMARY KEY, model TEXT NOT NULL, purpose TEXT NOT NULL, request BLOB NOT NULL);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL REFERENCES call, state TEXT NOT NULL CHECK (state IN ('intent', 'answered', 'failed')),
    error TEXT NOT NULL DEFAULT '', response BLOB, sha256 TEXT NOT NULL DEFAULT '', at TEXT NOT NULL
);
CREATE INDEX attempt_by_key ON attempt (key, state);
PRAGMA user_version = 1;
"""
"""As the first ledgers were made."""


def test_a_ledger_of_version_1_is_brought_up_to_date_and_its_answers_are_used(provider: Provider, tmp_path: Path) -> None:
    known = models(tmp_path, provider.base)
    asked = [
        ModelRequest(model="t/good", purpose="respond", messages=({"role": "user", "content": text},)) for text in ("a b", "c d", "e f")
    ]
    with Ledger(tmp_path / "now") as ledger:
        first = call(asked[0], known, ledger)
        ((key, request, read),) = ledger.ask("SELECT key, request, read FROM attempt JOIN call USING (key)")
    subjects = [{**json.loads(zlib.decompress(request)), "messages": [dict(one.messages[0])]} for one in asked]
    with sqlite3.connect(tmp_path / "old") as db:
        db.executescript(VERSION_1)
        for number, (subject, state) in enumerate(zip(subjects, ("answered", "intent", "failed"), strict=True)):
            raw = zlib.decompress(read) if state == "answered" else None
            stored = (zlib.compress(raw), hashlib.sha256(raw).hexdigest()) if raw else (None, "")
            db.execute("INSERT INTO call VALUES (?, 'openai/good', 'respond', ?)", (key_of(subject), zlib.compress(canonical(subject))))
            db.execute("INSERT INTO attempt VALUES (?, ?, ?, '', ?, ?, '2026-01-01')", (number, key_of(subject), state, *stored))
    assert key_of(subjects[0]) == key
    with Ledger(tmp_path / "old") as ledger:
        assert ledger.counts() == {"answered": 1, "failed": 1, "unknown": 1}, "a call under way may have been paid"
        assert call(asked[0], known, ledger) == first and provider.stats() == {"good": 1}
        assert call(asked[1], known, ledger).status == "ok" and provider.stats() == {"good": 2}
        account = spent(ledger)["total"]
        assert account["attempts"] == 4 and account["unpriced"] == 3, "what version 1 paid, it did not write down"
    with Ledger(tmp_path / "old") as ledger:
        assert ledger.counts() == {"answered": 2, "failed": 1, "unknown": 1}
