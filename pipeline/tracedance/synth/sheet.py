"""The lines of one session file, and the planted places on them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from tracedance.synth.tape import Plant


@dataclass
class Sheet:
    """Writes records as lines and remembers on which line a planted turn starts."""

    out: TextIO
    session: str
    file: str
    lines: int = 0
    planted: list[dict[str, Any]] = field(default_factory=list)

    def add(self, record: dict[str, Any]) -> None:
        self.out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
        self.lines += 1

    def mark(self, plants: Sequence[Plant], ids: Sequence[str]) -> None:
        """The next record is the first of a turn that can be read (sealed reasoning cannot): its planted places lie there."""
        for plant in plants:
            call = None if plant.call is None else ids[plant.call]
            row = {"session": self.session, "file": self.file, "line": self.lines, "call_id": call}
            self.planted.append(row | {"family": plant.family, "kind": plant.kind, "note": plant.note})
