"""Adding up an import: what was seen, kept and lost, for the receipt of all files and for that of each."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from tracedance.ingest.read import ARCHIVE, FileReading
from tracedance.schema import FileReceipt, Loss, Receipt, RecordCounts, SessionCounts
from tracedance.store.known import KnownFile

_UNREAD = ("unknown", "empty", ARCHIVE)
"""Names in the place of a format that are none."""


class Tally:
    """The sums of one import."""

    def __init__(self) -> None:
        self.sessions: Counter[str] = Counter()
        """By what became of them: kept, duplicate, replaced, skipped."""
        self.lost = 0
        """Records lost, in files that were read and in those that have not changed since."""
        self._lost_before = 0
        self._records: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._losses: dict[str, tuple[int, str]] = {}
        self._unknown: Counter[str] = Counter()
        self._fields: Counter[str] = Counter()

    def read(self, found: FileReading) -> None:
        """A file (or a member of an archive) that was read; its sessions are counted in `sessions` as it is decided about them."""
        self.sessions["skipped"] += sum(not session.turns for session in found.sessions)
        for name in ("in_", "kept", "ignored", "lost"):
            self._records[name] += getattr(found.counts, name)
        self.lost += found.counts.lost
        if found.format not in _UNREAD:
            self._formats[found.format] += 1
        for reason, count, example in found.losses:
            before, first = self._losses.get(reason, (0, example))
            self._losses[reason] = (before + count, first)
        self._unknown.update(found.unknown)
        self._fields.update(found.fields)

    def unchanged(self, known: KnownFile) -> None:
        """A file whose content was imported before: its sessions are there, its records are not read again."""
        self.sessions["duplicate"] += known.sessions
        self.sessions["skipped"] += known.skipped
        self._formats.update(_told(known).get("formats", {known.format: 1} if known.format not in _UNREAD else {}))
        self._lost_before += known.lost
        self.lost += known.lost

    def receipt(self, secrets: Mapping[str, int], stored: bool) -> Receipt:
        """The receipt; every table in it is sorted by name."""
        return Receipt(
            sessions=SessionCounts(seen=sum(self.sessions.values()), **self.sessions),
            records=RecordCounts(**self._records),
            formats=dict(sorted(self._formats.items())),
            losses=tuple(Loss(reason=reason, count=count, example=example) for reason, (count, example) in sorted(self._losses.items())),
            unknown=dict(sorted(self._unknown.items())),
            fields=dict(sorted(self._fields.items())),
            lost_before=self._lost_before,
            stored=stored,
            secrets=dict(sorted(secrets.items())),
        )


class FileTally:
    """The account of one source file, member by member where it is an archive: what the store's table of files says of it."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._formats: Counter[str] = Counter()
        self._losses: dict[str, list[Any]] = {}
        self._unknown: Counter[str] = Counter()
        self._fields: Counter[str] = Counter()
        self._members: list[list[Any]] = []

    def add(self, found: FileReading, taken: int) -> None:
        """One reading, of whose sessions the store has `taken`."""
        counts = found.counts
        self._counts.update(
            {"sessions": taken, "skipped": len(found.sessions) - taken, "records": counts.in_, "kept": counts.kept}
            | {"ignored": counts.ignored, "lost": counts.lost}
        )
        for reason, count, place in found.losses:
            self._losses.setdefault(reason, [reason, 0, place])[1] += count
        self._unknown.update(found.unknown)
        self._fields.update(found.fields)
        if found.format not in _UNREAD:
            self._formats[found.format] += 1
        if found.format != ARCHIVE:
            name = found.place.partition("!")[2]
            self._members.append([name, found.format, taken, counts.in_, counts.kept, counts.ignored, counts.lost])

    def known(self, stamp: tuple[str, int, int], whole: FileReading) -> KnownFile:
        """The row of the file; `whole` is the last reading of it."""
        told: dict[str, Any] = {"losses": list(self._losses.values()), "unknown": self._unknown, "fields": self._fields}
        if whole.format == ARCHIVE:
            told |= {"formats": self._formats, "members": self._members}
        account = {name: value for name, value in told.items() if value}
        text = msgspec.json.encode(account, order="sorted").decode() if account else ""
        held = self._counts
        return KnownFile(
            *stamp,
            sha256=whole.digest,
            format=whole.format,
            sessions=held["sessions"],
            skipped=held["skipped"],
            records=held["records"],
            kept=held["kept"],
            ignored=held["ignored"],
            lost=held["lost"],
            account=text,
        )


def file_receipt(found: FileReading) -> FileReceipt:
    """The receipt of a file, or of a member of an archive, that was read."""
    return FileReceipt(
        place=found.place,
        format=found.format,
        sessions=sum(bool(session.turns) for session in found.sessions),
        records=found.counts,
        losses=tuple(Loss(reason=reason, count=count, example=place) for reason, count, place in found.losses),
        unknown=dict(sorted(found.unknown.items())),
        fields=dict(sorted(found.fields.items())),
    )


def known_receipt(known: KnownFile) -> FileReceipt:
    """The receipt of a file that has not changed, from what the store has of it."""
    told = _told(known)
    return FileReceipt(
        place=known.path,
        format=known.format,
        sessions=known.sessions + known.skipped,
        records=RecordCounts(in_=known.records, kept=known.kept, ignored=known.ignored, lost=known.lost),
        losses=tuple(Loss(reason=reason, count=count, example=place) for reason, count, place in told.get("losses", ())),
        unknown=told.get("unknown", {}),
        fields=told.get("fields", {}),
        unchanged=True,
    )


def _told(known: KnownFile) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode(known.account) if known.account else {}
    return told
