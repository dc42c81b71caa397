"""Traces written by hand for the tests of contracts: a run is the names of its steps, `!` behind one that failed."""

import json
from pathlib import Path
from typing import Any


def trace(identity: str, *steps: str) -> dict[str, Any]:
    spans = [
        {
            "ordinal": place,
            "type": "tool",
            "name": step.rstrip("!"),
            "status": "error" if step.endswith("!") else "success",
            "input_hash": f"{place:064}",
        }
        for place, step in enumerate(steps)
    ]
    source, redaction = {"platform": "test"}, {"applied": True}
    run = {"trace_id": identity, "final_status": "success"}
    return {"schema_version": "agent-behavior-trace/v0", "source": source, "run": run, "spans": spans, "redaction": redaction}


def folder(path: Path, *runs: str) -> Path:
    """A folder of traces, one a run: `folder(path, "check pay", "check pay!")`."""
    path.mkdir(parents=True)
    for number, steps in enumerate(runs):
        (path / f"run-{number:02}.json").write_text(json.dumps(trace(f"{path.name}-{number}", *steps.split())))
    return path
