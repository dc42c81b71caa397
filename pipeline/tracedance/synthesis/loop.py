"""The Anchor Synthesis Loop."""

from __future__ import annotations

from collections.abc import Callable

from tracedance.store.store import Store
from tracedance.synthesis.wanted import Desk, Refusal, SynthesisedFamily, Wanted

Progress = Callable[[int, int, str], None]


def synthesise(wanted: Wanted, store: Store, desk: Desk, progress: Progress | None = None) -> SynthesisedFamily | Refusal:
    """Write a family for `wanted` and prove it on `store`, or say why none came of it.

    Done once for a store's state it is not done again. InputError: a role is not played (2), no model could be reached (5), the budget is
    reached (4), another process writes the same family (7).
    """
    raise NotImplementedError
