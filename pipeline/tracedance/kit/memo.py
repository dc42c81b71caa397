"""What is read off a call is read once: families ask the same of the same calls, and many ask it again for every turn."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from tracedance.schema import ToolCall

Answer = TypeVar("Answer")


def once(function: Callable[[ToolCall], Answer]) -> Callable[[ToolCall], Answer]:
    """Keeps with each call what `function` says of it; the function must depend on the finished call and its result alone."""

    @wraps(function)
    def answer(call: ToolCall) -> Answer:
        told = call.told
        if told is None:
            told = call.told = {}
        if function not in told:
            told[function] = function(call)
        found: Answer = told[function]
        return found

    return answer
