"""What every leaderboard says under it: how its figures must not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tracedance.analyse.agreement import Judged
from tracedance.analyse.makers import maker
from tracedance.compare.reading import panel_of

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison

NO_FREQUENCY = (
    "Rates are not frequencies: the contexts were selected because an agent failed there. They do not say how often a behaviour occurs."
)
NOT_EXECUTED = "Nothing was executed, so a pass may still fail when run."
PLANNING = "One turn is graded: a turn that plans or gathers information may be followed by an appropriate one that is not seen."
LENIENT = (
    "Panels of judges tend to be lenient (in the TraceDance paper people passed 44.7% of what its panel passed). "
    "No labels of people exist here: 'tracedance labels sample' says how lenient this panel is."
)


def notes(about: Comparison, found: dict[str, Any]) -> list[str]:
    """The sentences, the most important first. `found` are the tables made so far."""
    said = [*_judging(about), NO_FREQUENCY, NOT_EXECUTED, PLANNING]
    if about.people:
        said.append(leniency(about.people.every, "the rule" if about.given.judged_by_rule else "the panel"))
        said += _corrected(found["leaderboard"]["rows"])
    elif not about.given.judged_by_rule:
        said.append(LENIENT)
    said += [*_contradicted(found["checks"]["rows"]), excluded(found["excluded"]), _population(found["leaderboard"])]
    said += _repeats(about)
    if scripted := [model for model in about.models if model.startswith("offline/")]:
        said.append(f"{', '.join(scripted)}: self-tests of the product, no models.")
    return [*said, *about.given.troubles]


def leniency(labels: Judged, who: str = "the panel") -> str:
    """How lenient this panel, or the families' checks, are by people's labels."""
    points = 100 * labels.leniency
    how = "lenient: it passed {:.1f} points more than" if points > 0 else "strict: it passed {:.1f} points less than"
    said = how.format(abs(points)) if points else "neither lenient nor strict: it passed as many as"
    none = labels.both + labels.panel_only, labels.both + labels.people_only
    of_its = f"of its passes they passed {_percent(labels.precision)}" if none[0] else f"{who} passed none of these responses"
    of_theirs = f"of theirs it passed {_percent(labels.recall)}" if none[1] else "they passed none of these responses"
    return f"By people's labels of {labels.n} responses {who} is {said} they did; {of_its}, {of_theirs}."


def _corrected(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Whose labels correct whose rates, and which cannot, or rest on few."""
    told = [row for row in rows if row["corrected"]]
    own = [f"{row['model']} ({row['corrected']['labels']})" for row in told if row["corrected"]["own_labels"]]
    others = [row["model"] for row in told if not row["corrected"]["own_labels"]]
    cautions: dict[tuple[str, str], list[str]] = {}
    for row in told:
        if made := row["corrected"]["note"]:
            head = "No corrected rate of" if row["corrected"]["rate"] is None else "Corrected rate of"
            cautions.setdefault((head, made), []).append(row["model"])
    said = [f"Corrected by labels of the model's own responses, how many in brackets: {', '.join(own)}."] if own else []
    if others:
        said.append(f"No response of {', '.join(others)} is labelled: corrected as if the panel erred there as on the other models.")
    return said + [f"{head} {', '.join(models)}: {made}" for (head, made), models in sorted(cautions.items())]


def _judging(about: Comparison) -> list[str]:
    said = [f"Not one yardstick: {difference} Differences between such runs may be the judges'." for difference in about.given.differences]
    if about.given.judged_by_rule:
        return [*said, "No model judged: grades are by the families' deterministic checks, and turns they cannot decide are not scored."]
    judges = sorted({judge for reply in about.given.replies if reply.model in about.models for judge in reply.scores} - {"rule"})
    if any(run.manifest.judged_by == "rule" for run in about.given.runs):
        said.append("In some of the runs no model judged.")
    said.append(f"A model judged: {', '.join(judges)}." if len(judges) == 1 else f"Models judged: {', '.join(judges)}.")
    for seats, quorum in sorted(
        {(len(panel_of(run)), run.manifest.quorum) for run in about.given.runs if run.manifest.judged_by == "panel"}
    ):
        if (seats, quorum) != (3, 3):
            said.append(f"A grade needs the {'scores' if quorum > 1 else 'score'} of {quorum} of {seats} judges.")
    own = sorted({model for model in about.models for judge in judges if maker(model) == maker(judge)})
    if own:
        said.append(f"Judged by their own maker among others: {', '.join(own)}. See 'Self-preference'.")
    return said


def _contradicted(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How often the families' checks say the opposite of the panel; nothing where they never do."""
    both, against = (sum(row[name] for row in rows) for name in ("compared", "contradictions"))
    if not against:
        return []
    whose = "; ".join(f"{row['model']} {row['contradictions']} of {row['compared']}" for row in rows if row["contradictions"])
    return [
        f"{contradictions(both, against)} By model: {whose}. Instances so marked in the report should be read before rates are believed."
    ]


def contradictions(both: int, against: int) -> str:
    """That checks contradict the panel, in a sentence."""
    on = f"{against} of {both} responses that both decide"
    return f"The families' deterministic checks contradict the panel on {on}; no grade is changed by it."


def excluded(gone: Mapping[str, Any]) -> str:
    """How many instances are in no rate, and for want of whose response."""
    many = f"{gone['instances']} of {gone['of']} instances are left out"
    left = f"{many}: not every compared model has a valid response. {lacking(gone['by_model'])}"
    every = f"All {gone['of']} instances have a valid response from every compared model; none is left out."
    lost = f" {gone['samples_lost']} further samples are not valid." if gone["samples_lost"] else ""
    return (left if gone["instances"] else every) + lost


def lacking(by_model: Mapping[str, Mapping[str, int]]) -> str:
    """Which models lack valid responses, and why; an instance that several lack is named for each."""
    told = [f"{model} {', '.join(f'{count} {reason}' for reason, count in counts.items())}" for model, counts in by_model.items()]
    return f"By model{', an instance may be named for several' if len(told) > 1 else ''}: {'; '.join(told)}."


def _population(board: dict[str, Any]) -> str:
    return f"Intervals are 95% and speak of {board['speaks_of']}; what is resampled is drawn whole ({board['draws']} draws)."


def _repeats(about: Comparison) -> list[str]:
    if about.options.samples and len(about.given.runs) > 1:
        return [f"{len(about.given.runs)} runs are pooled: a model's responses in each are samples of it."]
    if about.given.repeats:
        return ["Models that several runs hold are listed once a run; '--samples' pools them."]
    return []


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"
