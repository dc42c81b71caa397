"""A comparison on the terminal: leaderboard, what is told apart, parts and robustness, and how not to read it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tracedance.report.columns import Columns
from tracedance.report.visible import one_line

NAME = 60


def comparison_text(found: Mapping[str, Any]) -> RenderableType:
    """The dictionary of `compare.comparison.compare` for a person; foreign text goes in as plain text."""
    return Group(*_blocks(found))


def _blocks(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    if not found["leaderboard"]["rows"]:
        yield Text("Nothing to compare: no instance has a valid response from every compared model.")
    else:
        yield from _board(found)
        yield from _parts(found)
        yield from _robustness(found)
        yield from _associations(found)
    yield Text("How to read this", style="bold")
    for note in found["notes"]:
        yield Padding(Text(f"- {one_line(note, 600)}"), (0, 0, 0, 2))


def _board(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    used = found["subsets"]["complete"]
    yield Text(
        f"Pass rates, macro-averaged over {several(used['benchmarks'], 'benchmark')} ({several(used['instances'], 'instance')} of "
        f"{several(used['sessions'], 'session')}); "
        f"a pass: {found['pass_rule']['says']}."
    )
    rows = found["leaderboard"]["rows"]
    further = mended(rows)
    table = Columns(["Model"], ["Rate", "95% interval", "Rank", "True rank", "P(first)", "Group", *further])
    for row in rows:
        cells = [
            percent(row["rate"]),
            span(row["interval"]),
            str(row["rank"]),
            "{} to {}".format(*row["rank_interval"]),
            percent(row["first"]),
            " ".join(row["groups"]),
        ]
        table.add(name(row["model"]), *cells, *(corrected(row)[head] for head in further))
    yield table
    if len(rows) > 1:
        yield from _pairs(found)


CORRECTED, BY_OWN = "Corrected", "By own labels"
UNTOLD = "labels do not tell"


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


def _pairs(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    least = found["detectable"]
    yield Text("Models that share a group letter cannot be told apart (paired bootstrap and exact McNemar test, Holm's correction).")
    yield Text(showable(least))
    table = Columns(["Pair"], ["Difference", "95% interval", "p boot.", "p McNemar", "Won-lost", "Told apart"])
    for row in found["pairs"]["rows"]:
        table.add(
            name(f"{row['first']} - {row['second']}", 2 * NAME),
            signed(row["difference"]),
            f"{signed(row['interval'][0])} to {signed(row['interval'][1])}",
            p(row["p_bootstrap_holm"]),
            p(row["p_mcnemar_holm"]),
            f"{row['wins']}-{row['losses']}",
            "yes" if row["differs"] else "no",
        )
    yield table


def showable(least: Mapping[str, Any]) -> str:
    """What difference such data would show; `least` is `detectable`."""
    one, every = (f"{points(least[name])} points" if least[name] is not None else None for name in ("one_pair", "all_pairs"))
    if one is None:
        return "Data like these show no difference 4 times in 5, however large: there are too few sessions."
    among = f"of {every} among all pairs" if every else "none among all pairs, however large"
    return f"Data like these show a difference of {one} at least 4 times in 5 for one pair named beforehand, {among}."


def _parts(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    models = found["models"]
    for facet, table in found["by"].items():
        rows = table["rows"]
        if not rows or (len(rows) < 2 and facet != "family"):
            continue
        part, whole = found["subsets"][table["used"]], found["subsets"]["complete"]
        used = f" ({part['says'].removeprefix('the same ')})" if part["instances"] < whole["instances"] else ""
        yield Text(f"By {facet}{used}", style="bold")
        shown = Columns([facet.capitalize()], ["Instances", "Mean", *(name(model).plain for model in models)])
        for row in rows:
            rates = [percent(row["rates"][model]["rate"]) for model in models]
            shown.add(name(row["value"]), str(row["instances"]), percent(row["mean"]), *rates)
        yield shown
    led = found["families_led"]
    if led["families"] > 1 and len(models) > 1:
        for row in led["rows"]:
            yield Text(
                f"{one_line(row['model'], NAME)} leads in {len(row['alone'])} of {led['families']} families, shares {len(row['shared'])}."
            )
    for one in found["groupings"]:
        if one["gap"] is not None and (one["name"] != "catalogue's" or len(found["groupings"]) > 2):
            means = ", ".join(f"{one_line(group, NAME)} {percent(told['mean'])}" for group, told in one["groups"].items())
            yield Text(f"Grouping {one_line(one['name'], NAME)} ({one['used']}): {means}; gap {points(one['gap'])} points.")


def _robustness(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield Text("Under other pass rules and single judges", style="bold")
    grouped = any(one["group_gap"] is not None for one in found["sensitivity"])
    table = Columns(["Rule or judge", "Order"], ["Gap", "Same order", *(["Group gap", "Same groups"] if grouped else [])], prose=["Order"])
    for one in found["sensitivity"]:
        order = ", ".join(f"{one_line(model, NAME)} {percent(one['rates'][model])}" for model in one["order"])
        groups = (gap(one["group_gap"]), yes(one["same_group_order"]) if one["group_gap"] is not None else "-") if grouped else ()
        table.add(name(one["name"]), order, gap(one["gap"]), yes(one["same_order"]), *groups)
    yield table
    if found["judges"]["pairs"]:
        yield from _judges(found["judges"])
    for row in found["self_preference"]["rows"]:
        told = row["preference"]
        if told:
            kind = "itself" if row["same_model"] else "its maker's model"
            rank = f"without that judge its rank is {row['rank_without']}"
            yield Text(
                f"{one_line(row['model'], NAME)} is judged by {kind}: {told['difference']:+.2f} rubric points relative to the other judges "
                f"(95% {told['interval'][0]:+.2f} to {told['interval'][1]:+.2f}); {rank}."
            )
    for row in found["source_families"]["rows"]:
        if row["own"]:
            yield Text(
                f"{one_line(row['model'], NAME)} on contexts from {one_line(row['source'], NAME)}: {signed(row['difference'])} points "
                f"({signed(row['interval'][0])} to {signed(row['interval'][1])}), beyond what those contexts do to all; "
                f"disadvantages above {points(row['disadvantages_excluded_above'])} points are excluded."
            )
    for row in found["repeats"]:
        yield Text(
            f"{one_line(row['model'], NAME)} in {one_line(' and '.join(row['runs']), 2 * NAME)}: {signed(row['difference'])} points, "
            f"the same on {percent(row['agreement'])} of {row['instances']} instances (p = {p(row['p_mcnemar'])})."
        )


def _judges(judges: Mapping[str, Any]) -> Iterator[RenderableType]:
    table = Columns(["Judge"], ["Scores", "Mean", "Above others", "Passes"])
    for row in judges["rows"]:
        table.add(name(row["judge"]), str(row["responses"]), f"{row['mean']:.2f}", f"{row['above_others']:+.2f}", percent(row["pass_rate"]))
    yield table
    alpha = judges["alpha"]["ordinal"]
    told = "no number: nothing varies" if alpha is None else f"{alpha:.2f}"
    yield Text(f"Agreement of the judges among themselves: Krippendorff's alpha (ordinal) {told}. It does not say that they are right.")


def _associations(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    actions = found["first_actions"]
    if actions["by_class"]:
        yield Text("First actions, against all other responses to the same instances", style="bold")
        yield Text(actions["says"])
        table = Columns(["First action"], ["Responses", "Rate", "Others", "Difference", "95% interval"])
        for label, rows in (("", actions["by_class"]), ("tool ", actions["by_tool"])):
            for row in rows[:12]:
                ends = f"{signed(row['interval'][0])} to {signed(row['interval'][1])}"
                figures = percent(row["rate"]), percent(row["rate_of_others"]), signed(row["difference"]), ends
                table.add(name(f"{label}{row['action']}"), str(row["responses"]), *figures)
        yield table
    split = actions["plan_first"]
    if split["alone"]["responses"] + split["followed"]["responses"]:
        sides = [f"{split[side]['responses']} {words} ({percent(split[side]['rate'])} pass)" for side, words in PLAN]
        yield Text(f"Of the responses that plan first, {sides[0]}, {sides[1]}. An association.")
    for one in found["external"]:
        yield Text(f"Beside {one_line(one['name'], NAME)} as reported", style="bold")
        table = Columns(["Model"], ["Reported", "Rate"])
        for row in one["models"]:
            table.add(name(row["model"]), f"{row['score']:g}", percent(row["rate"]))
        yield table
        if one["spearman"] is not None:
            yield Text(
                f"Rank correlation over {one['n']} models: Spearman {one['spearman']:.2f}, "
                f"Kendall {one['kendall']:.2f} (p = {p(one['p_kendall'])})."
            )
        else:
            yield Text(f"No rank correlation over {one['n']} models: three with different figures are needed.")


PLAN: Sequence[tuple[str, str]] = (("alone", "call nothing else"), ("followed", "go on to another call"))


def name(text: str, limit: int = NAME) -> Text:
    """A foreign name as one line of plain text."""
    return Text(one_line(text, limit))


def several(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what if count == 1 else what + 's'}"


def percent(value: float | None) -> str:
    """A share in percent with one decimal; "-" where there is none."""
    return "-" if value is None else f"{100 * value:.1f}%"


def span(ends: Sequence[float]) -> str:
    return f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"


def signed(value: float | None) -> str:
    """A difference in percentage points."""
    return "-" if value is None else f"{100 * value:+.1f}"


def points(value: float) -> str:
    return f"{100 * value:.1f}"


def gap(value: float | None) -> str:
    return "-" if value is None else points(value)


def yes(value: bool) -> str:
    return "yes" if value else "no"


def p(value: float | None) -> str:
    """A p-value to two digits."""
    return "-" if value is None else f"{value:.2g}" if value >= 1e-6 else "<1e-6"
