"""A query set put to a build, and the table of what came of it: builds fulfilled, rejections right, sentences read as meant.

Three things are told apart: a sentence read as something else (wrong), one read as meant of which the store holds too little (`short`), and
one fulfilled (right).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tracedance.catalogue import families
from tracedance.queries.files import CUSTOM, Query
from tracedance.schema import Built, Outcome

Ask = Callable[[str], Outcome]
MADE = ("built", "dry_run")
FOUND_BY_BUILDS = ("insufficient_yield", "unsafe_or_unsound_anchor")
"""Codes that a dry run cannot give: its request is no benchmark of what was not asked for."""
ASKED_FOR = ("candidates_confirmed", "others_confirmed")
"""Of a family that could not be written: places that were called the behaviour, among those that a draft found and those beside."""


def run(queries: Sequence[Query], ask: Ask, progress: Callable[[int, int, str], None]) -> dict[str, Any]:
    """Every query in turn. `ask` gives the outcome of a sentence.

    A question back counts as a rejection with its code: nobody is there to answer.
    """
    rows = []
    for number, query in enumerate(queries):
        progress(number, len(queries), "sentences")
        rows.append(row(query, ask(query.text)))
    progress(len(queries), len(queries), "sentences")
    return {"queries": rows, **table(rows)}


def row(query: Query, outcome: Outcome) -> dict[str, Any]:
    """What came of one query, beside what should have."""
    wrong = misread(query, outcome)
    made = outcome.outcome in MADE
    later = query.code in FOUND_BY_BUILDS and outcome.outcome == "dry_run"
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
        "short": query.expected == "build" and not wrong and _lacks_supply(outcome),
        "misread": wrong,
        "families": list(outcome.request.get("families", ())),
        "wrong_family": made and bool({"families", "behaviour"} & set(wrong)) if query.expected == "build" else made and not later,
        "instances": [one.instances for one in outcome.benchmarks],
        "wanted": outcome.request.get("minimum"),
        "counts": dict(outcome.counts),
        "paths": [one.path for one in outcome.benchmarks if one.path],
        "message": outcome.message,
    }


def _lacks_supply(outcome: Outcome) -> bool:
    """Whether a build came to nothing because the store holds too little of what was asked for."""
    if outcome.reason == "unsafe_or_unsound_anchor":
        asked = [outcome.counts.get(name) for name in ASKED_FOR]
        return any(count is not None for count in asked) and not any(asked)
    return outcome.reason == "insufficient_yield" and not any(_spoilt(one, outcome) for one in outcome.benchmarks)


def _spoilt(built: Built, outcome: Outcome) -> bool:
    """Whether there might be instances enough, had the confirmer's answers been readable."""
    unread = built.dropped.get("unreadable_answer", 0)
    return unread > 0 and (built.instances or 0) + unread >= int(outcome.request.get("minimum", 1))


def misread(query: Query, outcome: Outcome) -> list[str]:
    """The parts of a build's request that were not read as the query means them; all of it where it never became a request."""
    asked = outcome.request
    if query.expected != "build":
        return []
    if "minimum" not in asked:
        return _before_a_request(query, outcome)
    named = asked["families"]
    if not any(_are(named, behaviours) for behaviours in (query.behaviours, *query.accept_also)):
        return ["families"]
    return [name for name, right in _as_read(query, asked).items() if not right] if _are(named, query.behaviours) else []


def _are(named: Sequence[str], behaviours: Sequence[str]) -> bool:
    """Whether these families are those behaviours: the catalogue's by name, each other one a family that the catalogue does not ship."""
    shipped = families()
    known = {name.partition("/")[2] for name in named if name in shipped}
    custom = [name for name in behaviours if _is_custom(name)]
    return known == {name for name in behaviours if not _is_custom(name)} and len(set(named)) == len(known) + len(custom)


def _before_a_request(query: Query, outcome: Outcome) -> list[str]:
    """What was misread where a family is yet to be written, or could not be: the behaviours are counted, and the rest compared."""
    reading = outcome.request.get("interpretation")
    if not query.custom or reading is None or (outcome.outcome not in MADE and outcome.reason != "unsafe_or_unsound_anchor"):
        return ["behaviour"]
    if len(reading["behaviours"]) != len(query.behaviours):
        return ["families"]
    read = {**reading, "replayability": ["replayable"] if reading["replayable"] else []}
    return [name for name, right in _as_read(query, read).items() if not right]


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
    """Builds that were fulfilled, rejections with the right code, and builds whose sentence was read as meant, of how many; `short`: builds
    read as meant of which the store holds too little.
    """
    builds = [row for row in rows if row["expected"] == "build"]
    others = [row for row in rows if row["expected"] != "build"]
    return {
        "build_targets": _share(row["right"] for row in builds),
        "rejections": _share(row["right"] for row in others),
        "interpretation": _share(row["read_right"] for row in builds),
        "insufficient_yield": sum(row["code"] == "insufficient_yield" for row in builds),
        "short": sum(row["short"] for row in builds),
        "wrong_family": sum(row["wrong_family"] for row in rows),
    }


def _share(right: Iterable[bool]) -> dict[str, Any]:
    counted = list(right)
    return {"right": sum(counted), "of": len(counted), "share": round(sum(counted) / len(counted), 4) if counted else None}


def _is_custom(name: str) -> bool:
    return name.startswith(CUSTOM)


def _words(field: str | None) -> list[str]:
    return (field or "").casefold().replace("-", " ").split()


def _plain(value: Any) -> Any:
    """A value of a parameter, whether it is written as a list or with commas."""
    if isinstance(value, str) and "," in value:
        return sorted(value.split(","))
    return (
        sorted(str(one).rstrip("*/") for one in value) if isinstance(value, list | tuple) else [value] if isinstance(value, str) else value
    )
