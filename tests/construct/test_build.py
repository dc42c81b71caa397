"""A request becomes a published benchmark, the same bytes every time, with every candidate accounted for."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.servers.profiles import models
from tests.servers.provider import Provider
from tracedance.catalogue import family
from tracedance.construct import steps
from tracedance.construct.build import build
from tracedance.construct.confirm import Confirmer
from tracedance.construct.order import in_order
from tracedance.construct.run import held, start
from tracedance.errors import InputError
from tracedance.models.config import load
from tracedance.schema import Candidate, Hit, Outcome, Place, Request
from tracedance.store import runs
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.store import Store

OFFLINE = load("offline")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    catalogue(tmp_path / "catalogue")
    return tmp_path


def request(folder: Path, **changes: Any) -> Request:
    given = {"query": None, "families": (FAMILY,), "minimum": 1, "catalogues": (str(folder / "catalogue"),)}
    return Request.model_validate({**given, **changes})


def built(folder: Path, given: Store, **changes: Any) -> Outcome:
    return build(request(folder, **changes), given, OFFLINE, folder / "out")


def run_of(given: Store) -> Path:
    (path,) = (given.path / "runs").iterdir()
    return path


def test_a_build_publishes_a_benchmark_that_reads_back(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    outcome = built(folder, given, query="hasty commits")
    assert outcome.outcome == "built" and outcome.reason is None
    (made,) = outcome.benchmarks
    read = read_benchmark(Path(str(made.path)))
    assert len(read.instances) == made.instances == 3 and set(read.checks) == {instance.id for instance in read.instances}
    manifest = read.manifest
    assert (manifest.name, manifest.query, manifest.families, manifest.confirmed_by) == (
        "hasty_commit",
        "hasty commits",
        (FAMILY,),
        ("rule",),
    )
    assert set(manifest.digests) == {f"{kind}:{FAMILY}" for kind in ("anchor", "family", "rubric")}
    assert manifest.parameters == {"word": "add -A"}


def test_the_same_store_and_request_give_the_same_bytes(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(4)])
    first = Path(str(built(folder, given).benchmarks[0].path)).resolve()
    shutil.rmtree(given.path / "runs")
    other = build(request(folder), Store.open(given.path), OFFLINE, folder / "elsewhere")
    assert Path(str(other.benchmarks[0].path)).resolve().name == first.name


def test_more_sessions_change_no_instance_that_was_there(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    first = read_benchmark(Path(str(built(folder, given).benchmarks[0].path)))
    grown = store(folder, [commits(number) for number in range(5)])
    second = read_benchmark(Path(str(built(folder, grown).benchmarks[0].path)))
    assert {instance.id for instance in first.instances} < {instance.id for instance in second.instances}


def test_every_candidate_is_an_instance_or_dropped_for_a_reason(folder: Path) -> None:
    sessions = [
        commits(0),
        commits(1, times=3),
        commits(2, ask="Commit everything."),
        commits(3, ask='Run git add -A && git commit -m "Change 3 0".'),
        commits(4, last="git commit -m"),
        commits(0),
    ]
    given = store(folder, sessions)
    outcome = built(folder, given)
    (made,) = outcome.benchmarks
    assert made.dropped == {"guard: user_wants_all": 1, "session_has_an_instance": 2, "user_already_answered": 1} and made.instances == 2
    counts = outcome.counts
    assert (counts["places"], counts["opportunities"], counts["candidates"]) == (7, 7, 6)
    assert counts["candidates"] == counts["instances"] + counts["dropped"] + counts["failed"]
    rows = runs.read(run_of(given) / "candidates.jsonl", Candidate)
    assert len(rows) == counts["candidates"] and all(bool(row.instance) != bool(row.dropped) for row in rows)


def test_a_context_that_two_sessions_share_is_one_instance(folder: Path) -> None:
    one = commits(0)
    other = [*one[:3], {**one[3], "text": "Committing it all."}, *one[4:]]
    outcome = built(folder, store(folder, [one, other]))
    assert outcome.benchmarks[0].dropped == {"duplicate": 1} and outcome.benchmarks[0].instances == 1


def test_a_build_stops_at_the_maximum_and_says_what_it_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.construct.steps.BATCH", 2)
    outcome = built(folder, store(folder, [commits(number) for number in range(7)]), maximum=3)
    assert outcome.benchmarks[0].instances == 3 and outcome.benchmarks[0].dropped == {"maximum_reached": 4}
    assert outcome.counts["unasked"] == 3 and outcome.counts["confirmed"] == 4


def test_too_few_instances_are_refused_with_the_number_that_would_do(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(number) for number in range(2)]), minimum=5)
    assert (outcome.outcome, outcome.reason) == ("rejected", "insufficient_yield")
    assert "2 of the 5" in outcome.message and "--min 2 would do" in outcome.message
    assert outcome.benchmarks[0].path is None and not (folder / "out").exists()


def test_nothing_found_is_said_so(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(0, last="git commit -m")]), minimum=5)
    assert outcome.message.startswith("None of the 5 instances wanted") and outcome.counts["opportunities"] == 1


def test_the_canary_stands_in_every_published_file_and_in_no_message(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(number) for number in range(2)]))
    path = Path(str(outcome.benchmarks[0].path))
    read = read_benchmark(path)
    canary = read.manifest.canary
    assert all(canary in file.read_text() for file in path.resolve().rglob("*") if file.is_file())
    assert all(canary not in message.content for instance in read.instances for message in instance.messages)
    assert {instance.canary for instance in read.instances} == {canary} == {check.canary for check in read.checks.values()}


def test_the_source_session_is_named_by_a_keyed_digest(folder: Path) -> None:
    given = store(folder, [commits(0)])
    read = read_benchmark(Path(str(built(folder, given).benchmarks[0].path)))
    assert read.instances[0].session not in given.sessions()["id"].to_list() and len(read.instances[0].session) == 16
    assert "00000000-0000-4000" not in (Path(str(built(folder, given).benchmarks[0].path)) / "data/test.jsonl").read_text()


def test_tools_are_inferred_from_the_whole_store(folder: Path) -> None:
    given = store(folder, [commits(0), [{"user": "Look."}, {"call": {"Read": {"file_path": "a"}}}, {"result": "text"}, {"text": "Ok."}]])
    (instance,) = read_benchmark(Path(str(built(folder, given).benchmarks[0].path))).instances
    assert [tool.name for tool in instance.tools] == ["Bash", "Edit", "Read"]
    assert all(tool.inferred_from == 1 for tool in instance.tools)
    assert json.loads(instance.tools[1].parameters)["required"] == ["file_path", "new_string", "old_string"]


def test_only_what_was_recorded_in_full_is_taken_where_the_request_says_so(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(0)]), replayability=("replayable",))
    assert outcome.reason == "insufficient_yield" and outcome.benchmarks[0].dropped == {"replayability_not_accepted": 1}


def test_parameters_of_the_request_reach_the_anchor(folder: Path) -> None:
    given = store(folder, [commits(0), commits(1, last="git commit -a -m")])
    outcome = built(folder, given, parameters={"word": "commit -a"})
    read = read_benchmark(Path(str(outcome.benchmarks[0].path)))
    assert len(read.instances) == 1 and read.manifest.parameters == {"word": "commit -a"}


def test_the_seed_decides_which_sessions_come_first_and_each_gives_one_before_any_gives_two() -> None:
    places = [
        Place(family=FAMILY, session=name, chain=f"{name}{turn}", hit=Hit(decision=turn, offends=True, why=""))
        for name in "abcdef"
        for turn in (5, 3)
    ]
    rounds = in_order(places, seed=1)
    assert [{place.hit.decision for place in one} for one in rounds] == [{3}, {5}]
    assert sorted(place.session for place in rounds[0]) == list("abcdef")
    assert [place.session for place in rounds[0]] != [place.session for place in in_order(places, seed=2)[0]]
    assert rounds == in_order(list(reversed(places)), seed=1)


def test_what_a_build_did_is_not_done_again(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    built(folder, given)
    reopened = Store.open(given.path)
    outcome = build(request(folder), reopened, OFFLINE, folder / "out")
    assert outcome.outcome == "built" and not reopened.opened


def test_a_killed_build_goes_on_where_it_was(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    confirmer = Confirmer(OFFLINE)
    run = start(request(folder), given, confirmer)
    steps.scan_group(run, given, 0)
    steps.make_batches(run, given)
    (name,) = run.batches(FAMILY)
    steps.confirm_batch(run, given, name, confirmer)
    done = {path: path.stat().st_mtime_ns for path in (run.scanned(0), run.batch(name), run.confirmed(name))}
    assert built(folder, given).benchmarks[0].instances == 3
    assert done == {path: path.stat().st_mtime_ns for path in done}


def test_a_live_build_asks_the_fast_model_once_a_candidate(folder: Path, provider: Provider) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    live = models(folder, provider.base)
    outcome = build(request(folder, probe=0), given, live, folder / "out")
    assert outcome.benchmarks[0].instances == 3 and provider.stats() == {"fast": 3}
    manifest = read_benchmark(Path(str(outcome.benchmarks[0].path))).manifest
    assert manifest.confirmed_by == ("t/fast",) and "prompt:confirm" in manifest.digests
    assert "no model judged" not in outcome.message


def test_a_model_that_cannot_be_reached_stops_the_build_and_is_asked_again_later(folder: Path, provider: Provider) -> None:
    given = store(folder, [commits(number) for number in range(2)])
    down = models(folder, provider.base, fast="http://127.0.0.1:9/v1")
    with pytest.raises(InputError, match="could not be reached for 2 candidates") as stopped:
        build(request(folder), given, down, folder / "out")
    assert stopped.value.code == 5
    rows = (run_of(given) / "failures.jsonl").read_text().splitlines()
    assert len(rows) == 2 and not (folder / "out").exists()
    up = models(folder, provider.base)
    assert build(request(folder), given, up, folder / "out").benchmarks[0].instances == 2


def test_the_receipt_says_how_it_ended(folder: Path) -> None:
    given = store(folder, [commits(0)])
    outcome = built(folder, given)
    receipt = json.loads((run_of(given) / "receipt.json").read_text())
    assert receipt["outcome"] == "built" and receipt["counts"] == dict(outcome.counts)
    assert {path.name for path in run_of(given).iterdir() if path.is_file()} == {
        "request.json",
        "candidates.jsonl",
        "checks.jsonl",
        "failures.jsonl",
        "receipt.json",
        "lock",
    }


def test_the_family_of_these_tests_is_a_family(folder: Path) -> None:
    assert family(FAMILY, [folder / "catalogue"]).guards


@pytest.mark.parametrize("how", ["cut at a line", "cut in a line", "emptied", "edited", "another's"])
def test_a_working_file_that_was_changed_is_made_again_and_changes_no_benchmark(how: str, folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(4)])
    (first,) = built(folder, given).benchmarks
    before = {path.name: path.read_bytes() for path in sorted((folder / "out/.objects").rglob("*")) if path.is_file()}
    working = [*run_of(given).glob("*/*.jsonl"), *(given.path / "cache").rglob("*.json")]
    assert {path.parent.name for path in working} >= {"scan", "batches", "confirmed", "cut"}
    for path in [*working, run_of(given) / "request.json"]:
        whole = path.read_bytes()
        changed = {
            "cut at a line": whole[: whole.rfind(b"\n", 0, -1) + 1],
            "cut in a line": whole[: len(whole) // 2],
            "emptied": b"",
            "edited": whole.replace(b"true", b"false", 1) if b"true" in whole else whole.replace(b"0", b"1", 1),
            "another's": next(other for other in working if other != path).read_bytes(),
        }
        path.write_bytes(changed[how])
        again = built(folder, given)
        assert again.benchmarks == (first,), path
        assert {path.name: path.read_bytes() for path in sorted((folder / "out/.objects").rglob("*")) if path.is_file()} == before
        assert path.read_bytes() == whole or path.name == "request.json" or "cache" in path.parts, path


def test_a_build_that_another_one_makes_is_busy_and_a_different_request_is_not(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    built(folder, given)
    with held(run_of(given)):
        with pytest.raises(InputError) as caught:
            built(folder, given)
        assert caught.value.code == 7
        assert built(folder, given, minimum=2).outcome == "built"
