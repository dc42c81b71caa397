"""What an import did: every record accounted for, every loss named."""

from collections.abc import Mapping

from tracedance.schema.record import Record


class Loss(Record):
    """Records whose content could not be kept, for one reason."""

    reason: str
    count: int
    example: str
    """`file:line` of the first one; never content."""


class SessionCounts(Record):
    """seen = kept + duplicate + replaced + skipped."""

    seen: int = 0
    kept: int = 0
    duplicate: int = 0
    """Already there, or a shorter copy of a session that is."""
    replaced: int = 0
    """A longer copy took the place of a known one."""
    skipped: int = 0
    """Nothing in it to keep (no turn), or forgotten at the user's wish."""


class RecordCounts(Record):
    """in = kept + ignored + lost. A record is a line (JSONL) or a message (array formats)."""

    in_: int = 0
    kept: int = 0
    ignored: int = 0
    """Known and without content of its own: progress, token counts, repeats."""
    lost: int = 0


class FileReceipt(Record):
    """What became of one source file, or of one member of an archive."""

    place: str
    """Its path, `archive!member` for a member; redacted."""
    format: str
    sessions: int
    """Sessions with a turn that were found in it."""
    records: RecordCounts
    losses: tuple[Loss, ...] = ()
    unknown: Mapping[str, int] = {}
    fields: Mapping[str, int] = {}
    unchanged: bool = False
    """Known from an earlier import and not read again: the figures are that one's."""


class Receipt(Record):
    """The receipt of one import over all its files."""

    sessions: SessionCounts
    records: RecordCounts
    formats: Mapping[str, int]
    """Files read or recognised, by format."""
    losses: tuple[Loss, ...] = ()
    unknown: Mapping[str, int] = {}
    """Record types that no importer knows, by `format:type`, with their count; they are lost and listed here by name."""
    fields: Mapping[str, int] = {}
    """Fields that an importer does not know, by `format:field`, with their count in the records that were looked at (the first of each
    type in each file). Nothing is lost by them; a new one may hold something worth reading."""
    lost_before: int = 0
    """Records that files hold which have not changed since an earlier import lost them; not part of `records`."""
    own_folders: int = 0
    """Stores, benchmarks and runs of ours below the paths, which were passed over."""
    stored: bool = True
    """False where the import was strict and records were lost: then nothing of it was stored."""
    secrets: Mapping[str, int] = {}
    """Replaced before storing, by kind."""
    stale: int = 0
    """Sessions of the store that are under older rules of redaction."""
