"""Whatever schema was recorded, what is sent passes the rules of every provider; a plain schema is left as it is."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.evaluate.test_providers import SCHEMA
from tests.servers import rules_anthropic, rules_gemini, rules_openai
from tracedance.evaluate.dialect import plain

NAMES = some.sampled_from(["path", "mode", "a.b", "@type", "x" * 70, "", "1st", "type", "$ref"])
LEAVES = some.none() | some.booleans() | some.integers() | some.text(max_size=4) | some.just("object") | some.just("array")
WORDS = some.sampled_from(
    [
        *("type", "properties", "items", "anyOf", "oneOf", "allOf", "required", "enum", "const", "$ref", "$defs", "default", "minimum"),
        *("exclusiveMinimum", "additionalProperties", "not", "prefixItems", "description", "title", "format", "pattern", "nullable"),
    ]
)
KINDS = some.sampled_from(
    ["object", "array", "string", "number", "null", "file", ["string", "null"], ["array", "integer"], ["object", "x"]]
)
REFS = some.sampled_from(["#", "#/$defs/path", "#/properties/path", "http://x", "#/$defs/a~1b"])


def node(inner: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    shaped = some.fixed_dictionaries(
        {},
        optional={
            "type": KINDS,
            "properties": some.dictionaries(NAMES, inner, max_size=3),
            "items": inner | some.lists(inner, max_size=2),
            "anyOf": some.lists(inner, max_size=2),
            "allOf": some.lists(inner, max_size=2),
            "required": some.lists(NAMES, max_size=2) | some.booleans(),
            "enum": some.lists(LEAVES, max_size=3),
            "$ref": REFS,
            "$defs": some.dictionaries(NAMES, inner, max_size=2),
            "minimum": LEAVES,
            "description": LEAVES,
            "default": LEAVES,
        },
    )
    return shaped | some.dictionaries(WORDS, inner, max_size=3) | some.lists(inner, max_size=2)


SCHEMAS = some.recursive(LEAVES, node, max_leaves=12)


def passes(schema: dict[str, Any]) -> None:
    rules_openai.check_tool(0, {"function": {"name": "t", "parameters": schema}})
    rules_anthropic.check_tools([{"name": "t", "input_schema": schema}])
    rules_gemini.check_schema(schema, "t")
    json.dumps(schema, allow_nan=False)


@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SCHEMAS)
def test_any_schema_becomes_one_that_every_provider_takes(schema: Any) -> None:
    made = plain(schema)
    passes(made)
    assert plain(made) == made


def test_what_a_schema_says_of_its_properties_is_kept() -> None:
    made = plain(SCHEMA)
    passes(made)
    said = made["properties"]
    assert set(said) == set(SCHEMA["properties"]) - {"@type"} and made["required"] == ["path"]  # type: ignore[arg-type]
    assert said["path"] == {"type": "string", "description": "A path."}
    assert said["mode"] == {"type": "string", "enum": ["r", "w"]} and said["url"] == {"type": "string"}
    assert said["level"] == {"type": "integer", "minimum": 0}
    assert [option["type"] for option in said["either"]["anyOf"]] == ["string", "array"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "string", "description": "A.", "enum": ["x"]}}, "required": ["a"]},
        {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer", "minimum": 1}}}},
    ],
)
def test_a_plain_schema_is_left_as_it_is(schema: dict[str, Any]) -> None:
    assert plain(schema) == schema
