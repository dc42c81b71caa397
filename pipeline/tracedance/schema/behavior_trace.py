"""`agent-behavior-trace/v0`: what an agent did, in which order and whether it worked, with hashes where the content was.

Other producers write it too, often with less than we do: only what the gate cannot do without is required, and what is unknown is
counted (`gate.traces`) and left out. Times, hashes and names are text as given.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from tracedance.schema.record import Exchanged

SpanType = Literal["llm", "tool", "retriever", "memory", "handoff", "guardrail"]
SpanStatus = Literal["success", "error", "cancelled", "unknown"]
"""`cancelled`: it never ran to its end (refused by a person, broken off). `unknown`: no result was recorded."""


class TraceSource(Exchanged):
    """Where a trace comes from."""

    platform: str
    """claude_code, codex, langchain, ..."""
    export_format: str = ""
    exported_at: str = ""
    """ISO 8601."""
    source_hash: str = ""
    """Fingerprint of the raw source."""


class TraceRun(Exchanged):
    """The run as a whole."""

    trace_id: str = Field(min_length=1)
    scenario_id: str | None = None
    environment: str | None = None
    final_status: SpanStatus = "unknown"
    final_output_hash: str | None = None
    canonical_output: Mapping[str, JsonValue] | None = None
    """The only content a trace may hold: fields of the final output that were asked for by name."""


class SpanAttributes(Exchanged):
    """What is told of a span beside its place and its end."""

    model: str | None = None
    tool_name: str | None = None
    """The tool as the agent called it, where `name` says more (a labelled shell command)."""
    token_input_count: int | None = Field(default=None, ge=0)
    """Tokens that the model read, cached ones among them."""
    token_output_count: int | None = Field(default=None, ge=0)
    redacted: bool = True


class Span(Exchanged):
    """One step of the trajectory."""

    span_id: str = ""
    ordinal: int = Field(ge=0)
    """Position in the trajectory; no two spans share one."""
    type: SpanType
    name: str = Field(min_length=1)
    status: SpanStatus = "unknown"
    started_at: str | None = None
    """ISO 8601 as the source recorded it."""
    duration_ms: int | None = Field(default=None, ge=0)
    """Whole milliseconds from the call to its result."""
    input_hash: str | None = None
    output_hash: str | None = None
    attributes: SpanAttributes = SpanAttributes()


class Redaction(Exchanged):
    """What was taken out, and how."""

    applied: bool
    method: str = "hash-only"
    """`hash-only`: SHA-256 of the content. `hmac-sha256`: the same under a key that is not in the trace."""
    removed_fields: tuple[str, ...] = ()
    """Fields that the source held and the trace does not."""


class BehaviorTrace(Exchanged):
    """One run of an agent."""

    schema_version: Literal["agent-behavior-trace/v0"]
    source: TraceSource
    run: TraceRun
    spans: tuple[Span, ...] = ()
    redaction: Redaction

    @model_validator(mode="after")
    def _places_differ(self) -> "BehaviorTrace":
        if len({span.ordinal for span in self.spans}) < len(self.spans):
            raise ValueError("two spans have the same ordinal")
        return self

    def trajectory(self) -> list[Span]:
        """The named steps in order: every span but those of type llm."""
        return sorted((span for span in self.spans if span.type != "llm"), key=lambda span: span.ordinal)
