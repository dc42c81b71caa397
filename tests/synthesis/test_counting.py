"""What a confined process says is counted on its bytes: as many values as a reader would build, and nothing that a reader should not."""

from typing import Any

import msgspec
import pytest

from tracedance.synthesis.counting import Beyond, counted
from tracedance.synthesis.frames import Forged, Raised, TooMuch, needs_from_plain, reason


def values(plain: Any) -> int:
    if isinstance(plain, dict):
        return 1 + sum(1 + values(each) for each in plain.values())
    return 1 + sum(map(values, plain)) if isinstance(plain, list) else 1


@pytest.mark.parametrize(
    "plain",
    [
        None,
        {},
        [[], [[]], {"a": {}}],
        {"n": [0, 127, 128, 255, 256, 65_536, 2**32, 2**63, -1, -32, -33, -129, -32_769, -(2**31) - 1], "f": 1.5, "t": [True, False]},
        {"texts": ["", "a" * 31, "a" * 32, "a" * 256, "ö" * 40_000]},
        {str(number): list(range(number)) for number in range(40)},
        [None] * 70_000,
    ],
)
def test_it_counts_what_a_reader_would_build(plain: Any) -> None:
    assert counted(msgspec.msgpack.encode(plain), 10**6, 9) == values(plain)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "cut off"),
        (b"\x92\x01", "cut off"),
        (b"\xdb\xff\xff\xff\xffa", "cut off"),
        (b"\xc0\xc0", "more follows"),
        (b"\x81\x01\x02", "no plain"),
        (b"\x81\x92\x01\x02\xc0", "no plain"),
        (b"\xc4\x01a", "no plain"),
        (b"\xd4\x01a", "no plain"),
        (b"\xc1", "no plain"),
        (b"\xdd\xff\xff\xff\xff", "more than 100 values"),
        (b"\xdf\x00\x00\x00\x33", "more than 100 values"),
        (b"\x91" * 9 + b"\xc0", "deeper than 4"),
    ],
)
def test_it_ends_where_there_is_too_much_or_what_is_no_plain_value(data: bytes, said: str) -> None:
    with pytest.raises(Beyond, match=said):
        counted(data, 100, 4)


def test_a_condition_is_read_with_as_much_care() -> None:
    with pytest.raises(Forged):
        needs_from_plain(msgspec.msgpack.encode(["row", "cmd", "", ["x"] * 30_000, []]))
    with pytest.raises(Forged):
        needs_from_plain(b"\x91" * 40 + b"\xc0")
    with pytest.raises(TooMuch, match="too large"):
        needs_from_plain(msgspec.msgpack.encode(["row", "cmd", r"(?:[a-z\pL]{1,900}x|y)*z", [], []]))
    look_ahead = ["row", "cmd", "(?=a)b", [], []]  # that RE2 has none is said where the condition is used, with the cure
    assert needs_from_plain(msgspec.msgpack.encode(look_ahead)) is not None


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (Raised("ValueError", "bad", 2), "ValueError in bad, line 2"),
        (Raised("SyntaxError", "", 1), "SyntaxError, line 1"),
        (Raised("ValueError", "<genexpr>", 9), "ValueError in <genexpr>"),
        (Raised("\x1b[2J", "bad\n::error::", -0), "an error"),
        (Raised("MyError", "other", 2), "an error, line 2"),
        (Raised("", "b.d", 0), "an error"),
        (Raised("AttributeError", "bad", 2, "Turn", "parents"), "AttributeError in bad, line 2: Turn has no 'parents'"),
        (Raised("AttributeError", "bad", 2, "Secret", "parents"), "AttributeError in bad, line 2: something has no 'parents'"),
        (Raised("AttributeError", "bad", 2, "Turn", "session"), "AttributeError in bad, line 2"),
        (Raised("AttributeError", "bad", 2, "Turn", "a|parents"), "AttributeError in bad, line 2"),
    ],
)
def test_a_reason_repeats_no_text_that_it_does_not_know(raised: Raised, said: str) -> None:
    assert reason(raised, "def bad(session, params):\n    session.parents") == said
