"""What the gate reads and says. `behavior-spec/v0` and `gate-report/v0` keep the names of their seed."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tracedance.schema.record import Exchanged, Record

Verdict = Literal["PASS", "WARN", "FAIL", "INCONCLUSIVE"]


class BenchmarkResultsSpec(Record):
    """The `benchmark_results` section of a spec: evaluation runs compared pair by pair. `configs/gate.yaml` explains every field."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    """One-sided level of the exact McNemar test that the candidate passes less often than the baseline."""
    min_pairs: int = Field(default=5, ge=1)
    """Fewer pairs judged on both sides is INCONCLUSIVE. A pair is an instance, whatever the number of its samples."""
    max_unpaired_share: float = Field(default=0.1, ge=0, le=1)
    """Above this share of items that could not be compared, the verdict is at best INCONCLUSIVE."""
    warn_drop: float = Field(default=0.05, ge=0, le=1)
    """A drop of the pass rate over the pairs above this, though not significant, is WARN."""
    min_pass_rate: float | None = Field(default=None, ge=0, le=1)
    """Floor under the candidate's pass rate, compared with its Wilson interval; None sets no floor."""
    tolerated_drop: float | None = Field(default=None, gt=0, lt=1)
    """With too few discordant pairs for the test, PASS where the data show that the candidate does worse on a smaller share of instances
    than this; None leaves it INCONCLUSIVE."""
    family_checks: Literal["inform", "decide"] = "inform"
    """Whether a single family can make the whole FAIL."""


class GateSpec(Record):
    """`behavior-spec/v0`; this version runs its `benchmark_results` section."""

    schema_version: Literal["behavior-spec/v0"]
    id: str
    name: str = ""
    benchmark_results: BenchmarkResultsSpec


class Check(Exchanged):
    """One line of a gate report."""

    category: str
    name: str
    verdict: Verdict
    decides: bool = True
    """False: it informs, and adds at most WARN to the whole."""
    reason: str
    """One sentence with the figures it rests on."""
    facts: Mapping[str, Any] = {}


class EvidenceRow(Exchanged):
    source: str
    status: Literal["used", "advisory", "unavailable", "not_used"]
    digest: str | None = None
    """sha256 of the file's bytes."""


class Side(Exchanged):
    """One of the two things compared: a model in an evaluation run. Where the run lay is left out, so that moving it changes nothing."""

    model: str
    run: str
    """sha256 over the digests of the run's files."""
    judged_by: Literal["panel", "rule"]
    mode: str
    quorum: int


class GateReport(Exchanged):
    """`gate-report/v0`: a pure function of the files it names."""

    schema_version: str = "gate-report/v0"
    spec: str
    spec_digest: str
    """sha256 of the policy as canonical JSON: comments and the order of its lines do not count."""
    baseline: Side
    candidate: Side
    verdict: Verdict
    checks: tuple[Check, ...]
    evidence: tuple[EvidenceRow, ...]
    pairs: tuple[Mapping[str, Any], ...] = ()
    """Per instance: benchmark, family, instance, and for baseline and candidate either `{passed, samples, judged, asked}` (k of n samples
    compared, of those judged, of those asked for) or why none was judged."""
