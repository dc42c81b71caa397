"""Which records of a tree of parents belong to one conversation: the path to the last record, and one path per branch left behind."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from tracedance.ingest.tally import Tally

MOST_BRANCHES = 50
"""Rewound branches kept of one file; records of more are lost, by name."""

R = TypeVar("R")


@dataclass
class Path(Generic[R]):
    """Records from a root to a leaf, in file order."""

    number: int
    """0 for the main path, then 1, 2, ... for rewound branches, the latest first."""
    records: list[tuple[int, R, bool]]
    """(ordinal, record, whether it is to be counted here)."""


class Tree(Generic[R]):
    """Records as they are read, each with the place of its parent.

    A parent is the nearest earlier record with the id that is named. Where none is (no id, a wiped one, a torn start) the record
    follows the one before it; only a parent said to be null makes a root.
    """

    def __init__(self) -> None:
        self._records: list[tuple[int, R]] = []
        self._parents: list[int] = []
        self._places: dict[str, int] = {}

    def add(self, ordinal: int, record: R, identity: object, parent: object) -> None:
        """`parent` is an id, None for a root, anything else where the record says nothing of it."""
        place = len(self._records)
        found = self._places.get(parent) if isinstance(parent, str) else None
        self._parents.append(found if found is not None else -1 if parent is None else place - 1)
        self._records.append((ordinal, record))
        if isinstance(identity, str):
            self._places[identity] = place

    def paths(self, speaks: Callable[[R], bool], tally: Tally, leaf: str | None = "") -> Iterator[Path[R]]:
        """The main path first, then one per branch in which a record `speaks`, latest first; what else stands beside joins the main one.

        The main path ends at the record with the id `leaf`, at the last one where no record has it; None says that all was rewound.
        """
        if not self._records:
            return
        main = set() if leaf is None else self._chain(self._places.get(leaf, len(self._records) - 1))
        left = self._rewound(main, speaks)
        branch = set(range(len(self._records))) - left
        counted: set[int] = set()
        for number in range(MOST_BRANCHES + 1):
            yield Path(number, [(*self._records[place], place not in counted) for place in sorted(branch)])
            counted |= branch
            if not left:
                return
            if number < MOST_BRANCHES:
                branch = self._chain(max(left))
                left = left - branch
        tally.lose("rewound branch beyond the fiftieth", self._records[min(left)][0], len(left))

    def _rewound(self, main: set[int], speaks: Callable[[R], bool]) -> set[int]:
        """Places beside the main path that speak, and what hangs from those or leads to them."""
        rest = [place for place in range(len(self._records)) if place not in main]
        found: set[int] = set()
        for place in rest:
            if speaks(self._records[place][1]) or self._parents[place] in found:
                found.add(place)
        for place in reversed(rest):
            if place in found and self._parents[place] >= 0 and self._parents[place] not in main:
                found.add(self._parents[place])
        return found

    def _chain(self, place: int) -> set[int]:
        chain: set[int] = set()
        while place >= 0:
            chain.add(place)
            place = self._parents[place]
        return chain


def named(source: str, path: "Path[R]") -> tuple[str, str]:
    """(source id, parent's source id) of a path's session: a rewound branch belongs to the session that left it."""
    return (f"{source}.rewound-{path.number}", source) if path.number else (source, "")
