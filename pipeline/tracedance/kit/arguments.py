"""What is wrong with a call's arguments: as the tool's error states it, and as a JSON Schema tells.

A recorded schema is the better witness. Most harnesses record none; then only the error says what the tool accepts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.schema import Session

Kind = Literal["missing", "unknown", "type", "choice", "rule"]

_READ = 4_000
_DEPTH = 4
_ITEMS = 50
_NAMED = r"[`'\"“]?([\w$-](?:[\w.$-]{0,78}[\w$-])?)[`'\"”]?"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong. `rule` stands for what no schema says: ranges, equal texts, business rules."""

    kind: Kind
    """What is wrong with the argument, see above."""
    name: str
    """The property; "" where the error names none."""


_WORDINGS: tuple[tuple[Kind, str], ...] = (
    ("missing", rf"array must contain at least \d+ element(?:\(s\))?(?:[: ]+{_NAMED})?|must NOT have fewer than \d+ items()"),
    ("missing", rf"^\W*(?:error:? )?{_NAMED} (?:is required|cannot be empty|must not be empty)|\brequired at [`'\"]([\w.$-]{{1,80}})"),
    ("missing", rf"required (?:parameter|argument|property|field) {_NAMED} (?:is|was) (?:missing|not provided)"),
    ("missing", rf"missing (?:a )?required (?:parameter|argument|property|field)s?:? {_NAMED}"),
    ("missing", rf"missing \d* ?required (?:positional|keyword-only) arguments?: {_NAMED}"),
    ("missing", r"[`'\"]([\w.$-]{1,80})[`'\"] is a required property"),
    ("missing", rf"must have required property {_NAMED}|\bmissing field {_NAMED}|\bparameter {_NAMED} is required"),
    ("missing", r"^(\w[\w.-]{0,80})[ \t]*\n[ \t]+(?:field required|missing required)"),
    ("missing", r"\bToolInputError: (\w+) required|\brequires an? (\w+)\."),
    ("unknown", r"\buse [`'\"][\w.-]{1,60}[`'\"] instead of [`'\"]?([\w.-]{1,60})|must NOT have additional properties()"),
    (
        "unknown",
        rf"unexpected (?:parameter|keyword argument|argument|property|field) {_NAMED}|\bunknown (?:field|parameter|property) {_NAMED}",
    ),
    ("unknown", r"[`'\"]([\w.$-]{1,80})[`'\"] (?:was|were) unexpected|unrecognized keys?(?:\(s\))?[^\n:]{0,20}: [`'\"]([\w.$-]{1,80})"),
    ("unknown", r"^(\w[\w.-]{0,80})[ \t]*\n[ \t]+unexpected keyword argument"),
    ("type", rf"parameter {_NAMED} type is expected as|params/(\w+) must be (?:string|number|integer|boolean|array|object)\b"),
    ("type", r"is not of type ['`\"]()|\binvalid type: ()|^(\w[\w.-]{0,80})[ \t]*\n[ \t]+input should be a valid"),
    (
        "type",
        r"^\W*(?:error:? )?[`'\"/]?(\w{1,80})[`'\"]? (?:must|should) be (?:an? )?(?:string|number|integer|boolean|array|list|object)\b",
    ),
    ("type", r"\bexpected (?:string|number|integer|boolean|array|object|list), (?:received|got) ()"),
    (
        "choice",
        r"^\W*(?:error:? )?[`'\"/]?(\w{1,80})[`'\"]?:? (?:must be|should be|expected|is not|not) one of\b|\b(?:expected|must be) one of()",
    ),
    ("choice", r"[`'\"]?[\w -]{1,60}[`'\"]? is not an? (?:allowed|valid|accepted) (?:value|option|choice)(?: (?:for|of) [`'\"]?(\w+))?"),
    ("choice", r"invalid enum value()|invalid option: expected one of()|invalid literal value()"),
    ("choice", r"is not one of \[()|unknown variant ()|must be equal to one of the allowed values()"),
    ("choice", r"^(\w[\w.-]{0,80})[ \t]*\n[ \t]+input should be ['\"]"),
)
_STATED: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for kind, pattern in _WORDINGS
)
_ISSUE = re.compile(r"\{[^{}]{0,1500}?\"code\"\s*:\s*\"(\w+)\"[^{}]{0,1500}\}")
"""One issue of a zod error, which harnesses print as JSON."""
_FIELD = re.compile(r"\"(?:path|keys)\"\s*:\s*\[\s*\"?([\w.$-]{1,80})")
_ABSENT = re.compile(r"\"received\"\s*:\s*\"undefined\"|received undefined|\"message\"\s*:\s*\"Required\"")
_ISSUES: Mapping[str, Kind] = {
    "invalid_type": "type",
    "unrecognized_keys": "unknown",
    "invalid_enum_value": "choice",
    "invalid_value": "choice",
    "invalid_literal": "choice",
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_PLACEHOLDER = re.compile(
    r"(?i)\W*(?:todo|tbd|n/?a|none|null|unknown|undefined|placeholder|string|value|xxx+|your[ _-].{1,40}|\.\.\.|)\W*|<[a-z _-]{1,40}>"
)


def stated(error: str) -> list[Violation]:
    """What an error text says is wrong with the arguments, in its order, each once; `[]` where it does not say."""
    text = error[:_READ]
    found = [(match.start(), _issue(match)) for match in _ISSUE.finditer(text)]
    for kind, pattern in _STATED:
        for match in pattern.finditer(text):
            found.append((match.start(), Violation(kind, next((group for group in match.groups() if group), ""))))
    return list(dict.fromkeys(violation for _, violation in sorted(found, key=lambda each: each[0])))


def told(violation: Violation, given: Mapping[str, Any]) -> list[str]:
    """A violation as plain values for a check: its kind, the property, and the JSON type or value that was sent for it."""
    value = given.get(violation.name)
    sent = type(value).__name__ if violation.kind == "type" else str(value)[:80] if violation.kind == "choice" else ""
    return [violation.kind, violation.name, sent]


def repeated(told_before: Sequence[str], given: Mapping[str, Any]) -> bool:
    """Whether arguments show a violation, told as above, once more; False where that cannot be said."""
    kind, name, sent = told_before
    if not name or "." in name:
        return False
    if kind == "missing":
        return name not in given or given[name] in ([], {})
    value = given.get(name)
    same = sent == (type(value).__name__ if kind == "type" else str(value)[:80])
    return name in given and (kind == "unknown" or (kind in ("type", "choice") and same))


def against(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Violation]:
    """What a JSON Schema rejects: missing and unknown properties, types and enumerations; everything else it is taken to accept."""
    return list(dict.fromkeys(_against(schema, arguments, _DEPTH)))


def contradicted(violation: Violation, arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments as recorded show the opposite of what an error says: the missing is there, the unknown is not."""
    name = violation.name.rpartition(".")[2] if violation.name not in arguments else violation.name
    if not name or "." in violation.name:
        return False
    there = name in arguments and arguments[name] not in (None, "", [], {})
    return (violation.kind == "missing" and there) or (violation.kind == "unknown" and name not in arguments)


def schema_of(session: Session, tool: str) -> Mapping[str, Any] | None:
    """The recorded schema of a tool; None where none was recorded."""
    return next((each.parameters for each in session.tools or () if each.name == tool), None)


def is_placeholder(value: object) -> bool:
    """Whether a value only fills a field ("TODO", "N/A", "<id>")."""
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value.strip()[:60]) is not None


def _issue(match: re.Match[str]) -> Violation:
    name = _FIELD.search(match[0])
    kind = _ISSUES.get(match[1], "rule")
    if kind == "type" and _ABSENT.search(match[0]):
        kind = "missing"
    return Violation(kind, name[1] if name else "")


def _against(schema: Mapping[str, Any], value: object, depth: int, name: str = "") -> Iterator[Violation]:
    types = schema.get("type")
    wanted = [types] if isinstance(types, str) else [each for each in types or () if isinstance(each, str)]
    if wanted and not any(_is(value, each) for each in wanted):
        yield Violation("type", name)
        return
    allowed = schema.get("enum")
    if isinstance(allowed, Sequence) and not isinstance(allowed, str) and value not in allowed:
        yield Violation("choice", name)
    if depth and isinstance(value, Mapping):
        yield from _of_object(schema, value, depth)
    items = schema.get("items")
    if depth and isinstance(value, list) and isinstance(items, Mapping):
        for item in value[:_ITEMS]:
            yield from _against(items, item, depth - 1, name)


def _of_object(schema: Mapping[str, Any], value: Mapping[str, Any], depth: int) -> Iterator[Violation]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    for required in schema.get("required") or ():
        if required not in value:
            yield Violation("missing", str(required))
    for key, given in value.items():
        inner = known.get(key)
        if isinstance(inner, Mapping):
            yield from _against(inner, given, depth - 1, key)
        elif key not in known and schema.get("additionalProperties") is False and "patternProperties" not in schema:
            yield Violation("unknown", key)


def _is(value: object, wanted: str) -> bool:
    kinds = _TYPES.get(wanted)
    if kinds is None:
        return True
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, kinds) or (wanted == "integer" and isinstance(value, float) and value.is_integer())
