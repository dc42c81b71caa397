"""Generated traces and specs: few names and short runs, so that rules meet, and limits that are just reached."""

import json
import random
from pathlib import Path
from typing import Any

from tracedance.gate.sides import Given
from tracedance.gate.workbench.reading import parse_run

NAMES = ["check", "look", "pay", "pay_again"]
TYPES = ["tool", "tool", "tool", "retriever", "memory", "handoff", "guardrail", "llm"]
STATUSES = ["success"] * 6 + ["error", "error", "cancelled", "unknown", None]
VALUES: list[Any] = [1, 1.0, True, "1", None, [1, {"a": 2}], {"a": 1, "b": [True]}]


def trace(rng: random.Random, number: int) -> dict[str, Any]:
    ordinals = rng.sample(range(12), rng.choice([0, 1, 2, 3, 3, 4, 4, 5, 6]))
    if rng.random() < 0.7:
        ordinals.sort()
    steady = rng.random() < 0.5
    spans = []
    for place, ordinal in enumerate(ordinals):
        name = NAMES[place % 3] if steady else rng.choice(NAMES)
        span: dict[str, Any] = {"ordinal": ordinal, "type": rng.choice(TYPES), "name": name}
        if (ends := "success" if steady and rng.random() < 0.9 else rng.choice(STATUSES)) is not None:
            span["status"] = ends
        if rng.random() < 0.7:
            span["input_hash"] = rng.choice(["a", "b"])
        if rng.random() < 0.02:
            span["cost"] = 3
        spans.append(span)
    run: dict[str, Any] = {"trace_id": f"t{number}"}
    if rng.random() < 0.8:
        run["canonical_output"] = {
            key: rng.choice(VALUES[:2] if rng.random() < 0.8 else VALUES) for key in ("x", "y") if rng.random() < 0.9
        }
    source, redaction = {"platform": "test"}, {"applied": True}
    if rng.random() < 0.3:
        run["final_status"] = rng.choice(["success", "success", "success", "unknown", "error", "cancelled"])
    told = {} if rng.random() < 0.02 else {"spans": spans}
    return {"schema_version": "agent-behavior-trace/v0", "source": source, "run": run, **told, "redaction": redaction}


def spec(rng: random.Random) -> dict[str, Any]:
    def some(options: list[Any], share: float = 0.5) -> list[Any]:
        return [option for option in options if rng.random() < share]

    required = some(["check", "look", "pay*"], 0.25)
    rules: dict[str, Any] = {
        "required_tools": required,
        "forbidden_tools": [name for name in some(["pay_?gain", "look", "gone"], 0.2) if name not in required],
        "required_order": some([{"before": "check", "after": "pay"}, {"before": "look", "after": "pay*"}], 0.4),
    }
    choices = {
        "max_path_length": [2, 4, 6],
        "max_errors": [0, 1, 2],
        "max_retries": [0, 1, 2],
        "retry_rule": ["failed", "failed_or_consecutive"],
    }
    choices["required_status"] = ["any", "success"]  # type: ignore[list-item]
    rules |= {name: rng.choice(options) for name, options in choices.items() if rng.random() < 0.35}
    if rng.random() < 0.3:
        rules["expected_output"] = {"x": rng.choice(VALUES[:3])}
    limits: dict[str, Any] = {"min_runs": rng.choice([1, 1, 2, 5, 9])}
    for name, ends in {
        "path_edit_distance": [0, 0.25, 0.5, 0.75],
        "fingerprint_distance": [0, 0.5, 1, 2],
        "tool_jaccard": [0, 0.25, 0.5],
    }.items():
        warn, fail = sorted((rng.choice(ends), rng.choice(ends)))
        limits |= {f"{name}_{word}": limit for word, limit in (("warn", warn), ("fail", fail)) if rng.random() < 0.4}
    if rng.random() < 0.5:
        limits["min_wilson_pass_rate"] = rng.choice([0, 0.1, 0.2, 0.3, 0.5, 0.7, 1])
        limits |= {"wilson_policy": rng.choice(["strict", "three_way"]), "wilson_z": rng.choice([1.96, 1.6449, 1, 2])}
    if rng.random() < 0.4:
        p0, p1 = rng.choice([(0.95, 0.8), (0.9, 0.8), (0.75, 0.5), (0.8, 0.2)])
        alpha, beta = rng.choice([(0.05, 0.2), (0.1, 0.2), (0.25, 0.5), (0.2, 0.36)])
        limits["sprt"] = {
            "enabled": True,
            "p0": p0,
            "p1": p1,
            "alpha": alpha,
            "beta": beta,
            "look": rng.choice(["first_crossing", "final"]),
        }
    if rng.random() < 0.3:
        limits["comparison"] = {"alpha": rng.choice([0.05, 0.2, 0.5])} | ({"detect": rng.choice([0.2, 0.5])} if rng.random() < 0.5 else {})
    if rng.random() < 0.3 and (limits.get("min_wilson_pass_rate") or "sprt" in limits or "comparison" in limits):
        limits["violating_runs"] = "count"
    return {"schema_version": "behavior-spec/v0", "id": "generated", "invariants": rules, "thresholds": limits}


def given(traces: list[dict[str, Any]]) -> Given:
    """A side as the gate takes it, through the bytes of files."""
    return Given(traces=[parse_run(json.dumps(one).encode(), Path(f"run-{number:03}.json")) for number, one in enumerate(traces)])
