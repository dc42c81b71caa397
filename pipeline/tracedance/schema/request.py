"""What the user asked for and how it ended."""

from collections.abc import Mapping
from typing import Any, Literal

from tracedance.schema.properties import TraceProperties
from tracedance.schema.record import Record

OutcomeKind = Literal["built", "dry_run", "rejected", "clarify"]
Operator = Literal["single", "or", "and"]
Reason = Literal[
    "no_family_matches",
    "ambiguous_behaviour",
    "missing_parameter",
    "unsafe_or_unsound_anchor",
    "insufficient_yield",
    "too_many_behaviours",
    "no_common_decision_point",
    "contradictory_size",
    "harmful",
    "not_observable",
    "outcome_correctness",
    "per_session_review",
]


class Request(Record):
    """A benchmark request as understood."""

    query: str | None
    families: tuple[str, ...]
    """Canonical ids."""
    operator: Operator = "single"
    """`or`: a benchmark for each family. `and`: one benchmark, each of whose decisions shows both."""
    minimum: int = 5
    maximum: int = 50
    replayability: tuple[str, ...] = ("replayable", "reconstructed")
    parameters: Mapping[str, Any] = {}
    seed: int = 0
    domain: str | None = None
    """The field that sessions must be about, in the user's words; None for any. A model checks it, on a summary of each session."""
    trace: TraceProperties = TraceProperties()
    probe: int = 20
    """Places of each kind that are no candidates and go to the confirmer all the same; 0 for none."""
    private_share: float = 0.0
    """Part of the instances that goes into a private benchmark beside the public one; 0 for none."""
    matched_by: str = "family"
    """`family` (named), `lexical`, `embedding`, or `model` (the one that plays `strong`)."""
    reading: str = ""
    """All of it in one plain paragraph, as it was shown before anything was done."""
    catalogues: tuple[str, ...] = ()
    """Catalogue folders of the user's own, on top of the shipped one."""


class Near(Record):
    """A family that came near a query."""

    family: str
    title: str
    score: float


class Built(Record):
    path: str | None
    private: str | None = None
    """The benchmark of the instances that are held back, where any are."""
    families: tuple[str, ...]
    instances: int | None
    dropped: Mapping[str, int] = {}
    """Candidates that became no instance, by reason."""
    confirmation: Mapping[str, Any] = {}
    """`precision`, `recall`, `order` and a `note`; see docs/commands.md."""


class Outcome(Record):
    """What `build` answers; the shape of its JSON."""

    outcome: OutcomeKind
    reason: Reason | None = None
    message: str = ""
    """One or two plain sentences: what was found, and the next command."""
    nearest: tuple[Near, ...] = ()
    benchmarks: tuple[Built, ...] = ()
    request: Mapping[str, Any] = {}
    counts: Mapping[str, int] = {}
