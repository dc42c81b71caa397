"""What a typed column and a walk through a value can take: numbers are fitted and nesting is bounded where a session is built."""

from typing import Any

from tracedance.kit.chain import canonical

DEPTH = 64
"""Levels of a JSON value that are walked; what lies deeper is kept as its JSON text. Real arguments and schemas have under 30."""
_CODES = 1 << 32


def shallow(value: Any) -> Any:
    """The value itself where it is not nested beyond `DEPTH`, else a copy in which what lies deeper is JSON text."""
    return _cut(value, DEPTH) if _deep(value) else value


def shallow_json(value: Any, text: str) -> Any:
    """The same for a value whose canonical JSON is at hand: few brackets mean few levels, so that most values are not walked at all."""
    return value if text.count("{") + text.count("[") <= DEPTH else shallow(value)


def code(value: object) -> int | None:
    """An exit code in 32 bits with sign, as columns hold it; one without sign (Windows) is the same bits, any other is none."""
    if not isinstance(value, int) or isinstance(value, bool) or not -_CODES // 2 <= value < _CODES:
        return None
    return value - _CODES if value >= _CODES // 2 else value


def _deep(value: Any) -> bool:
    """Level by level and not by recursion, so that no depth can be too much."""
    level = [value]
    for _ in range(DEPTH):
        level = [item for one in level if isinstance(one, dict | list) for item in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


def _cut(value: Any, left: int) -> Any:
    if not isinstance(value, dict | list):
        return value
    if not left:
        return canonical(value)
    if isinstance(value, dict):
        return {key: _cut(item, left - 1) for key, item in value.items()}
    return [_cut(item, left - 1) for item in value]
