"""A request that no family fits: a model writes one, it is proved on the store, then built or refused; over a real server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.servers.provider import Provider
from tests.synthesis.sessions import writing as profile
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.importing import import_paths
from tracedance.store.store import Store
from tracedance.synth.exam import corpus
from tracedance.synth.exam.plan import Wish

DRIFT = "installs a package without recording it in the manifest"
DOCS = "creates README or summary markdown files nobody asked for"


def planted(folder: Path, family: str, sessions: int = 50) -> tuple[Path, set[str]]:
    """A store of synthetic sessions with one behaviour, and the sessions that hold an offence."""
    corpus.write(folder / "corpus", sessions, Wish(3, f"action/{family}", 10.0))
    import_paths(folder / "store", [folder / "corpus"])
    rows = [json.loads(line) for line in (folder / "corpus" / "places.jsonl").read_text().splitlines()]
    store = Store.open(folder / "store")
    return folder / "store", {store.provenance(row["session"]) for row in rows if row["kind"] == "offence"}


@pytest.fixture(scope="module")
def drift(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    return planted(tmp_path_factory.mktemp("drift"), "cu_dependency_manifest_drift")


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    return planted(tmp_path_factory.mktemp("docs"), "cu_unrequested_doc_files")


def rounds(run: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(Path(run).glob("rounds/*/round.json"))]


def test_an_anchor_that_looks_for_no_later_edit_is_revised_to_test_the_state_at_the_decision(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path
) -> None:
    store, offending = drift
    asked = ("build", DRIFT, "--store", store, "--profile", profile(tmp_path, provider.base, "strong"), "--json")
    done = command(*asked)
    assert done.code == 0, done.out + done.err
    first, second = rounds(done.json["synthesis"][0]["run"])
    assert first["failed_at"].endswith("probe") and second["failed_at"] == ""
    assert any("Test the state at the decision" in problem for problem in first["problems"])
    assert first["probe"]["ruled_out_by_what_came_later"] > 0 == second["probe"]["ruled_out_by_what_came_later"]
    benchmark = read_benchmark(done.json["benchmarks"][0]["path"])
    assert {instance.session for instance in benchmark.instances} == offending
    assert benchmark.manifest.query == DRIFT and benchmark.manifest.synthesised[0]["reviewed_by_people"] is False
    assert "family/anchors/action/unrecorded_install.py" in {entry.path for entry in benchmark.manifest.files}
    assert "NOT reviewed by people" in (Path(benchmark.path) / "README.md").read_text()
    written = provider.stats()["strong"]
    again = command(*asked)
    assert again.json["benchmarks"] == done.json["benchmarks"] and provider.stats()["strong"] == written


def test_prose_broken_code_an_unsafe_import_and_an_anchor_that_finds_everything_are_mended_one_by_one(
    command: Command, provider: Provider, docs: tuple[Path, set[str]], tmp_path: Path
) -> None:
    store, offending = docs
    done = command("build", DOCS, "--store", store, "--profile", profile(tmp_path, provider.base, "strong-clumsy"), "--min", 2, "--json")
    assert done.code == 0, done.out + done.err
    failed = [(one["failed_at"], " ".join(one["problems"])) for one in rounds(done.json["synthesis"][0]["run"])]
    assert [step for step, _ in failed][:3] == ["gate", "gate", "sandbox"] and failed[-1] == ("", "")
    assert "no Python" in failed[0][1] and "import 'os'" in failed[1][1] and "selects too much" in failed[2][1]
    assert {instance.session for instance in read_benchmark(done.json["benchmarks"][0]["path"]).instances} <= offending


def test_the_same_mistakes_are_mended_for_a_behaviour_that_nobody_wrote_a_family_for(
    command: Command, provider: Provider, tmp_path: Path
) -> None:
    store, offending = planted(tmp_path, "cu_lint_type_suppression")
    asked = "The agent silences a checker instead of fixing its finding."
    done = command("build", asked, "--store", store, "--profile", profile(tmp_path, provider.base, "strong-clumsy"), "--min", 2, "--json")
    assert done.code == 0, done.out + done.err
    failed = [one["failed_at"] for one in rounds(done.json["synthesis"][0]["run"])]
    assert failed == ["gate", "gate", "sandbox", ""] and done.json["synthesis"][0]["family"] == "action/checker_silenced"
    found = {instance.session for instance in read_benchmark(done.json["benchmarks"][0]["path"]).instances}
    assert found and len(found & offending) >= 0.9 * len(found)


@pytest.mark.parametrize("strong", ["strong-stubborn", "strong-wordy"])
def test_a_writer_that_learns_nothing_ends_with_a_code_and_no_benchmark(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path, strong: str
) -> None:
    out = tmp_path / "out"
    done = command("build", DRIFT, "--store", drift[0], "--profile", profile(tmp_path, provider.base, strong), "--out", out, "--json")
    assert done.code == 3 and done.json["reason"] == "unsafe_or_unsound_anchor" and not done.json["benchmarks"]
    assert len(rounds(done.json["synthesis"][0]["run"])) < 6 and not out.exists()
    assert "check-family" in done.json["message"]


def test_writing_stops_before_it_costs_more_than_is_allowed(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path
) -> None:
    told = profile(tmp_path, provider.base, "strong-stubborn")
    done = command("build", DRIFT, "--seed", 9, "--store", drift[0], "--profile", told, "--max-cost", "0.01")
    assert done.code == 4 and "--max-cost" in done.err
    assert provider.books.dollars(dict.fromkeys(("strong-stubborn", "reviewer", "fast"), (1, 4))) <= 0.01


def test_without_a_reviewer_nothing_is_written(command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path) -> None:
    told = profile(tmp_path, provider.base, "strong", reviewer="")
    done = command("build", DRIFT, "--store", drift[0], "--profile", told, "--json")
    assert done.code == 3 and done.json["reason"] == "no_family_matches" and "synthesis" not in done.json


def test_a_dry_run_writes_nothing(command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path) -> None:
    told = profile(tmp_path, provider.base, "strong")
    done = command("build", DRIFT, "--store", drift[0], "--profile", told, "--dry-run", "--json")
    assert done.code == 0 and done.json["outcome"] == "dry_run" and "synthesis" not in done.json and "reviewer" not in provider.stats()


def accepted(command: Command, base: str, store: Path, folder: Path) -> str:
    """The run in which a family was written that is accepted at the first draft."""
    sql = "runs UPDATE or DELETE without a WHERE"
    done = command("build", sql, "--store", store, "--profile", profile(folder, base, "strong"), "--min", 2, "--json")
    assert done.code == 0 and done.json["synthesis"][0]["rounds"] == 1, done.out
    run: str = done.json["synthesis"][0]["run"]
    return run


def test_a_family_is_promoted_only_after_all_of_it_was_shown_and_agreed_to(
    command: Command, provider: Provider, sql: tuple[Path, set[str]], tmp_path: Path
) -> None:
    run, mine = accepted(command, provider.base, sql[0], tmp_path), tmp_path / "mine"
    shown = command("promote", run, "--to", mine)
    assert shown.code == 2 and not mine.exists() and "--yes" in shown.err
    source = (Path(run) / "family/anchors/action/unbounded_sql_mutation.py").read_text()
    assert all(line in shown.out for line in source.split("\n")) and "Before you keep it" in shown.out
    kept = command("promote", Path(run).name, "--to", mine, "--store", sql[0], "--yes", "--json")
    assert kept.code == 0 and kept.json["family"] == "action/unbounded_sql_mutation"
    assert command("check-family", mine).code == 0
    assert command("show", "unbounded_sql_mutation", "--catalogue", mine).code == 0
    assert command("promote", run, "--to", mine, "--yes").code == 2
    changed = tmp_path / "changed"
    shutil.copytree(run, changed)
    (changed / "family/anchors/action/unbounded_sql_mutation.py").write_text(source + "\n# changed\n")
    assert "was changed" in command("promote", changed, "--to", tmp_path / "other", "--yes").err


def test_a_name_that_a_family_of_the_user_s_own_has_is_not_given_twice(
    command: Command, provider: Provider, sql: tuple[Path, set[str]], tmp_path: Path
) -> None:
    run, mine = accepted(command, provider.base, sql[0], tmp_path), tmp_path / "mine"
    assert command("promote", run, "--to", mine, "--yes").code == 0
    told = ("--store", sql[0], "--catalogue", mine, "--profile", profile(tmp_path, provider.base, "strong"), "--min", 2, "--json")
    done = command("build", "runs UPDATE or DELETE without a WHERE", *told)
    assert done.code == 0, done.out + done.err
    first, second = rounds(done.json["synthesis"][0]["run"])
    assert first["failed_at"] == "lint" and "take another name" in first["problems"][0] and second["failed_at"] == ""
    assert done.json["synthesis"][0]["family"] == "action/unbounded_sql_mutation_again"


def test_the_code_of_a_synthesised_family_is_never_executed_outside_the_sandbox(
    command: Command, provider: Provider, sql: tuple[Path, set[str]], tmp_path: Path
) -> None:
    run, trace, folder = accepted(command, provider.base, sql[0], tmp_path), tmp_path / "trace", tmp_path / "family"
    shutil.copytree(Path(run) / "family", folder)
    with (folder / "anchors/action/unbounded_sql_mutation.py").open("a") as anchor:
        anchor.write(f"\nTRACE = open({str(trace)!r}, 'w')\n")
    done = command("build", "--family", "unbounded_sql_mutation", "--catalogue", folder, "--store", sql[0])
    assert done.code == 2 and "unbounded_sql_mutation.py:" in done.err and not trace.exists()


def test_what_a_run_holds_of_a_session_goes_when_the_session_is_forgotten(command: Command, provider: Provider, tmp_path: Path) -> None:
    store, _ = planted(tmp_path, "cu_unbounded_sql_mutation", 40)
    run = Path(accepted(command, provider.base, store, tmp_path))
    row = json.loads((run / "rounds/01/places.jsonl").read_text().splitlines()[0])
    assert command("store", "forget", row["place"]["session"], "--store", store).code == 0
    assert not (run / "rounds").exists() and not (run / "family").exists()
    again = command("promote", run, "--to", tmp_path / "mine", "--yes")
    assert again.code == 2 and "no family that was accepted" in again.err


@pytest.fixture(scope="module")
def sql(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    return planted(tmp_path_factory.mktemp("sql"), "cu_unbounded_sql_mutation", 40)
