"""What is published: contexts cut before a decision, and the benchmark that holds them."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tracedance.schema.family import Rubric
from tracedance.schema.properties import TraceProperties
from tracedance.schema.record import Exchanged, Record
from tracedance.schema.session import Replayability, Setting


class CallMade(Record):
    """A tool call in a context or a response."""

    id: str
    name: str
    arguments: str
    """JSON text, sorted keys."""


class Message(Record):
    """One message of a context. Every field is always present, so that columnar tools load it."""

    role: Literal["system", "user", "assistant", "tool"]
    author: Literal["system", "user", "harness", "model", "tool"]
    content: str
    tool_calls: tuple[CallMade, ...] = ()
    tool_call_id: str = ""
    turn: int = -1
    """Index of the session's turn; -1 for the system prompt."""


class Tool(Record):
    """A tool as offered to the evaluated model."""

    name: str
    description: str
    parameters: str
    """JSON Schema as JSON text."""
    inferred_from: int = 0
    """0 when recorded; else the number of calls behind the inferred schema."""


class Instance(Record):
    """The context before the cut, with system prompt and tool definitions. One line of `data/test.jsonl`."""

    id: str
    """Digest of the canonical context (messages without ids, turn numbers and tools) and the family id."""
    family: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    replayability: Replayability
    replay_note: str
    """What was recorded, inferred or absent, in one sentence."""
    setting: Setting
    harness: str
    source_model: str
    session: str
    """Keyed digest of the source session, for provenance and clustering; not its id."""
    tokens: int
    """Context size at 4 characters a token."""
    redaction: str
    """Digest of the redaction rules the content was stored under."""
    replaced: Mapping[str, int] = {}
    """The redaction's receipt: what stands replaced in this context, by kind; numbers have no mark and count in the session's alone."""
    canary: str


class SourceTurn(Record):
    """The withheld decision as recorded: evidence of the behaviour, never a reference answer."""

    text: str
    tool_calls: tuple[CallMade, ...]
    model: str


class CheckRow(Record):
    """One line of `checks.jsonl`: what only the deterministic check, `offline/source` and the report may read."""

    instance: str
    facts: Mapping[str, Any]
    source: SourceTurn
    confirmed_by: str
    canary: str
    why: str = ""
    """The hit's sentence: why the anchor took this place for the behaviour. "" in benchmarks that older versions built."""
    evidence: tuple[int, ...] = ()
    """Turns of the context (`Message.turn`) that show it."""
    answers: Mapping[str, str] = {}
    """The confirmation questions, each with its answer; by rule, whether a guard could answer it. {} in older benchmarks."""


class FileEntry(Exchanged):
    path: str
    bytes: int
    sha256: str


class Manifest(Exchanged):
    """`benchmark.yaml`."""

    schema_: str = Field(alias="schema", default="tracedance.benchmark/v1")
    name: str
    query: str | None
    """The request's sentence; None when built with --family."""
    matched_by: str = ""
    """How the families were found: `family` (named), `lexical` or `embedding`; "" in older benchmarks."""
    families: tuple[str, ...]
    parameters: Mapping[str, Any] = {}
    digests: Mapping[str, str]
    """anchor/rubric/prompt/family digests by `kind:name`."""
    instances: int
    part: Literal["whole", "public", "private"] = "whole"
    """`public` and `private`: the instances were split by their ids under the store's key, the same way in every rebuild."""
    counts: Mapping[str, int]
    """places, opportunities, candidates, confirmed, instances."""
    dropped: Mapping[str, int]
    confirmed_by: tuple[str, ...]
    redaction: tuple[str, ...] = ()
    """Digests of the redaction rules that the instances were stored under."""
    replaced: Mapping[str, int] = {}
    """What stands replaced in all instances, by kind."""
    approved: tuple[str, ...] = ()
    """sha256 of values that look like secrets and that a person has approved; the export door lets them pass."""
    seed: int
    domain: str | None = None
    """The field that sessions had to be about."""
    trace: TraceProperties = TraceProperties()
    """Properties that sessions, and their state at the cut, had to have."""
    confirmation: Mapping[str, Any] = {}
    """Order and spread of the candidates, precision of the anchor and the recall probe, as `build --json` gives them."""
    synthesised: tuple[Mapping[str, Any], ...] = ()
    """Of each family that a model wrote: `family`, `query`, `rounds`, `reviewed_by_people`, `digest` of its files under `family/`."""
    canary: str
    files: tuple[FileEntry, ...]


class Benchmark(Record):
    """A benchmark read back from its folder, digests verified."""

    path: str
    manifest: Manifest
    instances: tuple[Instance, ...]
    checks: Mapping[str, CheckRow]
    rubrics: Mapping[str, Rubric]
    """By family id."""
