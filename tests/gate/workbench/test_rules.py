"""What each rule says of a run: the recorded decisions, one by one."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gate.workbench.cases import given as side
from tracedance.gate.report import judge
from tracedance.gate.workbench.shape import common_path, divergent_step, edit_distance, jaccard_distance, medoid, path_distances
from tracedance.schema import GateReport, GateSpec

ORDER = {"required_order": [{"before": "policy_check", "after": "refund_tool"}]}


def run(*steps: str, number: int = 0, **about: Any) -> dict[str, Any]:
    """A trace of steps written `name`, `name!status` or `type:name!status`, with `name#hash` for the input."""
    spans = []
    for ordinal, step in enumerate(steps):
        kind, _, rest = step.rpartition(":")
        rest, _, status = rest.partition("!")
        name, _, content = rest.partition("#")
        spans.append(
            {"ordinal": ordinal, "type": kind or "tool", "name": name, "status": status or "success", "input_hash": content or None}
        )
    about = {"trace_id": f"t{number}", **about}
    head = {"schema_version": "agent-behavior-trace/v0", "source": {"platform": "test"}}
    return {**head, "run": about, "spans": spans, "redaction": {"applied": True}}


def gated(candidate: dict[str, Any] | list[dict[str, Any]], invariants: dict[str, Any], **thresholds: Any) -> GateReport:
    spec = {"schema_version": "behavior-spec/v0", "id": "t", "invariants": invariants, "thresholds": thresholds}
    runs = candidate if isinstance(candidate, list) else [candidate]
    return judge(side([run("policy_check", "refund_tool")]), side(runs), GateSpec.model_validate(spec))


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (["policy_check", "refund_tool"], "PASS"),
        (["refund_tool", "policy_check"], "FAIL"),
        (["refund_tool"], "FAIL"),
        (["policy_check"], "PASS"),
        ([], "PASS"),
        (["policy_check!error", "refund_tool"], "FAIL"),
        (["policy_check!unknown", "refund_tool"], "FAIL"),
        (["refund_tool!error", "policy_check", "refund_tool"], "PASS"),
        (["refund_tool!cancelled", "policy_check"], "PASS"),
        (["refund_tool!unknown"], "INCONCLUSIVE"),
        (["policy_check", "refund_tool!unknown"], "PASS"),
        (["refund_tool", "policy_check", "refund_tool"], "FAIL"),
        (["llm:policy_check", "refund_tool"], "FAIL"),
        (["guardrail:policy_check", "refund_tool"], "PASS"),
    ],
)
def test_order_is_that_of_successful_steps(steps: list[str], verdict: str) -> None:
    assert gated(run(*steps), ORDER).verdict == verdict


def test_the_order_is_that_of_the_ordinals_and_not_of_the_file() -> None:
    trace = run("refund_tool", "policy_check")
    trace["spans"][0]["ordinal"], trace["spans"][1]["ordinal"] = 7, 2
    assert gated(trace, ORDER).verdict == "PASS"


def test_a_required_tool_must_succeed_unless_the_spec_asks_only_for_a_call() -> None:
    rule = {"required_tools": ["look"]}
    assert gated(run("look"), rule).verdict == "PASS"
    failed = gated(run("look!error"), rule)
    assert failed.verdict == "FAIL" and "called without success (error)" in failed.checks[0].reason
    assert "never called" in gated(run("other"), rule).checks[0].reason
    assert gated(run("look!error"), rule | {"required_status": "any"}).verdict == "PASS"


def test_every_run_must_have_it() -> None:
    report = gated([run("look"), run("other", number=1)], {"required_tools": ["look"]})
    assert report.verdict == "FAIL" and "1 of 2 runs" in report.checks[0].reason and "run-001.json" in report.checks[0].reason


@pytest.mark.parametrize("status", ["success", "error", "cancelled", "unknown"])
def test_a_forbidden_tool_is_forbidden_whatever_came_of_it(status: str) -> None:
    assert gated(run(f"drop!{status}"), {"forbidden_tools": ["drop"]}).verdict == "FAIL"
    assert gated(run("dropper"), {"forbidden_tools": ["drop"]}).verdict == "PASS"
    assert gated(run("dropper"), {"forbidden_tools": ["drop*"]}).verdict == "FAIL"


@pytest.mark.parametrize(
    ("output", "verdict"),
    [({"n": 1}, "PASS"), ({"n": 1.0, "m": 2}, "PASS"), ({"n": True}, "FAIL"), ({"n": "1"}, "FAIL"), ({}, "FAIL"), (None, "FAIL")],
)
def test_an_expected_field_is_equal_as_json_and_never_missing(output: dict[str, Any] | None, verdict: str) -> None:
    assert gated(run("a", canonical_output=output), {"expected_output": {"n": 1}}).verdict == verdict


def test_key_order_does_not_matter_to_an_expected_object() -> None:
    wanted = {"expected_output": {"o": {"a": 1, "b": [True]}}}
    assert gated(run("a", canonical_output={"o": {"b": [True], "a": 1}}), wanted).verdict == "PASS"
    assert gated(run("a", canonical_output={"o": {"b": [1], "a": 1}}), wanted).verdict == "FAIL"


def test_budgets_fail_where_they_are_exceeded_and_not_where_they_are_reached() -> None:
    steps = ["a", "llm:turn!error", "b!error", "guardrail:c"]
    assert gated(run(*steps), {"max_path_length": 3, "max_errors": 2, "max_retries": 0}).verdict == "PASS"
    assert gated(run(*steps), {"max_path_length": 2}).verdict == "FAIL"
    assert gated(run(*steps), {"max_errors": 1}).verdict == "FAIL"


@pytest.mark.parametrize(
    ("steps", "both", "failed"),
    [
        (["a#1!error", "b", "a#1"], 1, 1),
        (["a#1!error", "b", "a#2"], 0, 0),
        (["a#1", "b", "a#1"], 0, 0),
        (["a#1", "a#2"], 1, 0),
        (["a#1!error", "a#1"], 1, 1),
        (["a!error", "b", "a"], 0, 0),
        (["a", "llm:turn", "a"], 1, 0),
    ],
)
def test_a_retry_repeats_a_failed_call_or_the_step_before(steps: list[str], both: int, failed: int) -> None:
    assert gated(run(*steps), {"max_retries": 9}).traces[1]["retries"] == both
    assert gated(run(*steps), {"max_retries": 9, "retry_rule": "failed"}).traces[1]["retries"] == failed


def test_distances_are_those_of_the_document() -> None:
    assert edit_distance(tuple("kitten"), tuple("sitting")) == 3
    assert path_distances([tuple("ab"), (), tuple("abcd")], tuple("ab")) == [0, 1, 0.5]
    assert path_distances([()], ()) == [0]
    assert jaccard_distance([()], [()]) == 0 and jaccard_distance([("a", "b")], [("b", "c")]) == pytest.approx(2 / 3)
    assert medoid([tuple("ab"), tuple("abc"), tuple("abcd")]).path == tuple("abc")


def test_the_fingerprint_counts_calls_and_is_no_share() -> None:
    """Thresholds of 1 and 2 are reachable for counts only."""
    report = gated(run("policy_check", "refund_tool", "look", "look", "look"), {}, fingerprint_distance_warn=1, fingerprint_distance_fail=2)
    assert report.diff is not None and report.diff.fingerprint_distance == 3 and report.verdict == "FAIL"


@pytest.mark.parametrize(("looks", "verdict"), [(0, "PASS"), (1, "PASS"), (2, "WARN"), (3, "FAIL")])
def test_a_distance_exceeds_a_threshold_where_it_is_greater(looks: int, verdict: str) -> None:
    trace = run("policy_check", "refund_tool", *["look"] * looks)
    assert gated(trace, {}, fingerprint_distance_warn=1, fingerprint_distance_fail=2.5).verdict == verdict


def test_the_first_divergent_step_is_where_the_common_path_is_left() -> None:
    paths = [tuple("abcd"), tuple("abce")]
    common, closed = common_path(paths)
    assert common == tuple("abc")
    assert [divergent_step(tuple(path), common, closed) for path in ("abcd", "abx", "ab", "abcz", "xbc")] == [None, 2, 2, None, 0]
    same, whole = common_path([tuple("ab")] * 2)
    assert [divergent_step(tuple(path), same, whole) for path in ("ab", "abc")] == [None, 2]
    usual, _ = common_path([tuple("ab"), tuple("cb"), tuple("ab")])
    assert usual == tuple("ab")
    assert common_path([()]) == ((), True)


@settings(max_examples=200, deadline=None)
@given(st.text("abc", max_size=14), st.text("abcd", max_size=14))
def test_the_edit_distance_is_that_of_the_plain_table(one: str, other: str) -> None:
    from tests.gate.workbench.oracle import edits

    assert edit_distance(tuple(one), tuple(other)) == edits(list(one), list(other))


def test_runs_that_may_violate_are_counted_and_warn() -> None:
    runs = [run("policy_check", "refund_tool", number=number) for number in range(39)] + [run("refund_tool", number=39)]
    assert gated(runs, ORDER, min_wilson_pass_rate=0.8).verdict == "FAIL"
    report = gated(runs, ORDER, min_wilson_pass_rate=0.8, violating_runs="count")
    assert report.verdict == "WARN" and report.wilson is not None and report.wilson.passed == 39
    assert gated(runs, ORDER, min_wilson_pass_rate=0.95, violating_runs="count").verdict == "FAIL"


def test_each_trace_has_its_row() -> None:
    report = gated([run("refund_tool"), run("policy_check", number=1)], ORDER)
    rows = {(row["side"], row["file"]): row for row in report.traces}
    assert rows["candidate", "run-000.json"]["verdict"] == "FAIL" and rows["candidate", "run-000.json"]["passed"] is False
    assert rows["candidate", "run-001.json"]["verdict"] == "PASS" and rows["baseline", "run-000.json"]["passed"] is True
    assert "no successful policy_check before refund_tool" in rows["candidate", "run-000.json"]["violations"][0]


def test_the_ledger_says_what_was_used() -> None:
    def ledger(report: GateReport) -> dict[str, str]:
        return {row.source: row.status for row in report.evidence}

    asked = ledger(gated(run("a"), {"expected_output": {"n": 1}, "max_retries": 0}))
    assert asked["canonical outputs"] == asked["hashes of inputs"] == "unavailable"
    plain = ledger(gated(run("a#1", canonical_output={"n": 1}), ORDER))
    assert plain["canonical outputs"] == plain["hashes of inputs"] == "not_used"
    for rows in (asked, plain):
        assert rows["open-model representation trajectory"] == "advisory" and rows["private reasoning"] == "not_used"
        assert rows["baseline traces"] == rows["candidate traces"] == rows["spec"] == "used"


def test_a_spec_that_asks_for_runs_too_is_inconclusive_without_them(tmp_path: Path) -> None:
    spec = {"schema_version": "behavior-spec/v0", "id": "t", "invariants": ORDER, "benchmark_results": {}}
    traces = side([run("policy_check", "refund_tool")])
    report = judge(traces, traces, GateSpec.model_validate(spec))
    assert report.verdict == "INCONCLUSIVE"
    assert {row.source: row.status for row in report.evidence}["evaluation runs"] == "unavailable"
