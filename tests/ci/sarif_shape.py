"""What SARIF 2.1.0 asks of the part of it that we write: required and known properties, types, values, bounds (sections in brackets).

Written from the standard's text. Properties that the standard knows and we do not write are unknown here, so that a new one is looked up.
"""

from typing import Any

import jsonschema


def record(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "additionalProperties": False, "properties": properties}


TEXT = {"type": "string"}
BAG = {"type": "object"}  # 3.8
URI = {"type": "string", "format": "uri-reference", "pattern": r"^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]*$"}
MESSAGE = record("text", text={"type": "string", "minLength": 1})  # 3.11
REGION = record("startLine", startLine={"type": "integer", "minimum": 1})  # 3.30
LOCATION = record("", physicalLocation=record("", artifactLocation=record("", uri=URI), region=REGION))  # 3.28, 3.29, 3.4
RESULT = record(  # 3.27
    "message",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
)
RULES = {"type": "array", "uniqueItems": True, "items": record("id", id=TEXT, shortDescription=MESSAGE)}  # 3.49
RUN = record(  # 3.14
    "tool results",
    tool=record("driver", driver=record("name", name=TEXT, version=TEXT, rules=RULES)),  # 3.18, 3.19
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
    properties=BAG,
)
LOG = record(
    "version runs",
    **{"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
)  # 3.13


def problems(log: Any) -> list[str]:
    """Everything that is not as the standard has it."""
    found = [error.message for error in jsonschema.Draft202012Validator(LOG).iter_errors(log)]
    for run in log.get("runs", []) if not found else []:
        rules = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        for result in run["results"]:
            index = result.get("ruleIndex", -1)
            if not 0 <= index < len(rules) or rules[index] != result.get("ruleId"):  # 3.27.6
                found.append(f"ruleIndex {index} is not the place of {result.get('ruleId')!r}")
    return found
