"""What an import costs beside what it is measured against: `make bench-import`.

Only ratios within one run mean anything on a shared machine. So both sides of each ratio run in turn, in processes of their own, and the
best CPU time of each counts. inspect_scout and we are compared by whole processes, start-up included. Targets are those of the project's
design; a figure that misses its target is printed as such and is no error.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.memory import peak_mb

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("claude_code", "codex")
WARM = 200
"""Files that each of our imports reads before it is timed."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    figure: str
    measured: str
    target: str
    reached: bool | None


def files(folders: list[Path]) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


def json_pass(folders: list[Path]) -> float:
    """CPU seconds of a bare `json.loads` of every line."""
    started = time.process_time()
    for path in files(folders):
        with path.open("rb") as lines:
            for line in lines:
                try:
                    json.loads(line)
                except ValueError:
                    continue
    return time.process_time() - started


def our_import(folders: list[Path], redacting: bool, warm: int = WARM) -> tuple[float, int, float]:
    """CPU seconds of an import into a new store, the store's bytes, and the peak of memory in MB; `warm` files are read before."""
    from tracedance.privacy.redactor import Redactor
    from tracedance.store.importing import import_paths
    from tracedance.store.store import Store

    if not redacting:
        Store.redactor = lambda self: Redactor(self.key, active=False)  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as scratch:
        if warm:
            import_paths(Path(scratch, "first"), files(folders)[:warm])  # Modules are loaded and patterns compiled by then.
        started = time.process_time()
        import_paths(Path(scratch, "store"), folders)
        spent = time.process_time() - started
        size = sum(path.stat().st_size for path in Path(scratch, "store", "shards").iterdir())
    return spent, size, peak_mb()


def scout_import(folder: Path) -> float:
    """CPU seconds that inspect_scout's own importer of Claude Code sessions takes into its own database."""
    import asyncio

    from inspect_scout import transcripts_db
    from inspect_scout.sources import claude_code

    async def run() -> float:
        with tempfile.TemporaryDirectory() as scratch:
            started = time.process_time()
            async with transcripts_db(scratch) as database:
                await database.insert(claude_code(path=folder))
            return time.process_time() - started

    return asyncio.run(run())


SIDES: dict[str, Callable[[list[Path]], object]] = {
    "json": json_pass,
    "off": lambda folders: our_import(folders, False),
    "on": lambda folders: our_import(folders, True),
    "cold-off": lambda folders: our_import(folders, False, warm=0),
    "cold-on": lambda folders: our_import(folders, True, warm=0),
    "scout": lambda folders: scout_import(folders[0]),
}


def side(name: str, folders: list[Path]) -> list[float]:
    """One side, once, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.import_ratio", "--side", name, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    told = json.loads(done.stdout.splitlines()[-1])
    return told if isinstance(told, list) else [told]


def whole(name: str, folders: list[Path]) -> float:
    """CPU seconds of one side's whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    side(name, folders)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(names: list[str], folders: list[Path], rounds: int) -> dict[str, list[float]]:
    """The run of least CPU of each side, the sides in turn."""
    runs: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            runs[name].append(side(name, folders))
    return {name: min(found) for name, found in runs.items()}


def ratios(what: str, folders: list[Path], rounds: int) -> Iterator[Row]:
    """Import against `json.loads` over the same bytes, and the store against them."""
    raw = sum(path.stat().st_size for path in files(folders))
    found = best(["json", "off", "on"], folders, rounds)
    base = found["json"][0]
    off, on = found["off"][0] / base, found["on"][0] / base
    speed = raw / 1e6 / found["on"][0]
    yield Row(
        f"{what}: import / json.loads, redaction off", f"{off:.2f}  ({base * 1000:.0f} ms of {raw / 1e6:.0f} MB)", "<= 1.0", off <= 1.0
    )
    yield Row(f"{what}: import / json.loads, redaction on", f"{on:.2f}", "<= 8", on <= 8)
    yield Row(f"{what}: MB a second of CPU, redaction on", f"{speed:.0f}", ">= 20", speed >= 20)
    size = raw / found["on"][1]
    yield Row(f"{what}: raw / store", f"{size:.1f}", ">= 7", size >= 7)


def against_scout(folder: Path, rounds: int) -> Iterator[Row]:
    """Whole processes that import the same sessions: neither side is spared its start, and both load what they need once."""
    figure = "Claude Code, whole process: inspect_scout / ours, redaction"
    if find_spec("inspect_scout") is None:
        yield Row(figure, "not installed: make bench-import installs it", ">= 50", None)
        return
    runs = [[whole(name, [folder]) for name in ("cold-on", "cold-off", "scout")] for _ in range(rounds)]
    on, off, scout = map(min, zip(*runs, strict=True))
    for state, ours in (("on", on), ("off", off)):
        yield Row(f"{figure} {state}", f"{scout / ours:.1f}  ({scout:.1f} s / {ours:.2f} s)", ">= 50", scout / ours >= 50)


def memory(scratch: Path, sizes: tuple[int, int]) -> Iterator[Row]:
    """Peak memory of an import of a corpus and of one four times as large."""
    from tracedance.synth.corpus import write

    peaks = []
    for size in sizes:
        write(scratch / str(size), size)
        peaks.append(side("on", [scratch / str(size) / name for name in FORMATS])[2])
    growth = peaks[1] / peaks[0] - 1
    yield Row(f"peak memory, {sizes[1]:,} sessions", f"{peaks[1]:.0f} MB", "<= 400 MB", peaks[1] <= 400)
    yield Row(f"growth of it from {sizes[0]:,} to {sizes[1]:,} sessions", f"{growth:+.1%}", "<= 15%", growth <= 0.15)


def table(given: argparse.Namespace) -> Iterator[Row]:
    from tracedance.synth.corpus import write

    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus")
        write(corpus, given.sessions)
        yield from ratios(f"demo corpus, {given.sessions:,} sessions", [corpus / name for name in FORMATS], given.rounds)
        real = [given.traces / name for name in FORMATS if (given.traces / name).is_dir()]
        if real:
            yield from ratios("real traces", real, given.rounds)
        else:
            yield Row(f"real traces at {given.traces}", "absent", "", None)
        yield from against_scout(corpus / "claude_code", max(1, given.rounds // 2))
        if given.memory:
            yield from memory(Path(scratch), (given.memory // 4, given.memory))


def main() -> None:
    parser = argparse.ArgumentParser(description="Ratios of an import, beside their targets.")
    parser.add_argument("--sessions", type=int, default=1000, help="size of the demo corpus")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", type=int, default=10_000, help="sessions of the large corpus; 0 leaves memory out")
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces", help="real traces")
    parser.add_argument("--side", choices=sorted(SIDES), help=argparse.SUPPRESS)
    parser.add_argument("folders", nargs="*", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        print(json.dumps(SIDES[given.side](given.folders)))
        return
    print(f"{'figure':68} {'measured':32} {'target':10}")
    for row in table(given):
        verdict = "" if row.reached is None else "reached" if row.reached else "missed"
        print(f"{row.figure:68} {row.measured:32} {row.target:10} {verdict}", flush=True)


if __name__ == "__main__":
    main()
