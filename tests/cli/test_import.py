"""`tracedance import` as a person and a pipeline meet it: receipts, strictness, exit codes, progress."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, write_session
from tests.store.test_receipts import archive, session
from tracedance.cli.output import _amount


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A session with two odd lines, an archive of two, and a file of no format."""
    folder = tmp_path / "in"
    archive(folder / "two.zip", "b", "c")
    (folder / "a.jsonl").write_bytes(session("a", '{"type":"hologram","uuid":"h","glow":1}\n', "not json\n"))
    (folder / "note.txt").write_text("hello\n")
    return folder


def test_a_receipt_names_what_was_lost_and_what_is_unknown(mixed: Path, tmp_path: Path, command: Command) -> None:
    done = command("import", mixed, "--store", tmp_path / "s")
    assert done.code == 0
    assert "Sessions  3 seen: 3 kept" in done.out
    assert re.search(r"Records   \d+ in = \d+ kept \+ 0 ignored \+ 3 lost", done.out)
    assert "unknown record types: claude_code:hologram 1" in done.out
    assert "unknown fields: claude_code:glow 1" in done.out


def test_json_carries_the_totals_and_with_verbose_every_file(mixed: Path, tmp_path: Path, command: Command) -> None:
    done = command("import", mixed, "--store", tmp_path / "s", "--json", "--verbose")
    told = done.json
    assert told["unknown"] == {"types": {"claude_code:hologram": 1}, "fields": {"claude_code:glow": 1}}
    assert [file["place"].rpartition("/")[2] for file in told["files"]] == [
        "a.jsonl",
        "note.txt",
        "two.zip!b.jsonl",
        "two.zip!c.jsonl",
        "two.zip",
    ]
    for name in ("in", "kept", "ignored", "lost"):
        assert sum(file["records"][name] for file in told["files"]) == told["records"][name]
    assert "files" not in command("import", mixed, "--store", tmp_path / "s", "--json").json


def test_verbose_prints_a_line_for_each_file(mixed: Path, tmp_path: Path, command: Command) -> None:
    out = command("import", mixed, "--store", tmp_path / "s", "--verbose").out
    assert re.search(r"two\.zip!b\.jsonl  claude_code: 1 sessions, \d+ in", out)
    assert "unchanged" in command("import", mixed / "two.zip", "--store", tmp_path / "s", "--verbose").out


def test_strict_exits_1_and_stores_nothing(mixed: Path, tmp_path: Path, command: Command) -> None:
    done = command("import", mixed, "--store", tmp_path / "s", "--strict", "--json")
    assert (done.code, done.json["stored"]) == (1, False)
    assert done.err == "Nothing was stored: --strict, and 3 records are lost.\n"
    (mixed / "a.jsonl").write_bytes(session("a"))
    (mixed / "note.txt").unlink()
    assert command("import", mixed, "--store", tmp_path / "s", "--strict", "--json").json["stored"] is True


def test_an_archive_of_broken_members_gives_its_receipt_and_exit_2(tmp_path: Path, command: Command) -> None:
    packed = bytearray(gzip.compress(session("a")))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(packed)
    done = command("import", tmp_path / "a.gz", "--store", tmp_path / "s", "--json")
    assert (done.code, done.json["records"]["lost"]) == (2, 1)
    assert done.err == "No session was found in what could be read.\n"


def test_hostile_names_inside_an_archive_do_not_reach_the_terminal(tmp_path: Path, command: Command) -> None:
    archive(tmp_path / "x.zip", "a\x1b[2J\u202e", "b")
    done = command("import", tmp_path / "x.zip", "--store", tmp_path / "s", "--verbose")
    assert done.code == 0
    assert "\x1b" not in done.out and "\u202e" not in done.out


def test_control_c_ends_an_import_in_one_line_and_the_next_completes_it(tmp_path: Path, command: Command) -> None:
    for number in range(6000):
        write_session(tmp_path / f"in/{number}.jsonl", f"id{number}", FIRST_EDIT)
    words = ["import", str(tmp_path / "in"), "--store", str(tmp_path / "s")]
    first_shard = {"FAILPOINT": "file.named:3", "FAILPOINT_SIGNAL": "SIGINT"}  # after the names of the store and of its rules
    environment = {**os.environ, **first_shard, "PYTHONPATH": os.pathsep.join(sys.path)}
    listen = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"  # what runs in the background is deaf to it
    code = f"{listen}; sys.argv = ['tracedance', *{words!r}]; from tracedance.cli.main import main; main()"
    stopped = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert stopped.returncode == 130, stopped.stderr
    assert stopped.stderr.strip() == "Interrupted. Finished work is kept; the same command continues."
    done = command(*words, "--json").json["sessions"]
    assert done["seen"] == 6000 and done["kept"] + done["duplicate"] == 6000
    assert done["kept"] > 0 and done["duplicate"] > 0, "the first shard was kept, the rest was read now"


def test_progress_tells_how_much_and_how_fast() -> None:
    assert _amount(38_000_000, 76_000_000, 2.0, True) == "38/76 MB  19.0 MB/s"
    assert _amount(3, 12_000, 0.1, False) == "3/12,000"
    assert _amount(600, 12_000, 2.0, False) == "600/12,000  300/s"
