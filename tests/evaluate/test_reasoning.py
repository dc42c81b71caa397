"""Reasoning that comes in front of a turn is taken away and counted, however a provider's template spells it; words about it stay."""

import pytest

from tracedance.evaluate.respond import said
from tracedance.models.answers import parse
from tracedance.privacy.redactor import Redactor
from tracedance.schema import ModelAnswer

HARMONY = "<|channel|>analysis<|message|>They want a 5.<|end|><|start|>assistant<|channel|>final<|message|>Let me look.<|return|>"


@pytest.mark.parametrize(
    "text",
    [
        "leaked reasoning </think>Let me look.",
        "leaked reasoning\n</think>\n\nLet me look.",
        "It says `</think>` somewhere.\n</think> Let me look.",
        "leaked reasoning </THINKING>\nLet me look.",
        "<think>a</think><think>b</think>Let me look.",
        "<Thinking>a</thinking>\nLet me look.",
        "<seed:think>a</seed:think>Let me look.",
        "[THINK]a[/THINK]Let me look.",
        "a[/THINK]Let me look.",
        "\u25c1think\u25b7a\u25c1/think\u25b7Let me look.",
        "<|begin_of_thought|>a<|end_of_thought|>Let me look.",
        "<|channel>thought\na<channel|>Let me look.",
        "<scratchpad>a</scratchpad>Let me look.",
        HARMONY,
    ],
)
def test_reasoning_in_front_of_a_turn_is_no_part_of_it(text: str) -> None:
    told = said(ModelAnswer(status="ok", text=text), Redactor(b"k"))
    assert told["text"] == "Let me look."
    assert told["reasoning_removed"] == len(text) - len("Let me look.")


@pytest.mark.parametrize(
    "text",
    [
        "I took the </think> tag out of the parser.",
        "The parser splits at `</think>` and keeps the rest.",
        'It ends with "</think>".',
        "```\na </think>B\n```\nThat is the template.",
        "A template writes <think>a</think>B.",
        "Use [THINK] and [/THINK] there.",
        "Let me look.",
    ],
)
def test_a_turn_that_speaks_of_such_tags_stays_whole(text: str) -> None:
    told = said(ModelAnswer(status="ok", text=text), Redactor(b"k"))
    assert (told["text"], told["reasoning_removed"]) == (text, 0)


def test_a_million_closing_tags_are_read_in_no_time() -> None:
    text = "`</think>`" * 100_000
    answer = parse(b'{"choices": [{"finish_reason": "stop", "message": {"content": "x"}}]}').model_copy(update={"text": text})
    assert said(answer, Redactor(b"k"))["reasoning_removed"] == 0
