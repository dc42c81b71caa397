"""Policies as people write them: `behavior-spec/v0` in YAML, read without trust and refused with file, line and column."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.resources import data
from tracedance.schema import GateSpec


def default_spec() -> GateSpec:
    """The policy that is shipped as configs/gate.yaml."""
    return read_spec(data("configs") / "gate.yaml")


def read_spec(path: Path) -> GateSpec:
    """A policy from its file; InputError with the place for anything that is not exactly a policy."""
    found = yamlfile.read(path, "Give a behavior-spec/v0 file with --spec; start from the shipped configs/gate.yaml.", caps=yamlfile.SMALL)
    try:
        return found.strictly(GateSpec)
    except ValidationError as error:
        raise InputError(explain(error, found)) from None


def explain(error: ValidationError, found: yamlfile.Document) -> str:
    """The first thing wrong, where it is and what would be right."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    key = first["loc"]
    name = ".".join(str(part) for part in key)
    if first["type"] == "extra_forbidden":
        known = fields_at(key[:-1])
        near = difflib.get_close_matches(str(key[-1]), known, n=1)
        cure = f"Did you mean {near[0]!r}?" if near else f"Fields there: {', '.join(known)}."
        return f"{found.at(key)}: no field is named {name!r}. {cure}"
    problem = first["msg"].removeprefix("Value error, ")
    return f"{found.at(key)}: {name or 'the policy'!r}: {problem}. See docs/behavior-spec.md and the shipped configs/gate.yaml."


def fields_at(key: Sequence[str | int]) -> Sequence[str]:
    """The names of the fields of the part of a policy that these keys lead to."""
    kind: Any = GateSpec
    for part in key:
        if isinstance(part, str) and part in getattr(kind, "model_fields", {}):
            kind = _record_in(kind.model_fields[part].annotation)
    return list(kind.model_fields)


def _record_in(annotation: Any) -> Any:
    """The record that an annotation is of, or holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _record_in(part))), None)
