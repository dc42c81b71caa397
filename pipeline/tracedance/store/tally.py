"""Adding up an import: what was seen, kept and lost, for the receipt."""

from collections import Counter
from collections.abc import Mapping

from tracedance.ingest.read import FileReading
from tracedance.schema import Loss, Receipt, RecordCounts, SessionCounts
from tracedance.store.known import KnownFile


class Tally:
    """The sums of one import."""

    def __init__(self) -> None:
        self.sessions: Counter[str] = Counter()
        """By what became of them: kept, duplicate, replaced, skipped."""
        self._records: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._losses: dict[str, tuple[int, str]] = {}
        self._unknown: Counter[str] = Counter()

    def read(self, found: FileReading) -> None:
        """A file that was read; what becomes of its sessions is counted in `sessions` as it is decided."""
        self.sessions["skipped"] += sum(not session.turns for session in found.sessions)
        for name in ("in_", "kept", "ignored", "lost"):
            self._records[name] += getattr(found.counts, name)
        if found.format not in ("unknown", "empty"):
            self._formats[found.format] += 1
        for reason, count, example in found.losses:
            before, first = self._losses.get(reason, (0, example))
            self._losses[reason] = (before + count, first)
        self._unknown.update(found.unknown)

    def unchanged(self, known: KnownFile) -> None:
        """A file whose content was imported before: its sessions are there, its records are not read again."""
        self.sessions["duplicate"] += known.sessions
        self.sessions["skipped"] += known.skipped
        if known.format not in ("unknown", "empty"):
            self._formats[known.format] += 1

    def receipt(self, secrets: Mapping[str, int]) -> Receipt:
        """The receipt; every table in it is sorted by name."""
        return Receipt(
            sessions=SessionCounts(seen=sum(self.sessions.values()), **self.sessions),
            records=RecordCounts(**self._records),
            formats=dict(sorted(self._formats.items())),
            losses=tuple(Loss(reason=reason, count=count, example=example) for reason, (count, example) in sorted(self._losses.items())),
            unknown=dict(sorted(self._unknown.items())),
            secrets=dict(sorted(secrets.items())),
        )
