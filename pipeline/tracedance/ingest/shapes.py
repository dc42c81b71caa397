"""Tool definitions inferred from calls, for sources that record none."""

from collections import Counter
from collections.abc import Iterable, Mapping

from tracedance.schema import ToolCall, ToolDefinition, ToolShape

_MOST_PROPERTIES = 200
"""Property names kept of one tool in one session: arguments are the model's own words, and may be any number of names."""
_REJECTED = ("no_such_tool", "schema")

_JSON_TYPES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def json_type(value: object) -> str:
    """JSON Schema's name for the type of a decoded JSON value."""
    return _JSON_TYPES[type(value)]


def shapes(calls: Iterable[ToolCall]) -> dict[str, ToolShape]:
    """Shape of the calls of each tool, by tool name, sorted.

    A call that was rejected because there is no such tool, or for its form, is no sample of what there is.
    """
    counts: Counter[str] = Counter()
    seen: dict[str, dict[str, dict[str, int]]] = {}
    for call in calls:
        if call.result is not None and call.result.error_class in _REJECTED:
            continue
        counts[call.name] += 1
        properties = seen.get(call.name)
        if properties is None:
            properties = seen[call.name] = {}
        for name, value in call.arguments.items():
            kind = _JSON_TYPES[value.__class__]
            types = properties.get(name)
            if types is not None:
                types[kind] = types.get(kind, 0) + 1
            elif len(properties) < _MOST_PROPERTIES:
                properties[name] = {kind: 1}
    return {name: ToolShape(counts[name], seen[name]) for name in sorted(seen)}


def pooled(sessions: Iterable[Mapping[str, ToolShape]]) -> dict[str, ToolShape]:
    """The shapes of several sessions put together, by tool name."""
    calls: Counter[str] = Counter()
    properties: dict[str, dict[str, Counter[str]]] = {}
    for session in sessions:
        for name, shape in session.items():
            calls[name] += shape.calls
            tool = properties.setdefault(name, {})
            for key, types in shape.properties.items():
                tool.setdefault(key, Counter()).update(types)
    return {name: ToolShape(calls[name], {key: dict(types) for key, types in properties[name].items()}) for name in sorted(calls)}


def definitions(harness: str, shapes: Mapping[str, ToolShape]) -> list[ToolDefinition]:
    """Definitions that the pooled `shapes` of one harness suggest, sorted by name; each says what it was inferred from.

    A property that every call has is required. Integer and number together are number; other mixtures stay a list of types.
    """
    return [_definition(harness, name, shape) for name, shape in sorted(shapes.items())]


def _definition(harness: str, name: str, shape: ToolShape) -> ToolDefinition:
    properties = {key: {"type": _type(types)} for key, types in sorted(shape.properties.items())}
    required = sorted(key for key, types in shape.properties.items() if sum(types.values()) == shape.calls)
    origin = f"Tool {name} of {harness or 'an unknown harness'}. Inferred from {shape.calls} recorded call{'s' if shape.calls != 1 else ''}"
    return ToolDefinition(
        name=name,
        description=f"{origin}; its real description and schema were not recorded.",
        parameters={"type": "object", "properties": properties, "required": required},
        inferred_from=shape.calls,
    )


def _type(types: Mapping[str, int]) -> str | list[str]:
    names = set(types)
    if "number" in names:
        names.discard("integer")
    return next(iter(names)) if len(names) == 1 else sorted(names)
