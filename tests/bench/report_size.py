"""What a report of 1,000 instances x 9 models weighs, and how long a browser loads it beside plain text of the same size.

    python -m tests.bench.report_size [INSTANCES MODELS]

Fails above 30 MB, and above 3 times the load event of a page that holds the same number of bytes as plain text. Each is loaded in a fresh
browser, in turn; medians of the loads are compared. Without Chromium only the size is judged.
"""

import resource
import statistics
import sys
import tempfile
import time
from html import escape
from pathlib import Path
from typing import Any

from tests.compare.runs import JUDGES, Made, publish, write_run
from tests.report.browser import CHROMIUM, WHY_NOT, opened
from tracedance.report.html import render
from tracedance.schema import Message
from tracedance.store.benchmarks import write_benchmark

MOST_BYTES = 30_000_000
MOST_RATIO = 3.0
LOADS = 3
FAMILIES = 20
LINE = "The build fails with error E0308: mismatched types in src/part.rs, expected `u64`, found `usize` <here> & \u00e9lsewhere. "


def big(folder: Path, instances: int, models: int) -> Path:
    """A run as large as asked for: contexts of 40,000 characters, responses of 1,500, three votes of 600."""
    made = []
    for number in range(FAMILIES):
        bare = publish(folder / "bare", Made(f"bench-{number:02d}", size=instances // FAMILIES))
        items = [item.model_copy(update={"messages": (*item.messages, *turns())}) for item in bare.instances]
        path = write_benchmark(bare.manifest, items, list(bare.checks.values()), bare.rubrics, folder / "b")
        made.append(bare.model_copy(update={"path": str(path), "instances": tuple(items)}))
    names = [f"maker/model-{number}" for number in range(models)]
    run = write_run(folder / "r", made, names, lambda model, bench, number, sample: (5, 4, 5) if (number + len(model)) % 3 else (1, 2, 1))
    return longer(run)


def turns() -> list[Message]:
    """What a session of twenty turns adds to a context."""
    said = []
    for number in range(20):
        role: Any = "assistant" if number % 2 == 0 else "user"
        said.append(Message(role=role, author="model" if number % 2 == 0 else "user", content=LINE * 16, turn=100 + number))
    return said


def longer(run: Path) -> Path:
    """The same run with responses and rationales of a usual length."""
    from tests.evaluation_runs import jsonl, seal
    from tracedance.gate.runs import read_run

    held = read_run(run)
    responses = [row.model_copy(update={"text": LINE * 12}) for row in held.responses]
    grades = [
        row.model_copy(
            update={"votes": tuple(vote.model_copy(update={"rationale": LINE * 5, "quotes": (LINE.strip(),)}) for vote in row.votes)}
        )
        for row in held.grades
    ]
    (run / "responses.jsonl").write_text(jsonl(responses))
    (run / "grades.jsonl").write_text(jsonl(grades))
    return seal(run)


def plain(size: int) -> str:
    """A page of plain text, `size` bytes long."""
    line = escape(LINE) + "\n"
    head = "<!doctype html><meta charset=utf-8><title>plain</title><pre>"
    return head + (line * (size // len(line.encode()) + 1))[: size - len(head)]


def main(instances: int = 1000, models: int = 9) -> int:
    """Prints the figures; 1 where one is above its limit."""
    with tempfile.TemporaryDirectory() as folder:
        run = big(Path(folder), instances, models)
        started = time.process_time()
        page = render(run)
        size, spent = len(page.encode()), time.process_time() - started
        print(f"{instances} instances x {models} models, {len(JUDGES)} judges: {size / 1e6:.1f} MB in {spent:.1f} s of CPU")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
        if CHROMIUM is None:
            print(f"No load was measured: {WHY_NOT}.")
            return int(size > MOST_BYTES)
        pages = {name: Path(folder) / f"{name}.html" for name in ("report", "plain")}
        pages["report"].write_text(page, encoding="utf-8")
        pages["plain"].write_text(plain(size), encoding="utf-8")
        loads: dict[str, list[float]] = {name: [] for name in pages}
        for _ in range(LOADS):
            for name, path in pages.items():
                loads[name].append(opened(path).load)
        report, text = (statistics.median(loads[name]) for name in ("report", "plain"))
        print(f"load event: report {report:.0f} ms, plain text {text:.0f} ms, ratio {report / text:.2f} (medians of {LOADS})")
        return int(size > MOST_BYTES or report / text > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
