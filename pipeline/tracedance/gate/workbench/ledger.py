"""What a verdict on traces rests on."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Literal

from tracedance.gate.workbench.reading import JudgedRun
from tracedance.schema import EvidenceRow, GateSpec, Invariants


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


def _status(asked: bool, there: bool) -> Literal["used", "unavailable", "not_used"]:
    return "not_used" if not asked else "used" if there else "unavailable"
