"""What people say about a benchmark and about responses."""

from collections.abc import Mapping
from typing import Literal

from pydantic import StrictInt, StrictStr, model_validator

from tracedance.schema.record import Record

LabelKind = Literal["query", "instance", "rubric", "response"]
"""Is the request understood, is the behaviour there, is the rubric good, is the response."""


SCALES: Mapping[LabelKind, tuple[int | str, ...]] = {
    "query": ("accurate", "partial", "wrong"),
    "instance": ("yes", "no", "unclear"),
    "rubric": (1, 2, 3, 4, 5),
    "response": (0, 1, 2, 3, 4, 5),
}


class Label(Record):
    """One rater's word on one item. One line of `labels.jsonl`."""

    kind: LabelKind
    item: str
    """Digest of what was labelled: it stays while that stays, and tells no model."""
    rater: str
    value: StrictInt | StrictStr
    """One of the kind's scale."""
    note: str = ""
    benchmark: str
    instance: str = ""
    model: str = ""
    sample: int = 0

    @model_validator(mode="after")
    def _on_its_scale(self) -> "Label":
        if self.value not in SCALES[self.kind]:
            raise ValueError(f"{str(self.value)[:40]!r} is none of {', '.join(map(str, SCALES[self.kind]))}")
        return self
