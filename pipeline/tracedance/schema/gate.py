"""What the gate reads and says. `behavior-spec/v0` and `gate-report/v0` keep the names of their seed."""

from collections.abc import Mapping
from typing import Any, Literal

from tracedance.schema.record import Exchanged, Record

Verdict = Literal["PASS", "WARN", "FAIL", "INCONCLUSIVE"]


class BenchmarkResultsSpec(Record):
    """The `benchmark_results` section of a spec: evaluation runs compared pair by pair."""

    alpha: float = 0.05
    """One-sided level of the exact McNemar test that the candidate passes less often than the baseline."""
    min_pairs: int = 5
    """Fewer instances judged on both sides is INCONCLUSIVE."""
    max_unpaired_share: float = 0.1
    """Above this share of instances judged on one side only (or on neither), the verdict is at best INCONCLUSIVE."""
    min_pass_rate: float | None = None
    """Floor under the candidate's pass rate, compared with the upper end of its Wilson interval; None sets no floor."""
    warn_drop: float = 0.05
    """A drop of the pass rate over the paired instances above this, though not significant, is WARN."""


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
    reason: str
    """One sentence with the figures it rests on."""
    facts: Mapping[str, Any] = {}


class EvidenceRow(Exchanged):
    source: str
    status: Literal["used", "advisory", "unavailable", "not_used"]
    digest: str | None = None


class GateReport(Exchanged):
    """`gate-report/v0`: a pure function of the files it names."""

    schema_version: str = "gate-report/v0"
    spec: str
    spec_digest: str
    baseline: str
    candidate: str
    verdict: Verdict
    checks: tuple[Check, ...]
    evidence: tuple[EvidenceRow, ...]
    pairs: tuple[Mapping[str, Any], ...] = ()
    """Per instance: family, instance, sample, baseline and candidate passed (true, false or null with its reason)."""
