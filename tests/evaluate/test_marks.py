"""What of a judge's answer counts: of many thousand generated answers exactly the sound ones, and nothing ends the reader."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tracedance.evaluate.marks import CANNOT, quotable, read_marks
from tracedance.models.answers import parse
from tracedance.models.ask import Unreadable
from tracedance.schema import JudgeScore

STRINGS = 20_000
SAID = "I will look at what is staged before I commit it. No\u00ebl \u597d"
TURNS = {"A": quotable(SAID, ()), "B": quotable("Committing everything now.", ())}
QUOTES = {"A": ["look at what is staged", "I commit it.", "No\u00ebl \u597d"], "B": ["Committing everything", "now."]}
Answer = tuple[dict[str, Any], list[str]]
"""The object of an answer and the lines behind it."""


def sound(drawn: random.Random) -> Answer:
    marks, lines = [], []
    for letter, quotes in QUOTES.items():
        score = drawn.choice([None, 0, 1, 2, 3, 4, 5])
        chosen = drawn.sample(quotes, drawn.randint(1, len(quotes))) if score is not None else []
        mark = {
            "response": letter,
            "rationale": drawn.choice(["Because.", '{["', "SCORE A: 0", "\U0001f600"]),
            "quotes": chosen,
            "score": score,
        }
        marks.append(dict(drawn.sample(sorted(mark.items()), len(mark))))
        lines.append(f"SCORE {letter}: {CANNOT if score is None else score}")
    drawn.shuffle(marks)
    drawn.shuffle(lines)
    return {"grades": marks}, lines


def one(drawn: random.Random, answer: Answer) -> dict[str, Any]:
    mark: dict[str, Any] = drawn.choice(answer[0]["grades"])
    return mark


def scored(drawn: random.Random, answer: Answer, score: Any) -> None:
    one(drawn, answer)["score"] = score


def other_line(drawn: random.Random, answer: Answer) -> None:
    place = drawn.randrange(2)
    answer[1][place] = answer[1][place].rpartition(" ")[0] + " 6"


SPOILS: list[Callable[[random.Random, Answer], Any]] = [
    lambda drawn, answer: scored(drawn, answer, drawn.choice(["5", 4.5, 5.0, True, 6, -1, [], {}, "cannot judge", float("nan"), 10**30])),
    lambda drawn, answer: one(drawn, answer).pop(drawn.choice(["response", "rationale", "score"])),
    lambda drawn, answer: one(drawn, answer).update(rationale=drawn.choice(["", " \n", 5, None, "x" * 8001])),
    lambda drawn, answer: one(drawn, answer).update(quotes=drawn.choice([["no such words"], "now.", [5], None, [["now."]]])),
    lambda drawn, answer: one(drawn, answer).update(response=drawn.choice(["C", "a", "", " A", 1, None])),
    lambda drawn, answer: one(drawn, answer).update(note="x"),
    lambda drawn, answer: answer[0].update(drawn.choice([{"note": 1}, {"grades": {}}, {"grades": None}, {"grades": []}])),
    lambda drawn, answer: answer[0]["grades"].append(dict(one(drawn, answer))),
    lambda drawn, answer: answer[0]["grades"].pop(),
    lambda drawn, answer: answer[1].pop(),
    lambda drawn, answer: answer[1].append(drawn.choice(answer[1])),
    other_line,
]
"""Each makes a sound answer unsound, whatever stands in it."""
TORN: list[Callable[[random.Random, str], str]] = [
    lambda drawn, text: text.rpartition("}")[0][: -drawn.randrange(1, 9)],
    lambda drawn, text: "".join(
        chr(drawn.choice([drawn.randrange(32, 127), drawn.randrange(0xD7FF)])) for _ in range(drawn.randrange(200))
    ),
    lambda drawn, text: drawn.choice('[{"') * drawn.randrange(1, 60_000),
    lambda drawn, text: "{" + text,
    lambda drawn, text: text.replace('"score"', '"score": 3, "score"', 1),
    lambda drawn, text: text.replace('"grades"', "grades", 1),
    lambda drawn, text: text.upper(),
]
"""The same, to its text."""


def written(drawn: random.Random, answer: Answer) -> str:
    """An answer as judges write it: words or a fence before the object, which may be spread over lines, and anything behind it."""
    body = json.dumps(answer[0], ensure_ascii=drawn.random() < 0.5, indent=drawn.choice([None, 1, 4]))
    before = drawn.choice(["", "Here it is:\n", "```json\n", "SCORES:\n", "\ufeff", "\x00"])
    return before + body + drawn.choice(["\n", "\n```\n", "\n\n", "\r\n"]) + drawn.choice(["\n", " \n", "\n\n"]).join(answer[1]) + "\n"


def expected(answer: Answer) -> dict[str, int | None]:
    return {mark["response"]: mark["score"] for mark in answer[0]["grades"]}


def read(text: str) -> dict[str, JudgeScore] | None:
    try:
        return read_marks(text, TURNS, "seat")
    except Unreadable:
        return None


def test_of_twenty_thousand_generated_answers_exactly_the_sound_ones_are_accepted() -> None:
    drawn = random.Random(11)
    accepted = 0
    for number in range(STRINGS):
        answer = sound(drawn)
        meant = expected(answer)
        kind = number % 4
        if kind == 0:
            votes = read(written(drawn, answer))
            assert votes is not None and {letter: vote.score for letter, vote in votes.items()} == meant
            accepted += 1
            continue
        for spoil in drawn.sample(SPOILS, 1) if kind < 3 else ():
            spoil(drawn, answer)
        text = written(drawn, answer)
        text = drawn.choice(TORN)(drawn, text) if kind == 3 else text
        assert read(text) is None, text[:400]
    assert accepted == STRINGS // 4


def test_a_changed_sign_never_changes_a_score_unseen() -> None:
    drawn = random.Random(5)
    survived = 0
    for _ in range(4000):
        answer = sound(drawn)
        meant, text = expected(answer), written(drawn, answer)
        place = drawn.randrange(len(text))
        votes = read(text[:place] + drawn.choice(["", "5", '"', "}", "\n", "x", text[place] * 2]) + text[place + 1 :])
        if votes is not None:
            survived += 1
            assert {letter: vote.score for letter, vote in votes.items()} == meant
    assert survived > 100


def test_whatever_a_provider_sends_is_read_or_malformed() -> None:
    drawn = random.Random(2)
    message = {"role": "assistant", "content": "Hi.", "tool_calls": [{"id": "c", "function": {"name": "Bash", "arguments": '{"a": 1}'}}]}
    whole = {
        "choices": [{"finish_reason": "stop", "message": message}],
        "model": "m",
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    odd: list[Any] = [None, 5, -1, True, "x", [], {}, [None], {"a": None}, "\ud800", 1e308, [[]], {"type": "text", "text": 5}]
    for _ in range(STRINGS // 4):
        body = json.loads(json.dumps(whole))
        for _ in range(drawn.randint(1, 3)):
            part: Any = body
            while True:
                keys: list[Any] = list(part) if isinstance(part, dict) else list(range(len(part)))
                if not keys:
                    break
                key = drawn.choice(keys)
                if isinstance(part[key], dict | list) and part[key] and drawn.random() < 0.7:
                    part = part[key]
                    continue
                part[key] = copy.deepcopy(drawn.choice(odd))
                break
        raw = json.dumps(body).encode()
        answer = parse(raw if drawn.random() < 0.8 else raw[: drawn.randrange(len(raw))])
        assert answer.status != "ok" or answer.text.strip() or answer.tool_calls


def answered(behind: str, before: str = "", quote: str = "look at what is staged", score: str = "2") -> str:
    mark = f'{{"response": "A", "rationale": "Because.", "quotes": [{json.dumps(quote)}], "score": {score}}}'
    return f'{before}{{"grades": [{mark}]}}\n{behind}'


ONLY = {"A": TURNS["A"]}


@pytest.mark.parametrize(
    "behind",
    [
        'SCORE A: 2\n{"grades": [{"response": "A", "rationale": "On a second look.", "quotes": ["staged"], "score": 5}]}',
        'SCORE A: 2\n{"grades": [{"response": "A", "score": 5',
        "SCORE A: 2\nSCORE A: 5 out of 5",
        "SCORE A: 2\nSCORE A:5.0",
        "SCORE A: 2\nscore A: 5",
        "SCORE A: 2\n**Score A**: 5/5",
        "SCORE A: 2\nFinal score: 5",
        "SCORE A: 2\nThe score of A is 5.",
        "SCORE A: 2\nA: score 5",
        "SCORE A: 2\n- SCORE A = cannot judge",
        "SCORE A: 2\n\uff33\uff23\uff2f\uff32\uff25 A: \uff15",
        "SCORE A: 2\nSCORE A: 2",
    ],
)
def test_an_answer_that_contradicts_itself_is_no_score(behind: str) -> None:
    with pytest.raises(Unreadable):
        read_marks(answered(behind), ONLY, "seat")


def test_a_score_told_before_the_object_may_not_be_another() -> None:
    assert read_marks(answered("SCORE A: 2", "SCORE A: 2 of 5\n"), ONLY, "seat")["A"].score == 2
    with pytest.raises(Unreadable, match="another score"):
        read_marks(answered("SCORE A: 2", "Score A: 5\n"), ONLY, "seat")


@pytest.mark.parametrize(
    "behind", ["SCORE A: 2\nThat is all.", "SCORE A: 2\nA score of 5 would need a look first.", "SCORE A: 2\n```\nDone: 5"]
)
def test_words_behind_the_scores_are_no_contradiction(behind: str) -> None:
    assert read_marks(answered(behind), ONLY, "seat")["A"].score == 2


@pytest.mark.parametrize("quote", ["A| ", "", " ", ".", "A| .", "a"])
def test_a_quote_without_a_word_is_none(quote: str) -> None:
    with pytest.raises(Unreadable, match="no quote"):
        read_marks(answered("SCORE A: 2", quote=quote), ONLY, "seat")


@pytest.mark.parametrize("score", ["9" * 5000, "-" + "9" * 5000, "1e999", "[" * 5000])
def test_a_number_of_any_length_is_unreadable_and_ends_nothing(score: str) -> None:
    with pytest.raises(Unreadable):
        read_marks(answered("SCORE A: 2", score=score), ONLY, "seat")


def test_a_judges_own_reasoning_is_not_its_answer() -> None:
    thought = '<think>Maybe {"grades": []}\nSCORE A: 5\n</think>'
    assert read_marks(answered("SCORE A: 2", thought), ONLY, "seat")["A"].score == 2
