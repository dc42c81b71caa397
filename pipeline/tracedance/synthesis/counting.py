"""How much a msgpack value holds, found out on its bytes: nothing that a confined process says becomes objects before it is counted.

A byte can stand for an object a hundred times its size, a few bytes for a nesting that no reader survives, and keys other than texts can be
made to collide. The walk builds nothing and ends with the bytes.
"""

from collections.abc import Sequence


class Beyond(Exception):
    """It holds more than it may, or what no plain value holds; says what."""


_OTHER, _ARRAY, _MAP, _TEXT = range(4)


def _kind(first: int) -> tuple[int, int, int]:
    """(kind, bytes of the length behind the first byte, bytes or items where the first byte says so itself) of a msgpack type byte."""
    if first < 0x80 or first >= 0xE0 or first in (0xC0, 0xC2, 0xC3):
        return _OTHER, 0, 0
    if first < 0xC0:
        return (_MAP, 0, first & 15) if first < 0x90 else (_ARRAY, 0, first & 15) if first < 0xA0 else (_TEXT, 0, first & 31)
    if first in _NUMBERS:
        return _OTHER, 0, _NUMBERS[first]
    kind = {0xD9: _TEXT, 0xDA: _TEXT, 0xDB: _TEXT, 0xDC: _ARRAY, 0xDD: _ARRAY, 0xDE: _MAP, 0xDF: _MAP}.get(first, -1)
    return kind, {0xD9: 1, 0xDA: 2, 0xDC: 2, 0xDE: 2}.get(first, 4), 0


_NUMBERS = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_KINDS: Sequence[tuple[int, int, int]] = [_kind(first) for first in range(256)]


def counted(data: bytes, most: int, depth: int) -> int:
    """Number of values and keys in a msgpack value of numbers, texts, truths, nothing, lists and mappings with texts for keys.

    Beyond where there are more than `most`, more than `depth` levels, or anything else.
    """
    at, total, size = 0, 0, len(data)
    levels = [[1, _ARRAY]]  # what is still to come on each level, and whether its keys must be texts
    while levels:
        left, within = levels[-1]
        if left == 0:
            levels.pop()
            continue
        levels[-1][0] = left - 1
        total += 1
        if at >= size:
            raise Beyond("it is cut off")
        kind, told, length = _KINDS[data[at]]
        at += 1
        if kind < 0 or (within == _MAP and left % 2 == 0 and kind != _TEXT):
            raise Beyond("it is no plain JSON value")
        if told:
            length, at = int.from_bytes(data[at : at + told]), at + told
        if kind in (_OTHER, _TEXT):
            at += length
            continue
        levels.append([length if kind == _ARRAY else 2 * length, kind])
        if len(levels) > depth + 1:
            raise Beyond(f"it is nested deeper than {depth} levels")
        if total + levels[-1][0] > most:
            raise Beyond(f"it holds more than {most:,} values")
    if at != size:
        raise Beyond("it is cut off, or more follows")
    return total
