"""Query sets as files: sentences, what must come of each, and whether a person has looked at it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.schema import Operator, Record, TraceProperties

SCHEMA = "tracedance.queries/v1"
CURE = "configs/queries.yaml shows what a query set holds."
OTHER_NAMES = {"params": "parameters"}
IGNORED = ("spec", "n_benchmarks", "accept_also_spec")
"""What other tools' sets say beside."""
CUSTOM = ("custom:", "cu_")
"""How the name of a behaviour begins that is no family of the catalogue."""


class Query(Record):
    """One sentence and what must come of it."""

    id: str = Field(pattern=r"[\w.-]{1,60}")
    text: str = Field(max_length=4000)
    kind: str = ""
    """What it covers: `catalogue-single`, `custom-and`, `reject-size`, ..."""
    expected: Literal["build", "reject", "clarify"]
    code: str = ""
    """The reason of a rejection or a question back."""
    behaviours: tuple[str, ...] = ()
    """Bare names of families, `custom:name` for a behaviour that is none."""
    operator: Operator = "single"
    parameters: Mapping[str, Any] = {}
    trace: TraceProperties = TraceProperties()
    domain: str | None = None
    size: tuple[int, int] | None = None
    replayable: bool = False
    missing: tuple[str, ...] = ()
    accept_also: tuple[tuple[str, ...], ...] = ()
    """Other sets of behaviours that would be right."""
    language: str = "en"
    reason: str = ""
    reviewed: bool = True
    """False for a draft that no person has looked at."""

    @model_validator(mode="after")
    def says_why(self) -> Query:
        if self.expected != "build" and not self.code:
            raise ValueError("a rejection or a question back needs its code")
        return self

    @property
    def custom(self) -> bool:
        """Whether a behaviour of it is no family of the catalogue."""
        return any(name.startswith(CUSTOM) for name in self.behaviours)


class QuerySet(Record):
    """A whole file."""

    schema_: Literal["tracedance.queries/v1"] = Field(alias="schema")
    queries: tuple[Query, ...]

    @model_validator(mode="after")
    def ids_differ(self) -> QuerySet:
        if len({query.id for query in self.queries}) < len(self.queries):
            raise ValueError("two queries have one id")
        return self


def read(path: Path) -> tuple[Query, ...]:
    """The queries of a file; a bare list of them will do. InputError on anything that does not fit."""
    found = yamlfile.read(path, CURE)
    values = found.values
    raw: Any = {"schema": SCHEMA, "queries": [_renamed(one) for one in values]} if isinstance(values, list) else values
    try:
        return QuerySet.model_validate(raw).queries
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InputError(f"{str(path)!r}: {'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}. {CURE}") from error


def _renamed(row: Any) -> Any:
    """A row of a bare list: its code stands before the colon of its reason, and some names are other ones."""
    if not isinstance(row, dict):
        return row
    renamed = {OTHER_NAMES.get(name, name): value for name, value in row.items() if name not in IGNORED}
    if renamed.get("expected") != "build" and "code" not in renamed:
        renamed["code"] = str(renamed.get("reason", "")).partition(":")[0]
    renamed["behaviours"] = [str(name).strip("<>") for name in renamed.get("behaviours") or ()]
    return renamed
