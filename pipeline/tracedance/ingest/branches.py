"""Which records of a Claude Code file belong to one conversation: the chain of parents of its last record, and what was rewound.

A record names its parent, but parallel calls fork: the results of all but the last piece of a message hang beside the chain. So a path
is the chain of parents from a leaf, with every piece of a message and every result of a call that the chain holds. Records left over
are a rewound branch when a prompt or an answer is among them: the user went back and the model never saw them again. Such a
branch becomes a path of its own with the history it shares. A record whose parent is unknown (lost, or before a torn start) follows
the record before it in the file. A second root without a parent is a context that started anew (`/clear`, a plan taken over).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tracedance.ingest.tally import Tally

MOST_BRANCHES = 50
"""Rewound branches kept of one file; records of more are lost, by name."""


class Node(Protocol):
    """What is needed of a record."""

    type: Any
    uuid: Any
    parentUuid: Any
    logicalParentUuid: Any
    message: Any


N = TypeVar("N", bound=Node)


@dataclass
class Path(Generic[N]):
    """Records from a root to a leaf in file order."""

    records: list[tuple[int, N, bool]]
    """(ordinal, record, whether it is to be counted here)."""
    starts: set[int]
    """Ordinals of records at which a new context starts."""


def paths(records: Sequence[tuple[int, N]], tally: Tally) -> Iterator[Path[N]]:
    """The main path first, then one per rewound branch, latest first. Each record is counted in exactly one of them, or lost."""
    if not records:
        return
    tree = _Tree(records)
    left = set(range(len(records)))
    counted: set[int] = set()
    branch = tree.chain(tree.leaf(left))
    if not any(map(tree.is_speech, left - branch)):
        # Nothing was rewound: what lies beside the chain are results of parallel calls, attachments and notices.
        yield Path([(ordinal, record, True) for ordinal, record in records], tree.starts)
        return
    tree.index()
    branch = tree.path(tree.leaf(left))
    rest = left - branch
    rewound = tree.rewound(rest)
    branch, rest = left - rewound, rewound
    for number in range(MOST_BRANCHES + 1):
        yield Path([(*records[place], place not in counted) for place in sorted(branch)], tree.starts)
        counted |= branch
        if not rest:
            return
        if number < MOST_BRANCHES:
            branch = tree.path(tree.leaf(rest))
            rest = rest - branch
    tally.lose("rewound branch beyond the fiftieth", records[min(rest)][0], len(rest))


class _Tree(Generic[N]):
    def __init__(self, records: Sequence[tuple[int, N]]) -> None:
        self._records = [record for _, record in records]
        self._place = {record.uuid: place for place, record in enumerate(self._records) if isinstance(record.uuid, str)}
        self._pieces: dict[str, list[int]] = {}
        self._caller: dict[str, int] = {}
        """Place of the piece that made each call."""
        self._results: dict[int, list[int]] = {}
        self.starts: set[int] = set()
        self._first_message = next((place for place, record in enumerate(self._records) if record.message is not None), len(self._records))
        self._parents = [self._parent(place, record, ordinal) for place, (ordinal, record) in enumerate(records)]

    def index(self) -> None:
        """Find the pieces of each message and the results of each call: `path` needs them."""
        for place, record in enumerate(self._records):
            for block in blocks(record):
                if record.type == "assistant" and isinstance(block.get("id"), str):
                    self._caller[block["id"]] = place
                caller = self._caller.get(block["tool_use_id"]) if isinstance(block.get("tool_use_id"), str) else None
                if caller is not None:
                    self._results.setdefault(caller, []).append(place)
            if record.type == "assistant" and record.message is not None and isinstance(record.message.id, str):
                self._pieces.setdefault(record.message.id, []).append(place)

    def _parent(self, place: int, record: N, ordinal: int) -> int:
        """Place of the record that this one follows; -1 for the first."""
        if record.parentUuid.__class__ is str and (parent := self._place.get(record.parentUuid, place)) < place:
            return parent
        named = [name for name in (record.parentUuid, record.logicalParentUuid) if isinstance(name, str)]
        for name in named:
            parent = self._place.get(name, -1)
            if 0 <= parent < place:
                return parent
        if record.parentUuid is None and not named and self._first_message < place:
            self.starts.add(ordinal)
        return place - 1

    def leaf(self, among: Iterable[int]) -> int:
        """The last record that says something, else the last."""
        among = sorted(among)
        return next((place for place in reversed(among) if self._records[place].message is not None), among[-1])

    def chain(self, leaf: int) -> set[int]:
        """Places of the records that lead to a leaf."""
        chain: set[int] = set()
        place = leaf
        while place >= 0:
            chain.add(place)
            place = self._parents[place]
        return chain

    def path(self, leaf: int) -> set[int]:
        """The same, with the pieces and results that hang beside the chain."""
        chain = self.chain(leaf)
        pieces = {place for place in chain if self._records[place].type == "assistant"}
        for place in list(pieces):
            message = self._records[place].message
            if message is not None and isinstance(message.id, str):
                pieces.update(self._pieces[message.id])
        return chain | pieces | {result for place in pieces for result in self._results.get(place, ())}

    def is_speech(self, place: int) -> bool:
        """Whether a record is a prompt or an answer; not a result, an attachment or a notice."""
        record = self._records[place]
        if record.type == "assistant":
            return record.message is not None
        return record.type == "user" and record.message is not None and not any("tool_use_id" in block for block in blocks(record))

    def rewound(self, rest: set[int]) -> set[int]:
        """Those of the records beside the main path that say something or hang from one that does."""
        found: set[int] = set()
        for place in sorted(rest):
            if self.is_speech(place) or self._parents[place] in found:
                found.add(place)
        return found


def blocks(record: Node) -> list[dict[str, Any]]:
    """Content blocks of a record, [] where its content is a text."""
    content = record.message.content if record.message is not None else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
