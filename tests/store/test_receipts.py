"""Receipts for each file and in total, archives as an import sees them, strict imports, and imports that were interrupted."""

import gzip
import json
import os
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.ingest.test_archives import tarred, zipped
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, records, write_session
from tests.store.test_importing import _importing, _sessions, _wait_for
from tracedance.schema import FileReceipt
from tracedance.store import parquet
from tracedance.store.importing import Options, import_paths, import_with
from tracedance.store.manifest import write_manifest
from tracedance.store.store import Store


def session(name: str, *more: str) -> bytes:
    return "".join([*(json.dumps(record) + "\n" for record in records(name, FIRST_EDIT)), *more]).encode()


def aged(path: Path) -> Path:
    """A file whose time is old enough to be trusted."""
    then = time.time() - 60
    os.utime(path, (then, then))
    return path


def archive(path: Path, *names: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zipped({f"{name}.jsonl": session(name) for name in names}))
    return aged(path)


def test_an_archive_that_has_not_changed_is_not_read_again_and_one_that_grew_adds_what_is_new(tmp_path: Path) -> None:
    path = archive(tmp_path / "in/a.zip", "a", "b")
    first = import_paths(tmp_path / "s", [path])
    assert (_sessions(first), first.formats) == ({"seen": 2, "kept": 2}, {"claude_code": 2})
    again = import_paths(tmp_path / "s", [path])
    assert (_sessions(again), again.records.in_, again.formats) == ({"seen": 2, "duplicate": 2}, 0, {"claude_code": 2})
    archive(path, "a", "b", "c")
    grown = import_paths(tmp_path / "s", [path])
    assert _sessions(grown) == {"seen": 3, "kept": 1, "duplicate": 2}
    assert Store.open(tmp_path / "s").sessions()["id"].to_list() == ["a", "b", "c"]


def test_a_copy_of_an_archive_elsewhere_is_not_read(tmp_path: Path) -> None:
    archive(tmp_path / "in/a.zip", "a", "b")
    archive(tmp_path / "in/copy/b.zip", "a", "b")
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert (_sessions(receipt), receipt.formats) == ({"seen": 4, "kept": 2, "duplicate": 2}, {"claude_code": 4})
    files = Store.open(tmp_path / "s").source_files()
    assert (files["sessions"].to_list(), files["format"].to_list()) == ([2, 2], ["archive", "archive"])


def test_a_longer_copy_inside_an_archive_replaces_the_plain_file(tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    longer = "".join(json.dumps(record) + "\n" for record in records("a", [*FIRST_EDIT, *SECOND_EDIT])).encode()
    (tmp_path / "in/b.jsonl.gz").write_bytes(gzip.compress(longer))
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 2, "duplicate": 1, "replaced": 1}


def test_an_archive_of_broken_members_alone_is_an_orderly_receipt(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(session("a")))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(packed)
    receipt = import_paths(tmp_path / "s", [tmp_path / "a.gz"])
    assert [(loss.reason, loss.count, loss.example) for loss in receipt.losses] == [("broken archive member", 1, "a.gz!a:1")]
    assert receipt.sessions.seen == 0 and receipt.records.in_ == receipt.records.lost == 1


def test_every_file_and_member_has_its_receipt_and_the_store_keeps_it(tmp_path: Path) -> None:
    odd = json.dumps({"type": "hologram", "uuid": "h", "sessionId": "a"}) + "\n"
    (tmp_path / "in").mkdir()
    aged(tmp_path / "in").joinpath("a.jsonl").write_bytes(session("a", odd, "not json\n"))
    (tmp_path / "in/b.tar").write_bytes(tarred({"b.jsonl": session("b"), "n.txt": b"hello"}))
    told: list[FileReceipt] = []
    total = import_with(tmp_path / "s", [tmp_path / "in"], Options(told=told.append))
    assert [(file.place.rpartition("/")[2], file.format, file.sessions, file.records.lost) for file in told] == [
        ("a.jsonl", "claude_code", 1, 2),
        ("b.tar!b.jsonl", "claude_code", 1, 0),
        ("b.tar!n.txt", "unknown", 0, 1),
        ("b.tar", "archive", 0, 0),
    ]
    assert {loss.reason for loss in told[0].losses} == {"unknown record type", "not JSON"}
    for name in ("in_", "kept", "ignored", "lost"):
        assert sum(getattr(file.records, name) for file in told) == getattr(total.records, name)
    rows = Store.open(tmp_path / "s").source_files().to_dicts()
    assert [(row["records"], row["kept"] + row["ignored"], row["lost"]) for row in rows] == [(6, 4, 2), (5, 4, 1)]
    assert json.loads(rows[0]["account"])["unknown"] == {"claude_code:hologram": 1}
    assert [member[0] for member in json.loads(rows[1]["account"])["members"]] == ["b.jsonl", "n.txt"]


def test_a_file_that_has_not_changed_tells_what_it_lost_before(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(session("a", "not json\n"))
    aged(path)
    import_paths(tmp_path / "s", [path])
    told: list[FileReceipt] = []
    again = import_with(tmp_path / "s", [path], Options(told=told.append))
    assert (again.records.lost, again.lost_before) == (0, 1)
    assert told[0].unchanged and [loss.reason for loss in told[0].losses] == ["not JSON"]


def test_a_strict_import_stores_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.store.shards.SHARD_SESSIONS", 2)
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 1)
    for name in "abcde":
        write_session(tmp_path / f"in/{name}.jsonl", name, FIRST_EDIT)
    (tmp_path / "in/f.jsonl").write_bytes(session("f", "not json\n"))
    refused = import_with(tmp_path / "s", [tmp_path / "in"], Options(strict=True))
    assert not refused.stored and refused.records.lost == 1
    store = Store.open(tmp_path / "s")
    assert (len(store.sessions()), store.shards()) == (0, [])
    assert not list((tmp_path / "s/shards").iterdir())
    (tmp_path / "in/f.jsonl").write_bytes(session("f"))
    done = import_with(tmp_path / "s", [tmp_path / "in"], Options(strict=True))
    assert done.stored and done.sessions.kept == 6
    assert [shard.sessions for shard in Store.open(tmp_path / "s").shards()] == [2, 2, 2]


def test_a_strict_import_does_not_pass_over_what_an_earlier_one_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(session("a", "not json\n"))
    aged(path)
    import_paths(tmp_path / "s", [path])
    assert not import_with(tmp_path / "s", [path], Options(strict=True)).stored
    assert Store.open(tmp_path / "s").sessions()["id"].to_list() == ["a"]


def test_an_import_that_is_interrupted_is_completed_by_the_next(tmp_path: Path) -> None:
    for number in range(20):
        write_session(tmp_path / f"in/{number:02d}.jsonl", f"id{number:02d}", FIRST_EDIT)
    with _importing(tmp_path) as process:
        _wait_for(process, "10")
        process.send_signal(signal.SIGINT)
    assert process.returncode not in (0, None)
    store = Store.open(tmp_path / "s")
    assert len(store.sessions()) == 9
    assert {path.name for path in (tmp_path / "s/shards").iterdir()} == store.manifest.names(), "what was begun is removed"
    assert _sessions(import_paths(tmp_path / "s", [tmp_path / "in"])) == {"seen": 20, "kept": 11, "duplicate": 9}


def test_a_store_of_an_earlier_version_lacks_columns_and_still_opens(tmp_path: Path) -> None:
    path = aged(write_session(tmp_path / "a.jsonl", "a", FIRST_EDIT))
    import_paths(tmp_path / "s", [path])
    store = Store.open(tmp_path / "s")
    (part,), (table,) = store.manifest.parts, store.manifest.files
    late = {part.events.name: ["offset", "length"], table.name: ["kept", "ignored", "lost", "account"]}
    fresh = {}
    for name, columns in late.items():
        held = pq.read_table(tmp_path / "s/shards" / name).drop_columns(columns)
        writer = parquet.PartWriter(tmp_path / "s/shards", ".parquet", held.schema)
        writer.add({column: held[column].to_pylist() for column in held.column_names})
        fresh[name] = writer.finish()
    from dataclasses import replace

    old = replace(store.manifest, parts=(replace(part, events=fresh[part.events.name]),), files=(fresh[table.name],))
    write_manifest(tmp_path / "s", old)
    store = Store.open(tmp_path / "s")
    assert store.read(store.shards()[0], ["offset", "length", "kind"])["offset"].null_count() == 4
    assert store.session("a").turns[0].text == "Rename the flag in app.py."
    write_session(tmp_path / "b.jsonl", "b", FIRST_EDIT)
    assert _sessions(import_paths(tmp_path / "s", [path, tmp_path / "b.jsonl"])) == {"seen": 2, "kept": 1, "duplicate": 1}
    assert len(Store.open(tmp_path / "s").source_files()) == 2


def test_rows_of_the_store_lead_back_to_the_bytes_of_the_source(tmp_path: Path) -> None:
    path = write_session(tmp_path / "a.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT])
    data = path.read_bytes()
    import_paths(tmp_path / "s", [path])
    store = Store.open(tmp_path / "s")
    rows = store.read(store.shards()[0], ["kind", "offset", "length", "tool", "result"]).to_dicts()
    for row in rows:
        record = json.loads(data[row["offset"] : row["offset"] + row["length"]])
        assert record["sessionId"] == "a"
        if row["kind"] == "call":
            assert record["message"]["content"][0]["name"] == row["tool"]
        if row["kind"] == "result":
            assert record["message"]["content"][0]["content"] == row["result"]
