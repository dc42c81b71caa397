"""Tens of thousands of mutants of every fixture: accounting exact, nothing raises, memory bounded. `make mutations` runs all 50,000."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("TRACEDANCE_MUTATIONS", "1500"))
SEED = int(os.environ.get("TRACEDANCE_MUTATIONS_SEED", "0"))


def test_every_record_of_every_mutant_is_accounted_for_within_512_mb() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "pipeline"), str(ROOT)))}
    command = [sys.executable, "-m", "tests.ingest.mutate", str(COUNT), str(SEED)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["mutations"] == COUNT
    assert told["sessions"] > COUNT // 2 and told["lost"] > COUNT // 2
    assert told["peak_mb"] < 512
