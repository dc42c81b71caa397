"""Answers without any model: the self-tests of the product.

`offline/careful` is a scripted policy that sees the messages and tools of a request and nothing else. `offline/source` is the recorded
decision; it lies beside the benchmark in `checks.jsonl` and `evaluate` takes it from there, so that it never enters a request.
"""

from __future__ import annotations

from tracedance.errors import InputError
from tracedance.models.careful import next_turn
from tracedance.schema import ModelAnswer, ModelRequest

PREFIX = "offline/"
SOURCE = "offline/source"
CAREFUL = "offline/careful"


def check(name: str) -> None:
    """Raises InputError for an offline model that there is not."""
    if name not in (SOURCE, CAREFUL):
        raise InputError(
            f"No offline model is named {name!r}. There are {SOURCE} (the recorded decision) and {CAREFUL} (a scripted policy)."
        )


def answer(request: ModelRequest) -> ModelAnswer:
    """The scripted policy's answer; `declined` where it has nothing to say."""
    check(request.model)
    if request.model == SOURCE:
        raise ValueError("offline/source answers from checks.jsonl, never from a request")
    call = next_turn(request.messages, request.tools)
    if call is None:
        return ModelAnswer(status="declined", model_version=CAREFUL)
    return ModelAnswer(status="ok", tool_calls=({"id": "call_0", **call},), finish="tool_calls", model_version=CAREFUL)
