"""Cut texts say how much is missing, and stay in their budget whatever they are made of."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tracedance.report.excerpts import called, clip, cost, last_turns
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


def test_the_last_turns_are_kept_and_the_rest_is_counted() -> None:
    told = [turn(-1, "You are an agent.", "system"), turn(0, "Do this.", "user"), *(turn(n, "x" * 100) for n in range(1, 50))]
    context = last_turns(told, 2000)
    assert context.shown[-1].turn == 49
    assert context.elided_turns + len(context.shown) == 50
    assert context.elided_characters == sum(len(message.content) for message in told[1 : 1 + context.elided_turns])
    assert context.task is not None and context.task.head == "Do this."
    assert context.system is not None and context.system.head == "You are an agent."


def test_a_short_context_is_whole() -> None:
    context = last_turns([turn(0, "Do this.", "user"), turn(1, "Done.")], 2000)
    assert (context.elided_turns, context.elided_characters, context.task, len(context.shown)) == (0, 0, None, 2)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["<", "\x00", "漢", "a", "&\u202e"]), st.integers(0, 60_000)), min_size=1, max_size=8))
def test_a_context_stays_in_its_budget(parts: list[tuple[str, int]]) -> None:
    context = last_turns([turn(number, text * size, "tool") for number, (text, size) in enumerate(parts)], 4000)
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
