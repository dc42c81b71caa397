"""The gate and a second, naive implementation say the same of every generated case."""

import os
import random

from tests.gate.workbench import oracle
from tests.gate.workbench.cases import given, spec, trace
from tracedance.gate.report import judge
from tracedance.schema import GateSpec

CASES = int(os.environ.get("TRACEDANCE_GATE_CASES", "1000"))


def test_the_gate_agrees_with_the_oracle() -> None:
    rng = random.Random(20)
    seen: set[str] = set()
    judged = 0
    while judged < CASES:
        asked = spec(rng)
        try:
            read = GateSpec.model_validate(asked)
        except ValueError as error:
            assert "asks for nothing" in str(error)
            continue
        if not read.about_traces:
            continue
        base, new = ([trace(rng, number) for number in range(rng.choice([1, 2, 3, 5, 9]))] for _ in range(2))
        wanted = oracle.verdict(base, new, asked)
        report = judge(given(base), given(new), read)
        rows = [row for row in report.traces if row["side"] == "candidate"]
        found = {
            "verdict": report.verdict,
            "categories": {each.name: each.verdict for each in report.categories if each.name != "benchmark_results"},
            "passed": [row["passed"] for row in rows],
            "crossed": report.sprt.crossed_at if report.sprt else None,
            "retries": [row["retries"] for row in rows],
        }
        assert found == wanted, (asked, base, new)
        judged += 1
        seen |= {report.verdict, *(f"{each.name} {each.verdict}" for each in report.categories)}
    # The cases reach every verdict of every category, or agreement would say little.
    assert {"PASS", "WARN", "FAIL", "INCONCLUSIVE"} <= seen
    for category in ("output_eval", "behavior_contract", "operational_quality", "diff_shape", "sample_sufficiency"):
        assert {f"{category} PASS", f"{category} FAIL"} <= seen
    assert {"behavior_contract INCONCLUSIVE", "diff_shape WARN", "sample_sufficiency INCONCLUSIVE"} <= seen
