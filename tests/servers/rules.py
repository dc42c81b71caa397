"""What the rules of all providers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Refused(Exception):
    """A request that the provider would refuse; the text is what it says."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


def require(fine: Any, why: str) -> None:
    """Refuses with 400 unless fine."""
    if not fine:
        raise Refused(why)


def subschemas(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A schema and all schemas in it, each with its place."""
    yield path, schema
    if not isinstance(schema, dict):
        return
    for name, part in (schema.get("properties") or {}).items():
        yield from subschemas(part, f"{path}.properties[{name}]")
    if "items" in schema:
        yield from subschemas(schema["items"], f"{path}.items")
    for word in ("anyOf", "oneOf", "allOf", "any_of"):
        for number, part in enumerate(schema.get(word) or []):
            yield from subschemas(part, f"{path}.{word}[{number}]")


def references(value: Any) -> bool:
    """Whether a `$ref` stands anywhere in a value."""
    if isinstance(value, dict):
        return "$ref" in value or any(references(part) for part in value.values())
    return isinstance(value, list) and any(references(part) for part in value)
