"""How the test provider's `strong` model reads requests and matches them: sentences of the query sets by what these expect, others by rule.

It answers three prompts: interpret, select, equivalent. `strong-prose` never answers in the form asked for; `strong-unsure` chooses another
family in its third selection; `strong-lenient` chooses well and has its checks say `related`.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.queries.files import Query, read
from tracedance.query import by_rule
from tracedance.query.asked import Asked
from tracedance.resources import data
from tracedance.schema import Outcome

FENCED = re.compile(r"(?ms)^(DATA-[0-9a-f]{20})\n(.*?)\n\1$")
MARK = re.compile(r"(?m)^[0-9a-f]{4}\| ?")
CUSTOM = {
    "dependency_manifest_drift": "The agent installs a package without recording it in the project's manifest.",
    "unrequested_doc_files": "The agent creates documentation files nobody asked for.",
    "unbounded_sql_mutation": "The agent runs UPDATE or DELETE statements without a bound or a transaction.",
    "injected_instruction_followed": "The agent obeys instructions that it found in the output of a tool.",
    "lint_type_suppression": "The agent silences a checker instead of fixing its finding.",
    "reask_known_information": "The agent asks for what the user has already said.",
}
RELATED = {
    "unrequested_doc_files": "out_of_scope_edit",
    "unbounded_sql_mutation": "destructive_command_unconfirmed",
    "lint_type_suppression": "test_weakening",
}
FOUND_LATER = ("contradictory_size", "insufficient_yield", "unsafe_or_unsound_anchor")
"""Codes that no reading gives: the size is looked at, sessions are scanned, a family is tried."""
MORE = "TRACEDANCE_TEST_QUERIES"
"""Environment variable that names another query set whose sentences the model knows."""


def answer(model: str, messages: list[dict[str, str]]) -> str | None:
    """The answer to a prompt about a request; None for any other prompt."""
    prompt = messages[0]["content"]
    if "Its set of test sentences lacks these" in prompt:
        return json.dumps({"queries": drafted(prompt)})
    kind = next(
        (name for name, mark in (("read", '"outcome": "build"'), ("select", '"related": []'), ("check", "Check ")) if mark in prompt), None
    )
    if kind is None or not (found := FENCED.findall(prompt)):
        return None
    said = MARK.sub("", found[-1][1])
    if model == "strong-prose":
        return "I would be glad to help with that request."
    if kind == "read":
        return json.dumps(reading(said))
    if kind == "select":
        return json.dumps(selection(said, prompt, model))
    return json.dumps({"relation": "related" if model == "strong-lenient" else "same", "why": "It was read twice."})


def reading(sentence: str) -> dict[str, Any]:
    """What the sentence says."""
    known = queries().get(" ".join(sentence.split()))
    return expected(known) if known else by_rules(sentence)


def expected(query: Query) -> dict[str, Any]:
    """The reading that a query set expects."""
    low, high = query.size or (None, None)
    return {
        "outcome": "build" if query.expected == "build" or query.code in FOUND_LATER else query.code,
        "why": query.reason or "As it says.",
        "behaviours": [worded(name) for name in query.behaviours],
        "operator": query.operator if len(query.behaviours) > 1 else "single",
        "minimum": low,
        "maximum": high,
        "replayable": query.replayable,
        "domain": query.domain,
        "trace": query.trace.model_dump(mode="json"),
        "parameters": dict(query.parameters),
        "missing": list(query.missing),
    }


def by_rules(sentence: str) -> dict[str, Any]:
    """A reading by the product's own rules, for sentences that no set holds."""
    found = by_rule.read(sentence, {name: one.card for name, one in families().items()})
    if isinstance(found, Asked):
        return {
            "outcome": "build",
            "why": "By rule.",
            "behaviours": [worded(name.split("/")[-1]) for name in found.families],
            "operator": found.operator,
            "minimum": found.minimum,
            "maximum": found.maximum,
            "replayable": found.replayable,
            "domain": found.domain,
            "trace": found.trace.model_dump(mode="json"),
            "parameters": dict(found.parameters),
        }
    return {"outcome": _verdict(found, sentence), "why": found.message[:1500], "behaviours": _custom(found)}


def _verdict(found: Outcome, sentence: str) -> str:
    return {"no_family_matches": "build" if _custom(found) else "no_behaviour", "contradictory_size": "no_behaviour"}.get(
        str(found.reason), str(found.reason)
    )


def _custom(found: Outcome) -> list[str]:
    return [text for name, text in CUSTOM.items() if name.replace("_", " ") in found.message]


def selection(behaviour: str, prompt: str, model: str) -> dict[str, Any]:
    """The family whose title the behaviour is, if any."""
    named = next((one.id for one in families().values() if one.card.title == behaviour), None)
    if model == "strong-unsure" and not prompt.partition("\n\n- ")[2].startswith("action/commit_without_tests"):
        named = "failure/failed_step_ignored"
    related = [name for custom, name in RELATED.items() if CUSTOM[custom] == behaviour]
    return {"family": named, "related": [one.id for one in families().values() if one.name in related], "why": "By its title."}


def worded(name: str) -> str:
    """A behaviour as a sentence: the title of a family, or the wording of a custom one."""
    bare = name.removeprefix("custom:").removeprefix("cu_")
    return next((one.card.title for one in families().values() if one.name == bare), CUSTOM.get(bare, f"The agent does this: {bare}."))


def queries() -> dict[str, Query]:
    """The sentences whose reading is known."""
    return _of(str(data("configs") / "queries.yaml")) | (_of(os.environ[MORE]) if os.environ.get(MORE) else {})


@cache
def _of(path: str) -> dict[str, Query]:
    return {" ".join(query.text.split()): query for query in read(Path(path))}


def drafted(prompt: str) -> list[dict[str, Any]]:
    """A sentence for each gap that a prompt lists."""
    lacking = re.findall(r"(?m)^- a sentence of the kind ([\w-]+)(.*)$", prompt)
    return [
        {
            "id": f"d{number}",
            "kind": kind,
            "text": f"Sentence {zlib.crc32(prompt.encode())}-{number} of the kind {kind}{rest}.",
            "expected": "build",
        }
        for number, (kind, rest) in enumerate(lacking)
    ]
