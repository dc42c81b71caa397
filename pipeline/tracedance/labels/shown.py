"""What a rater reads of an item: what it takes to decide, and nothing of models, grades, other raters or how the place was found."""

from __future__ import annotations

from collections.abc import Mapping

from tracedance.catalogue import Family
from tracedance.evaluate.offers import seen_text
from tracedance.evaluate.rendering import turn_text
from tracedance.labels.items import Item, Source
from tracedance.schema import Benchmark, LabelKind, Rubric

QUESTIONS: Mapping[LabelKind, str] = {
    "query": "Is this what the request asks for? accurate, partial or wrong.",
    "instance": "Does the agent's turn show the behaviour? yes, no or unclear.",
    "rubric": "How well does the rubric tell good next turns from bad ones here? 1 (useless) to 5 (precise and complete).",
    "response": "Which level of the rubric does the response meet? 0 to 5; 4 and 5 are a pass.",
}


def shown(item: Item, source: Source, known: Mapping[str, Family]) -> dict[str, str]:
    """The item's texts under their headings, in reading order. `known` is the catalogue; a family that it lacks is shown by its rubric."""
    benchmark = source.benchmarks[item.benchmark]
    if item.kind == "query":
        return _request(benchmark, known)
    instance = next(one for one in benchmark.instances if one.id == item.instance)
    context = seen_text(instance)
    behaviours = "\n\n".join(_behaviour(family, benchmark, known) for family in benchmark.manifest.families)
    rubrics = "\n\n".join(_rubric(rubric) for rubric in benchmark.rubrics.values())
    if item.kind == "instance":
        source_turn = benchmark.checks[item.instance].source
        return {"behaviour": behaviours, "context": context, "the agent's turn": turn_text(source_turn.text, source_turn.tool_calls)}
    if item.kind == "rubric":
        return {"behaviour": behaviours, "rubric": rubrics, "context": context}
    response = _response(item, source)
    return {"rubric": rubrics, "context": context, "response": response}


def _response(item: Item, source: Source) -> str:
    wanted = (item.benchmark, item.instance, item.model, item.sample)
    rows = source.run.responses if source.run else ()
    row = next(row for row in rows if (row.benchmark, row.instance, row.model, row.sample) == wanted)
    return turn_text(row.text, row.tool_calls)


def _request(benchmark: Benchmark, known: Mapping[str, Family]) -> dict[str, str]:
    about = benchmark.manifest
    understood = [_behaviour(family, benchmark, known) for family in about.families]
    if len(understood) > 1:
        understood.insert(0, "Both of these at once:")
    limits = {**about.parameters, **({"domain": about.domain} if about.domain else {})}
    understood += [f"{name}: {value}" for name, value in sorted(limits.items())]
    return {"request": about.query or "", "understood as": "\n\n".join(understood)}


def _behaviour(family: str, benchmark: Benchmark, known: Mapping[str, Family]) -> str:
    if family not in known:
        return f"{family}: what '{benchmark.rubrics[family].question}' asks about"
    card = known[family].card
    return "\n".join([f"{card.title}. {card.definition.strip()}", *(f"It is not: {one}" for one in card.not_this)])


def _rubric(rubric: Rubric) -> str:
    return "\n".join([rubric.question, *(f"{level}: {words}" for level, words in sorted(rubric.levels.items()))])
