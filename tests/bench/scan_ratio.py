"""What a scan costs beside what it is measured against: `make bench-scan`.

Only ratios within one run mean anything on a shared machine. So the sides of each ratio run in turn, in processes of their own, and the
best CPU time of each counts; sides that must find the same are held to it. Targets are those of the project's design; a figure that
misses its target is printed as such and is no error.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.bench.import_ratio import Row
from tests.bench.scan_sides import COMMITS, PLAIN, make

ROOT = Path(__file__).resolve().parents[2]
ONE = "guard_bypass_after_block"
"""The single family of the first figure: a narrow condition, as a single question to a store has."""
PAPER = 252_557
"""Sessions of the paper's collection, to which a figure is extrapolated."""
KINDS = ("claude_code", "codex", "chat")
Told = dict[str, Any]


def side(name: str, folder: Path, *families: str) -> Told:
    """One side, once, in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.scan_sides", name, str(folder), *families]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    told: Told = json.loads(done.stdout.splitlines()[-1])
    return told


def best(sides: dict[str, Callable[[], Told]], rounds: int) -> dict[str, Told]:
    """Of each side the least that each figure came to, the sides in turn."""
    runs: dict[str, list[Told]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            runs[name].append(run())
    return {name: {key: min(one[key] for one in found) for key in found[0]} for name, found in runs.items()}


def same(*told: Told) -> None:
    """Raises where two sides found different things."""
    if len({one["found"] for one in told}) > 1:
        raise AssertionError(f"The sides do not find the same: {[one['found'] for one in told]}")


def row(figure: str, value: float, told: str, target: str, reached: bool) -> Row:
    """One line with one figure."""
    return Row(figure, f"{value:.2f}{f'  ({told})' if told else ''}", target, reached)


def against_naive(what: str, folder: Path, rounds: int, names: tuple[str, ...], least: float) -> Iterator[Row]:
    """A pass against a json loop that makes the same sessions and runs the same anchors on all of them."""
    found = best({"naive": lambda: side("naive", folder, *names), "ours": lambda: side("engine", folder, *names)}, rounds)
    naive, ours = found["naive"], found["ours"]
    same(naive, ours)
    whole = naive["json"] + naive["build"] + naive["anchors"]
    shown = f"{whole:.2f} s / {ours['cpu']:.2f} s; sessions made for nothing: {(naive['json'] + naive['anchors']) / ours['cpu']:.1f}"
    yield row(f"{what}: naive json loop / scan", whole / ours["cpu"], shown, f">= {least:.0f}", whole / ours["cpu"] >= least)


def against_reading(what: str, folder: Path, rounds: int, sessions: int) -> Iterator[Row]:
    """All families in one pass against reading alone."""
    found = best({"bare": lambda: side("bare", folder), "ours": lambda: side("engine", folder)}, rounds)
    value = found["ours"]["cpu"] / found["bare"]["cpu"]
    each = found["ours"]["cpu"] / sessions
    shown = f"{each * 1e6:.0f} / {found['bare']['cpu'] / sessions * 1e6:.0f} us a session"
    yield row(f"{what}: all families in one pass / bare read of their columns", value, shown, "<= 2.0", value <= 2)
    yield Row(f"{what}: extrapolated to {PAPER:,} such sessions", f"{each * PAPER / 60:.1f} CPU minutes", "", None)


def against_passes(what: str, folder: Path, rounds: int) -> Iterator[Row]:
    """One pass against a pass a family."""
    found = best({"passes": lambda: side("passes", folder), "ours": lambda: side("engine", folder)}, rounds)
    same(found["passes"], found["ours"])
    value = found["passes"]["cpu"] / found["ours"]["cpu"]
    yield row(f"{what}: a pass for each family / one pass", value, "", ">= 4", value >= 4)


def rescan(what: str, folder: Path, rounds: int) -> Iterator[Row]:
    """A scan with nothing new, the table included."""
    found = best({"full": lambda: side("full", folder), "again": lambda: side("again", folder)}, rounds)
    full, again = found["full"]["cpu"], found["again"]["cpu"]
    yield Row(
        f"{what}: a rescan with nothing new / a full scan", f"{again / full:.1%}  ({again * 1000:.0f} ms)", "<= 2%", again <= 0.02 * full
    )


def against_scout(folder: Path, scratch: Path, rounds: int) -> Iterator[Row]:
    """One rule on the same Claude Code sessions, each side on its own database."""
    figure = "inspect_scout / ours, one rule"
    if find_spec("inspect_scout") is None:
        yield Row(figure, "not installed: make bench-scan installs it", ">= 300", None)
        return
    few = scratch / "few"
    few.mkdir()
    for path in sorted((folder / "raw" / "claude_code").rglob("*.jsonl"))[:300]:
        shutil.copy(path, few / path.name)
    make(scratch / "scout", few)
    found = best(
        {"scout": lambda: side("scout", scratch / "scout"), "ours": lambda: side("engine", scratch / "scout", COMMITS)}, max(1, rounds // 2)
    )
    scout, ours = found["scout"], found["ours"]
    if scout["count"] != int(ours["found"].partition("-")[0]):
        raise AssertionError(f"The sides do not find the same: {scout['count']} and {ours['found']}")
    value = scout["cpu"] / ours["cpu"]
    yield row(
        figure, value, f"{scout['cpu']:.2f} s / {ours['cpu'] * 1000:.0f} ms for {scout['transcripts']} sessions", ">= 300", value >= 300
    )


def large(scratch: Path, sizes: tuple[int, int]) -> Iterator[Row]:
    """Memory of a pass and its growth over a corpus four times as large; two processes on the larger one."""
    peaks = []
    for size in sizes:
        corpus(scratch / str(size), size)
        peaks.append(side("worker", scratch / str(size))["mb"])
    growth = peaks[1] / peaks[0] - 1
    yield Row(f"peak memory of a worker, {sizes[1]:,} sessions", f"{peaks[1]:.0f} MB", "<= 400 MB", peaks[1] <= 400)
    yield Row(f"growth of it from {sizes[0]:,} to {sizes[1]:,} sessions", f"{growth:+.1%}", "<= 15%", growth <= 0.15)
    told = side("jobs", scratch / str(sizes[1]))
    value = told["1"] / told["2"]
    yield row("wall time of one process / two, start-up included", value, f"{told['1']:.1f} s / {told['2']:.1f} s", ">= 1.7", value >= 1.7)
    longest = told["own2"] + told["workers2"] / 2
    shown = f"{told['own1']:.1f} s / {told['own2']:.1f} s and {told['workers2'] / 2:.1f} s a worker"
    yield row("the same in CPU time, as on two free cores", told["own1"] / longest, shown, ">= 1.7", told["own1"] / longest >= 1.7)


def corpus(folder: Path, sessions: int) -> None:
    """A synthetic corpus with the prevalence of real traces, in the form that the sides read."""
    from tracedance.synth.exam import corpus as exam
    from tracedance.synth.exam.plan import Wish

    made = exam.write(folder / "corpus", sessions, Wish(7))
    (made.path / "places.jsonl").unlink()
    make(folder, made.path)


def table(given: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        folder, what = scratch / "bench", f"{given.sessions:,} synthetic sessions"
        corpus(folder, given.sessions)
        yield from against_naive(f"{what}, 1 family", folder, given.rounds, (ONE,), 40)
        yield from against_naive(f"{what}, all families", folder, given.rounds, (), 10)
        yield from against_naive(f"{what}, a Python anchor without condition", folder, given.rounds, (PLAIN,), 15)
        yield from against_reading(what, folder, given.rounds, given.sessions)
        yield from against_passes(what, folder, max(1, given.rounds // 2))
        yield from rescan(what, folder, given.rounds)
        yield from against_scout(folder, scratch, given.rounds)
        if given.traces.is_dir():
            make(scratch / "real", given.traces)
            from tracedance.store.store import Store

            yield from against_reading(
                "real traces", scratch / "real", given.rounds, len(Store.open(scratch / "real" / "store").sessions())
            )
        else:
            yield Row(f"real traces at {given.traces}", "absent", "", None)
        if given.memory:
            yield from large(scratch, (given.memory // 4, given.memory))


def main() -> None:
    parser = argparse.ArgumentParser(description="Ratios of a scan, beside their targets.")
    parser.add_argument("--sessions", type=int, default=2000, help="size of the synthetic corpus")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", type=int, default=20_000, help="sessions of the large corpus; 0 leaves it out")
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces", help="real traces")
    for one in table(parser.parse_args()):
        verdict = "" if one.reached is None else "reached" if one.reached else "MISSED"
        print(f"{one.figure:84} {one.measured:70} {one.target:10} {verdict}", flush=True)


if __name__ == "__main__":
    main()
