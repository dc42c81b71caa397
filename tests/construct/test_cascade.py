"""The cascade around the confirmer: in which order it is asked, about which sessions, and what its answers say of the anchor."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.servers.profiles import models, profile
from tests.servers.provider import Provider
from tracedance.construct.build import LEDGER, build, estimate, foretold
from tracedance.construct.forgetting import forget
from tracedance.construct.found import Looked, recall
from tracedance.construct.order import Origins, caps, spread
from tracedance.kit.intervals import exact
from tracedance.models.config import load
from tracedance.models.ledger import Ledger
from tracedance.query.request import understand
from tracedance.schema import Candidate, Outcome, Request
from tracedance.store import runs
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.store import Store

Answer = Callable[[str], str | None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    catalogue(tmp_path / "catalogue")
    return tmp_path


def request(folder: Path, **changes: Any) -> Request:
    given = {"query": None, "families": (FAMILY,), "minimum": 1, "probe": 0, "catalogues": (str(folder / "catalogue"),)}
    return Request.model_validate({**given, **changes})


@contextmanager
def speaking(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A provider on this machine that says what `answer` makes of a prompt, 400 where that is None; yields its address and the prompts."""
    prompts: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
            prompts.append(sent["messages"][0]["content"])
            said = answer(prompts[-1])
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
            body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "fast", "choices": [choice]}).encode()
            self.send_response(200 if said is not None else 400)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", prompts
        server.shutdown()


def decision(prompt: str) -> str:
    """What the prompt shows of the decision."""
    return next(part for part in prompt.split("| [") if "(the decision)" in part.split(":")[0])


def confirms(what: str) -> Answer:
    """A confirmer that says yes to all of three questions where `what` stands in the decision, and no to the first elsewhere."""

    def answer(prompt: str) -> str:
        first = {"answer": "yes" if what in decision(prompt) else "no", "event": 1}
        return json.dumps({"answers": [first, {"answer": "yes", "event": 1}, {"answer": "yes", "event": 1}]})

    return answer


def built(folder: Path, given: Store, answer: Answer, **changes: Any) -> tuple[Outcome, list[str]]:
    with speaking(answer) as (base, prompts):
        return build(request(folder, **changes), given, models(folder, base), folder / "out"), prompts


def test_an_unreadable_confirmer_is_counted_under_its_own_reason_and_is_no_want_of_sessions(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    outcome, prompts = built(folder, given, lambda prompt: "Surely it did.")
    assert (outcome.outcome, outcome.reason) == ("rejected", "insufficient_yield") and not outcome.nearest
    assert outcome.benchmarks[0].dropped == {"unreadable_answer": 3} and len(prompts) == 6
    assert "3 answers of the confirming model could not be read" in outcome.message and "more sessions" not in outcome.message


def test_a_few_unreadable_answers_do_not_explain_a_want_of_sessions(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(3)])
    readable = confirms("git")
    outcome, _ = built(folder, given, lambda prompt: "Hm." if "Task 1." in prompt else readable(prompt), minimum=5)
    assert outcome.reason == "insufficient_yield" and outcome.benchmarks[0].dropped == {"unreadable_answer": 1}


def test_cannot_tell_has_a_reason_of_its_own_and_counts_against_the_precision(folder: Path) -> None:
    unsure = json.dumps({"answers": [{"answer": "cannot_tell"}, {"answer": "yes", "event": 1}, {"answer": "yes", "event": 1}]})
    yes = confirms("git")
    given = store(folder, [commits(number) for number in range(4)])
    outcome, _ = built(folder, given, lambda prompt: unsure if "Task 1." in prompt else yes(prompt))
    assert outcome.benchmarks[0].dropped == {"question 1: cannot_tell": 1}
    precision = outcome.benchmarks[0].confirmation["precision"]
    assert (precision["confirmed"], precision["judged"], precision["cannot_tell"], precision["share"]) == (3, 4, 1, 0.75)


def test_a_domain_keeps_the_sessions_that_are_about_it_and_asks_first(folder: Path, provider: Provider) -> None:
    asks = ["Mend the Kubernetes manifest and commit.", "Fix it and commit."]
    given = store(folder, [commits(number, ask=asks[number % 2]) for number in range(4)])
    outcome = build(request(folder, domain="Kubernetes"), given, models(folder, provider.base), folder / "out")
    assert outcome.benchmarks[0].instances == 2 and outcome.benchmarks[0].dropped == {"domain: no": 2}
    assert outcome.benchmarks[0].confirmation["precision"]["judged"] == 2
    with Ledger(given.path / LEDGER) as ledger:
        assert dict(ledger.ask("SELECT purpose, count(*) FROM attempt GROUP BY purpose")) == {"summary": 4, "domain": 4, "confirm": 2}
    manifest = read_benchmark(Path(str(outcome.benchmarks[0].path))).manifest
    assert manifest.domain == "Kubernetes" and {"prompt:summary", "prompt:domain"} <= set(manifest.digests)


def test_a_domain_that_no_model_can_check_is_refused_with_the_cure(folder: Path) -> None:
    outcome = build(request(folder, domain="Kubernetes"), store(folder, [commits(0)]), load("offline"), folder / "out")
    assert (outcome.outcome, outcome.reason) == ("rejected", "not_observable") and "--profile" in outcome.message


def test_a_dry_run_foretells_that_the_field_cannot_be_checked(folder: Path, provider: Provider) -> None:
    found = understand("commits without a test run, in healthcare sessions", (), {"dry_run": True})
    assert isinstance(found, Outcome) and found.outcome == "dry_run"
    without, with_one = foretold(found, load("offline")), foretold(found, models(folder, provider.base))
    assert without.outcome == "dry_run" and "would be rejected (not_observable)" in without.message and "--profile" in without.message
    assert with_one == found


def test_an_estimate_counts_the_domain_check_and_the_probe(folder: Path, provider: Provider) -> None:
    given = store(folder, [commits(number) for number in range(4)])
    expected = estimate(request(folder, domain="cooking", probe=3), given, models(folder, provider.base))
    assert {row["stage"]: row["calls"] for row in expected["by"]} == {"confirm": 10, "summary": 10, "domain": 10}
    assert provider.stats() == {}


def test_harnesses_take_turns_and_within_them_repositories() -> None:
    harness = {**{f"a{n}": "A" for n in range(12)}, **{f"b{n}": "B" for n in range(3)}}
    repository = {name: "big" if name < "a3" or name.startswith("a1") else "small" for name in harness}
    order = spread(harness, 0, Origins(harness, repository))
    assert sorted(order) == sorted(harness) and order != spread(harness, 1, Origins(harness, repository))
    assert [harness[name] for name in order[:6]] in (["A", "B"] * 3, ["B", "A"] * 3)
    first_of_a = [repository[name] for name in order if harness[name] == "A"][:4]
    assert sorted(first_of_a[:2]) == sorted(first_of_a[2:]) == ["big", "small"]


def test_one_repository_cannot_fill_a_benchmark_where_there_are_others(folder: Path) -> None:
    places = ["/home/dev/big"] * 8 + ["/home/dev/small"] * 2
    given = store(folder, [commits(number) for number in range(10)], repositories=places)
    outcome, _ = built(folder, given, confirms("git"), minimum=1, maximum=8)
    (made,) = outcome.benchmarks
    assert made.instances == 6 and made.dropped == {"repository_has_its_share": 4}
    assert made.confirmation["order"]["instances"] == {
        "sessions": 6,
        "repositories": 2,
        "without_repository": 0,
        "harnesses": {"claude_code": 6},
    }


def test_the_share_of_a_repository_gives_way_to_the_minimum_and_binds_no_store_of_one() -> None:
    where = Origins({}, {"a": "one", "b": "one", "c": "two"})
    limits = caps("abc", where, minimum=5, maximum=8)
    assert limits.full("a", {"one": 4}, 5) and not limits.full("a", {"one": 4}, 4) and not limits.full("c", {"one": 4}, 5)
    assert not caps("ab", where, minimum=5, maximum=8).full("a", {"one": 7}, 7)


def test_nobody_is_asked_about_more_candidates_than_a_first_batch_when_that_fills_the_benchmark(folder: Path) -> None:
    given = store(folder, [commits(number) for number in range(30)])
    outcome, prompts = built(folder, given, confirms("git"), maximum=10)
    assert outcome.benchmarks[0].instances == 10 and len(prompts) == 10
    rows = runs.read(next((given.path / "runs").iterdir()) / "candidates.jsonl", Candidate)
    assert sum(row.confirmation.status == "unasked" for row in rows) == 20


def test_the_probe_finds_what_the_anchor_misses_and_bounds_its_recall(folder: Path) -> None:
    sessions = [*(commits(number) for number in range(3)), *(commits(number, last="git commit -m") for number in range(3, 7))]
    given = store(folder, sessions)
    outcome, prompts = built(folder, given, confirms("git commit"), probe=50)
    told = outcome.benchmarks[0].confirmation["recall"]
    # Every place was looked at, so nothing is left to chance: 3 candidates and the 4 opportunities are occurrences, no other turn is.
    assert told["share"] == round(3 / 7, 4) and told["interval"] == [round(3 / 7, 4)] * 2
    kinds = {one["kind"]: (one["population"], one["answered"], one["occurrences"]) for one in told["kinds"]}
    assert kinds == {"opportunity": (4, 4, 4), "unknown": (14, 14, 0)} and len(prompts) == 21
    assert read_benchmark(Path(str(outcome.benchmarks[0].path))).manifest.confirmation["recall"] == told


def test_a_probe_of_some_places_leaves_an_interval_and_is_paid_once(folder: Path) -> None:
    given = store(folder, [*(commits(number) for number in range(4)), *(commits(number, last="git commit -m") for number in range(4, 12))])
    with speaking(confirms("git add -A")) as (base, prompts):
        first = build(request(folder, probe=3), given, models(folder, base), folder / "out")
        asked = len(prompts)
        again = build(request(folder, probe=3), Store.open(given.path), models(folder, base), folder / "out")
    assert asked == len(prompts) == 4 + 3 + 3 and first == again
    told = first.benchmarks[0].confirmation["recall"]
    assert told["share"] == 1.0 and told["interval"][1] == 1.0 and 0 < told["interval"][0] < 0.5


def test_a_probe_that_could_not_be_asked_counts_for_nothing_and_is_asked_later(folder: Path) -> None:
    given = store(folder, [*(commits(number) for number in range(2)), *(commits(number, last="git commit -m") for number in range(2, 4))])
    yes, down = confirms("git add -A"), True
    with speaking(lambda prompt: None if down and "git add -A" not in decision(prompt) else yes(prompt)) as (base, prompts):
        first = build(request(folder, probe=2), given, models(folder, base), folder / "out")
        down, asked = False, len(prompts)
        again = build(request(folder, probe=2), Store.open(given.path), models(folder, base), folder / "out")
    answered = [[one["answered"] for one in outcome.benchmarks[0].confirmation["recall"]["kinds"]] for outcome in (first, again)]
    assert answered == [[0, 0], [2, 2]] and len(prompts) == asked + 4


def test_without_a_model_it_is_said_that_none_looked(folder: Path, command: Command) -> None:
    given = store(folder, [commits(number) for number in range(2)])
    line = ("build", "--family", FAMILY, "--catalogue", folder / "catalogue", "--store", given.path, "--min", 1, "--out", folder / "out")
    told = command(*line, "--profile", "offline", "--json").json["benchmarks"][0]["confirmation"]
    assert told["precision"] is None and told["recall"] is None and "no model looked" in told["note"]
    assert "no model looked" in command(*line, "--profile", "offline").out


def test_a_build_prints_spread_precision_and_recall(folder: Path, command: Command) -> None:
    given = store(folder, [*(commits(number) for number in range(3)), commits(3, last="git commit -m")])
    line = ("build", "--family", FAMILY, "--catalogue", folder / "catalogue", "--store", given.path, "--min", 1, "--out", folder / "out")
    with speaking(confirms("git add -A")) as (base, _):
        said = command(*line, "--profile", profile(folder, base), "--probe", 50)
    assert said.code == 0, said.err
    assert "from 3 sessions, 1 repositories (claude_code 3); order from seed 0" in said.out
    assert "precision of the anchor 1.00 [0.44, 1.00]: 3 confirmed of 3 judged" in said.out
    assert "recall of the anchor 1.00 [1.00, 1.00]: missed by it 0 in 1 of 1 opportunity, 0 in 8 of 8 unknown" in said.out


@pytest.mark.parametrize("words", [("--probe", "-1"), ("--domain", ""), ("--domain", "x" * 300)])
def test_impossible_options_are_refused_in_a_line(folder: Path, command: Command, words: tuple[str, str]) -> None:
    said = command("build", "--family", FAMILY, "--catalogue", folder / "catalogue", "--store", folder / "none", *words)
    assert said.code == 2 and said.err.count("\n") == 1


def test_a_recall_interval_holds_as_often_as_it_says() -> None:
    rng = random.Random(7)
    held = 0
    for _ in range(300):
        hits, other = [rng.random() < 0.8 for _ in range(60)], [rng.random() < 0.03 for _ in range(900)]
        seen, probed = rng.sample(hits, 30), rng.sample(other, 40)
        told = recall(Looked(60, 30, sum(seen)), [("unknown", Looked(900, 40, sum(probed)))])
        low, high = told["interval"]
        held += low <= sum(hits) / (sum(hits) + sum(other)) + 1e-4 and sum(hits) / (sum(hits) + sum(other)) <= high + 1e-4
    assert held >= 285


@pytest.mark.parametrize(("k", "n"), [(0, 20), (1, 20), (7, 9), (20, 20)])
def test_exact_intervals_are_those_of_clopper_and_pearson(k: int, n: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert exact(k, n) == pytest.approx(proportion_confint(k, n, method="beta"))
    assert exact(0, 0) == (0.0, 1.0)


def test_forgetting_a_session_strikes_its_summary_and_what_was_made_of_it(folder: Path) -> None:
    given = store(folder, [commits(0, ask="Mend it:\n\nthe manifest of the shop\nand commit.")])

    def answer(prompt: str) -> str:
        if '{"summary": "..."}' in prompt:
            return json.dumps({"summary": "A deployment was put right."})
        return '{"answer": "yes", "why": "it is"}' if "this field: Kubernetes" in prompt else str(confirms("git")(prompt))

    built(folder, given, answer, domain="Kubernetes")
    with Ledger(given.path / LEDGER) as ledger:
        assert sorted(purpose for (purpose,) in ledger.ask("SELECT purpose FROM attempt")) == ["confirm", "domain", "summary"]
    forget(given.path, "00000000-0000-4000-8000-000000000000")
    with Ledger(given.path / LEDGER) as ledger:
        assert ledger.ask("SELECT purpose FROM attempt") == []
