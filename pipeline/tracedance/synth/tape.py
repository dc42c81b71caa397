"""What happened in an invented session, before a writer gives it the shape of a harness."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "error", "refused", "cancelled", "interrupted"]
Kind = Literal["offence", "met", "near_miss"]

COMMIT = "action/unreviewed_commit_contents"
BLIND = "action/edit_without_reading"
RETRY = "failure/edit_retry_without_reread"
CLAIM = "claim/test_pass_claim_without_run"


@dataclass(slots=True)
class Outcome:
    """What the model was shown for one call."""

    text: str
    status: Status = "ok"
    extra: Any = None
    """What the harness keeps beside the shown text (`toolUseResult`); the model never saw it."""


@dataclass(slots=True)
class Call:
    tool: str
    arguments: Mapping[str, Any] | str
    """A mapping, or the free text of a custom tool."""
    outcome: Outcome


@dataclass(slots=True)
class Plant:
    """One place that the corpus answers for."""

    family: str
    kind: Kind
    note: str
    call: int | None = None
    """Which call of the turn decides; None where the text does."""


@dataclass(slots=True)
class Said:
    """A user-role message: typed by the person, or put there by the harness."""

    text: str
    harness: bool = False
    attachment: Mapping[str, Any] | None = None
    """An attachment record instead of a message, where the harness has such."""


@dataclass(slots=True)
class Acted:
    """One assistant turn: text, then calls, then their results."""

    text: str
    calls: list[Call] = field(default_factory=list)
    thought: str = ""
    interleaved: bool = False
    """Each result is recorded right after its call, so that pieces of the turn follow results of the same turn."""
    plants: list[Plant] = field(default_factory=list)


@dataclass(slots=True)
class Compacted:
    """The context was replaced by this summary."""

    summary: str


@dataclass(slots=True)
class Interrupted:
    """The person broke in."""

    during_tool: bool


Step = Said | Acted | Compacted | Interrupted
