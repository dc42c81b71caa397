"""The flow on a real Prefect engine: the files of the plain build, and nothing done twice after a kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tests.synthesis.sessions import MASS_UPDATES, mass_update, writing
from tracedance.construct.build import build as plain_build
from tracedance.models.config import load
from tracedance.schema import Outcome, Request
from tracedance.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json, sys
from pathlib import Path
from tracedance.flows.build import build
from tracedance.schema import Request
request, store, profile, out = sys.argv[1:]
outcome = build(Request.model_validate_json(request) if request.startswith("{") else request, Path(store), profile, Path(out))
print(outcome.model_dump_json())
"""


class Held(Provider):
    """A provider that answers nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__(0)
        self.asked, self.go = Event(), Event()

    def count(self, model: str, body: dict[str, Any]) -> None:
        super().count(model, body)
        self.asked.set()
        self.go.wait(60)


@pytest.fixture
def held() -> Iterator[Held]:
    with Held() as server:
        yield server
        server.go.set()


@pytest.fixture(scope="module")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for the module: making Prefect's database takes longer than a flow."""
    return tmp_path_factory.mktemp("prefect")


def request(folder: Path) -> Request:
    catalogue(folder / "catalogue")
    return Request(query=None, families=(FAMILY,), minimum=1, catalogues=(str(folder / "catalogue"),))


def flow(home: Path, asked: Request | str, given: Path, models: str, out: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}:{ROOT}", "PREFECT_HOME": str(home)}
    words = [sys.executable, "-c", SCRIPT, asked if isinstance(asked, str) else asked.model_dump_json(), str(given), models, str(out)]
    return subprocess.Popen(
        words, env=environment, cwd=home, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def finished(process: "subprocess.Popen[str]") -> str:
    said, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained[-3000:]
    return said


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def moved(outcome: Outcome) -> Outcome:
    """The outcome with its benchmarks' names for their paths."""
    named = tuple(one.model_copy(update={"path": Path(str(one.path)).name}) for one in outcome.benchmarks)
    return outcome.model_copy(update={"benchmarks": named})


def test_the_flow_makes_the_files_of_the_plain_build(tmp_path: Path, prefect_home: Path) -> None:
    given = store(tmp_path, [commits(number) for number in range(5)])
    asked = request(tmp_path)
    outcome = plain_build(asked, given, load("offline"), tmp_path / "plain")
    (run,) = (given.path / "runs").iterdir()
    kept = run.rename(tmp_path / "run-of-the-plain-build")
    said = finished(flow(prefect_home, asked, given.path, "offline", tmp_path / "flow"))
    by_flow = Outcome.model_validate_json(said.strip().splitlines()[-1])
    assert moved(by_flow) == moved(outcome)
    assert files(tmp_path / "flow") == files(tmp_path / "plain")
    made = files(run)
    assert {name: data for name, data in files(kept).items() if name != "receipt.json"} == {
        name: data for name, data in made.items() if name != "receipt.json"
    }


def test_a_flow_killed_after_its_first_tasks_does_not_redo_them(tmp_path: Path, prefect_home: Path, held: Held, provider: Provider) -> None:
    given = store(tmp_path, [commits(number) for number in range(3)])
    asked = request(tmp_path)
    models = profile(tmp_path, held.base)
    killed = flow(prefect_home, asked, given.path, str(models), tmp_path / "out")
    assert held.asked.wait(240), "the flow never came to confirm"
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    held.go.set()
    (run,) = (given.path / "runs").iterdir()
    done = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    assert {path.relative_to(run).parts[0] for path in done} == {"request.json", "parameters.json", "scan", "batches", "lock"}
    assert not (tmp_path / "out").exists()
    time.sleep(0.05)
    finished(flow(prefect_home, asked, given.path, str(models), tmp_path / "out"))
    assert {path: path.stat().st_mtime_ns for path in done} == done
    opened = Store.open(given.path)
    plain = plain_build(asked, opened, load(str(models)), tmp_path / "plain")
    assert plain.benchmarks[0].instances == 3 and files(tmp_path / "plain") == files(tmp_path / "out")


def test_a_sentence_goes_through_the_door_that_commands_use_and_its_family_is_written(
    tmp_path: Path, prefect_home: Path, provider: Provider, command: Command
) -> None:
    given = store(tmp_path, [mass_update(number) for number in range(6)])
    models = writing(tmp_path, provider.base, "strong")
    said = finished(flow(prefect_home, MASS_UPDATES, given.path, str(models), tmp_path / "flow"))
    by_flow = Outcome.model_validate_json(said.strip().splitlines()[-1])
    assert by_flow.outcome == "built" and by_flow.request["families"] == ["action/unbounded_sql_mutation"]
    written = provider.stats()["strong"]
    by_command = command("build", MASS_UPDATES, "--store", given.path, "--profile", models, "--out", tmp_path / "plain", "--json")
    assert by_command.json["benchmarks"][0]["instances"] == by_flow.benchmarks[0].instances == 6
    assert files(tmp_path / "flow") == files(tmp_path / "plain") and provider.stats()["strong"] == written


def test_tasks_carry_paths_and_names_only(tmp_path: Path) -> None:
    from inspect import signature

    os.environ.setdefault("TRACEDANCE_PREFECT_HOME", str(tmp_path))
    from tracedance.flows import build

    for one in (build.build_benchmarks, build.scan_group, build.deal, build.confirm_batch, build.cut_batch, build.publish):
        kinds = {str(parameter.annotation) for parameter in signature(one.fn).parameters.values()}
        assert kinds <= {"Path", "str", "str | None", "int"} and signature(one.fn).return_annotation == "None"


def test_plain_commands_never_import_prefect() -> None:
    script = "import sys, tracedance.construct.build, tracedance.query.request, tracedance.cli.main; print('prefect' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}:{ROOT}"}
    assert subprocess.check_output([sys.executable, "-c", script], env=environment, text=True).strip() == "False"
