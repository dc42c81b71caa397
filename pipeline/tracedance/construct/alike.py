"""Contexts that are nearly one another's copies: the same task run twice, a fork that went on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from tracedance.config import build_settings
from tracedance.schema import Instance, Message

if TYPE_CHECKING:
    from datasketch import MinHash

NEAR, LEAST = build_settings().near_duplicate, build_settings().near_duplicate_least
RUN = 5
"""Words in a run."""
PERMUTATIONS = 256
"""An estimate of a Jaccard index of 0.9 is off by 0.02 (one standard error, sqrt(J (1 - J) / n); Broder 1997)."""


class Kept:
    """The contexts that are in a benchmark so far."""

    def __init__(self) -> None:
        self._signatures: list[MinHash] = []

    def near(self, instance: Instance) -> bool:
        """Whether a context is nearly one of those that were added."""
        if NEAR >= 1:
            return False
        mine = signature(instance.id, instance.messages)
        return mine is not None and any(mine.jaccard(other) >= NEAR for other in self._signatures)

    def add(self, instance: Instance) -> None:
        """The context is in the benchmark from now on."""
        if NEAR < 1 and (mine := signature(instance.id, instance.messages)) is not None:
            self._signatures.append(mine)


@lru_cache(maxsize=4096)
def signature(identity: str, messages: tuple[Message, ...]) -> MinHash | None:
    """A context's MinHash, None where it says too little. It is asked for after every batch, so it is kept under the instance's id."""
    runs = set(shingles(messages))
    if len(runs) < LEAST:
        return None
    from datasketch import MinHash

    made = MinHash(num_perm=PERMUTATIONS, seed=1)
    made.update_batch(sorted(run.encode("utf-8", "replace") for run in runs))
    return made


def shingles(messages: tuple[Message, ...]) -> Iterator[str]:
    """Every run of five words that users, the model and tools wrote; calls with their arguments."""
    for message in messages:
        if message.author in ("system", "harness"):
            continue
        texts = [message.content, *(f"{call.name} {call.arguments}" for call in message.tool_calls)]
        words = " ".join(texts).split()
        yield from (" ".join(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1)))
