"""What a request is limited to, and two behaviours at one decision: what lies outside is dropped for it, what is built shows both."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.construct.stores import commits, store
from tracedance.construct.build import build
from tracedance.construct.limits import language
from tracedance.kit.sessions import build as session
from tracedance.models.config import load
from tracedance.schema import Outcome, Request, TraceProperties
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.store import Store

BULK, UNTESTED = "action/unreviewed_commit_contents", "action/commit_without_tests"


def request(**changes: Any) -> Request:
    return Request.model_validate({"query": None, "families": (BULK,), "minimum": 1, "probe": 0, **changes})


def made(folder: Path, sessions: list[list[Any]], **changes: Any) -> Outcome:
    return build(request(**changes), store(folder, sessions), load("offline"), folder / "out")


def dropped(outcome: Outcome) -> dict[str, int]:
    return dict(outcome.benchmarks[0].dropped)


def test_sessions_outside_the_figures_of_a_request_are_dropped_for_that(tmp_path: Path) -> None:
    sessions = [commits(1), commits(2, times=3), commits(3, times=4)]
    found = made(tmp_path, sessions, trace={"n_turns": {"gt": 10}})
    assert (found.outcome, found.benchmarks[0].instances) == ("built", 2)
    assert dropped(found)["trace: n_turns"] == 1


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Store:
    ask = "Please repair the broken date parser and then commit your work."
    return store(tmp_path_factory.mktemp("three"), [commits(number, ask=ask) for number in range(3)])


@pytest.mark.parametrize(
    "trace, instances, reason",
    [
        ({"harness": ["Claude Code"]}, 3, None),
        ({"harness": ["codex"]}, 0, "trace: harness"),
        ({"model": ["claude"]}, 3, None),
        ({"model": ["gpt-5"]}, 0, "trace: model"),
        ({"started": {"ge": "2026-01-01", "lt": "2026-01-02"}}, 3, None),
        ({"started": {"lt": "2026-01-01"}}, 0, "trace: started"),
        ({"tools": ["Edit", "Bash"]}, 3, None),
        ({"tools": ["Edit", "WebFetch"]}, 0, "trace: tools"),
        ({"n_user_authored_turns": {"eq": 1}}, 3, None),
        ({"n_errors": {"ge": 1}}, 0, "trace: n_errors"),
        ({"n_errors_before_cut": {"ge": 1}}, 0, "trace: n_errors_before_cut"),
        ({"context_tokens_at_cut": {"gt": 100_000}}, 0, "trace: context_tokens_at_cut"),
        ({"context_tokens_at_cut": {"lt": 100_000}}, 3, None),
        ({"cut_turn": {"ge": 3}}, 3, None),
        ({"cut_turn": {"gt": 3}}, 0, "trace: cut_turn"),
        ({"setting": ["general_tool_use"]}, 0, "trace: setting"),
        ({"language": ["en"]}, 3, None),
        ({"language": ["de"]}, 0, "trace: language"),
    ],
)
def test_each_property_is_applied_under_its_own_name(
    three: Store, tmp_path: Path, trace: dict[str, Any], instances: int, reason: str | None
) -> None:
    found = build(request(trace=trace), three, load("offline"), tmp_path / "out")
    assert found.benchmarks[0].instances == instances
    assert dropped(found) == ({reason: 3} if reason else {})
    assert found.counts["candidates"] == 3


def test_a_benchmark_says_what_its_sessions_were_limited_to(tmp_path: Path) -> None:
    found = made(tmp_path, [commits(1)], trace={"n_turns": {"le": 50}})
    manifest = read_benchmark(str(found.benchmarks[0].path)).manifest
    assert manifest.trace == TraceProperties(n_turns={"le": 50})


def test_what_the_user_writes_in_is_told_from_the_users_words_alone() -> None:
    english = "Please have a look at the parser and tell me why it fails on dates."
    assert (
        language(session([{"user": "Bitte sieh dir den Parser an und sage mir, warum er bei Datumsangaben scheitert."}, {"text": english}]))
        == "de"
    )
    assert language(session([{"user": "ok"}, {"text": english}])) == ""


def test_two_behaviours_at_one_decision_make_one_benchmark_that_is_graded_by_both(tmp_path: Path) -> None:
    ask = "Fix it and commit. The tests are in tests/test_parts.py."
    look = [{"text": "Looking.", "call": {"Bash": {"command": "git status"}}}, {"result": " M src/part_9_0.py"}]
    looked = [*commits(9, ask=ask)[:3], *look, *commits(9)[3:]]
    sessions = [commits(1, ask=ask), commits(2, ask=ask), looked, commits(3)]
    found = made(tmp_path, sessions, families=(BULK, UNTESTED), operator="and")
    assert found.outcome == "built", found.message
    (one,) = found.benchmarks
    assert one.families == (BULK, UNTESTED) and one.instances == 2
    benchmark = read_benchmark(str(one.path))
    assert set(benchmark.rubrics) == {BULK, UNTESTED} and benchmark.manifest.families == (BULK, UNTESTED)
    row = benchmark.checks[benchmark.instances[0].id]
    assert set(row.facts) == {BULK, UNTESTED} and benchmark.instances[0].family == BULK


def test_behaviours_that_never_share_a_decision_make_no_benchmark_and_the_answer_says_so(tmp_path: Path) -> None:
    apart = commits(1, last="git add src/part_1_0.py && git commit -m")
    found = made(tmp_path, [apart], families=(BULK, UNTESTED), operator="and")
    assert (found.outcome, found.reason) == ("rejected", "insufficient_yield") and found.counts["candidates"] == 0
    assert f"--family {BULK} --family {UNTESTED}" in found.message


def test_a_request_says_in_the_run_folder_what_was_understood(tmp_path: Path) -> None:
    from tracedance.query.request import understand

    asked = understand("commits everything without looking at it, in sessions with at most 90 turns", (), {"minimum": 1, "probe": 0})
    assert isinstance(asked, Request) and "at most 90 turns" in asked.reading
    here: Store = store(tmp_path, [commits(1)])
    build(asked, here, load("offline"), tmp_path / "out")
    (written,) = here.path.glob("runs/*/request.json")
    assert json.loads(written.read_text())["request"]["reading"] == asked.reading
