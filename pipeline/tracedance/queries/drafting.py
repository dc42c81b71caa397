"""What a query set does not cover yet, and drafts for it by the model that plays `strong`.

A draft counts for nothing until a person has read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import Field

from tracedance.catalogue import Family
from tracedance.errors import InputError, ItemError
from tracedance.queries.files import SCHEMA, Query
from tracedance.query.strong import Strong, put
from tracedance.schema import Record

KINDS = {
    "catalogue-single": 2,
    "catalogue-param": 2,
    "catalogue-size": 1,
    "catalogue-trace": 2,
    "catalogue-domain": 2,
    "catalogue-and": 2,
    "catalogue-or": 2,
    "mixed-or": 1,
    "custom-single": 2,
    "custom-param": 1,
    "custom-domain": 1,
    "reject-count": 1,
    "reject-and": 1,
    "reject-size": 1,
    "reject-not-observable": 2,
    "reject-outcome": 2,
    "reject-harmful": 2,
    "reject-per-session": 2,
    "clarify-missing-param": 2,
    "clarify-ambiguous": 1,
    "reject-no-behaviour": 1,
}
"""Kinds of sentences, and how many of each a set should have."""
LANGUAGES = ("de", "es", "fr")
"""Each in two sentences, at least."""
AT_ONCE = 8
"""Gaps that one call is asked to fill."""


class Drafts(Record):
    """What the draft_queries prompt asks for."""

    queries: tuple[Query, ...] = Field(max_length=40)


def gaps(queries: Sequence[Query], families: Sequence[Family]) -> list[str]:
    """What a set lacks, a sentence for each thing: kinds, languages, families that nobody asks for. Drafts fill nothing."""
    read = [query for query in queries if query.reviewed]
    kinds, languages = Counter(query.kind for query in read), Counter(query.language for query in read)
    asked = {name for query in read for name in query.behaviours}
    lacking = [f"a sentence of the kind {kind}" for kind, wanted in KINDS.items() for _ in range(wanted - kinds[kind])]
    lacking += [f"a sentence of the kind catalogue-single in the language {code}" for code in LANGUAGES for _ in range(2 - languages[code])]
    return lacking + [f"a sentence of the kind catalogue-single about {one.name}" for one in families if one.name not in asked]


def drafts(queries: Sequence[Query], families: Sequence[Family], strong: Strong) -> tuple[list[Query], list[str]]:
    """Sentences for the gaps of a set, all of them unreviewed, and the gaps that are left. InputError (5) where no model answered."""
    lacking, left = gaps(queries, families), list[str]()
    made: list[Query] = []
    texts, ids = {query.text for query in queries}, {query.id for query in queries}
    listed = "\n".join(f"- {one.name}: {one.card.title}; parameters {dict(one.card.parameters)}" for one in families)
    for start in range(0, len(lacking), AT_ONCE):
        wanted = lacking[start : start + AT_ONCE]
        try:
            answer = put(strong, "draft_queries", Drafts, {"gaps": "\n".join(f"- {one}" for one in wanted), "families": listed})
        except ItemError as error:
            raise InputError(f"The prompt for drafts cannot be made ({error.reason}). Reinstall tracedance.") from error
        new = [query for query in (answer.value.queries if answer.value else ()) if query.text not in texts][: len(wanted)]
        for query in new:
            texts.add(query.text)
            made.append(query.model_copy(update={"id": _free(ids, len(made)), "reviewed": False}))
        left += wanted[len(new) :]
    return made, left


def written(queries: Sequence[Query]) -> str:
    """Queries as a file of their own."""
    rows: list[dict[str, Any]] = [{**query.model_dump(mode="json", exclude_defaults=True), "reviewed": query.reviewed} for query in queries]
    return yaml.safe_dump({"schema": SCHEMA, "queries": rows}, sort_keys=False, allow_unicode=True, width=140)


def _free(ids: set[str], number: int) -> str:
    name = next(name for name in (f"draft{count:03d}" for count in range(number + 1, number + 10_000)) if name not in ids)
    ids.add(name)
    return name
