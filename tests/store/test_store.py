from pathlib import Path

import pytest

from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.errors import InputError
from tracedance.schema import Session
from tracedance.store import views
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    write_session(tmp_path / "in/a.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT])
    write_session(tmp_path / "in/b.jsonl", "b", FIRST_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return Store.open(tmp_path / "s")


def _views(store: Store) -> list[Session]:
    ids = store.sessions()["id"].to_list()
    return [session for shard in store.shards() for session in store.views(store.read(shard, views.NEEDED), ids, shard)]


def test_a_session_comes_back_as_it_went_in(store: Store) -> None:
    session = store.session("a")
    assert [(turn.index, turn.role, turn.author) for turn in session.turns][:3] == [
        (0, "user", "user"),
        (1, "assistant", "model"),
        (2, "tool", "tool"),
    ]
    first, second = session.calls()
    assert first.arguments == {"file_path": "/r/app.py", "new_string": "b", "old_string": "a"}
    assert (first.name, first.tool_class, first.cmd, first.turn) == ("Edit", "edit", "/r/app.py", 1)
    assert first.result is session.turns[2].results[0]
    assert first.result is not None and (first.result.status, first.result.error_class) == ("error", "edit_not_found")
    assert second.result is not None and second.result.text == "The file /r/app.py has been updated."
    assert session.turns[3].reasoning == "Hm."
    assert session.turns[1].text == "I will edit it."
    assert (session.cwd, session.format, session.system, session.tools) == ("/r", "claude_code", None, None)
    assert session.shapes["Edit"].calls == 2


def test_bulky_texts_are_read_only_when_asked_for_and_from_the_file_that_is_open(store: Store) -> None:
    sessions = _views(store)
    assert not store._cold
    assert sessions[0].calls()[0].arguments["old_string"] == "a"
    assert sessions[1].turns[2].results[0].text.startswith("<tool_use_error>")
    assert [column for _, column, _ in store._cold] == ["args", "result"]
    assert list(store.opened.values()) == [1]


def test_a_call_row_carries_what_became_of_it(store: Store) -> None:
    frame = store.read(store.shards()[0], ["kind", "tool", "status", "error_class", "err_text"])
    failed = [row for row in frame.to_dicts() if row["kind"] == "call" and row["status"] == "error"]
    assert [(row["tool"], row["error_class"]) for row in failed] == [("Edit", "edit_not_found")] * 2
    assert "not found" in failed[0]["err_text"]


def test_the_sessions_table_counts_and_digests(store: Store) -> None:
    row = store.sessions().to_dicts()[0]
    assert (row["turns"], row["calls"], row["errors"], row["user_turns"]) == (6, 2, 1, 1)
    assert row["replayability"] == "reconstructed"
    assert all(len(row[name]) >= 8 for name in ("source_digest", "content_digest", "redaction_digest"))


def test_every_flipped_byte_of_a_shard_is_named_and_never_misread(store: Store) -> None:
    path = store.shards()[0].path
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(InputError, match="damaged") as found:
            _views(Store.open(store.path))
        assert found.value.code == 6


@pytest.mark.parametrize("length", [0, 3, 100, -1])
def test_a_torn_shard_is_named(store: Store, length: int) -> None:
    path = store.shards()[0].path
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match="damaged") as found:
        _views(Store.open(store.path))
    assert found.value.code == 6


def test_every_flipped_byte_of_the_manifest_is_named(store: Store) -> None:
    path = store.path / "store.json"
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            reread = Store.open(store.path)
        except InputError as error:
            assert error.code in (2, 6)
        else:
            assert reread.manifest == store.manifest


def test_a_store_of_a_newer_version_is_refused_with_the_cure(store: Store) -> None:
    path = store.path / "store.json"
    path.write_text(path.read_text().replace("tracedance.store/v1", "tracedance.store/v2"))
    with pytest.raises(InputError, match="Update tracedance"):
        Store.open(store.path)


def test_an_absent_store_is_refused_with_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tracedance import"):
        Store.open(tmp_path / "none")


def test_a_key_that_others_can_read_is_refused(store: Store) -> None:
    (store.path / "key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        Store.open(store.path)


def test_the_key_is_made_private(store: Store) -> None:
    assert (store.path / "key").stat().st_mode & 0o777 == 0o600
    assert len(store.key) == 32


def test_an_unknown_session_is_an_input_error(store: Store) -> None:
    with pytest.raises(InputError, match="'nope'"):
        store.session("nope")
