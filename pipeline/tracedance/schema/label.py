"""What people say about a benchmark and about responses."""

from typing import Literal

from tracedance.schema.record import Record

LabelKind = Literal["query", "instance", "rubric", "response"]
"""Is the request understood, is the behaviour there, is the rubric good, is the response."""


class Label(Record):
    """One rater's word on one item. One line of `labels.jsonl`."""

    kind: LabelKind
    item: str
    """Digest of what was labelled: it stays while that stays, and tells no model."""
    rater: str
    value: int | str
    """`query`: accurate, partial or wrong. `instance`: yes, no or unclear. `rubric`: 1..5. `response`: 0..5."""
    note: str = ""
    benchmark: str
    instance: str = ""
    model: str = ""
    sample: int = 0
