"""What a trace does not say never makes a gate pass: missing fields, twice written keys, files that were not read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.gate.workbench.test_command import REFUND, folder, spec_file
from tracedance.gate.workbench.rules import named


def span(ordinal: int, name: str, **about: Any) -> dict[str, Any]:
    return {"ordinal": ordinal, "type": "tool", "name": name, **about}


def bare(number: int, *spans: dict[str, Any], **about: Any) -> dict[str, Any]:
    """A trace with `spans` only where some were given."""
    source, redaction = {"platform": "test"}, {"applied": True}
    run = {"trace_id": f"t{number}", **about}
    rest = {"spans": list(spans)} if spans else {}
    return {"schema_version": "agent-behavior-trace/v0", "source": source, "run": run, "redaction": redaction, **rest}


def judged(command: Command, home: Path, traces: list[dict[str, Any]], **sections: Any) -> Any:
    place = folder(home / "runs", traces)
    return command("gate", "--baseline", place, "--candidate", place, "--spec", spec_file(home / "s.yaml", **sections), "--json")


def verdicts(report: Any) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in report["checks"]}


def test_steps_without_an_end_may_have_been_errors(command: Command, tmp_path: Path) -> None:
    found = judged(
        command, tmp_path, [bare(n, span(0, "a"), span(1, "b", status="unknown")) for n in range(9)], invariants={"max_errors": 1}
    )
    assert (found.code, found.json["verdict"]) == (3, "INCONCLUSIVE")
    assert "up to 2 over 1" in found.json["checks"][0]["reason"]
    within = spec_file(tmp_path / "two.yaml", invariants={"max_errors": 2})
    assert command("gate", "--baseline", tmp_path / "runs", "--candidate", tmp_path / "runs", "--spec", within).code == 0


def test_a_trace_without_spans_leaves_every_rule_about_steps_open(command: Command, tmp_path: Path) -> None:
    order = [{"before": "check", "after": "pay"}]
    rules = {
        "required_tools": ["a"],
        "forbidden_tools": ["b"],
        "required_order": order,
        "max_path_length": 9,
        "max_errors": 0,
        "max_retries": 0,
    }
    found = judged(command, tmp_path, [bare(n) for n in range(9)], invariants=rules, thresholds={"path_edit_distance_fail": 0.5})
    assert (found.code, found.json["verdict"]) == (3, "INCONCLUSIVE")
    told = verdicts(found.json)
    assert set(told.values()) == {"INCONCLUSIVE", "PASS"} and [name for name in told if told[name] == "PASS"] == ["min_runs"]
    for path in (tmp_path / "runs").iterdir():
        path.write_text(json.dumps({**json.loads(path.read_text()), "spans": []}))
    spec = spec_file(tmp_path / "not.yaml", invariants={"forbidden_tools": ["b"], "max_errors": 0})
    assert command("gate", "--baseline", tmp_path / "runs", "--candidate", tmp_path / "runs", "--spec", spec).code == 0


def test_repeats_without_recorded_inputs_may_be_retries(command: Command, tmp_path: Path) -> None:
    spans = [span(0, "a", status="error"), span(1, "b", status="success"), span(2, "a", status="success")]
    found = judged(command, tmp_path, [bare(n, *spans) for n in range(9)], invariants={"max_retries": 0})
    assert (found.code, found.json["verdict"]) == (3, "INCONCLUSIVE")
    other = [{**one, "input_hash": str(one["ordinal"])} for one in spans]
    folder(tmp_path / "told", [bare(n, *other) for n in range(9)])
    assert command("gate", "--baseline", tmp_path / "told", "--candidate", tmp_path / "told", "--spec", tmp_path / "s.yaml").code == 0


def test_runs_that_ended_in_an_error_do_not_pass_without_a_word(command: Command, tmp_path: Path) -> None:
    traces = [json.loads(path.read_text()) for path in sorted((REFUND / "right_order").iterdir())]
    for one in traces:
        one["run"]["final_status"] = "error"
    place = folder(tmp_path / "runs", traces)
    words = ["gate", "--baseline", REFUND / "base", "--candidate", place, "--spec", REFUND / "refund.yaml", "--json"]
    found = command(*words)
    assert (found.code, found.json["verdict"], verdicts(found.json)["final_status"]) == (0, "WARN", "WARN")
    rows = [row for row in found.json["traces"] if row["side"] == "candidate"]
    assert {row["verdict"] for row in rows} == {"WARN"} and "final_status: the run ended error" in rows[0]["violations"]
    assert command(*words, "--block-on-warn").code == 1


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"status": "success"', '"status": "error", "status": "success"', "status"),
        ('"status": "success"', '"st\\u0061tus": "error", "status": "success"', "status"),
        ('"refund_amount": 1200', '"refund_amount": 5, "refund_amount": 1200', "run.canonical_output.refund_amount"),
        ('"redaction"', '"spans": [], "redaction"', "spans"),
        ('"redaction"', '"cost": {"usd": 1, "usd": 2}, "redaction"', "cost.usd"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_place(old: str, new: str, place: str, command: Command, tmp_path: Path) -> None:
    runs = [json.loads(path.read_text()) for path in sorted((REFUND / "right_order").iterdir())]
    bad = folder(tmp_path / "runs", runs) / "run-4.json"
    text = bad.read_text()
    assert old in text
    bad.write_text(text.replace(old, new, 1))
    for words in (
        ["gate", "--baseline", REFUND / "base", "--candidate", bad.parent, "--spec", REFUND / "refund.yaml"],
        ["contract", "init", "--baseline", bad.parent, "--out", tmp_path / "b.yaml"],
    ):
        done = command(*words)
        assert done.code == 2 and "run-4.json" in done.err and place in done.err and "stands there twice" in done.err


def test_files_that_look_like_traces_and_are_not_read_are_named(command: Command, tmp_path: Path) -> None:
    traces = [json.loads(path.read_text()) for path in sorted((REFUND / "right_order").iterdir())]
    place = folder(tmp_path / "runs", traces)
    (place / "run-8.json").rename(place / "RUN-8.JSON")
    (place / ".tmp-1-ab-run-8.json").write_text("{")
    (place / "more.jsonl").write_text("{")
    (place / "sub").mkdir()
    (place / "sub" / "bad.json").write_text("{")
    words = ["gate", "--baseline", REFUND / "base", "--candidate", place, "--spec", REFUND / "refund.yaml", "--json"]
    found = command(*words)
    assert (found.code, found.json["candidate"]["traces"]) == (0, 9)
    unread = [row["source"] for row in found.json["evidence"] if row["source"].startswith("candidate:")]
    assert unread == ["candidate: 2 files that are no *.json directly in the folder: more.jsonl, sub/bad.json"]
    assert "more.jsonl" in found.err and "sub/bad.json" in found.err


def test_an_empty_folder_is_said_to_hold_no_traces(command: Command, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    done = command("gate", "--baseline", REFUND / "base", "--candidate", tmp_path / "none", "--spec", REFUND / "refund.yaml")
    assert done.code == 2 and "holds no trace" in done.err and "run.json" not in done.err


def test_patterns_match_as_written_and_never_go_back() -> None:
    for pattern, name, wanted in (
        ("*", "", True), ("?", "", False), ("a*", "a", True), ("*a", "ba", True), ("a*a", "a", False), ("a*b*c", "a_b_b_c", True),
        ("a?c*", "abcd", True), ("*?b", "b", False), ("*b?d*", "abcdbed", True), ("*_drop", "x_drop_", False), ("a**b", "ab", True),
        ("*ab*ab", "ab_ab", True), ("*ab*ab", "aab", False),
    ):  # fmt: skip
        assert named(pattern)(name) is wanted, (pattern, name)
    # With steps back these take longer than anybody waits.
    assert not named("*_*_*_*_*_*_*_*x")("db_" * 30_000)
    assert not named("*?_?*?_?*?_?*x")("db_" * 3_000)


def test_paths_too_long_to_compare_are_bounded_and_said_to_be(command: Command, tmp_path: Path) -> None:
    def long(number: int, start: int, names: str) -> dict[str, Any]:
        return bare(number, *(span(place, names[place * start % len(names)], status="success") for place in range(150_000)))

    base, new = (
        folder(tmp_path / "base", [long(0, 3, "abcdefgh"), long(1, 5, "abcdefgh")]),
        folder(tmp_path / "new", [long(2, 7, "ijkabcd")]),
    )
    spec = spec_file(tmp_path / "s.yaml", thresholds={"path_edit_distance_fail": 0.5})
    found = command("gate", "--baseline", base, "--candidate", new, "--spec", spec, "--json")
    assert (found.code, found.json["verdict"], found.json["diff"]["bounded_runs"]) == (3, "INCONCLUSIVE", 1)
    assert "too long to compare" in found.json["checks"][0]["reason"]
    assert "too long to compare" in command("contract", "diff", base, new).out


def test_a_folder_held_against_itself_shows_its_own_spread_and_no_difference(command: Command, tmp_path: Path) -> None:
    runs = [bare(n, *(span(k, name, status="success") for k, name in enumerate("abc"[: n + 1]))) for n in range(3)]
    place = folder(tmp_path / "runs", runs)
    spec = spec_file(tmp_path / "s.yaml", invariants={"max_errors": 0})
    assert command("gate", "--baseline", place, "--candidate", place, "--spec", spec, "--out", tmp_path / "g.json").code == 0
    shown = command("report", tmp_path / "g.json").out
    page = (tmp_path / "g.html").read_text()
    for text in (shown, page, command("contract", "diff", place, place).out):
        assert "same runs" in text and "Spread" in text
        assert "leave" not in text and "Fingerprint" not in text
    assert "unavailable" in next(line for line in shown.split("\n") if "representation" in line)
