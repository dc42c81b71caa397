"""tracedance verify: whatever of a run or benchmark was edited, lost or added is named, and all files are counted."""

import os
from pathlib import Path

import pytest

from tests.compare.runs import Made, passing, publish, write_run
from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, committing, published
from tests.servers.profiles import profile
from tests.servers.provider import Provider


@pytest.fixture
def run(provider: Provider, tmp_path: Path, command: Command) -> Path:
    """A run as the command leaves it, with a grading made anew in it."""
    commits = published(tmp_path / "b", COMMIT, [committing(n) for n in range(2)])
    models = profile(tmp_path, provider.base, ("judge-a", "judge-b", "judge-c"))
    asked = ("--profile", models, "--model", "t/good", "--model", "t/bad", "--out", tmp_path / "r")
    assert command("evaluate", commits, *asked).code == 0
    assert command("rejudge", tmp_path / "r", "--judge", "t/judge-a", "--judge", "t/judge-b").code == 0
    return tmp_path / "r"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name not in (".lock", "ledger.sqlite3-journal")]


def test_every_file_of_a_run_is_checked_and_counted(run: Path, command: Command) -> None:
    found = command("verify", run, "--json").json
    assert (found["files"], found["responses"], found["rejudged"]) == (len(files(run)), 4, 1)
    assert found["unsealed"] == found["unfinished"] == []
    for path in files(run):
        held = path.read_bytes()
        path.write_bytes(held + b"\n")
        done = command("verify", run)
        assert done.code == 6 and path.name in done.err, path
        path.unlink()
        assert command("verify", run).code != 0 or command("verify", run, "--json").json["rejudged"] == 0, path
        path.write_bytes(held)
    assert command("verify", run).code == 0


def test_all_that_changed_is_named_at_once(run: Path, command: Command) -> None:
    (run / "spend.json").write_text("{}")
    (run / "votes.parquet").unlink()
    (run / "notes.txt").write_text("mine")
    (run / "linked").symlink_to(run.parent / "b", target_is_directory=True)
    done = command("verify", run)
    assert done.code == 6 and done.err.count("\n") == 1
    assert "edited: 'spend.json'; missing: 'votes.parquet'; added: 'linked', 'notes.txt'." in done.err


def test_what_commands_write_into_a_run_later_is_of_the_run(run: Path, command: Command, tmp_path: Path) -> None:
    assert command("report", run, "--out", run / "report.md", "--out", run / "figures.json").code == 0
    assert command("compare", run, "--html", run / "compared.html").code == 0
    sheet = tmp_path / "l.csv"
    assert (
        command("labels", "sample", "--kind", "instance", "--run", run, "--n", 2, "--raters", 1, "--per-item", 1, "--out", sheet).code == 0
    )
    sheet.write_text(sheet.read_text().replace('"yes no unclear",""', '"yes no unclear","yes"'))
    assert command("labels", "import", sheet, "--run", run).code == 0
    assert command("rejudge", run).code == 0
    found = command("verify", run, "--json").json
    assert (found["files"], found["rejudged"]) == (len(files(run)), 2)
    (run / "labels.jsonl").write_text((run / "labels.jsonl").read_text().replace('"yes"', '"no"'))
    assert "edited: 'labels.jsonl'" in command("verify", run).err


@pytest.mark.parametrize("kept", [0, 1])
def test_a_list_that_leaves_out_what_lies_there_was_edited(kept: int, run: Path, command: Command) -> None:
    listed = run / "beside.sha256"
    listed.write_text("".join(listed.read_text().splitlines(keepends=True)[:kept]))
    (run / "spend.json").write_text("{}")
    done = command("verify", run)
    assert done.code == 6 and "edited: 'beside.sha256'" in done.err
    again = next((run / "rejudged").iterdir())
    (again / "beside.sha256").write_text("")
    assert command("verify", again).code == 6


def test_a_run_of_an_older_version_says_what_nobody_has_written_down(command: Command, tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", [publish(tmp_path / "b", Made("commits"))], ["strong", "weak"], passing(1, 0))
    (run / "beside.sha256").unlink()
    assert "missing: 'beside.sha256'" in command("verify", run).err
    digests = run / "digests.json"
    digests.write_text(digests.read_text().replace(',\n "beside": "beside.sha256"', ""))
    (run / "spend.json").write_text("{}")
    assert command("verify", run, "--json").json["unsealed"] == [str(run / "spend.json")]
    assert f"Not checked: {run / 'spend.json'}" in command("verify", run).out.replace("\n", " ")


def test_of_a_benchmark_too_all_that_changed_is_named(command: Command, tmp_path: Path) -> None:
    place = published(tmp_path / "b", COMMIT, [committing()])
    folder = place.resolve()
    assert command("verify", place, "--json").json["files"] == len(files(folder))
    (folder / "data" / "more.txt").write_text("x")
    os.mkfifo(folder / "pipe")
    (folder / "README.md").write_text("x")
    (folder / "checks.jsonl").unlink()
    done = command("verify", place)
    assert done.code == 6
    assert "edited: 'README.md'; missing: 'checks.jsonl'; added: 'data/more.txt', 'pipe'." in done.err
