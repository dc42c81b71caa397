"""People's labels as a comparison needs them: the panel's passes against theirs, under the pass rule that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tracedance.analyse.agreement import Judged, judged
from tracedance.analyse.observations import Matrix, Reply, Rule
from tracedance.compare.reading import Given
from tracedance.store import labels as stored

PASS = 4
"""The pass mark: a person's label passes from it on, several people's by their mean, as a panel's scores do."""


def judged_by_people(given: Given, compared: Matrix, rule: Rule) -> dict[str, Judged]:
    """By model, and "" for all: passes of the labelled responses that are compared; {} where the runs' folders hold no labels.

    Several people's labels of a response are taken as a panel's scores are: by the same rule.
    """
    pairs = labelled(given)
    kept = {item.key for item in compared.items}
    told: dict[str, list[tuple[bool, bool]]] = {}
    for reply, people in pairs:
        if reply.model in compared.models and (reply.benchmark, reply.instance) in kept:
            sides = rule(reply), rule(people)
            if sides[0] is not None and sides[1] is not None:
                told.setdefault(reply.model, []).append((sides[0], sides[1]))
    if not told:
        return {}
    tables = {model: judged([panel for panel, _ in rows], [people for _, people in rows]) for model, rows in sorted(told.items())}
    every = [row for rows in told.values() for row in rows]
    return {"": judged([panel for panel, _ in every], [people for _, people in every]), **tables}


def labelled(given: Given) -> Sequence[tuple[Reply, Reply]]:
    """Every labelled valid reply, as it was graded and as people label it. Replies stand in the order of the runs' responses."""
    replies = iter(given.replies)
    found = []
    for run in given.runs:
        said: dict[str, dict[str, int]] = {}
        for label in stored.held(run.folder):
            if label.kind == "response":
                said.setdefault(label.item, {})[label.rater] = int(label.value)
        digests = {about.name: about.digest for about in run.manifest.benchmarks}
        for response in run.responses:
            reply = next(replies)
            people = said.get(stored.response_id(digests[response.benchmark], response)) if said and reply.valid else None
            if people:
                passed = sum(people.values()) >= PASS * len(people)
                found.append((reply, replace(reply, scores=people, passed=passed)))
    return found
