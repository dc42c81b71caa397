"""What is wrong with a call's arguments, by an error's words and by a schema."""

from typing import Any

import pytest

from tracedance.kit import arguments
from tracedance.kit.arguments import Violation


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (
            "InputValidationError: Write failed due to the following issue: The required parameter `content` is missing",
            [("missing", "content")],
        ),
        ("An unexpected parameter `-l` was provided", [("unknown", "-l")]),
        ("The parameter `offset` type is expected as `number` but provided as `string`", [("type", "offset")]),
        ("TypeError: f() missing 1 required positional argument: 'city'", [("missing", "city")]),
        ("TypeError: f() got an unexpected keyword argument 'town'", [("unknown", "town")]),
        ("- 'path' is a required property", [("missing", "path")]),
        ("params must have required property 'file_path'", [("missing", "file_path")]),
        ("failed to parse function arguments: missing field `cmd` at line 1", [("missing", "cmd")]),
        ("failed to parse function arguments: invalid type: map, expected a string", [("type", "")]),
        ("Additional properties are not allowed ('colour' was unexpected)", [("unknown", "colour")]),
        ("1 validation error for call[book]\nguests\n  Input should be a valid integer", [("type", "guests")]),
        ("1 validation error for call[book]\narea\n  Input should be 'inside' or 'terrace'", [("choice", "area")]),
        ("ToolInputError: to required", [("missing", "to")]),
        ("Action send requires a target.", [("missing", "target")]),
        ('[{"code": "too_small", "minimum": 1, "path": ["questions"]}]', [("rule", "questions")]),
        ('[{"code": "unrecognized_keys", "keys": ["-n"], "path": []}]', [("unknown", "-n")]),
        (
            '[{"expected": "string", "code": "invalid_type", "path": ["q"], "message": "Invalid input: received undefined"}]',
            [("missing", "q")],
        ),
        ("order is not eligible for return", []),
        ("file not found", []),
    ],
)
def test_an_error_says_what_is_wrong(error: str, found: list[tuple[str, str]]) -> None:
    assert [(each.kind, each.name) for each in arguments.stated(error)] == found


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "unit": {"enum": ["C", "F"]},
        "tags": {"type": "array", "items": {"type": "object", "required": ["key"], "properties": {"key": {"type": ["string", "null"]}}}},
    },
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"n": 1, "unit": "C", "tags": [{"key": None}]}, []),
        ({"n": 1.0}, []),
        ({}, [("missing", "n")]),
        ({"n": True}, [("type", "n")]),
        ({"n": "1"}, [("type", "n")]),
        ({"n": 1, "unit": "K"}, [("choice", "unit")]),
        ({"n": 1, "extra": 1}, [("unknown", "extra")]),
        ({"n": 1, "tags": [{}, {}]}, [("missing", "key")]),
    ],
)
def test_a_schema_says_what_it_rejects(given: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert [(each.kind, each.name) for each in arguments.against(SCHEMA, given)] == found


def test_unions_and_unknown_types_are_taken_to_accept() -> None:
    assert arguments.against({"properties": {"a": {"anyOf": [{"type": "string"}]}, "b": {"type": "file"}}}, {"a": 1, "b": 2}) == []


@pytest.mark.parametrize(
    ("violation", "before", "after", "again"),
    [
        (Violation("missing", "to"), {}, {"text": "x"}, True),
        (Violation("missing", "to"), {}, {"to": "kim"}, False),
        (Violation("unknown", "-l"), {"-l": True}, {"-l": False}, True),
        (Violation("type", "n"), {"n": "1"}, {"n": "2"}, True),
        (Violation("type", "n"), {"n": "1"}, {"n": 1}, False),
        (Violation("choice", "unit"), {"unit": "K"}, {"unit": "K"}, True),
        (Violation("choice", "unit"), {"unit": "K"}, {"unit": "C"}, False),
        (Violation("type", ""), {}, {}, False),
    ],
)
def test_a_fault_is_known_again(violation: Violation, before: dict[str, Any], after: dict[str, Any], again: bool) -> None:
    assert arguments.repeated(arguments.told(violation, before), after) is again


def test_an_error_that_the_arguments_contradict_is_told() -> None:
    assert arguments.contradicted(Violation("missing", "content"), {"content": "x"})
    assert not arguments.contradicted(Violation("missing", "content"), {"content": ""})
    assert arguments.contradicted(Violation("unknown", "-l"), {"pattern": "x"})


@pytest.mark.parametrize(
    ("value", "filler"), [("TODO", True), ("N/A", True), ("<chat id>", True), ("", True), ("kim@example.org", False), (3, False)]
)
def test_a_filler_is_told_from_a_value(value: object, filler: bool) -> None:
    assert arguments.is_placeholder(value) is filler
