"""Answers of judges that are none: each must end as an error, never as a score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.servers import judging


def sound(prompt: str) -> tuple[dict[str, Any], str]:
    """A sound answer to start from: its object and its markers."""
    answer = judging.grade(prompt, "a")
    text, _, markers = answer.partition("\n\n")
    return json.loads(text), markers


def spoil(name: str, messages: Sequence[Mapping[str, Any]]) -> str:
    """A sound answer, spoilt in one way; `once` only at the first attempt."""
    prompt = messages[0]["content"]
    body, markers = sound(prompt)
    first = body["grades"][0]
    if name == "once":
        return "Five out of five!" if len(messages) == 1 else json.dumps(body) + "\n" + markers
    if name in FIRST:
        first.update(FIRST[name])
        return json.dumps(body) + "\n" + markers
    return {
        "prose": "I would give this a 5. SCORE A: 5",
        "nothing": "",
        "no-marker": json.dumps(body),
        "other-marker": json.dumps(body) + "\n" + markers.replace(": 5", ": 4").replace(": 0", ": 4").replace(": 3", ": 4"),
        "two-markers": json.dumps(body) + "\n" + markers + "\n" + markers,
        "marker-before": markers + "\n" + json.dumps(body),
        "torn": json.dumps(body)[:-3] + "\n" + markers,
        "list": json.dumps(body["grades"]) + "\n" + markers,
        "no-grades": json.dumps({"grades": []}) + "\n" + markers,
        "twice": json.dumps({"grades": body["grades"] * 2}) + "\n" + markers,
        "double-key": json.dumps(body).replace('"score": ', '"score": 5, "score": ', 1) + "\n" + markers,
        "unknown-field": json.dumps({**body, "note": "x"}) + "\n" + markers,
        "stranger": json.dumps({"grades": [*body["grades"], {**first, "response": "Z"}]}) + "\n" + markers,
        "html": "<html><head><title>502</title></head><body>{Bad gateway}</body></html>",
        "as-text": json.dumps(json.dumps(body)) + "\n" + markers,
        "endless": json.dumps(body).replace(first["rationale"], "why " * 4000, 1) + "\n" + markers,
        "deep": "[" * 100_000 + '{"a":' * 50_000,
        "digits": json.dumps(body).replace(f'"score": {first["score"]}', f'"score": {"9" * 5000}', 1) + "\n" + markers,
        "second-object": f"{json.dumps(body)}\n{markers}\n{json.dumps({'grades': [{**first, 'score': 1}]})}",
        "out-of-five": f"{json.dumps(body)}\n{markers}\nSCORE A: 1 out of 5",
        "nan": json.dumps(body).replace(f'"score": {first["score"]}', '"score": NaN', 1) + "\n" + markers,
    }[name]


FIRST: dict[str, dict[str, Any]] = {
    "text-score": {"score": "5"},
    "float-score": {"score": 4.5},
    "whole-float": {"score": 5.0},
    "true-score": {"score": True},
    "six": {"score": 6},
    "minus": {"score": -1},
    "no-rationale": {"rationale": "  "},
    "no-quote": {"quotes": []},
    "false-quote": {"quotes": ["these words occur nowhere at all"]},
    "empty-quote": {"quotes": ["A| "]},
    "null-but-marked": {"score": None},
}
NAMES = (
    *FIRST,
    *("prose", "nothing", "no-marker", "other-marker", "two-markers", "marker-before", "torn", "list", "no-grades", "twice", "double-key"),
    *("unknown-field", "stranger", "deep", "nan", "html", "as-text", "endless", "digits", "second-object", "out-of-five"),
)
