"""What the gate over 5,000 traces costs beside one `json.loads` pass over the same files, in CPU seconds of this process.

Three corpora: runs of 40 spans that mostly agree, runs of which no two agree (the worst case for the distances), and short runs (for which
what is done once a file and once a report weighs most). Exit code 1 where one costs more than three times the pass.
"""

import gc
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracedance.gate.report import judge, report_json
from tracedance.gate.sides import given
from tracedance.schema import GateSpec

TRACES, ROUNDS, MOST = 5000, 5, 3.0
CORPORA = {"alike": (40, 0.9), "all different": (40, 0.0), "short": (8, 0.9)}
"""Name -> (spans a trace, share of runs that take the usual path)."""
TOOLS = ["Read", "Edit", "Bash", "Grep", "tests", "commit", "Write", "Task"]
SPEC = {
    "schema_version": "behavior-spec/v0",
    "id": "bench",
    "invariants": {
        "required_tools": ["Read", "Edit"],
        "forbidden_tools": ["drop_table", "mcp__*delete*"],
        "required_order": [{"before": "tests", "after": "commit"}],
        "max_path_length": 60,
        "max_errors": 9,
        "max_retries": 20,
    },
    "thresholds": {
        "path_edit_distance_warn": 0.5,
        "fingerprint_distance_warn": 5,
        "tool_jaccard_warn": 0.5,
        "min_wilson_pass_rate": 0.1,
        "violating_runs": "count",
        "sprt": {"enabled": True},
        "comparison": {"alpha": 0.02},
    },
}


def trace(rng: random.Random, number: int, steps: int, alike: float) -> dict[str, Any]:
    """One run in the form that `trace export` writes."""
    usual = [TOOLS[place % len(TOOLS)] for place in range(steps // 2)]
    names = usual if rng.random() < alike else [rng.choice(TOOLS) for _ in usual]
    spans = []
    for ordinal in range(steps):
        named = ordinal % 2 == 1
        spans.append(
            {
                "span_id": f"span_{ordinal}_{rng.randrange(16**3):03x}",
                "ordinal": ordinal,
                "type": "tool" if named else "llm",
                "name": names[ordinal // 2] if named else "assistant_turn",
                "status": "error" if rng.random() < 0.05 else "success",
                "started_at": "2026-05-24T12:00:00.000Z",
                "duration_ms": rng.randrange(9000),
                "input_hash": hashlib.sha256(rng.randbytes(8)).hexdigest(),
                "output_hash": hashlib.sha256(rng.randbytes(8)).hexdigest(),
                "attributes": {
                    "model": "a-model",
                    "tool_name": None,
                    "token_input_count": 4827,
                    "token_output_count": 33,
                    "redacted": True,
                },
            }
        )
    return {
        "schema_version": "agent-behavior-trace/v0",
        "source": {"platform": "claude_code", "export_format": "jsonl", "exported_at": "2026-05-24T12:00:00.000Z", "source_hash": "0" * 64},
        "run": {"trace_id": f"{number:016x}", "scenario_id": "bench", "environment": None, "final_status": "success"},
        "spans": spans,
        "redaction": {"applied": True, "method": "hash-only", "removed_fields": ["message.content", "tool_input", "tool_output"]},
    }


def corpus(root: Path, steps: int, alike: float) -> list[Path]:
    """Two folders, half of the traces each."""
    rng = random.Random(9)
    sides = [root / "base", root / "candidate"]
    for side in sides:
        side.mkdir(parents=True)
        for number in range(TRACES // 2):
            (side / f"run-{number:05}.json").write_text(json.dumps(trace(rng, number, steps, alike), indent=1))
    return sides


def cpu(work: Callable[[], object]) -> float:
    """The least CPU time of several rounds."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return min(times)


def main() -> int:
    """Prints a line a corpus; 1 where the gate costs too much."""
    spec, worst = GateSpec.model_validate(SPEC), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, about in CORPORA.items():
            sides = corpus(Path(folder) / name.replace(" ", "-"), *about)
            files = [path for side in sides for path in sorted(side.iterdir())]
            plain = cpu(lambda files=files: [json.loads(path.read_bytes()) for path in files])  # type: ignore[misc]
            gated = cpu(lambda sides=sides: report_json(judge(*(given([str(side)]) for side in sides), spec)))  # type: ignore[misc]
            worst = max(worst, gated / plain)
            size = sum(path.stat().st_size for path in files) / 1e6
            print(
                f"{name:14} {len(files):,} traces, {size:.0f} MB: json.loads {plain:.2f} s, gate {gated:.2f} s, ratio {gated / plain:.2f}"
            )
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
