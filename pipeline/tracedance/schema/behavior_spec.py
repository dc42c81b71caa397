"""`behavior-spec/v0`: what a candidate must do, as people write it. Every unknown field is refused.

`invariants` bind every run; `thresholds` hold what is counted over runs; `benchmark_results` compares evaluation runs. The seed's fields
keep their names. Where we read a field otherwise than its printed text, the printed reading is an option that says so.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator

from tracedance.schema.record import Record


def _pattern(name: str) -> str:
    """A span's name, or a pattern of names: `*` stands for any characters and `?` for one. ValueError for what is neither."""
    if not name.strip():
        raise ValueError("a name must not be empty")
    if ("*" in name or "?" in name) and any(mark in name for mark in "[]^$|()+\\"):
        raise ValueError("bad pattern: only * (any characters) and ? (one character) are known here, no regular expression")
    return name


ToolName = Annotated[str, AfterValidator(_pattern)]
Share = Annotated[float, Field(ge=0, le=1)]
Level = Annotated[float, Field(gt=0, lt=1)]
TestLevel = Annotated[float, Field(ge=1e-12, lt=1)]
"""Of the sequential test, whose boundaries are logarithms of quotients: far below this a double holds none."""


class Order(Record):
    """No successful `after` without a successful `before` earlier in the run."""

    before: ToolName
    after: ToolName

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.before == self.after:
            raise ValueError("a tool cannot come before itself")
        return self


class Invariants(Record):
    """What holds of every run. Tools are the named spans of all types but llm."""

    required_tools: tuple[ToolName, ...] = ()
    forbidden_tools: tuple[ToolName, ...] = ()
    """Whatever the status of the call."""
    required_order: tuple[Order, ...] = ()
    required_status: Literal["success", "any"] = "success"
    """What makes a required tool present: a call that succeeded, or any call (as the seed words it: "appeared")."""
    expected_output: Mapping[str, JsonValue] = Field(default_factory=dict)
    """Field of `run.canonical_output` -> its value, equal as JSON. A missing field fails."""
    max_path_length: int | None = Field(default=None, ge=0)
    max_errors: int | None = Field(default=None, ge=0)
    max_retries: int | None = Field(default=None, ge=0)
    retry_rule: Literal["failed_or_consecutive", "failed"] = "failed_or_consecutive"
    """A retry is a call that repeats an earlier failed one (same name and input), and, unless `failed`, one right after a call of its
    name."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if both := sorted(set(self.required_tools) & set(self.forbidden_tools)):
            raise ValueError(f"{both[0]!r} is both required and forbidden")
        return self

    @property
    def names_any(self) -> bool:
        """Whether it asks for anything."""
        budgets = (self.max_path_length, self.max_errors, self.max_retries)
        rules = (self.required_tools, self.forbidden_tools, self.required_order, self.expected_output)
        return any(rules) or any(budget is not None for budget in budgets)


class SprtSpec(Record):
    """Wald's sequential probability ratio test of p0 (acceptable pass rate) against p1 (degraded)."""

    enabled: bool = False
    alpha: TestLevel = 0.05
    """Chance at most of FAIL at p0."""
    beta: TestLevel = 0.20
    """Chance at most of PASS at p1."""
    p0: TestLevel = 0.95
    p1: TestLevel = 0.80
    look: Literal["first_crossing", "final"] = "first_crossing"
    """Decide at the first run that crosses a boundary, as the test's guarantee asks for, or once on the totals (as the seed prints it)."""

    @model_validator(mode="after")
    def _a_test(self) -> Self:
        if not self.p1 < self.p0:
            raise ValueError(f"p1 ({self.p1:g}, degraded) must be below p0 ({self.p0:g}, acceptable)")
        if not self.alpha + self.beta < 1:
            raise ValueError(f"alpha + beta must be below 1, and is {self.alpha + self.beta:g}")
        return self


class ComparisonSpec(Record):
    """The candidate's pass rate against the baseline's, over runs that are not paired: Fisher's exact test, one-sided."""

    alpha: Level = 0.05
    detect: Level | None = None
    """INCONCLUSIVE where the runs are too few to show a drop of this size in 4 of 5 cases."""


class Thresholds(Record):
    """What is counted over the runs. A threshold left out is not checked. Distances exceed where they are greater, not where equal."""

    path_edit_distance_warn: Share | None = None
    path_edit_distance_fail: Share | None = None
    fingerprint_distance_warn: float | None = Field(default=None, ge=0)
    fingerprint_distance_fail: float | None = Field(default=None, ge=0)
    tool_jaccard_warn: Share | None = None
    tool_jaccard_fail: Share | None = None
    min_runs: int = Field(default=1, ge=1)
    min_wilson_pass_rate: Share | None = None
    """Floor under the lower end of the Wilson interval of the pass rate."""
    wilson_z: float = Field(default=1.96, gt=0, le=10)
    """1.96 bounds the rate from below at 97.5% (it is the lower end of the two-sided 95% interval); 1.6449 at 95%."""
    wilson_policy: Literal["strict", "three_way"] = "strict"
    """With the lower end under the floor: FAIL (as the seed prints it), or FAIL only where the upper end is under it too, else
    INCONCLUSIVE."""
    violating_runs: Literal["fail", "count"] = "fail"
    """`fail`: one run that breaks an invariant of behaviour or output fails the candidate. `count`: such runs count as not passed, and the
    pass rate decides."""
    sprt: SprtSpec = SprtSpec()
    comparison: ComparisonSpec | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name in ("path_edit_distance", "fingerprint_distance", "tool_jaccard"):
            warn, fail = getattr(self, f"{name}_warn"), getattr(self, f"{name}_fail")
            if warn is not None and fail is not None and warn > fail:
                raise ValueError(f"{name}_warn ({warn:g}) is above {name}_fail ({fail:g})")
        if self.violating_runs == "count" and not self.counts_runs:
            raise ValueError(
                "violating_runs: count needs what decides: min_wilson_pass_rate above 0, comparison or sprt with enabled: true"
            )
        return self

    @property
    def counts_runs(self) -> bool:
        """Whether a pass rate decides anything."""
        return bool(self.min_wilson_pass_rate) or self.sprt.enabled or self.comparison is not None

    @property
    def names_any(self) -> bool:
        """Whether it asks for anything beside the number of runs."""
        distances = ("path_edit_distance", "fingerprint_distance", "tool_jaccard")
        limits = [getattr(self, f"{name}_{end}") for name in distances for end in ("warn", "fail")]
        return self.counts_runs or any(limit is not None for limit in limits)


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
    """`behavior-spec/v0`: `invariants` and `thresholds` judge folders of traces, `benchmark_results` evaluation runs."""

    schema_version: Literal["behavior-spec/v0"]
    id: str = Field(min_length=1)
    name: str = ""
    invariants: Invariants | None = None
    thresholds: Thresholds | None = None
    benchmark_results: BenchmarkResultsSpec | None = None

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if not self.about_traces and self.benchmark_results is None:
            raise ValueError("it asks for nothing: give invariants, thresholds or benchmark_results")
        return self

    @property
    def about_traces(self) -> bool:
        """Whether it judges traces."""
        return bool((self.invariants and self.invariants.names_any) or (self.thresholds and self.thresholds.names_any))
