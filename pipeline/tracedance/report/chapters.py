"""The list of all chapters of a comparison, and the second half of it: judges, sources, first actions, and scores from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from tracedance.report.figures import named, p, percent, plus, points, several, signed, signed_span, two, yes
from tracedance.report.tables import Chapter, Found, Table, comparable, table
from tracedance.report.visible import one_line

SIDES = (("alone", "call nothing else"), ("followed", "go on to another call"))


def chapters(found: Found) -> list[Chapter]:
    """Every analysis of `compare.comparison.compare`, in the order in which it is read."""
    told = (sensitivity, judges, checks, self_preference, source_families, repeats, first_actions, plan_first, external)
    return [*comparable(found), *(make(found) for make in told)]


def sensitivity(found: Found) -> Chapter:
    """Whether the order of models holds under other rules and judges."""
    rows = found["sensitivity"]
    grouped = any(one["group_gap"] is not None for one in rows)
    lines = [
        [
            named(one["name"]),
            ", ".join(f"{named(model)} {percent(one['rates'][model])}" for model in one["order"]),
            points(one["gap"]),
            yes(one["same_order"]),
            *((points(one["group_gap"]), yes(one["same_group_order"]) if one["group_gap"] is not None else "-") if grouped else ()),
        ]
        for one in rows
    ]
    heads = ["Gap", "Same order", *(["Group gap", "Same groups"] if grouped else [])]
    made = table(["Rule or judge", "Order"], heads, lines, ["Order"])
    title = "Under other pass rules and single judges"
    return Chapter(("sensitivity",), title, "scores", ("Whether the order of models holds.",), (made,))


def judges(found: Found) -> Chapter:
    """How each judge scores and how far they agree."""
    told, title = found["judges"], "Judges among themselves"
    if not told["rows"]:
        return Chapter(("judges",), title, "scores", ("No panel scored what is compared.",))
    alpha = told["alpha"].get("ordinal")
    why = "no number, nothing varies" if alpha is None else two(alpha)
    says = [f"Over {several(told['responses'], 'response')}."]
    if told["pairs"]:
        says.append(f"Krippendorff's alpha (ordinal): {why}. It does not say that they are right; people's labels do.")
    lines = [
        [
            named(row["judge"]),
            str(row["responses"]),
            two(row["mean"]),
            plus(row["above_others"]),
            percent(row["pass_rate"]),
            " ".join(map(str, row["scores"])),
        ]
        for row in told["rows"]
    ]
    made = [table(["Judge"], ["Scores", "Mean", "Above others", "Passes", "Of 0 1 2 3 4 5"], lines)]
    if told["pairs"]:
        both = [
            [named(row["first"]), named(row["second"]), str(row["responses"]), percent(row["agreement"]), two(row["kappa"])]
            for row in told["pairs"]
        ]
        made.append(table(["Judge", "Other judge"], ["Responses", "Agree on a pass", "Cohen's kappa"], both))
    return Chapter(("judges",), title, "scores", tuple(says), tuple(made))


def checks(found: Found) -> Chapter:
    """Where the families' deterministic checks and the panel say the opposite."""
    rows, title = found["checks"]["rows"], "Panel against the families' checks"
    if not rows:
        return Chapter(("checks",), title, "scores", ("No response that is compared was decided by a panel and by a check.",))
    says = "Of the compared responses that a check decides, too. No grade is changed by it: where they differ, a person should look."
    lines = [
        [named(row["model"]), *(str(row[name]) for name in ("compared", "contradictions", "panel_passes", "panel_fails"))] for row in rows
    ]
    heads = ["Decided by both", "Contradictions", "Panel passes what violates", "Panel fails what satisfies"]
    return Chapter(("checks",), title, "scores", (says,), (table(["Model"], heads, lines),))


def self_preference(found: Found) -> Chapter:
    """What judges give to models of their own maker, beyond what they give to the rest."""
    rows, title = found["self_preference"]["rows"], "Self-preference"
    if not rows:
        return Chapter(("self_preference",), title, "scores", ("No judge shares a maker with a compared model, as far as names tell.",))
    says = (
        "Rubric points that the judges of a model's own maker give it above the other judges, less the same on the other models' "
        "responses; and its rate and rank without these judges."
    )
    lines = []
    for row in rows:
        told = row["preference"] or {"own": None, "rest": None, "difference": None, "interval": None}
        ends = told["interval"]
        lines.append(
            [
                named(row["model"]),
                one_line(", ".join(row["judges"]), 200),
                "the model itself" if row["same_model"] else "its maker's",
                *(plus(told[name]) for name in ("own", "rest", "difference")),
                f"{plus(ends[0])} to {plus(ends[1])}" if ends else "-",
                percent(row["rate_without"]),
                "-" if row["rank_without"] is None else str(row["rank_without"]),
            ]
        )
    heads = ["On its own", "On the rest", "Difference", "95% interval", "Rate without", "Rank without"]
    return Chapter(("self_preference",), title, "scores", (says,), (table(["Model", "Judged by", "Judge is"], heads, lines),))


def source_families(found: Found) -> Chapter:
    """Whether contexts of a maker's models are harder for its own models."""
    rows, title = found["source_families"]["rows"], "Source families"
    if not rows:
        return Chapter(("source_families",), title, "profiles", ("The contexts are not of two makers' models, so there is no contrast.",))
    says = (
        "A model's lead over the others on contexts that a maker's models left, less its lead on the rest; in percentage points, own "
        "maker's contexts marked. The last two: the largest effect either way that the interval excludes."
    )
    lines = [
        [
            named(row["model"]),
            named(row["source"]),
            yes(row["own"]),
            *(signed(row.get(name)) for name in ("lead_there", "lead_elsewhere", "difference")),
            signed_span(row.get("interval")),
            points(row["disadvantages_excluded_above"]),
            points(row["advantages_excluded_above"]),
        ]
        for row in rows
    ]
    heads = ["Lead there", "Lead elsewhere", "Difference", "95% interval", "No disadvantage above", "No advantage above"]
    return Chapter(("source_families",), title, "profiles", (says,), (table(["Model", "Contexts of", "Own maker"], heads, lines),))


def repeats(found: Found) -> Chapter:
    """A model against itself in another run."""
    rows, title = found["repeats"], "One model in several runs"
    if not rows:
        return Chapter(("repeats",), title, "board", ("No model is compared with itself in another run.",))
    lines = [
        [
            named(row["model"]),
            " and ".join(map(named, row["runs"])),
            str(row["instances"]),
            signed(row["difference"]),
            percent(row["agreement"]),
            two(row["kappa"]),
            p(row["p_mcnemar"]),
        ]
        for row in rows
    ]
    heads = ["Instances", "Difference", "The same", "Cohen's kappa", "p McNemar"]
    says = ("What of the figures is chance alone: these runs differ in nothing but their answers. The p-values are not adjusted.",)
    return Chapter(("repeats",), title, "board", says, (table(["Model", "Runs"], heads, lines),))


def first_actions(found: Found) -> Chapter:
    """Passes by what a response does first, by class and by tool."""
    told, title = found["first_actions"], "First actions and passing"
    ways = [(word, told[f"by_{word}"]) for word in ("class", "tool") if told[f"by_{word}"]]
    if not ways:
        why = "On no instance does one response begin with an action and another with a different one."
        return Chapter(("first_actions",), title, "actions", (why,))
    says = ["Against all other responses to the same instances.", told["says"]]
    if told["without"]:
        says.append(f"{several(told['without'], 'response')} did nothing and said nothing: they have no first action.")
    return Chapter(("first_actions",), title, "actions", tuple(says), tuple(_actions(word, rows) for word, rows in ways))


def _actions(word: str, rows: Sequence[Found]) -> Table:
    lines = [
        [
            named(row["action"]),
            str(row["instances"]),
            str(row["responses"]),
            percent(row.get("rate")),
            percent(row.get("rate_of_others")),
            signed(row.get("difference")),
            signed_span(row.get("interval")),
            f"{row['models_same_way']} of {len(row['models'])}",
        ]
        for row in rows
    ]
    heads = ["Instances", "Responses", "Rate", "Others", "Difference", "95% interval", "Models the same way"]
    return table([f"First action, by {word}"], heads, lines)


def plan_first(found: Found) -> Chapter:
    """Responses that plan first, by whether another call follows."""
    split, keys, title = found["first_actions"]["plan_first"], ("first_actions.plan_first",), "Plan first"
    if not any(split[side]["responses"] for side, _ in SIDES):
        return Chapter(keys, title, "actions", ("No compared response plans first.",))
    lines = [[words, str(split[side]["responses"]), str(split[side]["passed"]), percent(split[side]["rate"])] for side, words in SIDES]
    made = table(["Responses that plan first and"], ["Responses", "Passed", "Rate"], lines)
    return Chapter(keys, title, "actions", ("An association, not a cause. What a plan leads to later is not seen.",), (made,))


def external(found: Found) -> Chapter:
    """Rates beside scores that were reported elsewhere."""
    told, title = found["external"], "Scores reported elsewhere"
    if not told:
        return Chapter(("external",), title, "board", ("No scores from elsewhere were given (--external).",))
    says = []
    for one in told:
        if one["spearman"] is None:
            says.append(
                f"{named(one['name'])}: no rank correlation over {several(one['n'], 'model')}; three with different figures are needed."
            )
        else:
            says.append(
                f"{named(one['name'])}: rank correlation over {several(one['n'], 'model')}, Spearman {two(one['spearman'])}, "
                f"Kendall {two(one['kendall'])} (p = {p(one['p_kendall'])})."
            )
        for words, models in (("reported and not compared", one["not_compared"]), ("compared and not reported", one["not_reported"])):
            says += [f"{named(one['name'])}: {words}: {one_line(', '.join(models), 300)}."] if models else []
    lines = [[named(one["name"]), named(row["model"]), f"{row['score']:g}", percent(row["rate"])] for one in told for row in one["models"]]
    return Chapter(("external",), title, "board", tuple(says), (table(["Score", "Model"], ["Reported", "Rate"], lines),))
