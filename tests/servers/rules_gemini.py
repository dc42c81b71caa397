"""What Gemini's generateContent refuses."""

from __future__ import annotations

import re
from typing import Any

from tests.servers.rules import Refused, require

WRONG_KEY = "API key not valid. Please pass a valid API key."
WRONG_STATUS = 400  # not 401: so it is
UNKNOWN = "models/{model} is not found for API version v1beta, or is not supported for generateContent."
TOO_LONG = "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
COUNT = "Please ensure that the number of function response parts is equal to the number of function call parts."
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
FIELDS = {
    *("type", "format", "title", "description", "nullable", "enum", "items", "properties", "required", "minItems", "maxItems", "minimum"),
    *("maximum", "minLength", "maxLength", "pattern", "anyOf", "any_of", "default", "example", "propertyOrdering", "minProperties"),
    *("maxProperties", "max_items", "min_items"),
}
"""Fields of its Schema; any other is an unknown name."""
TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
TOP = {"contents", "tools", "toolConfig", "systemInstruction", "system_instruction", "generationConfig", "safetySettings"}
CONFIG = {"maxOutputTokens", "max_output_tokens", "temperature", "topP", "top_p", "topK", "seed", "thinkingConfig", "candidateCount"}


def check(body: dict[str, Any], model: str) -> None:
    """Raises Refused for what the provider would not take."""
    for name in (body.keys() - TOP) | (body.get("generationConfig", {}).keys() - CONFIG):
        raise Refused(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')
    declared = [
        one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or tool.get("function_declarations") or []
    ]
    names = [one["name"] for one in declared]
    require(len(set(names)) == len(names), "Duplicate function declaration found.")
    for number, one in enumerate(declared):
        require(
            NAME.fullmatch(one["name"]),
            f"Invalid function name at tools[0].function_declarations[{number}].name. Must start with a letter or an underscore.",
        )
        if "parameters" in one:
            check_schema(one["parameters"], f"tools[0].function_declarations[{number}].parameters")
    check_contents(body.get("contents") or [], bool(declared), "gemini-2" not in model)


def check_contents(contents: list[dict[str, Any]], tools: bool, signed: bool) -> None:
    """The turns."""
    require(contents, "contents is not specified")
    require(contents[0]["role"] == "user", "Please ensure that multiturn requests begin with a user turn.")
    require(contents[-1]["role"] == "user", "Please ensure that multiturn requests end with a user turn or a function response.")
    for place, turn in enumerate(contents):
        parts = turn["parts"]
        before = contents[place - 1] if place else None
        require(parts, f"contents[{place}].parts must not be empty")
        # What the user says after function responses may stand in a turn of its own: LiteLLM sends it so, and Gemini takes it.
        answering = bool(before and named(before["parts"], "response"))
        alternates = before is None or before["role"] != turn["role"] or (answering and turn["role"] == "user")
        require(alternates, "Please ensure that multiturn requests alternate between user and model.")
        asked, told = named(parts, "call"), named(parts, "response")
        require(
            not asked or (before and before["role"] == "user"),
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        )
        require(not asked or tools, "Function calls are given without function declarations.")
        wanted = named(before["parts"], "call") if before else []
        require(
            len(told) == len(wanted),
            COUNT,
        )
        require(sorted(told) == sorted(wanted), "Please ensure that function response names match the function calls.")
        for part in parts:
            require(
                part.keys() & {"text", "functionCall", "function_call", "functionResponse", "function_response"},
                "contents.parts.data: one of the fields must be set",
            )
        first = next((part for part in parts if part.keys() & {"functionCall", "function_call"}), None)
        if signed and first is not None:
            sign = first.get("thoughtSignature") or first.get("thought_signature")
            require(sign, "Function call is missing a thought_signature in functionCall parts.")
            require(sign == "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", "Corrupted thought signature.")


def named(parts: list[dict[str, Any]], what: str) -> list[str]:
    """Names in the function calls, or responses, of a turn."""
    found = [part.get(f"function{what.title()}") or part.get(f"function_{what}") for part in parts]
    return [one["name"] for one in found if one]


def check_schema(schema: Any, path: str) -> None:
    """A schema in OpenAPI's subset."""
    require(isinstance(schema, dict), f"Invalid value at '{path}'")
    for name in schema.keys() - FIELDS:
        raise Refused(f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.")
    kind = schema.get("type")
    require(isinstance(kind, str | None), f"Invalid value at '{path}.type': Proto field is not repeating, cannot start list.")
    union = schema.get("anyOf") or schema.get("any_of")
    require(kind or union, f"Unable to submit request because {path} schema didn't specify the schema type field.")
    require(kind is None or str(kind).upper() in TYPES, f"Invalid value at '{path}.type'")
    kind = str(kind or "").upper()
    for value in schema.get("enum") or []:
        require(isinstance(value, str), f"Invalid value at '{path}.enum' (TYPE_STRING), {value}")
        require(value, f"{path}.enum: cannot be empty")
    require("enum" not in schema or kind == "STRING", f"{path}.enum: only allowed for STRING type")
    require(
        kind != "STRING" or schema.get("format", "enum") in ("enum", "date-time"),
        f"{path}.format: only 'enum' and 'date-time' are supported for STRING type",
    )
    require(kind != "ARRAY" or "items" in schema, f"{path}.items: missing field.")
    properties = schema.get("properties") or {}
    require("properties" not in schema or kind == "OBJECT", f"{path}.properties: only allowed for OBJECT type")
    for name in schema.get("required") or []:
        require(name in properties, f"{path}.required: property '{name}' is not defined")
    for name, part in properties.items():
        check_schema(part, f"{path}.properties[{name}]")
    if "items" in schema:
        check_schema(schema["items"], f"{path}.items")
    for number, part in enumerate(union or []):
        check_schema(part, f"{path}.any_of[{number}]")


def error(status: int, why: str) -> dict[str, Any]:
    """The provider's form of an error."""
    word = {401: "UNAUTHENTICATED", 404: "NOT_FOUND"}.get(status, "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": why, "status": word}}


def answer(body: dict[str, Any], model: str) -> dict[str, Any]:
    """One turn: a call of the first tool, else words."""
    declared = [
        one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or tool.get("function_declarations") or []
    ]
    part: dict[str, Any] = {"functionCall": {"name": declared[0]["name"], "args": {}}} if declared else {"text": "Hello."}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        "modelVersion": model,
    }
