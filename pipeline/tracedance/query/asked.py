"""What was asked for, however it was read: the form that rules and a model both bring a sentence into."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tracedance.schema import Operator, TraceProperties


@dataclass(frozen=True, slots=True)
class Asked:
    """A request's content, not yet joined with what the options say."""

    families: tuple[str, ...]
    """Canonical ids."""
    by: str
    """`family`, `lexical`, `embedding` or `model`."""
    sentence: str | None = None
    operator: Operator = "single"
    minimum: int | None = None
    maximum: int | None = None
    replayable: bool = False
    domain: str | None = None
    trace: TraceProperties = field(default_factory=TraceProperties)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    catalogues: tuple[str, ...] = ()
    """Folders of families that were written for this request."""
    note: str = ""
    """What a person should know of how it was read."""
