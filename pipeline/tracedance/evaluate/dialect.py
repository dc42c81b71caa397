"""JSON Schemas of tools in the dialect that every provider takes.

Recorded schemas come from many harnesses. Claude refuses `$ref` and unions at the top, OpenAI arrays without items, Gemini anything beyond
OpenAPI's subset: a list of types, `const`, an enum that is not of texts. All models are given the same plain schema, so that none is tested
on another tool than the rest. What is lost are constraints, never a property whose name every provider can spell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

KEPT = ("title", "description", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern")
TYPES = ("object", "array", "string", "number", "integer", "boolean")
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}")
DEEPEST = 12
"""Levels of a schema; below, anything goes. Recursive schemas end here."""
ANYTHING: dict[str, Any] = {"type": "string"}
"""Stands for a value of which nothing is said: Gemini wants a type everywhere."""


def plain(schema: Any) -> dict[str, Any]:
    """The schema of a tool's arguments in the common dialect: an object, without references and unions at its top."""
    root = schema if isinstance(schema, Mapping) else {}
    made = _node(merged(resolved(root, root), root, 0), root, 0)
    properties = made.get("properties", {})
    needed = [name for name in made.get("required", []) if name in properties]
    words: dict[str, Any] = {key: made[key] for key in ("title", "description") if key in made}
    return {**words, "type": "object", "properties": properties, **({"required": needed} if needed else {})}


def resolved(node: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a node stands for: local references are followed, others and what is no schema say nothing."""
    for _ in range(DEEPEST):
        if not isinstance(node, Mapping):
            return {}
        if not isinstance(node.get("$ref"), str):
            return node
        said = {key: value for key, value in node.items() if key != "$ref"}
        target: Any = root
        for part in node["$ref"].removeprefix("#").strip("/").split("/"):
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping) or not node["$ref"].startswith("#"):
            return said
        node = {**target, **said}
    return {}


def merged(node: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
    """An object schema with the properties of its unions; needed is what all branches need, or any branch of an `allOf`."""
    if depth > DEEPEST:
        return {}
    properties = dict(node.get("properties") or {}) if isinstance(node.get("properties"), Mapping) else {}
    needed = texts(node.get("required"))
    for word in ("allOf", "anyOf", "oneOf"):
        branches = [merged(resolved(branch, root), root, depth + 1) for branch in listed(node.get(word))]
        sets = [set(texts(branch.get("required"))) for branch in branches]
        for branch in branches:
            properties = {**(branch.get("properties") or {}), **properties}
        if sets:
            needed += sorted(set.union(*sets) if word == "allOf" else set.intersection(*sets))
    rest = {key: value for key, value in node.items() if key not in ("allOf", "anyOf", "oneOf", "properties", "required")}
    return {**rest, "properties": properties, "required": list(dict.fromkeys(needed))}


def _node(given: Any, root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """One level of a schema."""
    node = resolved(given, root)
    if depth > DEEPEST or not node:
        return dict(ANYTHING)
    if node.get("allOf"):
        node = {**dict(resolved(next(iter(listed(node["allOf"])), {}), root)), **merged(node, root, depth)}
        if not node["properties"]:
            node = {key: value for key, value in node.items() if key not in ("properties", "required")}
    made = {key: node[key] for key in KEPT if fits(key, node.get(key))}
    branches = [branch for word in ("anyOf", "oneOf") for branch in listed(node.get(word)) if kinds(resolved(branch, root)) != ["null"]]
    kind = [one for one in kinds(node) if one != "null"]  # a value that can only be null is told by its name alone
    if len(branches) > 1 or (not branches and len(kind) > 1):
        options = branches or [{**node, "type": one} for one in kind]
        keep: dict[str, Any] = {key: made[key] for key in ("title", "description") if key in made}
        return {**keep, "anyOf": [_node(option, root, depth + 1) for option in options]}
    if branches:
        return {**_node(branches[0], root, depth + 1), **made}
    return {**made, **typed(node, kind[0] if kind else "string", root, depth)}


def typed(node: Mapping[str, Any], kind: str, root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """What belongs to a node's one type."""
    if kind == "object":
        given = node.get("properties") if isinstance(node.get("properties"), Mapping) else {}
        properties = {name: _node(part, root, depth + 1) for name, part in (given or {}).items() if NAME.fullmatch(str(name))}
        needed = [name for name in texts(node.get("required")) if name in properties]
        return {"type": kind, "properties": properties, **({"required": needed} if needed else {})}
    if kind == "array":
        items = node.get("items", node.get("prefixItems"))
        first = items[0] if isinstance(items, list) and items else items
        return {"type": kind, "items": _node(first, root, depth + 1)}
    choices = [
        value for value in [*listed(node.get("enum")), *([node["const"]] if "const" in node else [])] if isinstance(value, str) and value
    ]
    return {"type": kind, **({"enum": list(dict.fromkeys(choices))} if choices and kind == "string" else {})}


def kinds(node: Mapping[str, Any]) -> list[str]:
    """The types that a node allows, apart from null; guessed from what else it says where it names none."""
    stated = node.get("type")
    named = [kind for kind in (stated if isinstance(stated, list) else [stated]) if kind in TYPES]
    if named or stated in ("null", ["null"]):
        return named or ["null"]
    if "properties" in node:
        return ["object"]
    if "items" in node or "prefixItems" in node:
        return ["array"]
    values = [*listed(node.get("enum")), *([node["const"]] if "const" in node else [])]
    if values and all(isinstance(value, bool) for value in values):
        return ["boolean"]
    return ["number"] if values and all(isinstance(value, int | float) for value in values) else []


def fits(key: str, value: Any) -> bool:
    """Whether a constraint says what today's JSON Schema means by it: draft 4 had `exclusiveMinimum: true`, and files have anything."""
    if key in ("title", "description", "pattern"):
        return isinstance(value, str)
    if key == "default":
        return isinstance(value, str | int | float | bool)
    return isinstance(value, int | float) and not isinstance(value, bool)


def listed(value: Any) -> list[Any]:
    """A list, whatever stands there."""
    return value if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The texts of a list."""
    return [item for item in listed(value) if isinstance(item, str)]
