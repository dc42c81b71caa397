"""How the calls of this process go, for whoever shows it: how many, what they came to, what was noted."""

from __future__ import annotations

from collections import deque

from tracedance.models.prices import told

calls = 0
repeats = 0
spent = 0
"""Picodollars; calls whose usage cannot be believed at their most."""
unpriced = 0
"""Calls whose price is unknown."""
notes: deque[str] = deque(maxlen=100)


def called(amount: int | None) -> None:
    """A call came to an end; None where its price is unknown."""
    global calls, spent, unpriced
    calls += 1
    if amount is None:
        unpriced += 1
    else:
        spent += amount


def repeated() -> None:
    """A call is made again."""
    global repeats
    repeats += 1


def note(text: str) -> None:
    """Something a person should know."""
    notes.append(text)


def line() -> str:
    """The spend so far in a few words; "" before the first call."""
    if not calls:
        return ""
    return told(spent) if not unpriced else f"{told(spent)} and {unpriced:,} calls of unknown price" if spent else "price unknown"
