"""Where names stand in a text, told without a pattern for each name."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence


def places(text: str, name: str) -> Iterator[int]:
    """Where a name stands in a text as a word of its own."""
    place = text.find(name)
    while place >= 0:
        before, after = text[place - 1 : place], text[place + len(name) : place + len(name) + 1]
        if not (before.isalnum() or before in ("_", ".")) and not (after.isalnum() or after == "_"):
            yield place
        place = text.find(name, place + 1)


def near(text: str, end: int, named: Sequence[int]) -> bool:
    """Whether the first of the places `named` behind `end` is near, on the same line."""
    place = next(iter(named[bisect_left(named, end) :]), None)
    return place is not None and place <= end + 160 and "\n" not in text[end:place]
