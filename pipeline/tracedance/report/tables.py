"""Every table of a comparison, laid out once as words: terminal, page and Markdown print this list, so that none can forget one.

A cell is plain text, foreign parts of it on one line; whoever prints it escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.report.figures import corrected, mended, named, p, percent, points, several, showable, signed, signed_span, span, yes
from tracedance.report.visible import one_line

Found = Mapping[str, Any]
Place = Literal["funnel", "board", "families", "profiles", "scores", "actions"]


@dataclass(frozen=True)
class Table:
    """Columns of words, then columns of figures; `prose` are those columns of words that hold sentences."""

    text: tuple[str, ...]
    figures: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    prose: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chapter:
    """One analysis. Without tables, `says` is why there is nothing to show."""

    keys: tuple[str, ...]
    """What of the comparison's JSON it tells."""
    title: str
    place: Place
    """The part of the page in which it stands."""
    says: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    facet: str = ""
    """Of rates by a facet, which: a page colours these."""


def table(text: Sequence[str], figures: Sequence[str], rows: Iterable[Sequence[str]], prose: Sequence[str] = ()) -> Table:
    """A table from whatever sequences its parts are."""
    return Table(tuple(text), tuple(figures), tuple(map(tuple, rows)), tuple(prose))


def comparable(found: Found) -> Iterator[Chapter]:
    """What is compared, the leaderboard, and the rates by part: the first half of `chapters`."""
    yield leaderboard(found)
    yield pairs(found)
    yield left_out(found)
    yield runs(found)
    for facet in found["by"]:
        yield by(found, facet)
    yield families_led(found)
    yield groupings(found)
    yield subsets(found)


def leaderboard(found: Found) -> Chapter:
    """The models in order, and what becomes of their intervals when other things are resampled."""
    used, rows = found["subsets"]["complete"], found["leaderboard"]["rows"]
    keys, title = ("leaderboard", "groups", "pass_rule"), "Leaderboard"
    if not rows:
        return Chapter(keys, title, "board", ("No instance has a valid response from every compared model, so there is no leaderboard.",))
    of = f"{several(used['instances'], 'instance')} of {several(used['sessions'], 'session')}"
    says = [
        f"Pass rates, macro-averaged over {several(used['benchmarks'], 'benchmark')} ({of}); a pass: {found['pass_rule']['says']}.",
        "Models that share a group letter cannot be told apart (paired bootstrap and exact McNemar test, Holm's correction).",
    ]
    heads = ("Rate", "95% interval", "Rank", "True rank", "P(first)", "Group", *(further := mended(rows)))
    lines = [
        [
            named(row["model"]),
            percent(row["rate"]),
            span(row["interval"]),
            str(row["rank"]),
            "{} to {}".format(*row["rank_interval"]),
            percent(row["first"]),
            " ".join(row["groups"]),
            *(corrected(row)[head] for head in further),
        ]
        for row in rows
    ]
    return Chapter(keys, title, "board", tuple(says[: len(rows)]), (table(["Model"], heads, lines), resampled(rows)))


def resampled(rows: Sequence[Found]) -> Table:
    """Intervals and probabilities of being first, by what is drawn anew."""
    lines = [
        [named(row["model"]), over if over != "both" else "benchmarks and instances", span(told["interval"]), percent(told["first"])]
        for row in rows
        for over, told in row["bootstrap"].items()
    ]
    return table(["Model", "Resampled"], ["95% by bootstrap", "P(first)"], lines)


def pairs(found: Found) -> Chapter:
    """All pairs of models with both tests, and what difference could have been seen."""
    rows, least = found["pairs"]["rows"], found["detectable"]
    keys, title = ("pairs", "detectable"), "Pairs of models"
    if not rows:
        return Chapter(keys, title, "board", ("There are no two models with a rate to compare.",))
    says = ["The p-values are Holm-adjusted over all pairs; a pair is told apart only where both are below 0.05."]
    if least:
        says.append(showable(least))
    heads = ("Difference", "95% interval", "p bootstrap (Holm)", "p McNemar (Holm)", "Won-lost", "Detectable", "Told apart")
    lines = [
        [
            f"{named(row['first'])} - {named(row['second'])}",
            signed(row["difference"]),
            signed_span(row["interval"]),
            p(row["p_bootstrap_holm"]),
            p(row["p_mcnemar_holm"]),
            f"{row['wins']}-{row['losses']}",
            points(row["detectable"]),
            yes(row["differs"]),
        ]
        for row in rows
    ]
    return Chapter(keys, title, "board", tuple(says), (table(["Pair"], heads, lines),))


def left_out(found: Found) -> Chapter:
    """Whose missing responses keep instances out of the comparison."""
    gone = found["excluded"]
    if not gone["instances"]:
        return Chapter(("excluded",), "Left out, by model", "funnel", ("No instance is left out.",))
    says = (
        f"{gone['instances']} of {several(gone['of'], 'instance')} are left out: not every compared model has a valid response. "
        "One that several models lack counts for each of them."
    )
    lines = [
        [named(model), reason.replace("_", " "), str(count)]
        for model, counts in gone["by_model"].items()
        for reason, count in counts.items()
    ]
    return Chapter(("excluded",), "Left out, by model", "funnel", (says,), (table(["Model", "Its response is"], ["Instances"], lines),))


def runs(found: Found) -> Chapter:
    """What is put side by side; of the models of a run, those that are compared."""
    rows, compared = found["runs"], set(found["models"])
    lines = [
        [
            named(row["name"]),
            one_line(", ".join(one for one in row["models"] if {one, f"{one} @ {row['name']}"} & compared), 300),
            one_line(", ".join(row["judges"]), 300) or "the families' checks",
            row["mode"],
            str(row["samples"]),
            str(row["seed"]),
        ]
        for row in rows
    ]
    heads = ["Run", "Models", "Graded by", "Mode"]
    return Chapter(("runs",), "Runs", "board", (), (table(heads, ["Samples", "Seed"], lines, heads[1:3]),))


def by(found: Found, facet: str) -> Chapter:
    """Rates by a facet; one in which nothing differs says no more than the leaderboard, but families are always shown."""
    told, models = found["by"][facet], found["models"]
    rows = told["rows"]
    part, whole = found["subsets"][told["used"]], found["subsets"]["complete"]
    place: Place = "families" if facet == "family" else "profiles"
    if not rows or (len(rows) < 2 and facet != "family"):
        why = f"All are of one {facet}: {named(rows[0]['value'])}." if rows else "Nothing that is compared is of a catalogue family."
        return Chapter((f"by.{facet}",), f"By {facet}", place, (why,))
    says = (f"Over {several(part['instances'], 'instance')}: {part['says']}.",) if part["instances"] < whole["instances"] else ()
    lines = [
        [named(row["value"]), str(row["instances"]), percent(row["mean"]), *(percent(row["rates"][model]["rate"]) for model in models)]
        for row in rows
    ]
    made = table([facet.capitalize()], ["Instances", "Mean", *map(named, models)], lines)
    return Chapter((f"by.{facet}",), f"By {facet}", place, says, (made,), facet)


def families_led(found: Found) -> Chapter:
    """In how many families each model is first."""
    led, keys, title = found["families_led"], ("families_led",), "Families led"
    if led["families"] < 2 or len(found["models"]) < 2:
        return Chapter(keys, title, "families", ("It takes two families and two models for one to lead more than another.",))
    lines = [[named(row["model"]), str(len(row["alone"])), str(len(row["shared"]))] for row in led["rows"]]
    heads = ["Leads alone", "Shares the lead"]
    return Chapter(keys, title, "families", (f"Of {led['families']} families.",), (table(["Model"], heads, lines),))


def groupings(found: Found) -> Chapter:
    """The groups' means under the catalogue's grouping and those that were given."""
    told = [one for one in found["groupings"] if one["gap"] is not None]
    if not told:
        return Chapter(("groupings",), "Groupings", "profiles", ("No grouping puts what is compared into two groups.",))
    lines = [
        [named(one["name"]), one["used"], named(group), percent(about["mean"]), str(about["benchmarks"]), points(one["gap"])]
        for one in told
        for group, about in ((group, one["groups"][group]) for group in one["order"])
    ]
    heads = ["Mean", "Benchmarks", "Gap of the grouping"]
    return Chapter(("groupings",), "Groupings", "profiles", (), (table(["Grouping", "Over", "Group"], heads, lines),))


def subsets(found: Found) -> Chapter:
    """The instances that analyses rest on; their ids are in the JSON."""
    lines = [
        [name, one["says"], str(one["benchmarks"]), str(one["instances"]), str(one["sessions"])] for name, one in found["subsets"].items()
    ]
    made = table(["Subset", "Holds"], ["Benchmarks", "Instances", "Sessions"], lines, ["Holds"])
    return Chapter(("subsets",), "What analyses rest on", "funnel", (), (made,))
