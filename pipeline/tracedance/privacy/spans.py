"""What was found, where: the one shape in which every part of the redaction hands over its findings."""

from typing import NamedTuple


class Found(NamedTuple):
    """One place that is to be replaced."""

    rule: str
    start: int
    end: int
    value: str
    """The sensitive value itself, in one spelling for all forms in which it may stand."""
    form: str = ""
    """`base64`, `base64url`, `base64-wide` (of UTF-16) or `hex`: in that form `value` stands there; what is in it is replaced within it."""


def without_overlap(first: list[Found], then: list[Found]) -> list[Found]:
    """All of `first`, and of `then` what does not touch it, in order of position."""
    if not first or not then:
        return sorted([*first, *then], key=_start)
    taken = bytearray(max(item.end for item in (*first, *then)))
    for item in first:
        taken[item.start : item.end] = b"\1" * (item.end - item.start)
    kept = [item for item in then if taken.find(1, item.start, item.end) < 0]
    return sorted([*first, *kept], key=_start)


def joined(found: list[Found]) -> list[Found]:
    """The same, where what overlaps has become one place, named after its longest part."""
    kept: list[Found] = []
    for item in sorted(found, key=_start):
        if kept and item.start < kept[-1].end:
            last = kept[-1]
            chief = item if item.end - item.start > last.end - last.start else last
            kept[-1] = chief._replace(start=last.start, end=max(last.end, item.end))
        else:
            kept.append(item)
    return kept


def in_chars(data: bytes, found: list[Found]) -> list[Found]:
    """Places in bytes as places in characters; `found` in order of position."""
    counted: list[Found] = []
    byte = char = 0
    for item in found:
        first = char + len(data[byte : item.start].decode("utf-8", "replace"))
        byte, char = item.end, first + len(data[item.start : item.end].decode("utf-8", "replace"))
        counted.append(item._replace(start=first, end=char))
    return counted


def _start(item: Found) -> int:
    return item.start
