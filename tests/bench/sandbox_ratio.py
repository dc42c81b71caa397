"""What confinement costs: one anchor over the same frames in a confined worker and in a plain one. Fails above 1.3 times.

    python -m tests.bench.sandbox_ratio [sessions] [rounds]

Rounds alternate the two, in processor seconds of the worker and in wall time; the least of each is compared.
"""

import resource
import sys
import time
from collections.abc import Sequence

from tests.synthesis.sample import sound
from tracedance.kit import sessions
from tracedance.schema import Session
from tracedance.synthesis import process
from tracedance.synthesis.frames import Job
from tracedance.synthesis.passes import shown
from tracedance.synthesis.process import Limits, Worker

MOST = 1.3
PLAIN = (
    "import sys; sys.path[:0] = sys.argv[1].split('\\n'); from tracedance.synthesis.worker import main; "
    "main(sys.argv[2], lambda bounds, parent: None)"
)


def recorded(number: int) -> Session:
    """A session of 60 turns with results of a few KB."""
    turns: list[dict[str, object]] = [{"user": f"Work through list {number}."}]
    for step in range(29):
        failed = (number + step) % 23 == 0
        turns.append({"text": "Next.", "call": {"Bash": {"command": f"pytest tests/test_{step}.py && git status"}}})
        turns.append({"error": "exit 1"} if failed else {"result": f"line {number}\n" * 200})
    return sessions.build([*turns, {"text": "Done."}], id=f"b{number}")


def seconds(entry: str, frames: Sequence[bytes]) -> tuple[float, float]:
    """(wall, processor) seconds of a worker for all frames, its start left out of the wall time."""
    draft = sound()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Worker(Job(draft.name, draft.source, dict(draft.params), [], 500), Limits(), entry) as worker:
        began = time.monotonic()
        for frame in frames:
            assert not worker.ask(frame).raised
        wall = time.monotonic() - began
        worker.finish()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    count, rounds = (*map(int, sys.argv[1:]), *(10_000, 3)[len(sys.argv) - 1 :])
    told = [recorded(number) for number in range(min(count, 500))]
    frames = [shown(each, Limits()).data or b"" for each in told] * (count // len(told))
    measured: dict[str, list[tuple[float, float]]] = {"plain": [], "confined": []}
    for _ in range(rounds):
        measured["plain"].append(seconds(PLAIN, frames))
        measured["confined"].append(seconds(process.ENTRY, frames))
    best = {name: [min(column) for column in zip(*rows, strict=True)] for name, rows in measured.items()}
    size = sum(map(len, frames)) / 1e6
    print(f"{len(frames):,} sessions, {size:,.0f} MB of frames, least of {rounds} rounds")
    for name, (wall, processor) in best.items():
        print(f"  {name:9} {wall:7.2f} s wall   {processor:7.2f} s processor")
    ratios = [confined / plain for confined, plain in zip(best["confined"], best["plain"], strict=True)]
    print(f"  ratio     {ratios[0]:7.2f} wall     {ratios[1]:7.2f} processor   (at most {MOST})")
    sys.exit(ratios[1] > MOST)


if __name__ == "__main__":
    main()
