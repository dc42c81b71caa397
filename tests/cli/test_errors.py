"""A mistake the user can mend is one line and an exit code."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, write_session
from tracedance.store.durable import locked

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "from tracedance.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "pipeline"), "PATH": "/usr/bin:/bin"},
    )


@pytest.mark.parametrize(
    "words, code, says",
    [
        (["biuld"], 2, "Did you mean 'build'"),
        (["show", "failure/edit_retry_without_rereads"], 2, "Did you mean 'failure/edit_retry_without_reread'"),
        (["import", "nowhere"], 2, "nowhere"),
        (["scan", "--store", "nowhere"], 2, "nowhere"),
        (["build", "--family", "no_such", "--store", "nowhere"], 2, "no_such"),
        (["build", "--store", "nowhere"], 2, "Describe a behaviour"),
        (["evaluate", "nowhere", "--model", "offline/source"], 2, "nowhere"),
        (["verify", "nowhere"], 2, "nowhere"),
        (["report", "nowhere"], 2, "nowhere"),
        (["gate", "--baseline", "nowhere:a", "--candidate", "nowhere:b"], 2, "nowhere"),
    ],
)
def test_a_mistake_is_one_line_with_its_exit_code(words: list[str], code: int, says: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert says in done.stderr and "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("Error:")]) == 1
    assert not list(tmp_path.iterdir()), "a mistake must leave nothing behind"


def test_what_the_system_refuses_is_one_line_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    session = write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    for store in ("file/store", "file", "x" * 300):
        done = run("import", str(session), "--store", store, cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
        assert store.split("/")[0][:20] in done.stderr and len(done.stderr.splitlines()) == 1
    assert run("demo", "--out", "file/demo", cwd=tmp_path).returncode == 2
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["families"], ["families", "--json"], ["--help"]])
def test_a_full_standard_output_is_one_line(words: list[str], tmp_path: Path) -> None:
    code = "from tracedance.cli.main import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(ROOT / "pipeline"), "PATH": "/usr/bin:/bin"},
        )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "No space left" in done.stderr


def test_a_name_that_is_no_utf8_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    done = run("demo", "--out", "a\udcff", cwd=tmp_path)
    assert done.returncode == 2 and "not UTF-8" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_damaged_database_is_named_with_its_code(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    for failure, code in ((sqlite3.DatabaseError("disk image is malformed"), 6), (sqlite3.OperationalError("disk is full"), 2)):

        def raising(*_: object, failure: Exception = failure, **__: object) -> None:
            raise failure

        monkeypatch.setattr("tracedance.cli.main.tracedance.main", raising)
        done = command("families")
        assert done.code == code and len(done.err.splitlines()) == 1


def test_a_demo_is_not_joined_by_another(command: Command, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with locked(tmp_path / "d", ".lock"):
        done = command("demo", "--out", tmp_path / "d")
    assert done.code == 7 and len(done.err.splitlines()) == 1 and "Another demo" in done.err


def test_a_refused_folder_of_a_run_is_left_as_it_was(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("mine")
    benchmark = ROOT / "benchmarks/demo/edit_retry_without_reread"
    done = command("evaluate", benchmark, "--model", "offline/source", "--out", tmp_path / "mine")
    assert done.code == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


TOKEN = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.mark.parametrize(
    "words",
    [
        ["import", "in", "--store", f"/dev/null/{TOKEN}"],
        ["import", TOKEN],
        [TOKEN],
        ["import", f"--{TOKEN}"],
        ["import", "in", "--store", TOKEN],
        ["import", "in", "--store", TOKEN, "--json"],
        ["scan", f"in/{TOKEN}", "--json"],
        ["store", "info", "--store", TOKEN],
        ["evaluate", TOKEN, "--model", f"x/{TOKEN}"],
    ],
)
def test_no_line_that_is_printed_holds_a_token(words: list[str], tmp_path: Path) -> None:
    write_session(tmp_path / "in" / "a.jsonl", "a", FIRST_EDIT)
    done = run(*words, cwd=tmp_path)
    assert TOKEN[8:20] not in done.stdout + done.stderr


def test_a_traceback_holds_no_token(tmp_path: Path) -> None:
    code = f"from tracedance.cli.output import mask_output; mask_output(); raise RuntimeError({TOKEN!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "pipeline")}
    )
    assert "RuntimeError" in done.stderr and TOKEN not in done.stderr


@pytest.mark.parametrize("held", [f"key {TOKEN}", "password=hunter2-Hunter2x", "of mira.osei@acme-corp.io"])
def test_a_query_with_what_must_not_be_stored_is_refused_before_anything_is_written(held: str, command: Command, tmp_path: Path) -> None:
    write_session(tmp_path / "in" / "a.jsonl", "a", FIRST_EDIT)
    command("import", tmp_path / "in", "--store", tmp_path / "s")
    before = sorted((tmp_path / "s").rglob("*"))
    done = command("build", f"edits tried again without re-reading, {held}", "--store", tmp_path / "s")
    assert done.code == 2 and len(done.err.splitlines()) == 1 and held.split()[-1] not in done.err
    assert sorted((tmp_path / "s").rglob("*")) == before
