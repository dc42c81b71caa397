"""The table of a scan for the terminal: families by group, what a rule refuses, and the first places of each."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracedance.report.columns import Columns
from tracedance.report.text import between, rate, said
from tracedance.report.visible import one_line

PLACES = 3
"""Places listed under each family."""
GROUPS = {
    "valid_call": "Valid calls",
    "check_first": "Check first",
    "handle_failure": "Handle failure",
    "honest_claim": "Honest claims",
}
READING = (
    "By rule and unconfirmed: no model has looked at these places. A rate is offences per opportunity found, with its 95% interval; "
    "hits that a guard of the family refuses are no offences."
)


def scan_table(scanned: Mapping[str, Any]) -> RenderableType:
    """The result of `scan --json`: one row a family under its group, what a breakdown was asked for, then the first places of each."""
    table = Columns(["Family"], ["Offences", "Rate", "Interval", "Sessions"])
    for group, rows in by_group(scanned["families"]).items():
        table.add(Text(GROUPS.get(group, group), style="bold"))
        for family in rows:
            table.add(Text("  ").append(said(label(family), 80)), *cells(family))
    parts: list[RenderableType] = [Text(f"{scanned['sessions']:,} sessions"), table]
    parts += [broken_down(scanned, name) for name in scanned.get("by", {})]
    for family in scanned["families"]:
        parts += places(family["id"], family["places"])
    parts += refusals(scanned["families"])
    parts += [Text(line, style="dim") for line in narrow(scanned["families"])]
    return Group(*parts, Text(READING, style="dim"))


def by_group(families: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Families by group, groups in the order of the catalogue."""
    found: dict[str, list[Mapping[str, Any]]] = {group: [] for group in GROUPS}
    for family in families:
        found.setdefault(family["group"], []).append(family)
    return {group: rows for group, rows in found.items() if rows}


def label(family: Mapping[str, Any]) -> str:
    """A family's bare name, with a star where its rate is one among few places."""
    return f"{family['id'].rpartition('/')[2]}{'*' if is_narrow(family) else ''}"


def is_narrow(family: Mapping[str, Any]) -> bool:
    """Whether a row shows a rate that a reader may take for one among all calls or commits."""
    return bool(family.get("rate_among")) and family["rate"] is not None


def narrow(families: Sequence[Mapping[str, Any]]) -> list[str]:
    """The footnote: what the rates of starred families are shares of."""
    told = [
        f"{one_line(family['id'].rpartition('/')[2], 60)}: {one_line(family['rate_among'], 120)}"
        for family in families
        if is_narrow(family)
    ]
    return (
        [f"* A rate among {'; '.join(told)}. It is high by its definition and says nothing of how often calls or commits go wrong."]
        if told
        else []
    )


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The figures of one row."""
    count = f"{row['offences']:,}" if row["opportunities"] is None else f"{row['offences']:,} of {row['opportunities']:,}"
    return count, rate(row["rate"]), between(row["interval"]), f"{row['sessions']:,}"


def broken_down(scanned: Mapping[str, Any], name: str) -> RenderableType:
    """One table of families by one thing that sessions differ in; families without a place are left out."""
    table = Columns([f"Family by {name}"], ["Offences", "Rate", "Interval", "Sessions"])
    for family in scanned["families"]:
        if family["by"][name]:
            table.add(said(label(family), 80))
        for row in family["by"][name]:
            table.add(Text("  ").append(said(row["value"], 60)), *cells(row))
    values = scanned["by"][name]
    counts = ", ".join(f"{one_line(value, 60)} {count:,}" for value, count in values.items())
    return Group(table, Text(f"Sessions scanned by {name}: {counts}", style="dim"))


def places(family: str, found: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """The first places of a family that no guard refuses, and how many more there are."""
    standing = [place for place in found if not place.get("refused_by")]
    if not standing:
        return []
    lines: list[RenderableType] = [said(family, 80)]
    for place in standing[:PLACES]:
        aside = " (reserved)" if place.get("reserved") else ""
        told = f"{one_line(str(place['session']), 40)} turn {place['turn']}{aside}: {place['why']}"
        lines.append(Padding(said(told, 200), (0, 0, 0, 2)))
    if len(standing) > PLACES:
        lines.append(Text(f"  and {len(standing) - PLACES:,} more (--json lists all, --html shows them in their context)", style="dim"))
    return lines


def refusals(families: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    """How many hits of which family a guard refuses."""
    refused = [family for family in families if family["refused"]]
    if not refused:
        return []
    told = ", ".join(f"{one_line(family['id'].rpartition('/')[2], 60)} {family['refused']:,} of {family['hits']:,}" for family in refused)
    hits, out = sum(family["hits"] for family in families), sum(family["refused"] for family in refused)
    return [Text(f"Guards refuse {out:,} of {hits:,} hits, which are not counted as offences: {told}.", style="dim")]
