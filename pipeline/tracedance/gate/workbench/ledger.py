"""What a verdict on traces rests on."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from tracedance.gate.workbench.reading import JudgedRun
from tracedance.gate.workbench.rules import shown_name
from tracedance.schema import EvidenceRow, GateSpec, Invariants

NAMED = 5
"""Unread files that a row names."""


def traces_digest(runs: Iterable[JudgedRun]) -> str:
    """One digest over names and digests of a side's files; the folder's place does not count."""
    return hashlib.sha256(json.dumps([(run.file, run.digest) for run in runs]).encode()).hexdigest()


def trace_rows(baseline: Sequence[JudgedRun], candidate: Sequence[JudgedRun], spec: GateSpec) -> list[EvidenceRow]:
    """The traces of both sides, and of the candidate's what a trace need not hold."""
    invariants = spec.invariants or Invariants()
    outputs = any(run.output is not None for run in candidate)
    inputs = any(content is not None for run in candidate for content in run.inputs)
    return [
        EvidenceRow(source="baseline traces", status="used", digest=traces_digest(baseline)),
        EvidenceRow(source="candidate traces", status="used", digest=traces_digest(candidate)),
        EvidenceRow(source="canonical outputs", status=_status(bool(invariants.expected_output), outputs)),
        EvidenceRow(source="hashes of inputs", status=_status(invariants.max_retries is not None, inputs)),
    ]


def unread_row(side: str, beside: Sequence[str]) -> Iterator[EvidenceRow]:
    """A row on files that look like traces and were not read, where there are any."""
    if beside:
        few = ", ".join(map(shown_name, beside[:NAMED])) + (", ..." if len(beside) > NAMED else "")
        yield EvidenceRow(source=f"{side}: {len(beside)} files that are no *.json directly in the folder: {few}", status="not_used")


def _status(asked: bool, there: bool) -> Literal["used", "unavailable", "not_used"]:
    return "unavailable" if not there else "used" if asked else "not_used"
