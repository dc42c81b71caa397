"""Digests of arguments and of what a session has said."""

import json

from tracedance.kit.chain import args_hash, canonical, with_chain
from tracedance.schema import ToolCall, ToolResult, Turn


def turns(*, identity: str = "t1", said: str = "hi", result: str = "out") -> list[Turn]:
    call = ToolCall(identity, "Bash", '{"command":"ls"}', args_hash=args_hash('{"command":"ls"}'))
    made = [
        Turn(0, "user", "user", said, time=identity),
        Turn(1, "assistant", "model", "", calls=[call]),
        Turn(2, "tool", "tool", results=[ToolResult(identity, result)]),
    ]
    with_chain(made)
    return made


def test_neither_ids_nor_times_enter_the_chain() -> None:
    assert [turn.chain for turn in turns(identity="a")] == [turn.chain for turn in turns(identity="b")]


def test_every_text_enters_the_chain_of_its_turn_and_of_all_later_ones() -> None:
    first, second = turns(), turns(result="other")
    assert [a.chain == b.chain for a, b in zip(first, second, strict=True)] == [True, True, False]
    assert all(a.chain != b.chain for a, b in zip(first, turns(said="ho"), strict=True))


def test_two_texts_do_not_pass_for_one() -> None:
    one = [Turn(0, "tool", "tool", results=[ToolResult("a", "xy"), ToolResult("b", "")])]
    two = [Turn(0, "tool", "tool", results=[ToolResult("a", "x"), ToolResult("b", "y")])]
    with_chain(one)
    with_chain(two)
    assert one[0].chain != two[0].chain


def test_equal_arguments_have_one_canonical_text() -> None:
    assert canonical({"b": [1.5, "é"], "a": {"z": None, "y": True}}) == '{"a":{"y":true,"z":null},"b":[1.5,"é"]}'
    assert args_hash(canonical({"a": 1, "b": 2})) == args_hash(canonical({"b": 2, "a": 1}))


def test_odd_values_still_give_valid_json_in_valid_utf_8() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (float("nan"), {"x": [float("inf"), 2**70]}, "\ud800", {1: 2, "a": "\udfff"}, deep):
        json.loads(canonical(value).encode())
