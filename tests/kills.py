"""Kills builds and evaluations with `kill -9`, at chance moments and at named places, resumes them, and looks at what is left.

    python -m tests.kills --kills 200

Every trial is a folder of its own: the command is started, killed up to four times, and let finish. It must then have written the bytes
that an uninterrupted run writes; no call that was answered at a kill may have been made again, and no more calls may have been paid twice
than were under way at the kills. The provider is a process of its own and its books say what was paid. LiteLLM takes seconds to import, so
it is imported once and every command is a fork.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.servers.books import digest

ROOT = Path(__file__).resolve().parents[1]
AT_MOST = 4
"""Kills of one trial."""
LEFT_OUT = ("spend.json", "beside.sha256", ".lock", "lock")
"""An account names what a kill cost, its digest with it; locks hold nothing."""
MODULES = ("cli.building", "cli.evaluating", "construct.build", "evaluate.run", "report.html")


class Job:
    """One command in a folder of its own."""

    def __init__(self, name: str, words: Sequence[str], ledger: str, prepare: Callable[[], None]) -> None:
        self.name, self.words, self.ledger, self.prepare = name, list(words), ledger, prepare
        self.template = Path(tempfile.mkdtemp(prefix=f"kills-{name}-"))
        done = forked(self._prepared)
        assert os.waitpid(done, 0)[1] == 0, f"{name} could not be prepared"

    def _prepared(self) -> None:
        os.chdir(self.template)
        self.prepare()

    def start(self, folder: Path, failpoint: str = "") -> int:
        """The process that runs the command."""
        return forked(lambda: self._run(folder, failpoint))

    def _run(self, folder: Path, failpoint: str) -> None:
        os.chdir(folder)
        os.environ["FAILPOINT"] = failpoint
        quiet = os.open(folder / "said.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.argv = ["tracedance", *self.words]
        from tracedance.cli.main import main

        main()


def forked(work: Callable[[], None]) -> int:
    """A child that does `work` and ends with the code that it asks for."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def tree(folder: Path) -> dict[str, str]:
    """What a run wrote: digests of its files but for the ledger, accounts and locks."""
    kept = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and path.name not in LEFT_OUT]
    kept = [path for path in kept if "ledger.sqlite" not in path.name and path.name != "said.log" and not path.name.startswith(".tmp-")]
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in kept}


class Harness:
    """Trials of one job against one provider."""

    def __init__(self, job: Job, base: str, seed: int) -> None:
        self.job, self.base, self.random = job, base, random.Random(seed)
        self.found: Counter[str] = Counter()
        self.problems: list[str] = []
        took = []
        for _ in range(2):  # the first warms caches of the machine
            began = time.monotonic()
            folder = self.folder()
            self.finish(folder)
            took.append(time.monotonic() - began)
            self.expected = tree(folder)
            shutil.rmtree(folder)
        self.seconds = min(took)

    def folder(self) -> Path:
        made = Path(tempfile.mkdtemp(prefix="kills-run-"))
        shutil.copytree(self.job.template, made / "w", symlinks=True)
        return made / "w"

    def finish(self, folder: Path) -> None:
        """Runs the command to its end."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.job.start(folder), 0)[1])
        if code != 0:
            self.problems.append(f"{self.job.name} ended with {code}: {(folder / 'said.log').read_text()[-300:]}")

    def books(self) -> Counter[str]:
        with urllib.request.urlopen(self.base.removesuffix("/v1") + "/books", timeout=30) as answer:
            return Counter(json.loads(answer.read())["calls"])

    def trial(self, failpoints: Sequence[str] = ()) -> None:
        """One folder: killed at the places given, or at chance moments, then finished and looked at."""
        folder, before = self.folder(), self.books()
        under_way, answered = 0, set()
        for point in failpoints or [""] * self.random.randint(1, AT_MOST):
            if not self.killed(folder, point):
                break
            states = self.states(folder)
            under_way += sum(state == "intent" for _, state in states)
            answered |= {(key, self.books()[key] - before[key]) for key, state in states if state == "answered"}
        self.finish(folder)
        paid = self.books() - before
        twice = sum(count - 1 for count in paid.values())
        self.found["twice"] += twice
        self.found["under_way"] += under_way
        self.found["trials"] += 1
        self.check(twice <= under_way, f"{twice} calls were paid twice, {under_way} were under way")
        self.check(all(paid[key] == count for key, count in answered), "a call that was answered was made again")
        left = tree(folder)
        differing = [name for name in {*left, *self.expected} if left.get(name) != self.expected.get(name)]
        self.check(not differing, f"{failpoints}: {differing[:3]} differ")
        shutil.rmtree(folder.parent)
        if self.found["trials"] % 10 == 0:
            print(f"{self.job.name}: {dict(self.found)}, {len(self.problems)} problems", file=sys.stderr, flush=True)

    def killed(self, folder: Path, point: str) -> bool:
        """Starts the command and kills it; False when it came to its end first."""
        child = self.job.start(folder, point)
        ends = time.monotonic() + (60 if point else self.random.uniform(0, 1.1 * self.seconds))
        while time.monotonic() < ends:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                hit = os.WIFSIGNALED(status)
                self.found["kills"] += hit
                return hit
            time.sleep(0.002)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.found["kills"] += 1
        return True

    def states(self, folder: Path) -> list[tuple[str, str]]:
        """Calls in the ledger, by the digest that the books use, with their states."""
        path = folder / self.job.ledger
        if not path.exists() or not path.stat().st_size:
            return []
        with sqlite3.connect(path) as db:
            self.check(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the ledger is damaged")
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'attempt'").fetchone():
                return []
            rows = db.execute("SELECT request, state FROM attempt JOIN call USING (key)").fetchall()
        asked = [(json.loads(zlib.decompress(request)), state) for request, state in rows]
        return [(digest(one["model"].partition("/")[2], one["messages"], one["tools"]), state) for one, state in asked]

    def check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.problems.append(f"{self.job.name}: {otherwise}")


def building(base: str) -> Job:
    """A build of eight instances, each confirmed by a model."""
    from tests.construct.stores import FAMILY, catalogue, commits, store
    from tests.servers.profiles import profile

    def prepare() -> None:
        here = Path.cwd()
        catalogue(here / "catalogue")
        store(here, [commits(number) for number in range(8)])
        shutil.rmtree(here / "raw")
        profile(here, base)

    words = [
        "build",
        "--family",
        FAMILY,
        "--store",
        "store",
        "--out",
        "out",
        "--catalogue",
        "catalogue",
        "--profile",
        "models-of-test.yaml",
    ]
    return Job("build", words, "store/ledger.sqlite", prepare)


def evaluating(base: str) -> Job:
    """An evaluation of one model on six instances by a panel."""
    from tests.evaluate.benchmarks import COMMIT, committing, published
    from tests.servers.profiles import profile

    def prepare() -> None:
        here = Path.cwd()
        published(here / "b", COMMIT, [committing(number) for number in range(6)])
        profile(here, base, ("judge-a", "judge-b", "judge-c"))

    path = f"b/{COMMIT.rpartition('/')[2]}"
    words = ["evaluate", path, "--model", "t/good", "--out", "r", "--profile", "models-of-test.yaml"]
    return Job("evaluate", words, "r/ledger.sqlite3", prepare)


def main() -> None:
    """Prints what was found as JSON; exits 1 where anything was lost, damaged, different or paid twice too often."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="at chance moments, over both commands")
    parser.add_argument("--points", type=int, help="only so many of the named places of each command, drawn by the seed")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    import importlib

    from tracedance import failpoint
    from tracedance.models import live

    for name in MODULES:
        importlib.import_module(f"tracedance.{name}")
    live.sdk()
    server = subprocess.Popen([sys.executable, "-m", "tests.servers.provider", "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = {}
    problems: list[str] = []
    try:
        assert server.stdout is not None
        base = server.stdout.readline().split()[2]
        for job, mine in ((building(base), failpoint.BUILD), (evaluating(base), failpoint.EVALUATE)):
            harness = Harness(job, base, given.seed)
            points = [*mine, *failpoint.CALL, *failpoint.FILES, *(f"{point}:5" for point in (*failpoint.CALL, *failpoint.FILES))]
            if given.points is not None:
                points = random.Random(given.seed).sample(points, given.points)
            for point in points:
                before = harness.found["kills"]
                harness.trial([point])
                harness.check(harness.found["kills"] > before, f"{point} was never passed")
            at_points = harness.found["kills"]
            while harness.found["kills"] - at_points < given.kills // 2:
                harness.trial()
            found[job.name] = {**harness.found, "at_points": at_points, "points": len(points), "seconds": round(harness.seconds, 2)}
            problems += harness.problems
            shutil.rmtree(job.template)
    finally:
        server.terminate()
    print(json.dumps({**found, "problems": problems[:10], "problem_count": len(problems)}, indent=1))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
