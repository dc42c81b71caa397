"""A report as Markdown, and as plain values for JSON: figures and what became of each instance, without contexts and responses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from tracedance.report.evaluation import STATUSES, Evaluated, Section
from tracedance.report.figures import percent, span
from tracedance.report.judged import NO_PROBES, PLANTED, VOTES, probe_score
from tracedance.report.visible import one_line

SCHEMA = "tracedance.report/v1"


def as_values(told: Evaluated) -> dict[str, Any]:
    """What the page shows as figures; `comparison` is what `compare --json` prints."""
    return {
        "schema": SCHEMA,
        "benchmarks": [_benchmark(section) for section in told.sections],
        "comparison": told.found,
        "scores": {model: list(counts) for model, counts in told.scores.items()},
        "first_actions": {model: dict(sorted(counts.items())) for model, counts in told.actions.items()},
        "statuses": {model: dict(counts) for model, counts in told.statuses.items()},
        "costs": [
            {"model": row.model, "calls": row.calls, "answering": row.answering, "judging": row.judging, "usd": row.total, "each": row.each}
            for row in told.costs
        ],
        "contradictions": told.contradictions,
        "judging": [
            {
                "run": one.run,
                "seats": list(one.seats),
                "probes": list(one.probes),
                "without_probes": list(one.without_probes),
                "without_own": list(one.without_own),
                "warnings": list(one.warnings),
            }
            for one in told.judging
        ],
    }


def _benchmark(section: Section) -> dict[str, Any]:
    funnel = section.funnel
    return {
        "name": section.name,
        "digest": section.digest,
        "query": section.query,
        "families": [family.id for family in section.families],
        "trouble": section.trouble or None,
        "confirmed_by": list(section.confirmed_by),
        "funnel": {
            "steps": [{"step": words, "count": count} for words, count in funnel.steps],
            "candidates": funnel.candidates,
            "kept": funnel.kept,
            "dropped": dict(funnel.dropped),
            "unexplained": funnel.unexplained,
        }
        if funnel
        else None,
        "rates": [row.model_dump(mode="json") for row in section.rates],
        "reconstructed": section.reconstructed,
        "instances": [
            {
                "id": case.id,
                "family": case.family,
                "responses": [
                    {"model": one.model, "sample": one.sample, "word": one.word, "mean": one.mean, "contradiction": one.contradiction}
                    for one in case.answers
                ],
            }
            for case in section.cases
        ],
        "instances_left_out": section.unshown,
    }


def markdown(told: Evaluated) -> str:
    """The report as Markdown: what a pull request or a wiki can hold. Foreign text is escaped and never a link, image or markup."""
    parts: list[str] = []
    for chapter in (_head, _notes, _funnel, _chapters, _scores, _planted, _own, _actions, _statuses, _costs, _instances):
        parts += [*chapter(told), ""]
    return "\n".join(parts).rstrip() + "\n"


def cell(value: object, limit: int = 120) -> str:
    """Foreign text on one line, with all that Markdown or HTML would act on escaped."""
    text = escape(one_line(str(value), limit), quote=False)
    return re.sub(r"([\\`*_{}\[\]#!|~@]|:(?=//)|(?<=www)\.)", r"\\\1", text)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], text: int = 1) -> list[str]:
    """A pipe table; all but the first `text` columns are figures."""
    rule = ["---" if place < text else "---:" for place in range(len(heads))]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)] + [""]


def _head(told: Evaluated) -> Iterator[str]:
    yield f"# {told.headline}"
    yield ""
    yield from (cell(told.aside, 600), "") if told.aside else ()
    for section in told.sections:
        asked = f" Asked for: {cell(section.query, 1000)}" if section.query else " Asked for by name."
        families = ", ".join(cell(family.card.title if family.card else family.id) for family in section.families)
        yield f"- **{cell(section.name)}**: {families}.{asked}"


def _chapters(told: Evaluated) -> Iterator[str]:
    """All that the comparison holds; what there is nothing of is said in a line."""
    for chapter in told.chapters:
        yield f"## {chapter.title}"
        yield ""
        for sentence in chapter.says:
            yield cell(sentence, 900)
            yield ""
        for one in chapter.tables:
            rows = [[cell(word, 300) for word in row] for row in one.rows]
            yield from table([cell(head) for head in (*one.text, *one.figures)], rows, len(one.text))


def _notes(told: Evaluated) -> Iterator[str]:
    yield "## How to read it"
    yield ""
    yield from (f"- {cell(note, 900)}" for note in told.found["notes"])


def _funnel(told: Evaluated) -> Iterator[str]:
    yield "## Where instances come from"
    yield ""
    for section in told.sections:
        if section.funnel is None:
            yield f"- {cell(section.name)}: {cell(section.trouble or 'the benchmark does not say', 600)}"
            continue
        gone = [f"{count} {cell(reason.replace('_', ' '))}" for reason, count in section.funnel.dropped]
        gone += [f"{section.funnel.unexplained} not accounted for"] if section.funnel.unexplained else []
        yield f"- {cell(section.name)}: {section.funnel.candidates} candidates = {' + '.join([f'{section.funnel.kept} kept', *gone])}"
    gone = told.found["excluded"]
    yield f"- {gone['of']} instances = {gone['of'] - gone['instances']} compared + {gone['instances']} left out"


def _scores(told: Evaluated) -> Iterator[str]:
    yield "## Scores by model"
    yield ""
    yield from table(["Model", *(f"score {level}" for level in range(6))], [[cell(name), *map(str, n)] for name, n in told.scores.items()])


def _planted(told: Evaluated) -> Iterator[str]:
    """What each seat made of turns whose grade is known."""
    for one in told.judging:
        yield f"## Judges on planted turns{_of(one.run, told)}"
        yield ""
        if not one.probes:
            yield NO_PROBES
        lines = [
            [
                cell(row["place"]),
                cell(row["judge"]),
                probe_score(row["low"]),
                probe_score(row["high"]),
                "void" if row["void"] else "count",
            ]
            for row in one.planted
        ]
        if lines:
            yield PLANTED
            yield ""
            yield from table(["Benchmark", "Judge", "Known 0", "Known 5", "Its votes"], lines, 2)
        if one.without_probes:
            yield f"No turn of known grade can be planted for {', '.join(map(cell, one.without_probes))}."
        lines = [[cell(row["judge"]), *(str(row[name]) for name in VOTES)] for row in one.seats]
        yield from table(["Judge", *(name.capitalize() for name in VOTES)], lines) if lines else ()


def _own(told: Evaluated) -> Iterator[str]:
    """Rates without the judges of a model's own maker."""
    for one in told.judging:
        yield f"## Without judges of the model's own maker{_of(one.run, told)}"
        yield ""
        if not one.without_own:
            yield one.nobody
        lines = [
            [
                cell(row["model"]),
                cell(row["benchmark"]),
                percent(row["raw"]),
                f"{percent(row['pass_rate'])} ({row['passed']} of {row['assessed']})",
                span(row["interval"]) if row["interval"] else "-",
                cell(", ".join(row["left_out"])),
            ]
            for row in one.without_own
        ]
        if lines:
            yield from table(["Model", "Benchmark", "All judges", "Without", "95% interval", "Left out"], lines, 2)


def _of(run: str, told: Evaluated) -> str:
    """Whose it is, where there are several runs."""
    return f": {cell(run)}" if len(told.given.runs) > 1 else ""


def _actions(told: Evaluated) -> Iterator[str]:
    yield "## First actions"
    yield ""
    classes = sorted({name for counts in told.actions.values() for name in counts})
    if classes:
        lines = [[cell(model), *(str(counts.get(name, 0)) for name in classes)] for model, counts in told.actions.items()]
        yield from table(["Model", *map(cell, classes)], lines)


def _statuses(told: Evaluated) -> Iterator[str]:
    yield "## What came back"
    yield ""
    yield STATUSES
    yield ""
    words = list(dict.fromkeys(word for counts in told.statuses.values() for word in counts))
    lines = [[cell(model), *(str(counts.get(word, 0)) for word in words)] for model, counts in told.statuses.items()]
    yield from table(["Model", *words], lines) if lines else ()


def _costs(told: Evaluated) -> Iterator[str]:
    yield "## Cost"
    yield ""
    if not told.costs:
        yield "No model was called, so nothing was paid."
        return
    lines = [[cell(row.model), str(row.calls), *map(_dollars, (row.answering, row.judging, row.total, row.each))] for row in told.costs]
    yield from table(["Model", "Calls", "Answering", "Judging", "Together", "A response"], lines)


def _instances(told: Evaluated) -> Iterator[str]:
    yield "## Instances"
    yield ""
    for section in told.sections:
        lines = [
            [cell(case.id[:16]), cell(case.family), ", ".join(f"{cell(one.model, 60)} {cell(one.word)}" for one in case.answers)]
            for case in section.cases
        ]
        yield from table(["Instance", "Family", "Responses"], lines, 3)
        if section.unshown:
            yield f"{section.unshown} more are in the run's responses.jsonl and grades.jsonl."


def _dollars(value: float | None) -> str:
    return "price unknown" if value is None else f"{value:.6f}"
