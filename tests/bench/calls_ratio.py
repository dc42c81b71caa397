"""CPU per model call at 64 calls at a time: ours, with ledger, budget, gate and reading, over a bare `litellm.acompletion`.

    python -m tests.bench.calls_ratio --calls 300 --rounds 8

Each side is a process of its own with a LiteLLM of its own; they take turns, so that what else the machine does falls on both alike, and a
third process is the provider. CPU is user and system time of all threads of the side. Prints JSON; exits 1 where the ratio is above --most.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 64
MODULE = "tests.bench.calls_ratio"
SIDES = ("bare", "ours")


def text(number: int) -> str:
    """A question of a few hundred bytes, another each time: nothing comes from a cache."""
    return f"Fix part {number} and commit. " + "The file is src/part.py and its test fails on the second line. " * 5


def cpu() -> float:
    """Seconds of this process so far."""
    times = os.times()
    return times.user + times.system


def bare(base: str) -> Callable[[range], None]:
    """Makes calls with nothing but LiteLLM."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    import litellm

    litellm.suppress_debug_info = True

    async def make(numbers: range) -> None:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> None:
            async with room:
                messages = [{"role": "user", "content": text(number)}]
                await litellm.acompletion(
                    model="openai/good", messages=messages, api_base=base, api_key="none", max_tokens=200, max_retries=0
                )

        await asyncio.gather(*map(one, numbers))

    loop = asyncio.new_event_loop()
    return lambda numbers: loop.run_until_complete(make(numbers))


def ours(base: str) -> Callable[[range], None]:
    """Makes calls as an evaluation does."""
    from tests.servers.profiles import models
    from tracedance.evaluate.spread import spread
    from tracedance.models.call import call
    from tracedance.models.ledger import Ledger
    from tracedance.schema import ModelRequest

    folder = Path(tempfile.mkdtemp(prefix="calls-"))
    known, ledger = models(folder, base), Ledger(folder / "ledger")

    def make(numbers: range) -> None:
        asked = [
            ModelRequest(
                model="t/good", purpose="respond", messages=({"role": "user", "content": text(number)},), parameters={"max_tokens": 200}
            )
            for number in numbers
        ]
        answers = spread(partial(call, models=known, ledger=ledger), asked, AT_ONCE, lambda done, total: None)
        assert all(answer.status == "ok" for answer in answers)

    return make


def serve(side: str, base: str) -> None:
    """One side: for each line on standard input (first and last number) makes the calls and prints the CPU seconds that they took."""
    make = {"bare": bare, "ours": ours}[side](base)
    for line in sys.stdin:
        first, last = map(int, line.split())
        began = cpu()
        make(range(first, last))
        print(cpu() - began, flush=True)


@contextmanager
def child(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process of ours, ended at the end."""
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-m", *words], cwd=ROOT, stdin=-1, stdout=-1, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def asked(process: subprocess.Popen[str], line: str = "") -> str:
    """The next line that a child prints, once it was given one."""
    assert process.stdin is not None and process.stdout is not None
    if line:
        print(line, file=process.stdin, flush=True)
    return process.stdout.readline()


def compared(calls: int, rounds: int) -> dict[str, object]:
    """CPU milliseconds a call of each side, in the median of the rounds, and the ratio of the sums."""
    with child("tests.servers.provider", "--port", "0") as provider:
        base = asked(provider).split()[2]
        with child(MODULE, "--side", SIDES[0], base) as first, child(MODULE, "--side", SIDES[1], base) as second:
            sides = dict(zip(SIDES, (first, second), strict=True))
            took: dict[str, list[float]] = {name: [] for name in SIDES}
            for number in range(-1, rounds):  # the first warms up
                for name in SIDES if number % 2 else reversed(SIDES):
                    start = (number + 1) * calls
                    seconds = float(asked(sides[name], f"{start} {start + calls}"))
                    took[name] += [seconds] * (number >= 0)
    a_call = {name: round(1000 * statistics.median(found) / calls, 3) for name, found in took.items()}
    by_round = [round(mine / plain, 3) for plain, mine in zip(took["bare"], took["ours"], strict=True)]
    ratio = round(sum(took["ours"]) / sum(took["bare"]), 3)
    return {"at_once": AT_ONCE, "calls": calls * rounds, "cpu_ms_a_call": a_call, "ratio": ratio, "ratio_by_round": by_round}


def main() -> None:
    """The comparison, or one side of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=300, help="in a round, of each side")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--most", type=float, default=1.3, help="the ratio above which it fails")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        return serve(*given.side)
    found = compared(given.calls, given.rounds)
    print(json.dumps(found, indent=1))
    sys.exit(found["ratio"] > given.most)  # type: ignore[operator]


if __name__ == "__main__":
    main()
