"""A few of the kills of `make test-kill`: nothing answered is lost, and the bytes are those of an uninterrupted run."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_a_build_and_an_evaluation_survive_kill_9() -> None:
    words = [sys.executable, "-W", "ignore", "-m", "tests.kills", "--kills", "6", "--points", "4"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}{os.pathsep}{ROOT}"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert all(found[name]["kills"] >= 7 and found[name]["twice"] <= found[name]["under_way"] for name in ("build", "evaluate"))
