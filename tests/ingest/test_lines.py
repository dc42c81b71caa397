"""Lines: where each lies, what is too long or holds too much, and fields that nobody knows."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.ingest.claude import Log
from tests.ingest.test_read import SHAPES, reading
from tracedance.ingest import lines

PAD = b'{"type":"progress","x":"' + b"y" * 3000 + b'"}'


@pytest.mark.parametrize("feed", [b"\n", b"\r\n", b"\n\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_every_turn_knows_the_bytes_of_its_records(feed: bytes, start: bytes, tmp_path: Path) -> None:
    data = start + feed.join([*SHAPES["claude_code"][:4], *[PAD] * 400, *SHAPES["claude_code"][4:]])
    session = reading(data, tmp_path).sessions[0]
    offsets = session.offsets
    assert offsets is not None
    pieces = data.split(b"\n")
    for turn in session.turns:
        assert data[offsets[turn.first] : offsets[turn.first + 1] - 1] == pieces[turn.first]
        assert json.loads(pieces[turn.first].removeprefix(start))["type"] in ("user", "assistant")


def test_a_document_of_many_messages_has_no_byte_ranges(tmp_path: Path) -> None:
    assert reading(SHAPES["openai_chat"][0], tmp_path).sessions[0].offsets is None


def test_lines_that_go_on_over_many_blocks_are_whole(tmp_path: Path) -> None:
    log = Log()
    log.user("a" * 700_000)
    log.text("m1", "b" * 500_000)
    log.user("c")
    session = reading(log.write(tmp_path / "x").read_bytes(), tmp_path).sessions[0]
    assert [len(turn.text) for turn in session.turns] == [700_000, 500_000, 1]


@pytest.mark.parametrize("end", [b"", b"\n", b"\n" + SHAPES["claude_code"][1]])
def test_a_line_beyond_the_cap_is_never_held_whole(end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "CAP", 1_000_000)
    data = b"\n".join(SHAPES["claude_code"][:2]) + b"\n" + b'{"x":"' + b"y" * 3_000_000 + end
    found = reading(data, tmp_path)
    assert found.losses[0] == ("line longer than 64 MiB", 1, "file.jsonl:3")
    assert found.counts.lost == 1


def test_a_line_of_millions_of_values_is_refused_and_one_of_much_text_is_not(tmp_path: Path) -> None:
    start = b"\n".join(SHAPES["claude_code"][:2])
    full = b'{"type":"user","uuid":"u","message":{"content":[' + b"[]," * 2_500_000 + b"[]]}}"
    assert reading(start + b"\n" + full, tmp_path).losses == [("too many values in one line", 1, "file.jsonl:3")]
    log = Log()
    log.user("a, b " * 1_500_000)
    assert reading(log.write(tmp_path / "x").read_bytes(), tmp_path).losses == []


def test_a_document_that_is_too_long_is_named_and_records_after_a_torn_one_are_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tracedance.ingest.documents.CAP", 2000)
    chat = SHAPES["openai_chat"][0]
    found = reading(chat + b"\n", tmp_path)
    torn = reading(b"\n".join([chat[:-40], *[chat] * 9]), tmp_path)
    assert torn.losses == [("document longer than 64 MiB, or of too many values", 1, "file.jsonl:1")]
    assert torn.counts.kept == 9 * found.counts.kept
    whole = json.dumps([json.loads(chat)] * 9, indent=1).encode()
    long = reading(whole, tmp_path)
    assert {reason for reason, _, _ in long.losses} == {
        "document longer than 64 MiB, or of too many values",
        "not JSON",
        "last line cut off",
    }


def test_fields_that_the_format_is_not_known_to_have_are_counted_by_name(tmp_path: Path) -> None:
    log = Log()
    log.user("Hi", newField=1)
    log.text("m1", "x")
    log.records[-1]["message"]["novelty"] = {"deep": 1}
    for _ in range(5):
        log.text("m1", "x", another={})
    found = reading(log.write(tmp_path / "x").read_bytes(), tmp_path)
    assert found.fields == {"claude_code:newField": 1, "claude_code:message.novelty": 1, "claude_code:another": 1}
    assert found.losses == []


def test_names_of_unknown_fields_are_bounded_and_redacted(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    log = Log()
    log.user("Hi", **{f"f{number}": 1 for number in range(3000)}, **{"x" * 500: 1, secret: 1})
    log.records[0] = {secret: 1, "x" * 500: 1, **log.records[0]}
    found = reading(log.write(tmp_path / "x").read_bytes(), tmp_path)
    assert len(found.fields) <= 1000
    assert all(len(name) < 120 and secret not in name for name in found.fields)


def test_the_fast_and_the_slow_path_agree(tmp_path: Path) -> None:
    """A blank line sends a whole block down the slow path: nothing else may come of it."""
    for shape in ("claude_code", "codex"):
        fast, slow = (reading(feed.join(SHAPES[shape]) + b"\n", tmp_path) for feed in (b"\n", b"\n\n"))
        assert fast.counts == slow.counts
        assert [[turn.chain for turn in one.turns] for one in fast.sessions] == [
            [turn.chain for turn in one.turns] for one in slow.sessions
        ]


def test_a_reader_takes_any_struct() -> None:
    class Odd(msgspec.Struct):
        a: int = 0

    from io import BufferedReader, BytesIO

    from tracedance.ingest.tally import Tally

    tally = Tally("f")
    stream = BufferedReader(BytesIO(b'{"a":1}\n{"a":"x"}\n{"b":2}'))  # type: ignore[type-var]
    assert [(at, record.a) for at, record in lines.Reader(Odd, lines.Lines(stream, tally), tally, frozenset(("a",)))] == [(0, 1), (2, 0)]
    assert tally.losses == [("fields of a wrong type", 1, "f:2")]
    assert tally.fields == {"b": 1}
