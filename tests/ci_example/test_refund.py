"""An example suite: nine live runs of an agent, gated at the end of the test against a spec and the runs of the last release.

pytest tests/ci_example                        passes
REFUND_AGENT=hasty pytest tests/ci_example     fails: the same answers, but paid before the policy was checked
"""

from pathlib import Path

import pytest

from tests.ci_example.agent import TOOLS, support_agent
from tracedance import Contract, Trace, gate
from tracedance.ci.plugin import BehaviorGate

WORKBENCH = Path(__file__).resolve().parents[2] / "configs" / "examples" / "workbench"
SPEC, BASELINE = WORKBENCH / "refund.yaml", WORKBENCH / "base"
CANONICAL = ("fraud_check_passed", "refund_amount")


@pytest.mark.tracedance(spec=SPEC, baseline=BASELINE)
def test_refunds_are_checked_before_they_are_paid(behavior_gate: BehaviorGate) -> None:
    for number in range(9):
        with behavior_gate.run() as run:
            tools = {name: run.wrap(tool) for name, tool in TOOLS.items()}
            answer = support_agent("I want a refund", f"A-{number}", tools)
            assert answer["refund_amount"] == 1200
            run.finish(answer, canonical=CANONICAL)


def test_the_same_without_the_fixture() -> None:
    runs = []
    for number in range(9):
        run = Trace.live(f"release-{number}")
        answer = support_agent("I want a refund", f"A-{number}", {name: run.wrap(tool) for name, tool in TOOLS.items()})
        run.finish(answer, canonical=CANONICAL)
        runs.append(run)
    report = gate(baseline=BASELINE, candidate=runs, contract=Contract.read(SPEC))
    assert report.verdict == "PASS", [check.reason for check in report.checks if check.verdict != "PASS"]
