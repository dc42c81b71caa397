"""What labels say, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tracedance.compare.notes import excluded
from tracedance.report.columns import Columns
from tracedance.report.comparison_text import name
from tracedance.report.figures import UNTOLD, percent, span
from tracedance.report.visible import one_line

Told = Mapping[str, Any]


def labels_text(found: Told) -> RenderableType:
    """The dictionary of `tracedance labels report --json` for a person."""
    return Group(*_blocks(found))


def _blocks(found: Told) -> Iterator[RenderableType]:
    stale = f"; {found['stale']} more are of items that are no longer there" if found["stale"] else ""
    yield Text(f"{found['labels']} labels of {len(found['raters'])} raters{stale}.")
    if told := found["query"]:
        yield _heading("Requests", told)
        yield Text("Understood: " + ", ".join(f"{word} {share(one)}" for word, one in told["shares"].items()))
        yield _agreement(told["agreement"])
    if told := found["instance"]:
        yield _heading("Instances", told)
        yield Text(f"Confirmed by all their raters: {share(told['both_confirm'])} of {told['both_confirm']['of']} with several labels.")
        yield Text("The behaviour is there: " + ", ".join(f"{word} {share(one)}" for word, one in told["shares"].items()))
        yield _agreement(told["agreement"])
    if told := found["rubric"]:
        yield _heading("Rubrics", told)
        both = told["both_at_least_4"]
        yield Text(f"Mean {told['mean']:.2f} of 5; at least 4 from all their raters: {share(both)} of {both['of']} with several labels.")
        yield _agreement(told["agreement"])
    if told := found["response"]:
        yield _heading("Responses", told)
        yield Text(f"People's mean {told['mean']:.2f}; they pass {share(told['passes'])} (mean of their labels at least 4).")
        yield _agreement(told["agreement"])
        yield from _panel(told["panel"])
    if found["rates"] is not None:
        yield from rates(found["rates"], found["rates_excluded"])


def _heading(words: str, told: Told) -> Text:
    return Text(f"{words}: {told['labels']} labels of {told['items']} items", style="bold")


def _agreement(told: Told) -> Text:
    if not told["items"]:
        return Text("No item has labels of two raters: how far they agree is not known.")
    alphas = ", ".join(f"{metric} {number(value)}" for metric, value in told["alpha"].items())
    kappa = f"Cohen's kappa {number(told['kappa'])}, Krippendorff's alpha {alphas}"
    return Text(f"Raters with each other, on {told['items']} items: the same {percent(told['raw'])}, {kappa}.")


def _panel(told: Told) -> Iterator[RenderableType]:
    who = "the panel" if told["judged_by"] == "panel" else "the families' checks"
    yield Text(f"People against {who}", style="bold")
    table = Columns(["Responses"], ["n", "Same", "Kappa", "Precision", "Recall", "Leniency", "Score"])
    sides = [("all", told), *((f"of {row['model']}", row) for row in told["by_model"])]
    sides += [(f"rater {row['rater']} alone", row) for row in told["by_rater"]]
    sides += [(f"judge {row['judge']} alone", row) for row in told["judges"]]
    for words, row in sides:
        cells = percent(row["agreement"]), number(row["kappa"]), percent(row["precision"]), percent(row["recall"])
        lenient = "-" if row["leniency"] is None else f"{100 * row['leniency']:+.1f}"
        scores = "-" if row["score_leniency"] is None else f"{row['score_leniency']:+.2f}"
        table.add(name(words), str(row["responses"]), *cells, lenient, scores)
    yield table
    yield Text(
        "Precision: of its passes, the share that people pass. Recall: of people's passes, the share that it passes. "
        "Leniency: its pass rate minus people's, in percentage points. Score: its mean score minus theirs, in points of the rubric."
    )
    if size := told["size"]:
        worth = number(size["effective"])
        yield Text(
            f"The {size['seats']} judges are worth {worth} independent ones: their errors correlate by {number(size['error_correlation'])} "
            f"(on {size['responses']} responses)."
        )


def rates(rows: Sequence[Told], gone: Told) -> Iterator[RenderableType]:
    """Pass rates as graded, and as people would have given them, over which instances, and what is in none of them."""
    yield Text("Pass rates, as graded and corrected by people's labels", style="bold")
    yield Text(one_line(excluded(gone), 900))
    if gone["instances"]:
        yield Text("With --model M ('tracedance labels report', 'tracedance compare') only the models named must have a valid response.")
    if not rows:
        yield Text("No instance is left to rate.")
        return
    table = Columns(["Model"], ["Rate (95%)", "Corrected (95%)", "By own labels (95%)"])
    notes = []
    for row in rows:
        made = row["corrected"] or {"rate": None, "by_own_labels": None, "note": ""}
        own, without = made["by_own_labels"], UNTOLD if row["corrected"] else "-"
        cells = [with_ends(row), with_ends(made) if made["rate"] is not None else without, with_ends(own) if own else "-"]
        table.add(name(row["model"]), *cells)
        notes += [f"{row['model']}: {made['note']}"] if made["note"] else []
    yield table
    for note in notes:
        yield name(note, 300)


def with_ends(told: Told) -> str:
    """A rate with its interval."""
    return f"{percent(told['rate'])} ({span(told['interval'])})"


def share(told: Told) -> str:
    """A share with its interval."""
    return "-" if told["share"] is None else f"{percent(told['share'])} ({span(told['interval'])})"


def number(value: float | None) -> str:
    """A coefficient; "-" where it does not exist."""
    return "-" if value is None else f"{value:.2f}"
