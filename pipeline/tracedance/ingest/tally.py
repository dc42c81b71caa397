"""The account of one file: every record is kept, ignored or lost, and each loss has a reason and a place."""

from collections import Counter

from tracedance.schema import RecordCounts

_MOST_FIELDS = 1000
"""Names kept of one file: names are the file's own, and may be any number."""


class Tally:
    """Counts records of one file. Each record gets exactly one of `keep`, `ignore` and `lose`; `seen` counts them on their own."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.seen = 0
        self.kept = 0
        self.ignored = 0
        self.unknown: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self._lost: dict[str, list[int]] = {}
        """Reason -> [count, ordinal of the first]."""

    def keep(self, records: int = 1) -> None:
        """These records' content went into a session."""
        self.kept += records

    def ignore(self, records: int = 1) -> None:
        """These records are known and hold no content of their own."""
        self.ignored += records

    def lose(self, reason: str, ordinal: int, records: int = 1) -> None:
        """Content of these records could not be kept; `ordinal` is that of the first, from 0."""
        self._lost.setdefault(reason, [0, ordinal])[0] += records

    def lose_unknown(self, kind: str, ordinal: int) -> None:
        """A record of a type that no importer knows; it is lost, and counted by name."""
        self.unknown[kind[:80]] += 1
        self.lose("unknown record type", ordinal)

    def name_unknown(self, kind: str) -> None:
        """Part of a record that is otherwise kept is of an unknown type: it is counted by name alone."""
        self.unknown[kind[:80]] += 1

    def settle(self, used: bool | str, ordinal: int) -> None:
        """Account for one record by what its reader says: True went in, False holds nothing, "unknown TYPE" or another reason is lost."""
        if used is True:
            self.keep()
        elif used is False:
            self.ignore()
        elif used.startswith("unknown "):
            self.lose_unknown(used.removeprefix("unknown "), ordinal)
        else:
            self.lose(used, ordinal)

    def meet(self, field: str) -> None:
        """A field that the format is not known to have, in a record that was looked at; it loses nothing, and is counted by name."""
        if len(self.fields) < _MOST_FIELDS or field in self.fields:
            self.fields[field[:80]] += 1

    @property
    def losses(self) -> list[tuple[str, int, str]]:
        """(reason, count, `file:line` of the first, lines from 1), in order of appearance."""
        return [(reason, count, self.at(first)) for reason, (count, first) in self._lost.items()]

    def at(self, ordinal: int) -> str:
        """How receipts name a place: `file:line`, lines from 1."""
        return f"{self.file}:{ordinal + 1}"

    @property
    def counts(self) -> RecordCounts:
        """The account so far."""
        lost = sum(count for count, _ in self._lost.values())
        return RecordCounts(in_=self.seen, kept=self.kept, ignored=self.ignored, lost=lost)
