"""Policies as people write them: `behavior-spec/v0` in YAML, read without trust and refused with file, line and column."""

import difflib
from pathlib import Path

from pydantic import ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.resources import data
from tracedance.schema import BenchmarkResultsSpec, GateSpec


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
    known = BenchmarkResultsSpec.model_fields if key[:1] == ("benchmark_results",) and len(key) > 1 else GateSpec.model_fields
    name = ".".join(str(part) for part in key)
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(key[-1]), known, n=1)
        cure = f"Did you mean {near[0]!r}?" if near else f"Fields there: {', '.join(known)}."
        return f"{found.at(key)}: no field is named {name!r}. {cure}"
    return f"{found.at(key)}: {name or 'the policy'!r}: {first['msg']}. See the shipped configs/gate.yaml."
