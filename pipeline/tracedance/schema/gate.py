"""`gate-report/v0`: what the gate says. The seed names the form and leaves its fields open."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tracedance.schema.record import Exchanged

Verdict = Literal["PASS", "WARN", "FAIL", "INCONCLUSIVE"]


class Check(Exchanged):
    """One line of a gate report."""

    category: str
    name: str
    verdict: Verdict
    decides: bool = True
    """False: it informs, and adds at most WARN to the whole."""
    reason: str
    """One sentence with the figures it rests on."""
    facts: Mapping[str, Any] = Field(default_factory=dict)


class EvidenceRow(Exchanged):
    source: str
    status: Literal["used", "advisory", "unavailable", "not_used"]
    digest: str | None = None
    """sha256 of the file's bytes."""


class Category(Exchanged):
    """What became of a category."""

    name: str
    verdict: Verdict | None
    """The worst of its checks; None where the spec asks nothing of it."""


class Side(Exchanged):
    """One of the two things compared: a model in an evaluation run, a folder of traces, or both. Where they lay is left out, so that moving
    them changes nothing."""

    model: str | None = None
    run: str | None = None
    """sha256 over the digests of the run's files."""
    judged_by: Literal["panel", "rule"] | None = None
    mode: str | None = None
    quorum: int | None = None
    traces: int | None = None
    """How many runs the folder of traces holds."""
    traces_digest: str | None = None
    """sha256 over names and digests of the trace files."""

    @property
    def title(self) -> str:
        """What a person calls it."""
        named = [self.model] if self.model is not None else []
        return " and ".join([*named, *([f"{self.traces} trace{'s' * (self.traces != 1)}"] if self.traces is not None else [])])


class Sprt(Exchanged):
    """Where the sequential test stands. Figures of log-likelihood are natural logarithms."""

    verdict: Verdict
    runs: int
    passed: int
    llr: float
    """Over all runs."""
    upper: float
    """At or above: FAIL."""
    lower: float
    """At or below: PASS."""
    crossed_at: int | None = None
    """Number of the first run, from 1, after which a boundary was crossed."""
    crossed_by: str | None = None
    """Its file."""
    llr_at_crossing: float | None = None
    look: str


class WilsonBound(Exchanged):
    """The interval of the pass rate."""

    passed: int
    runs: int
    z: float
    low: float | None
    high: float | None
    floor: float | None


class Diff(Exchanged):
    """How the candidate's trajectories differ from the baseline's."""

    path_edit_distance: float
    """Mean over the candidate's runs of the normalised Levenshtein distance to the baseline's medoid."""
    path_edit_distance_max: float
    medoid: tuple[str, ...]
    """The baseline trajectory with the least sum of distances to the others."""
    medoid_tried: int
    """Among how many of the distinct baseline trajectories it was sought: the most common ones where there is much to compare."""
    baseline_paths: int
    """How many distinct trajectories the baseline has."""
    fingerprint_distance: float
    """Euclidean distance of the mean numbers of calls a run."""
    tool_jaccard: float
    first_divergent_step: int | None
    """Position in the trajectory, from 0, at which some candidate run first leaves the baseline's common path; None if none does."""
    common_path: tuple[str, ...]
    """The baseline's common path."""
    diverging_runs: int
    """How many candidate runs leave it."""
    bounded_runs: int = 0
    """For how many candidate runs, too long to compare, the path distance is the most that it can be."""
    baseline_distance: float | None = None
    """Mean distance of the baseline's own runs to its medoid: how far runs lie apart where nothing changed."""
    canonical_outputs_equal: bool | None
    """Whether both sides recorded the same set of canonical outputs; None where neither recorded one."""


class GateReport(Exchanged):
    """`gate-report/v0`: a pure function of the files it names."""

    schema_version: str = "gate-report/v0"
    spec: str
    spec_digest: str
    """sha256 of the policy as canonical JSON: comments and the order of its lines do not count."""
    locked: bool = False
    """The spec was checked against its lock."""
    baseline: Side
    candidate: Side
    verdict: Verdict
    categories: tuple[Category, ...] = ()
    checks: tuple[Check, ...]
    evidence: tuple[EvidenceRow, ...]
    pairs: tuple[Mapping[str, Any], ...] = ()
    """Per instance: benchmark, family, instance, and for baseline and candidate either `{passed, samples, judged, asked}` (k of n samples
    compared, of those judged, of those asked for) or why none was judged."""
    diff: Diff | None = None
    sprt: Sprt | None = None
    wilson: WilsonBound | None = None
    traces: tuple[Mapping[str, Any], ...] = ()
    """Per trace: side, file, digest, trace_id, verdict (of its own checks), passed (true, false, or null where it cannot be told: the unit
    of Wilson and SPRT), violations, path_length, errors, retries, final_status, path_edit_distance and unknown_fields."""
