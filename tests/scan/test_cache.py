"""What is remembered of a shard: one file, and each family's result in it by itself."""

from pathlib import Path

import pytest

from tests.scan.families import HandFamily, after_failed_edits
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.scan import cache
from tracedance.scan.engine import scan
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    write_session(tmp_path / "in/a.jsonl", "again", [*FIRST_EDIT, *SECOND_EDIT])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return Store.open(tmp_path / "s")


def _two() -> list[HandFamily]:
    return [HandFamily("failure/one", after_failed_edits), HandFamily("failure/two", after_failed_edits)]


def test_damage_to_one_result_costs_that_family_alone(store: Store) -> None:
    expected = scan(store, _two())
    (file,) = (store.path / "cache/scan").rglob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"family":"failure/two"', b'"family":"failure/owt"'))
    one, two = families = _two()
    assert scan(store, families) == expected
    assert (one.seen, two.seen) == ([], ["again"])


def test_results_of_scans_apart_stand_beside_each_other(store: Store) -> None:
    for family in _two():
        scan(store, [family])
    families = _two()
    assert len(scan(store, families).places) == 2 and [family.seen for family in families] == [[], []]


def test_the_oldest_results_go_when_there_are_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT", 1)
    for family in _two():
        scan(store, [family])
    one, two = families = _two()
    scan(store, families)
    assert (one.seen, two.seen) == (["again"], [])
