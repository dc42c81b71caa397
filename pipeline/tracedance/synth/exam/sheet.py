"""A session file under way: its lines, the turns that an importer will count, and the places planted on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tracedance.synth.tape import Plant

Record = dict[str, Any]
_encode = msgspec.json.Encoder().encode


@dataclass
class Sheet:
    """Grows in memory: one session is small, and a file is then written in one go."""

    parts: list[bytes] = field(default_factory=list)
    turns: int = 0
    places: list[tuple[int, Plant]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """One line."""
        self.parts.append(_encode(record))

    def turn(self, plants: Sequence[Plant] = ()) -> None:
        """The importer starts a turn here; what is planted lies on it."""
        self.places += [(self.turns, plant) for plant in plants]
        self.turns += 1

    def lines(self) -> bytes:
        """The file as JSON lines."""
        return b"\n".join(self.parts) + b"\n"
