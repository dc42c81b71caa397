"""Cut texts say how much is missing, and stay in their budget whatever they are made of."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tracedance.report.context import Gap, Said, excerpt
from tracedance.report.excerpts import called, clip, cost
from tracedance.report.visible import hidden, one_line, visible
from tracedance.schema import CallMade, Message

ANY = st.text(st.characters(), max_size=400)


@given(ANY, st.integers(0, 300))
def test_a_cut_text_counts_what_is_missing(text: str, budget: int) -> None:
    cut = clip(text, budget)
    assert len(cut.head) + cut.elided + len(cut.end) == len(text)
    assert text.startswith(cut.head) and text.endswith(cut.end)
    assert cost(cut.head) + cost(cut.end) <= budget or not text


@given(ANY)
def test_visible_text_hides_nothing_and_can_be_written(text: str) -> None:
    shown = visible(text)
    assert not any(hidden(char) for char in shown)
    shown.encode()
    assert "\n" not in one_line(text)


def test_orders_to_a_terminal_and_to_the_eye_are_shown_as_codes() -> None:
    assert visible("\x1b[31m\u202ea\x9b\u2066\ufeff\ud800") == "\\u001b[31m\\u202ea\\u009b\\u2066\\ufeff\\ud800"
    assert visible("line\r\nline\ttab ä 漢 👩\u200d💻") == "line\nline\ttab ä 漢 👩\u200d💻"


def turn(number: int, text: str, author: str = "model") -> Message:
    role = {"model": "assistant", "user": "user", "tool": "tool", "system": "system", "harness": "user"}[author]
    return Message(role=role, author=author, content=text, turn=number)  # type: ignore[arg-type]


def long_session() -> list[Message]:
    return [
        turn(-1, "You are an agent.", "system"),
        turn(0, "Do this.", "user"),
        *(turn(n, "x" * 100) for n in range(1, 20)),
        turn(20, "And that.", "user"),
        *(turn(n, "y" * 100) for n in range(21, 30)),
        turn(30, "Now the other.", "user"),
        *(turn(n, "z" * 100) for n in range(31, 50)),
    ]


def test_requests_evidence_and_the_last_turns_are_shown_and_what_is_left_out_is_marked_in_its_place() -> None:
    told = long_session()
    context = excerpt(told, (5, 25), 2400)
    notes = {said.turn: said.notes for said in context.shown if said.notes}
    assert notes == {0: ("first request",), 5: ("evidence",), 25: ("evidence",), 30: ("last request",)}
    assert context.shown[-1].turn == 49 and context.shown[-2].turn == 48
    kinds = ["gap" if isinstance(part, Gap) else part.turn for part in context.parts]
    assert kinds[:7] == [0, "gap", 5, "gap", 25, "gap", 30]
    assert next(part for part in context.parts if isinstance(part, Gap)) == Gap(messages=4, characters=400, first=1, last=4)
    assert context.system is not None and context.system.head == "You are an agent."


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "model", "tool", "harness"]), st.integers(0, 3000)), min_size=1, max_size=60),
    st.sets(st.integers(0, 59), max_size=6),
    st.integers(600, 12_000),
)
def test_every_message_is_shown_or_counted_and_none_that_matters_is_left_out(
    parts: list[tuple[str, int]], evidence: set[int], budget: int
) -> None:
    told = [turn(number, "a" * size, author) for number, (author, size) in enumerate(parts)]
    context = excerpt(told, evidence, budget)
    gaps = [part for part in context.parts if isinstance(part, Gap)]
    shown = {said.turn for said in context.shown}
    assert len(shown) + sum(gap.messages for gap in gaps) == len(told)
    assert sum(len(told[number].content) for number in range(len(told)) if number not in shown) == sum(gap.characters for gap in gaps)
    asked = [number for number, (author, size) in enumerate(parts) if author == "user" and size]
    assert {*asked[:1], *asked[-1:], len(told) - 1, *(number for number in evidence if number < len(told))} <= shown
    order = [part.turn if isinstance(part, Said) else part.first for part in context.parts]
    assert order == sorted(order)


def test_a_short_context_is_whole() -> None:
    context = excerpt([turn(0, "Do this.", "user"), turn(1, "Done.")], (), 2000)
    assert context.whole and len(context.shown) == 2 and context.shown[0].notes == ("request",)


def test_a_turn_of_several_messages_is_evidence_as_a_whole() -> None:
    told = [turn(0, "Do this.", "user"), turn(1, "Editing."), turn(2, "not found", "tool"), turn(2, "done", "tool"), turn(3, "Hm.")]
    assert [said.text.head for said in excerpt(told, (2,), 2000).shown if "evidence" in said.notes] == ["not found", "done"]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["<", "\x00", "漢", "a", "&\u202e"]), st.integers(0, 60_000)), min_size=1, max_size=8),
    st.sets(st.integers(0, 7)),
)
def test_a_context_stays_in_its_budget(parts: list[tuple[str, int]], evidence: set[int]) -> None:
    context = excerpt([turn(number, text * size, "tool") for number, (text, size) in enumerate(parts)], evidence, 4000)
    assert sum(cost(said.text.head) + cost(said.text.end) for said in context.shown) <= 4000


def test_arguments_are_shown_as_their_texts() -> None:
    call = called(CallMade(id="1", name="Edit", arguments=json.dumps({"path": "a\nb", "lines": [1, 2], "all": True})), 2000)
    assert [(name, text.head) for name, text in call.arguments] == [("path", "a\nb"), ("lines", "[1, 2]"), ("all", "true")]


def test_arguments_that_are_no_object_are_shown_as_they_stand() -> None:
    for text in ('"x"', "[1", "", "[" * 100_000, "1" * 5000):
        assert called(CallMade(id="1", name="Edit", arguments=text), 2000).arguments[0][1].head[:50] == text[:50]


def test_thousands_of_arguments_stay_in_the_budget() -> None:
    call = called(CallMade(id="1", name="t", arguments=json.dumps({f"k{n}": "v" * 90 for n in range(5000)})), 2000)
    assert sum(cost(text.head) for _, text in call.arguments) <= 2400
    assert "more arguments" in call.arguments[-1][0]
