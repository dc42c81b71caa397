"""The table of a scan is made again only where the store, a family or the question has changed, and is then what a scan says."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.scan.families import HandFamily, after_failed_edits, card
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.construct.forgetting import forget
from tracedance.scan.engine import scan
from tracedance.scan.remembered import told
from tracedance.scan.table import table
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


def _imported(folder: Path, *names: str) -> Store:
    for name in names:
        write_session(folder / f"in/{name}.jsonl", name, [{"user": name}, *FIRST_EDIT[1:], *SECOND_EDIT])
    import_paths(folder / "s", [folder / "in"])
    return Store.open(folder / "s")


def _retry(title: str = "Retry") -> HandFamily:
    return HandFamily("failure/retry", after_failed_edits, card=card().model_copy(update={"title": title}))


def _made(store: Store, family: HandFamily, by: tuple[str, ...] = ()) -> dict[str, object]:
    """What a scan says without a cache of any kind."""
    bare = replace(family, seen=[])
    return table(scan(store, [bare]), [bare], by, store.sessions() if by else None)  # type: ignore[arg-type]


def test_where_nothing_is_new_the_same_table_comes_without_a_shard_being_opened(tmp_path: Path) -> None:
    first = told(_imported(tmp_path, "a", "b"), [_retry()])
    again = Store.open(tmp_path / "s")
    family = _retry()
    assert told(again, [family]) == first == _made(Store.open(tmp_path / "s"), _retry())
    assert family.seen == [] and not again.opened
    assert len(first["families"][0]["places"]) == 2


def test_a_new_session_a_changed_card_and_another_grouping_are_told(tmp_path: Path) -> None:
    told(_imported(tmp_path, "a"), [_retry()])
    store = _imported(tmp_path, "b")
    assert [place["session"] for place in told(store, [_retry()])["families"][0]["places"]] == ["a", "b"]
    assert told(store, [_retry("Renamed")])["families"][0]["title"] == "Renamed"
    assert told(store, [_retry()], ("harness",)) == _made(store, _retry(), ("harness",))


@pytest.mark.parametrize("damage", [(b'"session":"a"', b'"session":"b"'), (b"}", b"")])
def test_a_table_that_was_tampered_with_is_made_again(tmp_path: Path, damage: tuple[bytes, bytes]) -> None:
    store = _imported(tmp_path, "a", "b")
    first = told(store, [_retry()])
    (kept,) = (store.path / "cache/scan/tables").iterdir()
    kept.write_bytes(kept.read_bytes().replace(*damage))
    assert told(store, [_retry()]) == first


def test_tables_of_former_states_and_of_forgotten_sessions_are_not_kept(tmp_path: Path) -> None:
    told(_imported(tmp_path, "a"), [_retry()])
    store = _imported(tmp_path, "b")
    told(store, [_retry()])
    assert len(list((store.path / "cache/scan/tables").iterdir())) == 1
    forget(store.path, "b")
    assert not any(b'"b"' in path.read_bytes() for path in (store.path / "cache").rglob("*.json"))
    assert [place["session"] for place in told(Store.open(store.path), [_retry()])["families"][0]["places"]] == ["a"]
