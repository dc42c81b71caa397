"""Sessions set aside: so many in each setting, the same ones as the store grows, and never the source of an instance."""

import json
from pathlib import Path

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.store.recorded import FIRST_EDIT, write_session
from tracedance.cli.storing import RESERVE
from tracedance.construct.build import build
from tracedance.construct.forgetting import forget
from tracedance.models.config import load
from tracedance.schema import Request
from tracedance.store import reserve
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


def _write(folder: Path, numbers: range) -> Path:
    for number in numbers:
        write_session(folder / f"in/{number:03d}.jsonl", f"id{number:03d}", [*FIRST_EDIT, {"text": f"number {number}"}])
        chat = {
            "id": f"chat{number}",
            "messages": [{"role": "user", "content": f"Hello {number}"}, {"role": "assistant", "content": "Hi."}],
        }
        (folder / f"in/{number:03d}.json").write_text(json.dumps(chat))
    return folder / "in"


def test_so_many_of_each_setting_are_set_aside_and_stay_so_as_the_store_grows(tmp_path: Path) -> None:
    import_paths(tmp_path / "s", [_write(tmp_path, range(20))], reserve=6)
    first = Store.open(tmp_path / "s").reserved()
    assert reserve.counted(Store.open(tmp_path / "s")) == {"coding": 6, "general_tool_use": 6}
    import_paths(tmp_path / "s", [_write(tmp_path, range(60))])
    assert Store.open(tmp_path / "s").reserved() == first


def test_nobody_chose_them_and_another_key_draws_others(tmp_path: Path) -> None:
    files = _write(tmp_path, range(30))
    for name in "st":
        import_paths(tmp_path / name, [files], reserve=10)
    one, other = (set(Store.open(tmp_path / name).reserved()) for name in "st")
    assert one != other and len(one) == len(other) == 20
    assert sorted(one) != sorted(Store.open(tmp_path / "s").sessions()["id"].to_list())[:20]


def test_a_store_too_small_is_filled_by_later_imports(tmp_path: Path) -> None:
    import_paths(tmp_path / "s", [_write(tmp_path, range(3))], reserve=5)
    first = Store.open(tmp_path / "s").reserved()
    assert len(first) == 6
    import_paths(tmp_path / "s", [_write(tmp_path, range(9))])
    grown = Store.open(tmp_path / "s").reserved()
    assert first.items() <= grown.items() and len(grown) == 10


def test_fewer_keep_the_first_drawn_and_none_releases_all(tmp_path: Path) -> None:
    import_paths(tmp_path / "s", [_write(tmp_path, range(9))], reserve=5)
    first = Store.open(tmp_path / "s").reserved()
    assert reserve.reserve(tmp_path / "s", 2) == {"coding": 2, "general_tool_use": 2}
    assert Store.open(tmp_path / "s").reserved().items() < first.items()
    assert reserve.reserve(tmp_path / "s", 0) == {} and not Store.open(tmp_path / "s").manifest.reserve


def test_a_fork_that_comes_later_joins_its_session(tmp_path: Path) -> None:
    history = [*FIRST_EDIT, {"text": "Anew."}, {"user": "Go on."}]
    write_session(tmp_path / "in/a.jsonl", "a", history)
    import_paths(tmp_path / "s", [tmp_path / "in"], reserve=1)
    write_session(tmp_path / "in/b.jsonl", "b", [*history, {"text": "Else."}])
    write_session(tmp_path / "in/c.jsonl", "c", [{"user": "Other."}, {"text": "Yes."}])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    assert set(Store.open(tmp_path / "s").reserved()) == {"a", "b"}


def test_a_forgotten_session_is_no_longer_among_them(tmp_path: Path) -> None:
    import_paths(tmp_path / "s", [_write(tmp_path, range(4))], reserve=4)
    forget(tmp_path / "s", "id001")
    assert len(Store.open(tmp_path / "s").reserved()) == 7


def test_construction_refuses_a_reserved_session_and_counts_it(tmp_path: Path) -> None:
    given = store(tmp_path, [commits(number) for number in range(6)])
    reserve.reserve(given.path, 2)
    catalogue(tmp_path / "catalogue")
    request = Request(query=None, families=(FAMILY,), minimum=1, catalogues=(str(tmp_path / "catalogue"),))
    given = Store.open(given.path)
    outcome = build(request, given, load("offline"), tmp_path / "out")
    (made,) = outcome.benchmarks
    assert made.instances == 4 and made.dropped == {"reserved": 2} and outcome.counts["unasked"] == 2
    sources = {instance.session for instance in read_benchmark(Path(str(made.path))).instances}
    assert sources.isdisjoint(given.provenance(name) for name in given.reserved())


def test_a_session_reserved_after_a_build_is_refused_by_the_next(tmp_path: Path) -> None:
    given = store(tmp_path, [commits(number) for number in range(3)])
    catalogue(tmp_path / "catalogue")
    request = Request(query=None, families=(FAMILY,), minimum=1, catalogues=(str(tmp_path / "catalogue"),))
    assert build(request, given, load("offline"), tmp_path / "out").benchmarks[0].instances == 3
    reserve.reserve(given.path, 3)
    outcome = build(request, Store.open(given.path), load("offline"), tmp_path / "out")
    assert outcome.outcome == "rejected" and outcome.benchmarks[0].dropped == {"reserved": 3}


def test_a_scan_finds_places_in_reserved_sessions_and_marks_them(tmp_path: Path, command: Command) -> None:
    given = store(tmp_path, [commits(number) for number in range(4)])
    catalogue(tmp_path / "catalogue")
    words = ("--store", given.path, "--catalogue", tmp_path / "catalogue", "--family", FAMILY, "--json")
    assert not any("reserved" in place for place in command("scan", *words).json["families"][0]["places"])
    assert command("store", "reserve", 1, "--store", given.path, "--json").json == {"wanted": 1, "reserved": {"coding": 1}}
    places = command("scan", *words).json["families"][0]["places"]
    assert len(places) == 4 and [place.get("reserved") for place in places].count(True) == 1


def test_the_number_is_an_option_of_import_too(tmp_path: Path, command: Command) -> None:
    files = _write(tmp_path, range(4))
    assert command("import", files, "--store", tmp_path / "s", "--reserve", 3).code == 0
    found = command("store", "stats", "--store", tmp_path / "s", "--json").json
    assert [row["reserved"] for row in found["groups"]] == [3, 3] and found["total"]["reserved"] == 6


def test_the_documented_default_is_the_one_of_the_command() -> None:
    assert RESERVE == reserve.DEFAULT == 10_000
