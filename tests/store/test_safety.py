"""What stands where a store or a benchmark is to be: ours is used, damage is named, and what is somebody else's is never touched."""

import os
from pathlib import Path

import pytest

from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.errors import InputError
from tracedance.store.export import publish
from tracedance.store.importing import import_paths
from tracedance.store.manifest import read_manifest
from tracedance.store.store import Store


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    return write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT).parent


@pytest.fixture
def store(tmp_path: Path, traces: Path) -> Path:
    import_paths(tmp_path / "s", [traces])
    return tmp_path / "s"


@pytest.mark.parametrize("name", ["shards/photo.parquet", ".tmp-notes", "key", "notes.txt", "shards/deep/er.txt"])
def test_a_folder_of_somebody_else_is_refused_and_nothing_in_it_is_touched(name: str, tmp_path: Path, traces: Path) -> None:
    mine = tmp_path / "mine" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(InputError) as refused:
        import_paths(tmp_path / "mine", [traces])
    assert refused.value.code == 2
    assert _bytes(tmp_path / "mine") == {name: b"mine"}


def test_an_empty_folder_becomes_a_store(tmp_path: Path, traces: Path) -> None:
    (tmp_path / "s").mkdir()
    assert import_paths(tmp_path / "s", [traces]).sessions.kept == 1


def test_a_store_whose_state_is_gone_is_damaged_and_left_as_it_is(store: Path, traces: Path) -> None:
    (store / "store.json").unlink()
    before = _bytes(store)
    for command in (lambda: Store.open(store), lambda: import_paths(store, [traces])):
        with pytest.raises(InputError, match="backup") as damaged:
            command()
        assert damaged.value.code == 6
    assert _bytes(store) == before


@pytest.mark.parametrize("key", [None, b"x" * 32, b"short"])
def test_a_key_that_is_gone_or_another_is_named(key: bytes | None, store: Path, traces: Path) -> None:
    (store / "key").unlink()
    if key is not None:
        (store / "key").write_bytes(key)
        (store / "key").chmod(0o600)
    before = _bytes(store)
    for command in (lambda: Store.open(store), lambda: import_paths(store, [traces])):
        with pytest.raises(InputError, match="backup") as damaged:
            command()
        assert damaged.value.code == 6
    assert _bytes(store) == before


def test_a_store_that_does_not_know_its_key_yet_learns_it(store: Path, traces: Path) -> None:
    from dataclasses import replace

    from tracedance.store.manifest import write_manifest

    manifest = read_manifest(store)
    assert manifest is not None
    write_manifest(store, replace(manifest, key=""))
    Store.open(store)
    import_paths(store, [traces])
    assert read_manifest(store) == manifest


def test_a_first_import_that_died_before_its_key_was_written_is_begun_anew(store: Path, tmp_path: Path, traces: Path) -> None:
    Store.open(tmp_path / "new", create=True)
    (tmp_path / "new/key").unlink()
    assert import_paths(tmp_path / "new", [traces]).sessions.kept == 1


def test_missing_shards_are_damage(store: Path, traces: Path) -> None:
    for path in (store / "shards").iterdir():
        path.unlink()
    (store / "shards").rmdir()
    for command in (lambda: Store.open(store), lambda: import_paths(store, [traces])):
        with pytest.raises(InputError, match="shards") as damaged:
            command()
        assert damaged.value.code == 6


def test_only_what_a_dead_command_left_is_swept(store: Path, traces: Path) -> None:
    left = [store / f"shards/{'a' * 64}.parquet", store / ".tmp-12-0a1b2c3d-store.json"]
    mine = [store / "shards/notes.txt", store / ".tmp-notes", store / "shards/part.parquet"]
    for path in (*left, *mine):
        path.write_text("x")
    write_session(traces / "a.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT])
    import_paths(store, [traces])
    assert [path.exists() for path in (*left, *mine)] == [False, False, True, True, True]


def test_a_pointer_is_put_in_place_of_an_older_pointer_alone(tmp_path: Path) -> None:
    publish({"a.txt": b"1"}, tmp_path, "name")
    publish({"a.txt": b"2"}, tmp_path, "name")
    assert (tmp_path / "name/a.txt").read_bytes() == b"2"
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    os.symlink(tmp_path / "folder", tmp_path / "link")
    for name in ("file", "folder", "link"):
        with pytest.raises(InputError, match="not published from here"):
            publish({"a.txt": b"3"}, tmp_path, name)
    assert (tmp_path / "file").read_text() == "mine" and (tmp_path / "link").readlink() == tmp_path / "folder"
    assert len(list((tmp_path / ".objects").iterdir())) == 2
