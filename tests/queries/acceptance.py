"""A whole query set put to builds by the scripted models, end to end: read, matched, families written, scanned, confirmed, published.

    python -m tests.queries.acceptance [FILE] [--sessions 2000]

The store is a synthetic corpus and the sessions of `tests.queries.supply`. Prints the table; exit 1 unless each sentence ends as FILE says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.queries import supply
from tests.servers.interpreting import MORE
from tests.servers.provider import Provider
from tracedance.resources import data


def main() -> int:
    """Runs the set and says what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", default=str(data("configs") / "queries.yaml"))
    parser.add_argument("--sessions", type=int, default=2000, help="of the synthetic corpus")
    given = parser.parse_args()
    os.environ[MORE] = given.file
    with tempfile.TemporaryDirectory() as folder, Provider(0) as provider:
        os.environ["TRACEDANCE_LOCAL_BASE"] = provider.base
        store = filled(Path(folder), given.sessions)
        found = json.loads(ran("queries", "run", given.file, "--store", store, "--profile", "local", "--json"))
    for row in found["queries"]:
        say(row)
    for name in ("build_targets", "interpretation", "rejections"):
        print(f"{name}: {found[name]['right']} of {found[name]['of']}")
    print(f"short of sessions: {found['short']}; another family than was asked for: {found['wrong_family']}")
    return int(not all(row["right"] for row in found["queries"]))


def filled(folder: Path, sessions: int) -> Path:
    """The store."""
    ran("synth", "--sessions", sessions, "--seed", 7, "--out", folder / "corpus")
    ran("import", folder / "corpus", supply.write(folder / "more"), "--store", folder / "store")
    return folder / "store"


def ran(*words: object) -> str:
    """One command of the product; what it says on standard error, a progress bar among it, is shown."""
    done = subprocess.run([sys.executable, "-m", "tracedance", *map(str, words)], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words[0]} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def say(row: dict[str, Any]) -> None:
    """One sentence."""
    mark = "right" if row["right"] else "short" if row["short"] else "WRONG"
    wanted = row["expected_code"] or row["expected"]
    families = " + ".join(name.partition("/")[2] for name in row["families"])
    made = "/".join(str(count) for count in row["instances"])
    print(f"{mark}  {row['id']:<5} {row['kind']:<22} wanted {wanted}, got {row['code'] or row['outcome']}  {families}  {made}".rstrip())
    if not row["right"]:
        print(f"       {row['message'][:500]}")


if __name__ == "__main__":
    sys.exit(main())
