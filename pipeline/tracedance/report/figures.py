"""Figures of a comparison as words, the same on terminal, page and Markdown; "-" where there is none."""

from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.report.visible import one_line

CORRECTED, BY_OWN = "Corrected", "By own labels"
UNTOLD = "labels do not tell"


def named(text: object) -> str:
    """A foreign name on one line."""
    return one_line(str(text), 60)


def several(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what if count == 1 else what + 's'}"


def percent(value: float | None) -> str:
    """A share in percent with one decimal."""
    return "-" if value is None else f"{100 * value:.1f}%"


def span(ends: Sequence[float] | None) -> str:
    """An interval of a share, in percent."""
    return "-" if not ends else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"


def signed(value: float | None) -> str:
    """A difference in percentage points."""
    return "-" if value is None else f"{100 * value:+.1f}"


def signed_span(ends: Sequence[float] | None) -> str:
    """An interval of a difference, in percentage points."""
    return "-" if not ends else f"{signed(ends[0])} to {signed(ends[1])}"


def points(value: float | None) -> str:
    """A distance in percentage points."""
    return "-" if value is None else f"{100 * value:.1f}"


def two(value: float | None) -> str:
    """A coefficient or a mean score."""
    return "-" if value is None else f"{value:.2f}"


def plus(value: float | None) -> str:
    """A difference of scores."""
    return "-" if value is None else f"{value:+.2f}"


def yes(value: bool) -> str:
    return "yes" if value else "no"


def p(value: float | None) -> str:
    """A p-value to two digits."""
    return "-" if value is None else f"{value:.2g}" if value >= 1e-6 else "<1e-6"


def mended(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The leaderboard's columns of rates by people's labels: those that hold anything."""
    labelled = [row["corrected"] for row in rows if row["corrected"]]
    return ([CORRECTED] if labelled else []) + ([BY_OWN] if any(made["by_own_labels"] for made in labelled) else [])


def corrected(row: Mapping[str, Any]) -> dict[str, str]:
    """A row's cells in these columns; "-" without labels, and words where labels leave no number (a note says why)."""
    made = row["corrected"]
    if not made:
        return {CORRECTED: "-", BY_OWN: "-"}
    ways = {CORRECTED: made if made["rate"] is not None else None, BY_OWN: made["by_own_labels"]}
    cells = {head: f"{percent(one['rate'])} ({span(one['interval'])})" if one else "-" for head, one in ways.items()}
    return {**cells, CORRECTED: UNTOLD if made["rate"] is None else cells[CORRECTED]}


def showable(least: Mapping[str, Any]) -> str:
    """What difference such data would show; `least` is `detectable`, whose figures are null where no difference would be shown."""
    one, every = (f"{points(least[name])} points" if least[name] is not None else None for name in ("one_pair", "all_pairs"))
    if one is None:
        return "Data like these show no difference 4 times in 5, however large: there are too few sessions."
    among = f"of {every} among all pairs" if every else "none among all pairs, however large"
    return f"Data like these show a difference of {one} at least 4 times in 5 for one pair named beforehand, {among}."
