"""Many calls at once, their results in the order in which they were asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]


def spread(work: Callable[[Job], Result], jobs: Sequence[Job], workers: int, progress: Callable[[int, int], None]) -> list[Result]:
    """`work` on every job, `workers` at a time.

    At an error or an interrupt no further job starts; those under way are finished, so that what they paid for is kept, and then it is
    raised.
    """
    if not jobs:
        return []
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        futures = [pool.submit(work, job) for job in jobs]
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            progress(done, len(jobs))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
