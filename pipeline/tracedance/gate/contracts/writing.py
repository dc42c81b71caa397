"""Specs as files for people: YAML with comments, read back before anybody gets it."""

import json
from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.gate.spec import explain
from tracedance.schema import GateSpec

WIDTH = 110


def comment(text: str) -> str:
    """One line of comment; whatever the text, it stays one line and a comment."""
    return "# " + "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def plain_yaml(values: Mapping[str, Any], indent: int = 0) -> str:
    """Values as YAML in the order given, quoted where they must be."""
    text = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=False, width=WIDTH, default_flow_style=False)
    return "".join(f"{' ' * indent}{line}\n" for line in text.splitlines())


def spec_text(values: Mapping[str, Any], head: str) -> str:
    """A spec with a comment over it."""
    return checked(f"{head}\n{plain_yaml(values)}")


def checked(text: str) -> str:
    """The text, which `gate` will read. InputError where it would not: names in traces may be what no spec can hold."""
    found = yamlfile.parse(text.encode(), "the spec", "", caps=yamlfile.SMALL)
    try:
        found.strictly(GateSpec)
    except ValidationError as error:
        raise InputError(f"No spec can be made of it. {explain(error, found)}") from None
    return text
