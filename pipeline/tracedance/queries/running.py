"""A query set put to a build, and the table of what came of it: builds fulfilled, rejections right, sentences read as meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tracedance.queries.files import Query
from tracedance.schema import Outcome

Ask = Callable[[str], Outcome]
MADE = ("built", "dry_run")


def run(queries: Sequence[Query], ask: Ask, progress: Callable[[int, int, str], None]) -> dict[str, Any]:
    """Every query in turn. `ask` gives the outcome of a sentence.

    A question back counts as a rejection with its code: nobody is there to answer.
    """
    rows = []
    for number, query in enumerate(queries, start=1):
        rows.append(row(query, ask(query.text)))
        progress(number, len(queries), query.id)
    return {"queries": rows, **table(rows)}


def row(query: Query, outcome: Outcome) -> dict[str, Any]:
    """What came of one query, beside what should have."""
    wrong = misread(query, outcome)
    made = outcome.outcome in MADE
    right = (made and not wrong) if query.expected == "build" else outcome.reason == query.code
    return {
        "id": query.id,
        "kind": query.kind,
        "expected": query.expected,
        "expected_code": query.code or None,
        "outcome": outcome.outcome,
        "code": outcome.reason,
        "right": right,
        "read_right": not wrong if query.expected == "build" else None,
        "misread": wrong,
        "families": list(outcome.request.get("families", ())),
        "wrong_family": made and bool({"families", "behaviour"} & set(wrong)) if query.expected == "build" else made,
        "instances": [one.instances for one in outcome.benchmarks],
        "paths": [one.path for one in outcome.benchmarks if one.path],
        "message": outcome.message,
    }


def misread(query: Query, outcome: Outcome) -> list[str]:
    """The parts of a build's request that were not read as the query means them; all of it where it never became a request."""
    asked = outcome.request
    if query.expected != "build":
        return []
    if "minimum" not in asked:
        return [] if outcome.outcome in MADE and query.custom else ["behaviour"]
    names = tuple(name.split("/")[-1] for name in asked["families"])
    known = [_bare(names_) for names_ in (query.behaviours, *query.accept_also)]
    wrong = []
    if not any(set(names) == set(one) for one in known) and not query.custom:
        wrong.append("families")
    if set(names) == set(known[0]):
        wrong += [name for name, right in _as_read(query, asked).items() if not right]
    return wrong


def _as_read(query: Query, asked: Mapping[str, Any]) -> dict[str, bool]:
    return {
        "operator": asked.get("operator", "single") == query.operator,
        "parameters": all(_plain(asked["parameters"].get(name)) == _plain(value) for name, value in query.parameters.items()),
        "trace": asked["trace"] == query.trace.model_dump(mode="json"),
        "domain": _words(asked.get("domain")) == _words(query.domain),
        "size": query.size is None or (asked["minimum"], asked["maximum"]) == query.size,
        "replayable": not query.replayable or list(asked["replayability"]) == ["replayable"],
    }


def table(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures: over all, and by kind."""
    kinds = dict.fromkeys(row["kind"] for row in rows)
    return {**figures(rows), "by_kind": [{"kind": kind, **figures([row for row in rows if row["kind"] == kind])} for kind in kinds]}


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Builds that were fulfilled, rejections with the right code, and builds whose sentence was read as meant, of how many."""
    builds = [row for row in rows if row["expected"] == "build"]
    others = [row for row in rows if row["expected"] != "build"]
    return {
        "build_targets": _share(row["right"] for row in builds),
        "rejections": _share(row["right"] for row in others),
        "interpretation": _share(row["read_right"] for row in builds),
        "insufficient_yield": sum(row["code"] == "insufficient_yield" for row in builds),
        "wrong_family": sum(row["wrong_family"] for row in rows),
    }


def _share(right: Iterable[bool]) -> dict[str, Any]:
    counted = list(right)
    return {"right": sum(counted), "of": len(counted), "share": round(sum(counted) / len(counted), 4) if counted else None}


def _words(field: str | None) -> list[str]:
    return (field or "").casefold().replace("-", " ").split()


def _bare(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.removeprefix("custom:") for name in names)


def _plain(value: Any) -> Any:
    """A value of a parameter, whether it is written as a list or with commas."""
    if isinstance(value, str) and "," in value:
        return sorted(value.split(","))
    return (
        sorted(str(one).rstrip("*/") for one in value) if isinstance(value, list | tuple) else [value] if isinstance(value, str) else value
    )
