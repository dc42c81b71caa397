"""People's labels as a comparison needs them: the panel's passes against theirs, under the pass rule that is asked for.

Which labels correct which rates. A label is of a response. It tells how the panel judges the model that gave the response, so it counts for
that model in every run of the comparison that was judged alike, and not only in the run that was labelled: runs of one model get the same
sensitivity and specificity. A model without labels takes those of all compared models in runs judged like its own. Only the estimate by
double sampling needs labels of the very responses whose rate it mends, and stays with the run that was labelled.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from tracedance.analyse.agreement import Judged, judged
from tracedance.analyse.observations import Matrix, Reply, Rule
from tracedance.compare.reading import Given
from tracedance.gate.report import yardstick
from tracedance.store import labels as stored

PASS = 4
"""The pass mark: a person's label passes from it on, several people's by their mean, as a panel's scores do."""


@dataclass(frozen=True)
class People:
    """The panel's passes against people's; models by the names that they have in the comparison."""

    every: Judged
    """All labelled responses that are compared."""
    own: Mapping[str, Judged]
    """Labels of the very responses that a model's rate is of."""
    of_model: Mapping[str, Judged]
    """Labels of the model, in whichever runs were judged like its own."""
    of_all: Mapping[str, Judged]
    """Labels of all models, in runs that were judged like its own."""


@dataclass(frozen=True)
class Labelled:
    """A labelled valid reply: as it was graded, and as people label it."""

    reply: Reply
    people: Reply
    item: str
    run: int
    """Number of its run."""
    model: str
    """As its run names it."""


def judged_by_people(given: Given, compared: Matrix, rule: Rule) -> People | None:
    """People's passes of the labelled responses that are compared; None where there are none.

    Several people's labels of a response are taken as a panel's scores are: by the same rule. One that several runs hold counts once.
    """
    kept = {item.key for item in compared.items}
    measures = [tuple(sorted(yardstick(run).items())) for run in given.runs]
    tables: dict[str, dict[Hashable, dict[str, tuple[bool, bool]]]] = {"own": {}, "model": {}, "all": {}}
    every = []
    for one in labelled(given):
        name, panel, people = one.reply.model, rule(one.reply), rule(one.people)
        if name not in compared.models or (one.reply.benchmark, one.reply.instance) not in kept or panel is None or people is None:
            continue
        every.append((panel, people))
        for kind, key in (("own", name), ("model", (measures[one.run], one.model)), ("all", measures[one.run])):
            tables[kind].setdefault(key, {}).setdefault(one.item, (panel, people))
    if not every:
        return None
    told = {kind: {key: table(list(rows.values())) for key, rows in found.items()} for kind, found in tables.items()}
    where = {
        called: (measures[given.names.index(run)], model) for (run, model), called in given.called.items() if called in compared.models
    }
    return People(
        every=table(every),
        own={name: told["own"][name] for name in where if name in told["own"]},
        of_model={name: told["model"][key] for name, key in where.items() if key in told["model"]},
        of_all={name: told["all"][measure] for name, (measure, _) in where.items() if measure in told["all"]},
    )


def of_models(tables: Mapping[str, Judged], models: Sequence[str]) -> People | None:
    """The same from tables by model, and "" for all models together; None without any."""
    if not tables:
        return None
    own = {name: told for name, told in tables.items() if name}
    return People(tables[""], own, own, dict.fromkeys(models, tables[""]))


def table(rows: Sequence[tuple[bool, bool]]) -> Judged:
    """(the panel passes, people pass) by response, counted."""
    return judged([panel for panel, _ in rows], [people for _, people in rows])


def labelled(given: Given) -> Sequence[Labelled]:
    """Every labelled valid reply. Replies stand in the order of the runs' responses."""
    replies = iter(given.replies)
    found = []
    for number, run in enumerate(given.runs):
        said: dict[str, dict[str, int]] = {}
        for label in stored.held(run.folder):
            if label.kind == "response":
                said.setdefault(label.item, {})[label.rater] = int(label.value)
        digests = {about.name: about.digest for about in run.manifest.benchmarks}
        for response in run.responses:
            reply = next(replies)
            item = stored.response_id(digests[response.benchmark], response) if said and reply.valid else ""
            if people := said.get(item):
                passed = sum(people.values()) >= PASS * len(people)
                found.append(Labelled(reply, replace(reply, scores=people, passed=passed), item, number, response.model))
    return found
