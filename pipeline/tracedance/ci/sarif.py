"""SARIF 2.1.0: a result for each check that is not PASS, and one for each trace of the candidate that breaks a rule.

Section numbers are those of the standard (OASIS, Static Analysis Results Interchange Format Version 2.1.0).
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from tracedance import __version__
from tracedance.ci.telling import clean, counted
from tracedance.schema import GateReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"FAIL": "error", "INCONCLUSIVE": "error", "WARN": "warning", "PASS": "note"}
TRACE_RULE = "trace"


def sarif(report: GateReport, spec: str, candidate: str | None = None) -> str:
    """`spec` and `candidate` are the paths of the policy and of the candidate's traces as given: results lie there."""
    results = [*_checks(report, spec), *_traces(report, candidate or spec, candidate is not None)]
    names = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = names.index(result["ruleId"])
    driver = {
        "name": "tracedance",
        "version": __version__,
        "rules": [{"id": name, "shortDescription": {"text": f"tracedance gate: {message(name)}"}} for name in names],
    }
    properties = {"verdict": report.verdict, "specDigest": report.spec_digest, "locked": report.locked}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results, "properties": properties}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=True, indent=1, allow_nan=False) + "\n"


def message(text: str) -> str:
    """Text as a message says it: braces doubled (3.11.5 placeholders), brackets and backslashes escaped (3.11.6 embedded links)."""
    return re.sub(r"([\\\[\]])", r"\\\1", clean(text)).replace("{", "{{").replace("}", "}}")


def _checks(report: GateReport, spec: str) -> Iterator[dict[str, Any]]:
    for check in report.checks:
        if check.verdict != "PASS":
            kind = rule_id(f"{check.category}/{check.name.partition(':')[0]}")
            said = f"{check.name}: {check.verdict}. {check.reason}"
            yield _result(kind, LEVELS[counted(check)], said, (spec, f"{check.category}\0{check.name}"))


def _traces(report: GateReport, folder: str, whole: bool) -> Iterator[dict[str, Any]]:
    """A trace that breaks a rule is a note: how many may do so, the checks decide."""
    for row in report.traces:
        if row.get("side") == "candidate" and row.get("violations"):
            name = str(row.get("file", ""))
            place = folder if not whole or PurePosixPath(folder).name == name else f"{folder.rstrip('/')}/{name}"
            said = f"{name}: {'; '.join(map(str, row['violations']))}"
            yield _result(TRACE_RULE, "note", said, (place, f"{row.get('trace_id', '')}\0{row['violations']}"))


def _result(rule: str, level: str, said: str, at: tuple[str, str]) -> dict[str, Any]:
    place, identity = at
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message(said)},
        "locations": [{"physicalLocation": {"artifactLocation": uri(place), "region": {"startLine": 1}}}],
        "partialFingerprints": {"tracedanceGate/v1": hashlib.sha256(f"{rule}\0{identity}".encode("utf-8", "replace")).hexdigest()},
    }


def uri(path: str) -> Mapping[str, str]:
    """A path as an artifact's location: relative ones stay so, everything but plain characters is percent-encoded."""
    posix = path.replace("\\", "/")
    encoded = quote(posix.encode("utf-8", "replace"), safe="/-._~")
    return {"uri": f"file://{encoded}" if posix.startswith("/") else encoded}


def rule_id(text: str) -> str:
    """A stable id of plain characters: what a check's name says after its colon is of the one spec."""
    return re.sub(r"[^A-Za-z0-9_./-]+", "-", text).strip("-")[:128] or "check"
