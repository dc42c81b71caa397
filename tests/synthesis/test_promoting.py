"""`tracedance promote` on run folders that no build made: nothing is written outside the folder that was named, and one line says why."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tracedance.resources import home

FAMILY = "action/force_push_unasked"
ANCHOR = f"anchors/{FAMILY}.py"
FILES = [f"anchors/{FAMILY}.yaml", ANCHOR, f"anchors/{FAMILY}.examples.yaml", f"rubrics/{FAMILY}.yaml"]
Change = Callable[..., object]


def forged(run: Path, change: Change = dict, more: str = "") -> Path:
    """An accepted run of the worked example, with `change` made to its mark and, maybe, one file more."""
    shutil.copytree(home() / "configs/examples/family", run / "family")
    for name in filter(None, [more]):
        (run / "family" / name).parent.mkdir(parents=True, exist_ok=True)
        (run / "family" / name).write_text("evil")
    digests = {name: hashlib.sha256((run / "family" / name).read_bytes()).hexdigest() for name in [*FILES, *filter(None, [more])]}
    mark: dict[str, Any] = {"schema": "tracedance.synthesised/v1", "family": FAMILY, "query": "q", "rounds": 1}
    mark |= {"reviewed_by_people": False, "figures": {"probe": None}, "files": digests, "digest": "x"}
    change(mark)
    for name in ("accepted.json", "family/synthesised.json"):
        (run / name).write_text(json.dumps(mark))
    return run


def test_a_run_in_the_form_of_a_build_is_promoted(command: Command, tmp_path: Path) -> None:
    assert command("promote", forged(tmp_path / "run"), "--to", tmp_path / "mine", "--yes").code == 0
    assert (tmp_path / "mine" / ANCHOR).is_file()


@pytest.mark.parametrize("name", ["../../../../escaped.txt", "anchors/action/other.py", "notes.txt"])
def test_no_file_that_is_not_the_family_s_is_copied(command: Command, tmp_path: Path, name: str) -> None:
    run, mine = forged(tmp_path / "x/y/z/run", more=name), tmp_path / "a/b/c/d/mine"
    done = command("promote", run, "--to", mine, "--yes")
    assert done.code == 2 and done.err.count("\n") == 1 and "no family that was accepted" in done.err
    assert not list((tmp_path / "a").rglob("*"))


@pytest.mark.parametrize(
    "change",
    [
        *(lambda mark, name=name: mark.pop(name) for name in ("query", "family", "rounds", "figures", "files", "schema")),
        lambda mark: mark.update(figures=[1]),
        lambda mark: mark.update(figures={"probe": [1]}),
        lambda mark: mark.update(family="../../../x"),
        lambda mark: mark.update(family=5),
        lambda mark: mark.update(rounds="many"),
    ],
)
def test_a_mark_that_no_build_writes_is_refused_in_one_line(command: Command, tmp_path: Path, change: Change) -> None:
    done = command("promote", forged(tmp_path / "run", change), "--to", tmp_path / "mine", "--yes")
    assert done.code == 2 and done.err.count("\n") == 1 and not (tmp_path / "mine").exists(), done.err


def test_a_file_that_nobody_can_read_is_not_promoted(command: Command, tmp_path: Path) -> None:
    data = b"\xff\xfe\x00"
    run = forged(tmp_path / "run", lambda mark: mark["files"].update({ANCHOR: hashlib.sha256(data).hexdigest()}))
    (run / "family" / ANCHOR).write_bytes(data)
    done = command("promote", run, "--to", tmp_path / "mine", "--yes")
    assert done.code == 2 and done.err.count("\n") == 1 and "no text in UTF-8" in done.err and not (tmp_path / "mine").exists()
