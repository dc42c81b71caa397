"""Pictures as inline SVG in percentages, so that they keep their shape from a phone to paper. Colours come from the page's style sheet."""

from collections.abc import Sequence

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


def intervals(rows: Sequence[PassRate], name: str) -> Markup:
    """Every rate as a dot on its interval, on one scale from 0 to 100%; the text alternative says the same. `name` makes its ids unique."""
    height = ROW * len(rows) + 24
    parts = [
        Markup('<svg class="intervals" role="img" aria-labelledby="{0}-t {0}-d" width="100%" height="{1}">').format(name, height),
        Markup('<title id="{0}-t">Pass rates with 95% intervals</title><desc id="{0}-d">{1}.</desc>').format(
            name, one_line("; ".join(map(in_words, rows)), 4000)
        ),
        Markup('<svg x="1%" width="98%" overflow="visible" aria-hidden="true">'),
    ]
    for tick in TICKS:
        anchor = "start" if tick == 0 else "end" if tick == 100 else "middle"
        parts.append(Markup('<line class="tick" x1="{0}%" x2="{0}%" y1="4" y2="{1}"/>').format(tick, height - 20))
        parts.append(Markup('<text class="axis" x="{0}%" y="{1}" text-anchor="{2}">{0}%</text>').format(tick, height - 4, anchor))
    for place, row in enumerate(rows):
        parts.append(interval(row, place * ROW))
    parts.append(Markup("</svg></svg>"))
    return Markup("").join(parts)


def interval(row: PassRate, top: int) -> Markup:
    """One row: the model's name, its figures, and the dot on its interval."""
    label = Markup('<text class="label" x="0" y="{0}">{1}</text>').format(top + 18, one_line(row.model, 34))
    track = Markup('<line class="track" x1="0%" x2="100%" y1="{0}" y2="{0}"/>').format(top + 32)
    if row.pass_rate is None or row.interval is None:
        return (
            label + track + Markup('<text class="value none" x="100%" y="{0}" text-anchor="end">nothing assessed</text>').format(top + 18)
        )
    low, high = row.interval
    return (
        label
        + Markup('<text class="value" x="100%" y="{0}" text-anchor="end">{1}</text>').format(top + 18, percent(row.pass_rate))
        + track
        + Markup('<line class="span" x1="{0:.2f}%" x2="{1:.2f}%" y1="{2}" y2="{2}"/>').format(100 * low, 100 * high, top + 32)
        + Markup('<circle class="dot" cx="{0:.2f}%" cy="{1}" r="6"/>').format(100 * row.pass_rate, top + 32)
    )


def bar(count: int, most: int) -> Markup:
    """A plain bar for a count that is written beside it."""
    share = 100 * count / most if most else 0
    return Markup(
        '<svg class="bar" width="100%" height="10" aria-hidden="true"><rect class="rest" width="100%" height="10" rx="2"/>'
        '<rect class="part" width="{:.2f}%" height="10" rx="2"/></svg>'
    ).format(share)
