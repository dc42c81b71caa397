"""Pictures as inline SVG in percentages, so that they keep their shape from a phone to paper. Colours come from the page's style sheet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tracedance.report.visible import one_line
from tracedance.schema import PassRate

ROW = 46
TICKS = (0, 25, 50, 75, 100)


def percent(value: float) -> str:
    """A share in whole percent, without claiming 0 or 100 for what is not."""
    points = 100 * value
    if 0 < points < 1:
        return "<1%"
    return ">99%" if 99 < points < 100 else f"{points:.0f}%"


def in_words(row: PassRate) -> str:
    """A rate as a sentence's part."""
    if row.pass_rate is None or row.interval is None:
        return f"{row.model}: nothing assessed"
    low, high = row.interval
    return f"{row.model}: {percent(row.pass_rate)} ({share(row)}), 95% interval {percent(low)} to {percent(high)}"


def share(row: PassRate) -> str:
    """How many passed; with several samples, of how many instances too."""
    counts = f"{row.passed} of {row.assessed}"
    return (
        counts
        if row.instances == row.assessed
        else f"{counts} responses to {row.instances} {'instance' if row.instances == 1 else 'instances'}"
    )


@dataclass(frozen=True)
class Mark:
    """A rate on its interval, with what is to be read beside it; `rate` None where nothing was assessed."""

    label: str
    rate: float | None
    interval: Sequence[float] | None
    words: str


def mark_of(row: PassRate) -> Mark:
    """A row of a table of rates."""
    return Mark(row.model, row.pass_rate, row.interval, in_words(row))


def marks_of(rows: Iterable[tuple[str, float | None, Sequence[float] | None]]) -> list[Mark]:
    """Marks of (label, rate, interval)."""
    found = []
    for label, rate, ends in rows:
        told = (
            "nothing assessed"
            if rate is None or ends is None
            else f"{percent(rate)}, 95% interval {percent(ends[0])} to {percent(ends[1])}"
        )
        found.append(Mark(label, rate, ends, f"{label}: {told}"))
    return found


def intervals(rows: Sequence[PassRate], name: str) -> Markup:
    """The rates of one benchmark."""
    return dots([mark_of(row) for row in rows], name, "Pass rates with 95% intervals")


def dots(rows: Sequence[Mark], name: str, title: str) -> Markup:
    """Every rate as a dot on its interval, on one scale from 0 to 100%; the text alternative says the same. `name` makes its ids unique."""
    height = ROW * len(rows) + 24
    parts = [
        head("intervals", name, (title, "; ".join(row.words for row in rows)), height),
        Markup('<svg x="1%" width="98%" overflow="visible" aria-hidden="true">'),
    ]
    for tick in TICKS:
        anchor = "start" if tick == 0 else "end" if tick == 100 else "middle"
        parts.append(Markup('<line class="tick" x1="{0}%" x2="{0}%" y1="4" y2="{1}"/>').format(tick, height - 20))
        parts.append(Markup('<text class="axis" x="{0}%" y="{1}" text-anchor="{2}">{0}%</text>').format(tick, height - 4, anchor))
    for place, row in enumerate(rows):
        parts.append(dot(row, place * ROW))
    parts.append(Markup("</svg></svg>"))
    return Markup("").join(parts)


def head(kind: str, name: str, told: tuple[str, str], height: int) -> Markup:
    """The start of a picture with its text alternative: title and description."""
    title, words = told
    return Markup(
        '<svg class="{0}" role="img" aria-labelledby="{1}-t {1}-d" width="100%" height="{2}">'
        '<title id="{1}-t">{3}</title><desc id="{1}-d">{4}.</desc>'
    ).format(kind, name, height, title, one_line(words, 8000))


def dot(row: Mark, top: int) -> Markup:
    """One row: its name, its figures, and the dot on its interval."""
    label = Markup('<text class="label" x="0" y="{0}">{1}</text>').format(top + 18, one_line(row.label, 34))
    track = Markup('<line class="track" x1="0%" x2="100%" y1="{0}" y2="{0}"/>').format(top + 32)
    if row.rate is None or row.interval is None:
        return (
            label + track + Markup('<text class="value none" x="100%" y="{0}" text-anchor="end">nothing assessed</text>').format(top + 18)
        )
    low, high = row.interval
    return (
        label
        + Markup('<text class="value" x="100%" y="{0}" text-anchor="end">{1}</text>').format(top + 18, percent(row.rate))
        + track
        + Markup('<line class="span" x1="{0:.2f}%" x2="{1:.2f}%" y1="{2}" y2="{2}"/>').format(100 * low, 100 * high, top + 32)
        + Markup('<circle class="dot" cx="{0:.2f}%" cy="{1}" r="6"/>').format(100 * row.rate, top + 32)
    )


def stacked(rows: Sequence[tuple[str, Sequence[int]]], parts: Sequence[str], name: str, title: str) -> Markup:
    """Each row as one bar of 100%, cut by its counts; `parts` are their names, which the text alternative gives with the counts."""
    words = "; ".join(
        f"{label}: {', '.join(f'{part} {count}' for part, count in zip(parts, counts, strict=True))}" for label, counts in rows
    )
    drawn = [head("stack", name, (title, words), ROW * len(rows))]
    for place, (label, counts) in enumerate(rows):
        top, whole, start = place * ROW, sum(counts), 0.0
        drawn.append(Markup('<text class="label" x="0" y="{0}">{1}</text>').format(top + 16, one_line(label, 44)))
        drawn.append(Markup('<text class="value" x="100%" y="{0}" text-anchor="end">{1:,}</text>').format(top + 16, whole))
        for kind, count in enumerate(counts):
            if count:
                width = 100 * count / whole
                drawn.append(
                    Markup('<rect class="k{0}" x="{1:.3f}%" y="{2}" width="{3:.3f}%" height="16"/>').format(kind, start, top + 22, width)
                )
                start += width
    return Markup("").join([*drawn, Markup("</svg>")])


def heat(rate: float | None) -> str:
    """The class of a cell's colour: h0 for 0%, ... h10 for 100%."""
    return "none" if rate is None else f"h{round(10 * rate)}"


def bar(count: int, most: int) -> Markup:
    """A plain bar for a count that is written beside it."""
    share = 100 * count / most if most else 0
    return Markup(
        '<svg class="bar" width="100%" height="10" aria-hidden="true"><rect class="rest" width="100%" height="10" rx="2"/>'
        '<rect class="part" width="{:.2f}%" height="10" rx="2"/></svg>'
    ).format(share)
