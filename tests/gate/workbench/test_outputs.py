"""What a command is told to write: never in place of what it reads, of a device, or of another of its files; and no old verdict stays."""

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.gate.workbench.test_command import REFUND, folder, spec_file
from tests.gate.workbench.test_evidence import bare, span


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copytree(REFUND, tmp_path / "w")
    return tmp_path / "w"


def words(home: Path, *more: object) -> list[object]:
    return ["gate", "--spec", home / "refund.yaml", "--baseline", home / "base", "--candidate", home / "right_order", *more]


@pytest.mark.parametrize("form", ["--out", "--junit", "--sarif", "--markdown", "--annotations"])
def test_no_form_replaces_what_is_read(form: str, command: Command, home: Path) -> None:
    assert command("contract", "lock", home / "refund.yaml").code == 0
    (home / "also.json").symlink_to(home / "base" / "run-01.json")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    inputs = ["refund.yaml", "base/../refund.yaml", "refund.yaml.lock", "base/run-01.json", "right_order/run-09.json", "base/new.json"]
    for place in inputs:
        done = command(*words(home, form, home / place))
        assert done.code == 2 and form in done.err and "read" in done.err, place
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_two_forms_on_one_path_are_refused(command: Command, home: Path) -> None:
    done = command(*words(home, "--out", home / "o", "--junit", home / "base" / ".." / "o"))
    assert done.code == 2 and "--out names, too" in done.err and not (home / "o").exists()


def test_folders_pipes_and_devices_are_not_replaced(command: Command, home: Path) -> None:
    os.mkfifo(home / "pipe")
    for place in ("pipe", "base"):
        done = command(*words(home, "--out", home / place))
        assert done.code == 2 and done.err.count("\n") == 1
    assert (home / "pipe").is_fifo()
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((home / "pipe").read_bytes()))
    reader.start()
    done = command(*words(home, "--out", home / "pipe"))
    reader.join()
    assert done.code == 0 and json.loads(read[0])["verdict"] == "PASS" and (home / "pipe").is_fifo()
    ours, theirs = os.openpty()
    device = os.ttyname(theirs)
    got: list[bytes] = []
    drain = threading.Thread(target=lambda: got.append(os.read(ours, 100)))
    drain.start()
    (home / "small.yaml").write_text(
        "schema_version: agent-behavior-contract/v0\nid: c\ninvariants: [{id: a, says: x, rule: {required_tools: [a]}}]\n"
    )
    assert command("contract", "compile", home / "small.yaml", "--out", device).code == 0
    drain.join()
    assert got[0].startswith(b"# Compiled from") and Path(device).is_char_device()
    os.close(ours)
    os.close(theirs)


def test_compile_and_init_and_report_leave_their_sources(command: Command, home: Path) -> None:
    contract = home / "c.yaml"
    contract.write_text("schema_version: agent-behavior-contract/v0\nid: c\ninvariants: [{id: a, says: x, rule: {required_tools: [a]}}]\n")
    command(*words(home, "--out", home / "g.html"))
    before = contract.read_bytes(), (home / "g.html").read_bytes()
    for line in (
        ["contract", "compile", contract, "--out", contract],
        ["contract", "init", "--baseline", home / "base", "--out", home / "base" / "b.json", "--force"],
        ["report", home / "g.html"],
    ):
        assert command(*line).code == 2
    assert (contract.read_bytes(), (home / "g.html").read_bytes()) == before and not (home / "base" / "b.json").exists()


def test_where_nothing_could_be_judged_no_old_report_is_left(command: Command, home: Path) -> None:
    forms = {"--out": "g.json", "--junit": "g.xml", "--sarif": "g.sarif", "--markdown": "g.md", "--annotations": "g.txt"}
    named = [word for option, name in forms.items() for word in (option, home / name)]
    assert command(*words(home, *named)).code == 0
    assert all((home / name).exists() for name in forms.values())
    (home / "right_order" / "run-03.json").write_text("{")
    assert command(*words(home, *named)).code == 2
    assert not any((home / name).exists() for name in forms.values())


def test_an_empty_path_is_not_the_current_folder(command: Command, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home / "right_order")
    for line in (
        words(home, "--baseline", ""),
        ["gate", "--baseline", "", "--candidate", "", "--spec", home / "refund.yaml"],
        ["gate", "--baseline", "", "--candidate", "", "--spec", ""],
        words(home, "--out", ""),
        ["contract", "diff", "", home / "base"],
        ["contract", "init", "--baseline", "", "--out", home / "x.yaml"],
        ["trace", "export", "", "--out", home / "x"],
        ["trace", "export", home / "base", "--out", ""],
        ["report", ""],
        ["import", "", "--store", home / "s"],
        ["scan", "--store", ""],
        ["store", "info", "--store", ""],
        ["verify", ""],
    ):
        done = command(*line)
        assert done.code == 2 and "is empty" in done.err and done.err.count("\n") == 1, line


def test_values_that_are_no_utf8_are_one_line(command: Command, home: Path) -> None:
    odd = os.fsdecode(b"z\xff.json")
    done = command("latent", "demo", "--model", "x", "--step", odd, "--out", home / "l.json")
    assert done.code == 2 and "not UTF-8" in done.err
    (home / "right_order" / odd).write_text((home / "right_order" / "run-01.json").read_text().replace("right", "other"))
    for form in (["--json"], ["--out", home / "g.json"], ["--junit", home / "g.xml"], []):
        done = command(*words(home, *form))
        assert done.code == 2 and "not UTF-8" in done.err and not (home / "g.json").exists()


def test_long_names_are_masked_in_the_time_they_take_to_read(command: Command, tmp_path: Path) -> None:
    place = folder(tmp_path / "runs", [bare(0, span(0, "n" * 100_000, status="success"))])
    spec = spec_file(tmp_path / "s.yaml", invariants={"max_errors": 0})
    assert command("gate", "--baseline", place, "--candidate", place, "--spec", spec, "--json").code == 0


def test_what_no_number_can_hold_is_refused_by_the_spec(command: Command, home: Path) -> None:
    for wrong in ({"alpha": 1e-310}, {"beta": 1e-310}, {"p1": 5e-324}):
        spec = spec_file(home / "s.yaml", thresholds={"sprt": {"enabled": True, **wrong}})
        done = command("gate", "--spec", spec, "--baseline", home / "base", "--candidate", home / "base", "--json")
        assert done.code == 2 and next(iter(wrong)) in done.err
