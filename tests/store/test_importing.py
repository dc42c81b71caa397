import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.errors import InputError
from tracedance.schema import Receipt
from tracedance.store import shards
from tracedance.store.durable import locked
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


def _sessions(receipt: Receipt) -> dict[str, int]:
    return {name: count for name, count in receipt.sessions.model_dump().items() if count}


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_file_again_adds_nothing_and_changes_no_byte(tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    first = import_paths(tmp_path / "s", [tmp_path / "in"])
    before = _bytes(tmp_path / "s")
    again = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert _sessions(first) == {"seen": 1, "kept": 1}
    assert _sessions(again) == {"seen": 1, "duplicate": 1}
    assert again.records.in_ == 0
    assert _bytes(tmp_path / "s") == before


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    path = write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    receipt = import_paths(tmp_path / "s", [tmp_path / "in", path, path])
    assert _sessions(receipt) == {"seen": 1, "kept": 1}


def test_a_copy_elsewhere_is_a_duplicate_and_is_not_read(tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    one = import_paths(tmp_path / "s1", [tmp_path / "in"])
    write_session(tmp_path / "in/copy/b.jsonl", "a", FIRST_EDIT)
    both = import_paths(tmp_path / "s2", [tmp_path / "in"])
    assert _sessions(both) == {"seen": 2, "kept": 1, "duplicate": 1}
    assert both.records == one.records


def test_a_longer_copy_replaces_the_shorter_one(tmp_path: Path) -> None:
    path = write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    import_paths(tmp_path / "s", [path])
    write_session(path, "a", [*FIRST_EDIT, *SECOND_EDIT])
    receipt = import_paths(tmp_path / "s", [path])
    assert _sessions(receipt) == {"seen": 1, "replaced": 1}
    store = Store.open(tmp_path / "s")
    assert store.sessions()["id"].to_list() == ["a"]
    assert store.session("a").turns[-1].text == "Done."
    assert [shard.sessions for shard in store.shards()] == [0, 1]


def test_a_shorter_copy_is_a_duplicate_whatever_the_order(tmp_path: Path) -> None:
    write_session(tmp_path / "in/1-long.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT])
    write_session(tmp_path / "in/2-short.jsonl", "a", FIRST_EDIT)
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 2, "kept": 1, "duplicate": 1}
    assert len(Store.open(tmp_path / "s").session("a").turns) == 6


def test_checkpoints_of_one_import_end_as_the_longest(tmp_path: Path) -> None:
    steps = [*FIRST_EDIT, *SECOND_EDIT]
    for length in range(1, len(steps) + 1):
        write_session(tmp_path / f"in/{length}.jsonl", "a", steps[:length])
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert receipt.sessions.kept == 1 and receipt.sessions.seen == 6
    assert len(Store.open(tmp_path / "s").session("a").turns) == 6


def test_another_session_with_the_same_id_is_kept_beside_it(tmp_path: Path) -> None:
    other = [{"user": "Write a poem."}, {"text": "No."}, {"user": "Do."}]
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    write_session(tmp_path / "in/b.jsonl", "a", other)
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 2, "kept": 2}
    ids = Store.open(tmp_path / "s").sessions()["id"].to_list()
    assert ids[0] == "a" and ids[1].startswith("a~") and len(ids[1]) == 10
    write_session(tmp_path / "in/b.jsonl", "a", [*other, {"text": "Never."}])
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 2, "duplicate": 1, "replaced": 1}
    assert Store.open(tmp_path / "s").sessions()["id"].to_list() == ids


def test_the_same_inputs_are_the_same_shards(tmp_path: Path) -> None:
    for name in "abc":
        write_session(tmp_path / f"in/{name}.jsonl", name, FIRST_EDIT)
    import_paths(tmp_path / "s1", [tmp_path / "in"])
    # The store key enters redaction, so equal shards need an equal key.
    (tmp_path / "s2").mkdir()
    (tmp_path / "s2/key").write_bytes((tmp_path / "s1/key").read_bytes())
    (tmp_path / "s2/key").chmod(0o600)
    import_paths(tmp_path / "s2", [tmp_path / "in/c.jsonl", tmp_path / "in/a.jsonl", tmp_path / "in"])
    one, two = _bytes(tmp_path / "s1/shards"), _bytes(tmp_path / "s2/shards")
    assert {name for name in one if "files" not in name} == {name for name in two if "files" not in name}


def test_many_sessions_fill_several_shards_and_all_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD_SESSIONS", 4)
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 2)
    for number in range(11):
        write_session(tmp_path / f"in/{number:02d}.jsonl", f"id{number}", [*FIRST_EDIT, {"text": f"number {number}"}])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    store = Store.open(tmp_path / "s")
    assert [shard.sessions for shard in store.shards()] == [4, 4, 3]
    assert [store.session(f"id{number}").turns[-1].text for number in range(11)] == [f"number {number}" for number in range(11)]


def test_a_replacement_of_a_session_in_the_shard_being_written_ends_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 2)
    write_session(tmp_path / "in/1.jsonl", "a", FIRST_EDIT)
    write_session(tmp_path / "in/2.jsonl", "b", FIRST_EDIT)
    write_session(tmp_path / "in/3.jsonl", "c", FIRST_EDIT)
    write_session(tmp_path / "in/4.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT])
    write_session(tmp_path / "in/5.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT, {"user": "Thanks."}])
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert _sessions(receipt) == {"seen": 5, "kept": 3, "replaced": 2}
    store = Store.open(tmp_path / "s")
    assert store.sessions()["id"].to_list() == ["a", "b", "c"]
    assert len(store.session("a").turns) == 7
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 5, "duplicate": 5}


IMPORTING = """
import sys
from tracedance.store import importing, shards
shards.SHARD_SESSIONS = 3
importing.GROUP_SESSIONS = 1
count = 0
def said(done, total, name):
    global count
    count += 1
    done = count
    print(done, flush=True)
    if done == 10:
        sys.stdin.readline()
importing.import_paths(sys.argv[1], [sys.argv[2]], progress=said)
"""


def _importing(tmp_path: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", IMPORTING, str(tmp_path / "s"), str(tmp_path / "in")]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _wait_for(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdout is not None
    while process.stdout.readline().strip() != line:
        assert process.poll() is None


def test_an_import_killed_midway_leaves_a_store_that_opens_and_the_next_completes_it(tmp_path: Path) -> None:
    for number in range(20):
        write_session(tmp_path / f"in/{number:02d}.jsonl", f"id{number:02d}", FIRST_EDIT)
    with _importing(tmp_path) as process:
        _wait_for(process, "10")
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert len(Store.open(tmp_path / "s").sessions()) == 9
    assert any(path.name.startswith(".tmp-") for path in (tmp_path / "s/shards").iterdir())
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert _sessions(receipt) == {"seen": 20, "kept": 11, "duplicate": 9}
    store = Store.open(tmp_path / "s")
    assert store.sessions()["id"].to_list() == [f"id{number:02d}" for number in range(20)]
    assert {path.name for path in (tmp_path / "s/shards").iterdir()} == store.manifest.names()


def test_a_second_import_at_the_same_time_is_told_to_wait(tmp_path: Path) -> None:
    for number in range(12):
        write_session(tmp_path / f"in/{number:02d}.jsonl", f"id{number:02d}", FIRST_EDIT)
    with _importing(tmp_path) as process:
        _wait_for(process, "10")
        started = time.monotonic()
        with pytest.raises(InputError, match="Another import") as busy:
            import_paths(tmp_path / "s", [tmp_path / "in"])
        assert busy.value.code == 7
        assert time.monotonic() - started < 1
        process.communicate("\n")
    assert process.returncode == 0
    assert len(Store.open(tmp_path / "s").sessions()) == 12


def test_the_lock_is_free_again_after_an_import_that_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    with locked(tmp_path):
        pass


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "absent", "There is no file or folder"),
        (lambda folder: (folder / "empty").mkdir() or folder / "empty", "There is no file in"),
        (lambda folder: (folder / "note.txt").write_text("hello") and folder / "note.txt", "No format of sessions was recognised"),
    ],
)
def test_what_cannot_be_imported_is_refused_and_leaves_no_store(tmp_path: Path, make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=says) as refused:
        import_paths(tmp_path / "s", [make(tmp_path)])
    assert refused.value.code == 2
    assert not (tmp_path / "s").exists()


def test_a_mixed_folder_keeps_what_it_knows_and_names_the_rest(tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    (tmp_path / "in/note.txt").write_text("hello\n")
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    records = receipt.records
    assert receipt.sessions.kept == 1
    assert records.in_ == records.kept + records.ignored + records.lost
    assert any("note.txt" in loss.example for loss in receipt.losses)


def _long_records() -> list[dict[str, Any]]:
    """A session whose turns are cut by every checkpoint: several pieces a message, and a call after the result of the call before it."""
    made: list[dict[str, Any]] = []

    def add(role: str, content: object, message: str = "") -> None:
        body = {"role": role, "content": content} | ({"id": message, "type": "message", "model": "claude-x"} if message else {})
        common = {"sessionId": "s-1", "cwd": "/r", "version": "2.1.0", "userType": "external", "isSidechain": False}
        place = {"uuid": f"u{len(made)}", "parentUuid": f"u{len(made) - 1}" if made else None}
        made.append({"type": role, "message": body, "timestamp": f"2026-01-01T10:00:{len(made):02d}.000Z", **common, **place})

    for round_ in range(4):
        add("user", f"Do part {round_}.")
        add("assistant", [{"type": "text", "text": "I look."}], f"m{round_}")
        for call in range(2):
            block = {"type": "tool_use", "id": f"c{round_}{call}", "name": "Bash", "input": {"command": f"ls {call}"}}
            add("assistant", [block], f"m{round_}")
            add("user", [{"type": "tool_result", "tool_use_id": f"c{round_}{call}", "content": f"out {round_} {call}"}])
        add("assistant", [{"type": "text", "text": "Part"}], f"n{round_}")
        add("assistant", [{"type": "text", "text": "done."}], f"n{round_}")
    return made


@pytest.mark.parametrize("first", [0, 1])
def test_every_checkpoint_of_a_session_is_that_session_and_the_longest_stays(first: int, tmp_path: Path) -> None:
    records = _long_records()
    if first:  # a session that begins with what the model says, which a checkpoint may cut
        records = records[1:]
        records[0]["parentUuid"] = None
    import_paths(tmp_path / "whole", [_write(tmp_path / "whole.jsonl", records)])
    whole = Store.open(tmp_path / "whole").session("s-1")
    for cut in range(1, len(records)):
        for order in ("shorter first", "longer first"):
            store = tmp_path / f"{cut}-{order}"
            for part in sorted((records[:cut], records), key=len, reverse=order == "longer first"):
                import_paths(store, [_write(tmp_path / f"in/{cut}-{order}-{len(part)}.jsonl", part)])
            found = Store.open(store)
            assert found.sessions()["id"].to_list() == ["s-1"], (cut, order)
            assert found.session("s-1").turns[-1].chain == whole.turns[-1].chain, (cut, order)


def test_two_sessions_of_one_id_that_part_early_are_both_kept(tmp_path: Path) -> None:
    one, other = _long_records(), _long_records()
    other[5]["message"]["content"][0]["content"] = "something else"
    import_paths(tmp_path / "s", [_write(tmp_path / "in/1.jsonl", one), _write(tmp_path / "in/2.jsonl", other)])
    assert len(Store.open(tmp_path / "s").sessions()) == 2


def _write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("garbage", ["no JSON", '{"n": 1}', "[[["])
def test_a_session_behind_many_lines_of_garbage_is_found_and_the_garbage_counted(garbage: str, tmp_path: Path) -> None:
    path = write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    path.write_text(f"{garbage}\n" * 60 + path.read_text())
    receipt = import_paths(tmp_path / "s", [path])
    assert receipt.sessions.kept == 1 and receipt.records.lost == 60
    assert receipt.records.in_ == receipt.records.kept + receipt.records.ignored + receipt.records.lost


def test_what_tracedance_wrote_is_passed_over_and_counted(command: Command, tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    import_paths(tmp_path / "in/.tracedance", [tmp_path / "in"])
    shutil.copytree(Path(__file__).parents[2] / "benchmarks/demo", tmp_path / "in/benchmarks")
    (tmp_path / "in/run").mkdir()
    (tmp_path / "in/run/run.json").write_text('{"schema": "tracedance.run/v1"}')
    (tmp_path / "in/run/responses.jsonl").write_text('{"messages": [{"role": "user", "content": "x"}]}\n')
    (tmp_path / "in/mine").mkdir()
    (tmp_path / "in/mine/run.json").write_text('{"messages": [{"role": "user", "content": "x"}]}')
    done = command("import", tmp_path / "in", "--store", tmp_path / "in/.tracedance", "--json")
    assert done.code == 0
    assert done.json["own_folders"] == 4
    assert done.json["sessions"]["seen"] == 2 and done.json["records"]["lost"] == 0
    alone = command("import", tmp_path / "in/run", "--store", tmp_path / "s")
    assert alone.code == 2 and "what tracedance wrote" in alone.err


@pytest.mark.parametrize("content", ['{"type":"summary","leafUuid":"x","summary":"y"}', '{"type":"user","uuid":"a","sess', "\0\0", ""])
def test_an_import_that_keeps_nothing_ends_with_2_each_time(content: str, command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(content)
    for _ in range(2):
        done = command("import", tmp_path / "a.jsonl", "--store", tmp_path / "s")
        assert done.code == 2, done.out
