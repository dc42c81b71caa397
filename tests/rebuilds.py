"""Grades made again and again: 50 evaluations in each of 4 settings, and not a byte of difference.

    python -m tests.rebuilds [--times 50]

A setting is a process of its own with its own hash seed, order of judges and models, and number of calls at once; joint and independent
grading are compared among themselves.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROWS = ("responses.jsonl", "grades.jsonl", "votes.parquet")
SETTINGS = 4


def digests(setting: int, times: int, benchmark: Path, folder: Path) -> list[str]:
    """mode:digest of every evaluation in one setting."""
    from tests.servers.profiles import profile
    from tests.servers.provider import Provider
    from tracedance.evaluate.run import evaluate

    draw = random.Random(setting)
    found = []
    with Provider(0) as provider:
        for number in range(times):
            seats = draw.sample(["judge-a", "judge-b", "judge-c"], 3)
            names = draw.sample(["t/good", "t/bad", "offline/source"], 3)
            mode = "joint" if number % 2 else "independent"
            options = {"profile": str(profile(folder, provider.base, tuple(seats))), "concurrency": (1, 3, 8, 32)[setting], "mode": mode}
            out = folder / f"r{number}"
            evaluate([benchmark], names, out, options)
            content = b"".join((out / name).read_bytes() for name in ROWS)
            found.append(f"{mode}:{hashlib.sha256(content).hexdigest()}")
    return found


def main() -> None:
    """Runs all settings, prints what came out, and exits with 1 unless each mode has one digest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--setting", type=int, help="run this one alone, print its digests")
    parser.add_argument("--benchmark", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.setting is not None:
            return print("\n".join(digests(given.setting, given.times, given.benchmark, folder)))
        from tests.evaluate.benchmarks import COMMIT, committing, published

        benchmark = published(folder / "b", COMMIT, [committing(number) for number in range(4)])
        found: Counter[str] = Counter()
        for setting in range(SETTINGS):
            words = ["--times", str(given.times), "--setting", str(setting), "--benchmark", str(benchmark)]
            command = [sys.executable, "-W", "ignore", "-m", "tests.rebuilds", *words]
            done = subprocess.run(
                command, env={**os.environ, "PYTHONHASHSEED": str(setting)}, stdout=subprocess.PIPE, text=True, check=True
            )
            found.update(done.stdout.split())
    for digest, count in sorted(found.items()):
        print(f"{digest} {count} evaluations")
    same = len({digest.partition(":")[0] for digest in found}) == len(found)
    print("The same to the byte." if same else "They differ.")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
