"""Digests of what a session says: one per call's arguments, and one per turn that covers everything before it.

Neither ids nor times enter, so a fork or a resumed copy of a session repeats the digests of the history that it shares.
"""

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from tracedance.schema import Turn

_encode = msgspec.json.Encoder(order="sorted").encode


def canonical(arguments: Any) -> str:
    """JSON text of `arguments` with sorted keys and no spaces: equal for equal values.

    NaN and infinities become null and lone surrogates U+FFFD, so that the text is valid JSON in valid UTF-8 whatever the source held.
    """
    try:
        return _encode(arguments).decode()
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError):
        return _canonical_slowly(arguments)


def args_hash(arguments_json: str) -> str:
    """blake2b-64 of canonical arguments, hex."""
    return blake2b(arguments_json.encode("utf-8", "replace"), digest_size=8).hexdigest()


def with_chain(turns: Sequence[Turn]) -> None:
    """Set `chain` of every turn, in place: the digest of role, author, text, calls and results of it and of all earlier turns."""
    state = b""
    for turn in turns:
        said = _said(turn)
        try:
            data = said.encode()
        except UnicodeEncodeError:
            data = said.encode("utf-8", "replace")
        state = blake2b(state + data, digest_size=8).digest()
        turn.chain = state.hex()


def _said(turn: Turn) -> str:
    """All that enters the digest of one turn. The lengths of its parts come first, so that no text can pass for two parts."""
    text, calls, results = turn.text, turn.calls, turn.results
    if not calls and not results:
        return f"{turn.role} {turn.author} 0 [{len(text)}]\n{text}"
    parts = [text]
    for call in calls:
        parts.append(f"{call.name} {call.args_hash}")
    for result in results:
        raw = result.raw
        parts.append(raw if raw.__class__ is str else result.text)
    return f"{turn.role} {turn.author} {len(calls)} {list(map(len, parts))}\n{''.join(parts)}"


def _canonical_slowly(arguments: Any) -> str:
    """The same text for values that the fast encoder refuses; nesting beyond Python's limit ends as null."""
    try:
        text = json.dumps(_plain(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except RecursionError:
        return "null"
    return text.encode("utf-8", "replace").decode()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value
