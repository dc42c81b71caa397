"""A request that no family fits: a model writes one, it is proved on the store, then built or refused; over a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Command
from tests.servers.provider import Provider
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.importing import import_paths
from tracedance.store.store import Store
from tracedance.synth.exam import corpus
from tracedance.synth.exam.plan import Wish

DRIFT = "installs a package without recording it in the manifest"
DOCS = "creates README or summary markdown files nobody asked for"


def planted(folder: Path, family: str, sessions: int = 70) -> tuple[Path, set[str]]:
    """A store of synthetic sessions with one behaviour, and the sessions that hold an offence."""
    corpus.write(folder / "corpus", sessions, Wish(3, f"action/{family}", 2.0, True))
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


def profile(folder: Path, base: str, strong: str, reviewer: str = "reviewer") -> Path:
    """A models file in which `strong` writes families."""
    names = [name for name in ("fast", strong, reviewer) if name]
    entries = [{"model_name": f"t/{name}", "litellm_params": {"model": f"openai/{name}", "api_base": base}} for name in names]
    file: dict[str, Any] = {
        "schema": "tracedance.models/v1",
        "model_list": entries,
        "roles": {"fast": "t/fast", "strong": f"t/{strong}", **({"reviewer": f"t/{reviewer}"} if reviewer else {})},
        "prices": {f"t/{name}": {"input": 1, "output": 4} for name in names},
        "parameters": {"synthesise": {"max_tokens": 8192}, "confirm": {"max_tokens": 1024}, "review": {"max_tokens": 1024}},
    }
    path = folder / "models-of-test.yaml"
    path.write_text(yaml.safe_dump(file))
    return path


def rounds(run: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(Path(run).glob("rounds/*/round.json"))]


def test_an_anchor_that_looks_for_no_later_edit_is_revised_to_test_the_state_at_the_decision(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path
) -> None:
    store, offending = drift
    asked = ("build", DRIFT, "--store", store, "--profile", profile(tmp_path, provider.base, "strong"), "--json")
    done = command(*asked)
    assert done.code == 0, done.out + done.err
    first, second = rounds(done.json["synthesis"]["run"])
    assert first["failed_at"] == "cut and probe" and second["failed_at"] == ""
    assert any("looks ahead" in problem for problem in first["problems"])
    assert first["probe"]["ruled_out_by_what_came_later"] > 0 == second["probe"]["ruled_out_by_what_came_later"]
    benchmark = read_benchmark(done.json["benchmarks"][0]["path"])
    assert {instance.session for instance in benchmark.instances} == offending
    assert benchmark.manifest.query == DRIFT and benchmark.manifest.synthesised["reviewed_by_people"] is False
    assert "family/anchors/action/unrecorded_install.py" in {entry.path for entry in benchmark.manifest.files}
    assert "NOT reviewed by people" in (Path(benchmark.path) / "README.md").read_text()
    written = provider.stats()["strong"]
    again = command(*asked)
    assert again.json["benchmarks"] == done.json["benchmarks"] and provider.stats()["strong"] == written == 2


def test_prose_broken_code_an_unsafe_import_and_an_anchor_that_finds_everything_are_mended_one_by_one(
    command: Command, provider: Provider, docs: tuple[Path, set[str]], tmp_path: Path
) -> None:
    store, offending = docs
    done = command("build", DOCS, "--store", store, "--profile", profile(tmp_path, provider.base, "strong-clumsy"), "--json")
    assert done.code == 0, done.out + done.err
    failed = [(one["failed_at"], " ".join(one["problems"])) for one in rounds(done.json["synthesis"]["run"])]
    assert [step for step, _ in failed] == ["gate", "gate", "sandbox", ""]
    assert "no Python" in failed[0][1] and "import 'os'" in failed[1][1] and "selects too much" in failed[2][1]
    assert {instance.session for instance in read_benchmark(done.json["benchmarks"][0]["path"]).instances} <= offending


@pytest.mark.parametrize("strong", ["strong-stubborn", "strong-prose"])
def test_a_writer_that_learns_nothing_ends_with_a_code_and_no_benchmark(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path, strong: str
) -> None:
    out = tmp_path / "out"
    done = command("build", DRIFT, "--store", drift[0], "--profile", profile(tmp_path, provider.base, strong), "--out", out, "--json")
    assert done.code == 3 and done.json["reason"] == "unsafe_or_unsound_anchor" and not done.json["benchmarks"]
    assert len(rounds(done.json["synthesis"]["run"])) < 6 and not out.exists()
    assert "check-family" in done.json["message"]


def test_writing_stops_before_it_costs_more_than_is_allowed(
    command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path
) -> None:
    told = profile(tmp_path, provider.base, "strong-stubborn")
    done = command("build", DRIFT, "--seed", 9, "--store", drift[0], "--profile", told, "--max-cost", "0.01")
    assert done.code == 4 and "--max-cost" in done.err
    assert provider.books.dollars({name: (1, 4) for name in ("strong-stubborn", "reviewer", "fast")}) <= 0.01


def test_without_a_reviewer_nothing_is_written(command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path) -> None:
    told = profile(tmp_path, provider.base, "strong", reviewer="")
    done = command("build", DRIFT, "--store", drift[0], "--profile", told, "--json")
    assert done.code == 3 and done.json["reason"] == "no_family_matches" and "strong" not in provider.stats()


def test_a_dry_run_writes_nothing(command: Command, provider: Provider, drift: tuple[Path, set[str]], tmp_path: Path) -> None:
    told = profile(tmp_path, provider.base, "strong")
    done = command("build", DRIFT, "--store", drift[0], "--profile", told, "--dry-run", "--json")
    assert done.json["reason"] == "no_family_matches" and provider.stats() == {}
