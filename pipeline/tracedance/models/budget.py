"""What a run may spend. The most that a call can cost is set aside before it leaves, and what is left of it comes back when it is settled:
so the sum of what was paid and what may yet be is never over the limit, whatever a provider says of its usage.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from tracedance.errors import InputError
from tracedance.models.prices import enough, told

OnUnknown = Literal["retry", "skip", "ask"]


@dataclass(frozen=True)
class Terms:
    """What a user lets a run do."""

    max_cost: int | None = None
    """Picodollars over the whole life of the run, calls of unknown outcome at their most; None: no limit."""
    on_unknown: OnUnknown = "retry"
    """What becomes of calls that were under way when an earlier process died."""
    run: str = ""
    """Which run of those that share a ledger."""


class BudgetReached(InputError):
    """The next call could cost more than is left."""

    def __init__(self, limit: int, spent: int, needed: int) -> None:
        super().__init__(
            f"The budget is reached: {told(spent)} of {told(limit)} is spent, and the next call may cost up to {told(needed)}. Finished "
            f"work is kept; the same command with --max-cost {enough(spent + needed)} or more continues.",
            4,
        )
        self.limit, self.spent, self.needed = limit, spent, needed


class Budget:
    """The money of one run, in picodollars. Safe in threads."""

    def __init__(self, limit: int | None, spent: int = 0) -> None:
        """`spent` is what earlier processes of the run paid, or may have."""
        self.limit, self.spent, self.reserved, self.under_way = limit, spent, 0, 0
        self._lock = threading.Lock()

    def reserve(self, amount: int) -> bool:
        """Sets an amount aside; False when it has to wait for calls under way. BudgetReached when there are none to wait for."""
        with self._lock:
            if self.limit is not None and self.spent + self.reserved + amount > self.limit:
                if not self.under_way:
                    raise BudgetReached(self.limit, self.spent, amount)
                return False
            self.reserved += amount
            self.under_way += 1
            return True

    def settle(self, reserved: int, paid: int) -> None:
        """Puts what was paid in place of what was set aside; never more than that, or the reservation was no bound."""
        with self._lock:
            self.reserved -= reserved
            self.under_way -= 1
            self.spent += min(max(paid, 0), reserved)
